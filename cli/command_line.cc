// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "cli/usage_check.h"

namespace poolproof {
namespace {

DeclaredOption Declared(const CLI::Option& option) {
  DeclaredOption declared;
  for (const std::string& name : option.get_snames()) declared.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) declared.names.push_back("--" + name);
  declared.type_name = option.get_type_name();
  if (declared.names.empty()) declared.operand = option.get_name();
  declared.help = option.get_description();
  declared.takes_value = option.get_items_expected_max() > 0;
  declared.repeats = option.get_items_expected_max() > 1;
  declared.required = option.get_required();
  return declared;
}

void Collect(const CLI::App& app, const std::vector<std::string>& words,
             std::vector<DeclaredCommand>& commands) {
  DeclaredCommand declared;
  declared.words = words;
  declared.group = app.get_group();
  declared.description = app.get_description();
  declared.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) declared.options.push_back(Declared(*option));
  const auto parts = app.get_subcommands({});
  declared.has_commands = !parts.empty();
  commands.push_back(std::move(declared));
  for (const CLI::App* part : parts) {
    std::vector<std::string> longer = words;
    longer.push_back(part->get_name());
    Collect(*part, longer, commands);
  }
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Each part of a comma-separated list on its own.
std::string BaseNames(const std::string& list) {
  std::string names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    names += (at == 0 ? "" : ",") + BaseName(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

UsageWord UsageOf(const CLI::Option& option) {
  const DeclaredOption declared = Declared(option);
  UsageWord word;
  word.names = declared.names;
  word.value = declared.type_name;
  word.takes_value = declared.takes_value;
  word.repeats = declared.repeats;
  word.takes_more = word.repeats && option.get_allow_extra_args();
  word.required = declared.required;
  if (word.names.empty()) {
    word.names.push_back(declared.operand);
    word.help = declared.help;
  }
  return word;
}

// What the verb that `arguments` begin with takes; `behind` becomes the number of its words.
Usage UsageOf(const CLI::App& program, const std::vector<std::string>& arguments,
              std::size_t& behind) {
  const CLI::App* app = &program;
  Usage usage;
  for (behind = 0; behind < arguments.size(); ++behind) {
    const CLI::App* chosen = nullptr;
    for (const CLI::App* command : app->get_subcommands({})) {
      if (command->get_name() == arguments[behind]) chosen = command;
    }
    if (chosen == nullptr) break;
    app = chosen;
    usage.verb += (usage.verb.empty() ? "" : " ") + app->get_name();
  }
  for (const CLI::Option* option : app->get_options()) {
    (option->get_positional() ? usage.operands : usage.options).push_back(UsageOf(*option));
  }
  return usage;
}

constexpr const char* kFirstOptions = "For a first run";
constexpr std::size_t kHelpWidth = 80;
constexpr std::size_t kHelpColumn = 26;

// `text` behind `begin`, which is filled up to the help's column; in lines that fit.
std::string HelpRow(const std::string& begin, const std::string& text) {
  std::string rows;
  std::string row = begin;
  if (row.size() + 2 > kHelpColumn) {
    rows = row + "\n";
    row.clear();
  }
  row.resize(kHelpColumn, ' ');
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (used > 0 && row.size() + 1 + (end - at) > kHelpWidth) {
      rows += row + "\n";
      row.assign(kHelpColumn, ' ');
      used = 0;
    }
    row += (used++ > 0 ? " " : "") + text.substr(at, end - at);
    at = end + 1;
  }
  return rows + row + "\n";
}

// "-o,--output F".
std::string NamesOf(const UsageWord& word) {
  std::string names;
  for (const std::string& name : word.names) names += (names.empty() ? "" : ",") + name;
  return names + (word.takes_value && !word.value.empty() ? " " + word.value : "");
}

std::string HelpOf(const CLI::App& app, const std::string& path) {
  std::string usage = "Usage: " + path;
  std::string operands;
  std::string first;
  std::string options;
  for (const CLI::Option* option : app.get_options()) {
    const UsageWord word = UsageOf(*option);
    if (option->get_positional()) {
      usage += " " + word.names.front();
      operands += HelpRow("  " + word.names.front(), option->get_description());
    } else {
      if (word.required) usage += " " + NamesOf(word).substr(NamesOf(word).find("--"));
      (option->get_group() == kFirstOptions ? first : options) +=
          HelpRow("  " + NamesOf(word), option->get_description());
    }
  }
  // Verbs in the groups and the order in which they were declared.
  std::string verbs;
  std::string group;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group() != group) verbs += "\n" + command->get_group() + ":\n";
    group = command->get_group();
    verbs += HelpRow("  " + command->get_name(), command->get_description());
  }
  usage += verbs.empty() ? " [options]" : " verb [options]";
  std::string text = app.get_description() + "\n\n" + usage + "\n" + verbs;
  if (!operands.empty()) text += "\nArguments:\n" + operands;
  if (!first.empty()) text += "\n" + std::string(kFirstOptions) + ":\n" + first;
  text += "\nOptions:\n" + options;
  if (!app.get_footer().empty()) text += "\n" + app.get_footer() + "\n";
  return text;
}

}  // namespace

Option Option::TypeName(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::Required() const {
  option_->required();
  return *this;
}

Option Option::OneValueEach() const {
  option_->allow_extra_args(false);
  return *this;
}

Command Command::AddCommand(const std::string& name, const std::string& description) const {
  CLI::App* command = app_->add_subcommand(name, description);
  command->group("Verbs");
  command->footer("");  // not that of the program
  return Command(command);
}

void Command::RequireCommand() const { app_->require_subcommand(1); }

Option Command::AddOption(const std::string& names, std::string& value,
                          const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option Command::AddOption(const std::string& names, std::optional<std::string>& value,
                          const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option Command::AddOption(const std::string& names, std::vector<std::string>& values,
                          const std::string& help) const {
  return Option(app_->add_option(names, values, help));
}

Option Command::AddFlag(const std::string& names, bool& value, const std::string& help) const {
  return Option(app_->add_flag(names, value, help));
}

void Command::SetFirstOptions(const std::vector<std::string>& names) const {
  for (const std::string& name : names) app_->get_option(name)->group(kFirstOptions);
}

void Command::AddOptionToEach(const std::vector<std::string>& verbs, const std::string& names,
                              const std::string& type, const std::string& help) const {
  for (const std::string& verb : verbs) {
    app_->get_subcommand(verb)
        ->add_option_function<std::string>(
            names, [](const std::string&) {}, help)
        ->type_name(type);
  }
}

void Command::SetGroup(const std::string& name) const { app_->group(name); }

void Command::SetFooter(const std::string& text) const { app_->footer(text); }

void Command::OnChosen(const std::function<void()>& chosen) const { app_->callback(chosen); }

CommandLine::CommandLine(const std::string& description, const std::string& name)
    : app_(std::make_unique<CLI::App>(description, name)) {}

CommandLine::~CommandLine() = default;

Command CommandLine::root() { return Command(app_.get()); }

Result<bool> CommandLine::Parse(const std::vector<std::string>& arguments) {
  std::size_t behind = 0;
  const Usage usage = UsageOf(*app_, arguments, behind);
  if (!usage.verb.empty()) {
    const std::span words(arguments);
    if (Status status = CheckUsage(usage, words.subspan(behind)); !status.ok()) return status;
  }
  try {
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ParseError& error) {
    return InvalidArgument(error.what());
  }
  return true;
}

std::vector<DeclaredOption> CommandLine::Options() const {
  std::vector<DeclaredOption> options;
  for (DeclaredCommand& command : Commands()) {
    std::move(command.options.begin(), command.options.end(), std::back_inserter(options));
  }
  return options;
}

std::vector<DeclaredCommand> CommandLine::Commands() const {
  std::vector<DeclaredCommand> commands;
  Collect(*app_, {}, commands);
  return commands;
}

std::vector<std::string> CommandLine::WithoutFolders(const std::vector<std::string>& argv) const {
  std::map<std::string, std::string> types;
  for (const DeclaredOption& option : Options()) {
    for (const std::string& name : option.names) {
      // One that means several things may mean a path.
      const auto [place, added] = types.emplace(name, option.type_name);
      if (!added && place->second != option.type_name) place->second.clear();
    }
  }
  const auto cut = [&](const std::string& option, const std::string& value) {
    const auto place = types.find(option);
    const std::string type = place == types.end() ? "" : place->second;
    if (type == "GLOB" || type == "I/N") return value;
    return type == "X" ? BaseNames(value) : BaseName(value);
  };
  std::vector<std::string> told;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    const std::size_t equals = word.find('=');
    if (word.starts_with("--") && equals != std::string::npos) {
      const std::string option = word.substr(0, equals);
      told.push_back(option + "=" + cut(option, word.substr(equals + 1)));
    } else {
      told.push_back(cut(i == 0 ? "" : argv[i - 1], word));
    }
  }
  return told;
}

std::string CommandLine::Help() const {
  std::string path = app_->get_name();
  const CLI::App* app = app_.get();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().back();
    path += " " + app->get_name();
  }
  return HelpOf(*app, path);
}

}  // namespace poolproof
