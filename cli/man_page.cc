// SPDX-License-Identifier: Apache-2.0
#include "cli/man_page.h"

#include <algorithm>
#include <cstddef>

#include "cli/config_file.h"

namespace poolproof {
namespace {

// Text of a line: nothing in it is a request, a dash is one that can be copied.
std::string Roff(std::string_view text) {
  std::string escaped;
  if (text.starts_with('.') || text.starts_with('\'')) escaped = "\\&";
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Bold(const std::string& text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string Italic(const std::string& text) {
  return text.empty() ? "" : "\\fI" + Roff(text) + "\\fR";
}

std::string NameOf(const DeclaredCommand& command) {
  std::string name = "poolproof";
  for (const std::string& word : command.words) name += " " + word;
  return name;
}

// As it is written on a command line.
std::string Written(const DeclaredOption& option) {
  if (!option.operand.empty()) return Italic(option.operand);
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + Bold(name);
  return text +
         (option.type_name.empty() || !option.takes_value ? "" : " " + Italic(option.type_name));
}

std::string Synopsis(const DeclaredCommand& command) {
  std::string text = Bold(NameOf(command));
  for (const DeclaredOption& option : command.options) {
    if (option.operand.empty() && option.required) {
      text += " " + Bold(option.names.back()) + " " + Italic(option.type_name);
    }
  }
  text += " [\\fIoptions\\fR]";
  for (const DeclaredOption& option : command.options) {
    if (!option.operand.empty())
      text += " " + Italic(option.operand) + (option.repeats ? " ..." : "");
  }
  return text;
}

std::string Options(const DeclaredCommand& command) {
  std::string text;
  for (const DeclaredOption& option : command.options) {
    text += ".TP\n" + Written(option) + "\n" + Roff(option.help) + "\n";
  }
  return text;
}

// Lines as they are.
std::string Lines(const std::string& text) {
  std::string lines = ".PP\n.nf\n";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += Roff(std::string_view(text).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return lines + ".fi\n";
}

}  // namespace

std::string ManPage(const std::vector<DeclaredCommand>& commands, std::string_view version) {
  const DeclaredCommand& program = commands.front();
  std::string text = ".TH POOLPROOF 1 \"\" \"poolproof " + Roff(version) +
                     "\" \"User Commands\"\n.SH NAME\npoolproof \\- judge implementations of the "
                     "max-pool backward operators of the Ascend aclnn C ABI\n.SH SYNOPSIS\n" +
                     Bold("poolproof") + " \\fIverb\\fR [\\fIoptions\\fR]\n.br\n" +
                     Bold("poolproof") + " \\fIverb\\fR " + Bold("--help") + "\n.SH DESCRIPTION\n" +
                     Roff(program.description) + "\n" + Lines(program.footer) + ".SS Options\n" +
                     Options(program) + ".SH VERBS\n";
  for (const DeclaredCommand& command : commands) {
    if (command.words.empty() || command.has_commands) continue;
    text += ".SS " + Roff(NameOf(command)) + "\n" + Synopsis(command) + "\n.PP\n" +
            Roff(command.description) + ".\n" + Options(command);
    if (!command.footer.empty()) text += Lines(command.footer);
  }
  return text + ".SH FILES\n.TP\n" + Italic(std::string(kConfigFile)) +
         "\nOptions that are not given on the command line, in the working directory.\n"
         ".SH ENVIRONMENT\n.TP\n" +
         Bold("NO_COLOR") + "\nNo colours in the terminal where it is set.\n";
}

}  // namespace poolproof
