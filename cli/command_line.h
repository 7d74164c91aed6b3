// SPDX-License-Identifier: Apache-2.0
//
// Verbs, their options and their help. Only command_line.cc sees the library behind them, whose
// header takes longer to compile than a command does.
#ifndef POOLPROOF_CLI_COMMAND_LINE_H_
#define POOLPROOF_CLI_COMMAND_LINE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/status.h"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
}  // namespace CLI

namespace poolproof {

// An option of a command, owned by the command line.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  // What the help calls its value. Reports hold the command line: values but those of kinds that
  // WithoutFolders knows are taken for paths there.
  Option TypeName(const std::string& name) const;
  Option Required() const;
  // It takes one value each time that it is given; a vector takes all that follow otherwise.
  Option OneValueEach() const;

 private:
  CLI::Option* option_;
};

// The program or one of its verbs, owned by the command line. What options are read into must
// outlive the parsing.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  [[nodiscard]] Command AddCommand(const std::string& name, const std::string& description) const;
  // One of its commands has to be given.
  void RequireCommand() const;

  // Names such as "-o,--output"; without dashes it is an operand, taken by its place.
  Option AddOption(const std::string& names, std::string& value, const std::string& help) const;
  Option AddOption(const std::string& names, std::optional<std::string>& value,
                   const std::string& help) const;
  Option AddOption(const std::string& names, std::vector<std::string>& values,
                   const std::string& help) const;
  Option AddFlag(const std::string& names, bool& value, const std::string& help) const;
  // The heading under which the program's help lists it.
  void SetGroup(const std::string& name) const;
  // Options that a first run needs: the help lists them apart, before the others.
  void SetFirstOptions(const std::vector<std::string>& names) const;
  // To each of these verbs, behind what they have; its value is read before the parsing.
  void AddOptionToEach(const std::vector<std::string>& verbs, const std::string& names,
                       const std::string& type, const std::string& help) const;
  // Printed below the help of the command, in lines of at most 80 columns.
  void SetFooter(const std::string& text) const;
  // `chosen` is called where the command is given and its options are right.
  void OnChosen(const std::function<void()>& chosen) const;

 private:
  CLI::App* app_;
};

// An option or operand as it was declared.
struct DeclaredOption {
  std::vector<std::string> names;  // "-o", "--output"; empty: an operand
  std::string type_name;           // empty: a flag, or a value without a name
  std::string operand = {};        // its name, where it is one
  std::string help = {};
  bool takes_value = true;  // false: a flag
  bool repeats = false;     // may be given several times
  bool required = false;
};

// A verb, or a part of one, that options are given to; or the program itself, whose name is empty.
struct DeclaredCommand {
  std::vector<std::string> words;  // "corpus", "merge"
  std::string group;               // heading in the program's help
  std::string description;
  std::string footer;
  std::vector<DeclaredOption> options;  // as declared; operands too
  bool has_commands = false;            // wants one more word
};

class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& name);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  [[nodiscard]] Command root();
  // The arguments behind the program's name. False where help is asked for. errors:
  // kInvalidArgument.
  Result<bool> Parse(const std::vector<std::string>& arguments);
  // Of all commands.
  [[nodiscard]] std::vector<DeclaredOption> Options() const;
  // All of them, the program first, in the order of their declaration.
  [[nodiscard]] std::vector<DeclaredCommand> Commands() const;
  // The words of a command line as reports may hold them: paths are cut to base names. Whatever
  // holds a slash is taken for a path, except for the values of options of type GLOB and I/N.
  [[nodiscard]] std::vector<std::string> WithoutFolders(const std::vector<std::string>& argv) const;
  // Of the command that was given last.
  [[nodiscard]] std::string Help() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CLI_COMMAND_LINE_H_
