// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <algorithm>
#include <iterator>

#include "conformance/case/case_set.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"

namespace poolproof {
namespace {

// What completes a value.
struct Values {
  std::vector<std::string> words;
  bool files = false;
};

std::vector<std::string> ClauseIds() {
  std::vector<std::string> ids;
  for (const Clause& clause : Spec::Embedded().clauses()) ids.push_back(clause.id);
  return ids;
}

// By what the help calls the value, or by the operand's name.
Values ValuesOf(const DeclaredOption& option) {
  const std::string& name = option.operand.empty() ? option.type_name : option.operand;
  Values values;
  if (name == "P") {
    for (const ProfileInfo& info : AllProfiles()) values.words.emplace_back(info.name);
  } else if (name == "E") {
    for (int i = 0; i < kEditionCount; ++i) {
      values.words.emplace_back(EditionName(static_cast<Edition>(i)));
    }
  } else if (name == "S") {
    values.words.assign(kCaseSetNames.begin(), kCaseSetNames.end());
  } else if (name == "G") {
    values.words = {"all", "new"};
  } else if (name == "X") {
    values = {{"reference", "optimized", "cann"}, true};
  } else if (name == "IDS" || name == "clause") {
    values.words = ClauseIds();
  } else if (name == "what") {
    values.words = {"operators", "clauses", "cases", "profiles", "implementations"};
  } else if (name == "shell") {
    values.words.assign(kShells.begin(), kShells.end());
  } else {
    values.files = !option.operand.empty() || name == "F" || name == "DIR";
  }
  return values;
}

std::string Spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string LastWord(const DeclaredCommand& command) { return command.words.back(); }

// Verbs, or the parts of one.
std::vector<const DeclaredCommand*> PartsOf(const std::vector<DeclaredCommand>& commands,
                                            const std::vector<std::string>& words) {
  std::vector<const DeclaredCommand*> parts;
  for (const DeclaredCommand& command : commands) {
    if (command.words.size() == words.size() + 1 &&
        std::equal(words.begin(), words.end(), command.words.begin())) {
      parts.push_back(&command);
    }
  }
  return parts;
}

std::vector<std::string> NamesOf(const std::vector<const DeclaredCommand*>& commands) {
  std::vector<std::string> names;
  std::transform(commands.begin(), commands.end(), std::back_inserter(names),
                 [](const DeclaredCommand* command) { return LastWord(*command); });
  return names;
}

std::vector<std::string> OptionNames(const DeclaredCommand& command) {
  std::vector<std::string> names;
  for (const DeclaredOption& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

constexpr std::string_view kMade = " completion of poolproof, made by `poolproof completion ";

// ---- bash

std::string BashReply(const Values& values) {
  std::string text;
  if (!values.words.empty()) text += "words=\"" + Spaced(values.words) + "\"";
  if (values.files) text += std::string(text.empty() ? "" : "; ") + "files=1";
  return text.empty() ? ":" : text;
}

std::string Bash(const std::vector<DeclaredCommand>& commands) {
  std::string text = "# bash" + std::string(kMade) + "bash`.\n" + R"(_poolproof() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD - 1]}" verb="${COMP_WORDS[1]}"
  local words="" files=""
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W ")" +
                     Spaced(NamesOf(PartsOf(commands, {}))) + R"( --help --version" -- "$word")
    return
  fi
)";
  std::string cases;
  for (const DeclaredCommand& command : commands) {
    if (command.words.empty()) continue;
    if (command.has_commands) {
      text += "  if [[ \"$verb\" == " + LastWord(command) + " ]]; then\n" +
              "    if ((COMP_CWORD == 2)); then\n"
              "      mapfile -t COMPREPLY < <(compgen -W \"" +
              Spaced(NamesOf(PartsOf(commands, command.words))) + "\" -- \"$word\")\n" +
              "      return\n    fi\n    verb=\"$verb ${COMP_WORDS[2]}\"\n  fi\n";
      continue;
    }
    cases += "    \"" + Spaced(command.words) + "\")\n      case \"$before\" in\n";
    Values operands;
    for (const DeclaredOption& option : command.options) {
      if (!option.operand.empty()) {
        operands = ValuesOf(option);
      } else if (option.takes_value) {
        std::string names;
        for (const std::string& name : option.names) names += (names.empty() ? "" : "|") + name;
        cases += "        " + names + ") " + BashReply(ValuesOf(option)) + " ;;\n";
      }
    }
    cases += "        *)\n          if [[ \"$word\" == -* ]]; then words=\"" +
             Spaced(OptionNames(command)) + "\"; else " + BashReply(operands) +
             "; fi\n          ;;\n      esac\n      ;;\n";
  }
  return text + "  case \"$verb\" in\n" + cases + R"(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; [[ -n "$files" ]] && compgen -f -- "$word")
}
complete -o filenames -F _poolproof poolproof
)";
}

// ---- zsh

// In single quotes, between the brackets and colons of _arguments.
std::string ZshText(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string ZshAction(const Values& values) {
  if (values.words.empty()) return values.files ? "_files" : " ";
  if (!values.files) return "(" + Spaced(values.words) + ")";
  return "_alternative \"words\\:word\\:(" + Spaced(values.words) + ")\" \"files\\:file\\:_files\"";
}

std::string ZshArguments(const DeclaredCommand& command) {
  std::string text = "      _arguments";
  for (const DeclaredOption& option : command.options) {
    const std::string action =
        ":" + ZshText(option.operand.empty() ? option.type_name : option.operand) + ":" +
        (ValuesOf(option).words.empty() || !ValuesOf(option).files
             ? ZshAction(ValuesOf(option))
             : "{" + ZshAction(ValuesOf(option)) + "}");
    if (!option.operand.empty()) {
      text += " \\\n        '" + std::string(option.repeats ? "*" : "") + action + "'";
    }
    for (const std::string& name : option.names) {
      text += " \\\n        '" + std::string(option.repeats ? "*" : "") + name + "[" +
              ZshText(option.help) + "]" + (option.takes_value ? action : "") + "'";
    }
  }
  return text + "\n";
}

// A list for _describe.
std::string ZshList(const std::vector<const DeclaredCommand*>& commands) {
  std::string text;
  for (const DeclaredCommand* command : commands) {
    text += " '" + LastWord(*command) + ":" + ZshText(command->description) + "'";
  }
  return text;
}

std::string Zsh(const std::vector<DeclaredCommand>& commands) {
  std::string text = "#compdef poolproof\n# zsh" + std::string(kMade) +
                     "zsh`.\n_poolproof() {\n  local -a verbs\n  if (( CURRENT == 2 )); then\n"
                     "    verbs=(" +
                     ZshList(PartsOf(commands, {})) +
                     ")\n    _describe verb verbs\n    return\n  fi\n"
                     "  local verb=\"$words[2]\"\n  (( CURRENT-- ))\n  shift words\n";
  std::string cases;
  for (const DeclaredCommand& command : commands) {
    if (command.words.empty()) continue;
    if (command.has_commands) {
      text += "  if [[ \"$verb\" == " + LastWord(command) +
              " ]]; then\n    if (( CURRENT == 2 )); then\n      verbs=(" +
              ZshList(PartsOf(commands, command.words)) +
              ")\n      _describe verb verbs\n      return\n    fi\n"
              "    verb=\"$verb $words[2]\"\n    (( CURRENT-- ))\n    shift words\n  fi\n";
      continue;
    }
    cases += "    \"" + Spaced(command.words) + "\")\n" + ZshArguments(command) + "      ;;\n";
  }
  return text + "  case \"$verb\" in\n" + cases +
         "  esac\n}\nif [[ \"$funcstack[1]\" == _poolproof ]]; then\n  _poolproof \"$@\"\nelse\n"
         "  compdef _poolproof poolproof\nfi\n";
}

// ---- fish

std::string FishText(const std::string& text) {
  std::string escaped = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped + "'";
}

std::string Fish(const std::vector<DeclaredCommand>& commands) {
  std::string text = "# fish" + std::string(kMade) + "fish`.\ncomplete -c poolproof -f\n";
  std::string not_a_part;
  for (const DeclaredCommand& command : commands) {
    if (!command.words.empty() && command.has_commands) {
      not_a_part += "; and not __fish_seen_subcommand_from " + LastWord(command);
    }
  }
  for (const DeclaredCommand& command : commands) {
    if (command.words.empty()) continue;
    const bool is_part = command.words.size() > 1;
    const std::string above =
        is_part ? "__fish_seen_subcommand_from " + command.words.front() : "__fish_use_subcommand";
    text += "complete -c poolproof -n " + FishText(above) + " -a " + LastWord(command) + " -d " +
            FishText(command.description) + "\n";
    if (command.has_commands) continue;
    const std::string here = "__fish_seen_subcommand_from " + LastWord(command) +
                             (is_part ? "; and " + above : not_a_part);
    for (const DeclaredOption& option : command.options) {
      const Values values = ValuesOf(option);
      std::string line = "complete -c poolproof -n " + FishText(here);
      for (const std::string& name : option.names) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (option.takes_value) {
        line += option.operand.empty() ? " -r" : "";
        if (values.files) line += " -F";
        if (!values.words.empty()) line += " -a " + FishText(Spaced(values.words));
      }
      text += line + " -d " + FishText(option.help) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string CompletionScript(std::string_view shell, const std::vector<DeclaredCommand>& commands) {
  if (shell == "bash") return Bash(commands);
  return shell == "zsh" ? Zsh(commands) : Fish(commands);
}

}  // namespace poolproof
