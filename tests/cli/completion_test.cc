// SPDX-License-Identifier: Apache-2.0
//
// Completion scripts and the manual page against the declarations of verbs and options.
#include "cli/completion.h"

#include <gtest/gtest.h>

#include "cli/man_page.h"
#include "cli/program.h"
#include "conformance/spec/spec.h"

namespace poolproof {
namespace {

// What a script says of one verb.
std::string PartOf(std::string_view shell, const std::string& script,
                   const DeclaredCommand& command) {
  std::string words;
  for (const std::string& word : command.words) words += (words.empty() ? "" : " ") + word;
  if (shell != "fish") {
    const std::size_t begin = script.find("    \"" + words + "\")\n");
    EXPECT_NE(begin, std::string::npos) << words;
    return script.substr(begin, script.find("\n      ;;\n", begin) - begin);
  }
  // Lines whose condition has all words, the last one as what was seen.
  std::string part;
  const bool is_part = command.words.size() > 1;
  std::string begin =
      "complete -c poolproof -n '__fish_seen_subcommand_from " + command.words.back();
  begin +=
      is_part ? "; and __fish_seen_subcommand_from " + command.words.front() + "'" : "; and not ";
  for (std::size_t at = script.find(begin); at != std::string::npos;
       at = script.find(begin, at + 1)) {
    part += script.substr(at, script.find('\n', at) + 1 - at);
  }
  return part;
}

bool HasName(std::string_view shell, const std::string& part, const std::string& name) {
  if (shell != "fish") {
    for (const char* before : {" ", "\"", "'", "*"}) {
      for (const char* behind : {" ", "\"", "["}) {
        if (part.find(before + name + behind) != std::string::npos) return true;
      }
    }
    return false;
  }
  const std::string option =
      name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return part.find(option + " ") != std::string::npos;
}

TEST(Completion, EveryShellKnowsEveryVerbAndOption) {
  const std::vector<DeclaredCommand> commands = ProgramCommands();
  ASSERT_GT(commands.size(), 15U);
  for (const std::string_view shell : kShells) {
    const std::string script = CompletionScript(shell, commands);
    for (const DeclaredCommand& command : commands) {
      if (command.words.empty() || command.has_commands) continue;
      const std::string part = PartOf(shell, script, command);
      for (const DeclaredOption& option : command.options) {
        for (const std::string& name : option.names) {
          EXPECT_TRUE(HasName(shell, part, name))
              << shell << " " << command.words.back() << " " << name;
        }
      }
    }
    for (const Clause& clause : Spec::Embedded().clauses()) {
      EXPECT_NE(script.find(clause.id), std::string::npos) << shell << " " << clause.id;
    }
    for (const char* word : {"nightly", "ascend-950", "reference", "implementations"}) {
      EXPECT_NE(script.find(word), std::string::npos) << shell << " " << word;
    }
  }
}

TEST(ManPage, TellsOfEveryVerbAndOption) {
  const std::vector<DeclaredCommand> commands = ProgramCommands();
  const std::string page = ManPage(commands, "1.2.3");
  EXPECT_NE(page.find("\"poolproof 1.2.3\""), std::string::npos);
  for (const DeclaredCommand& command : commands) {
    if (command.words.empty() || command.has_commands) continue;
    std::string head = ".SS poolproof";
    for (const std::string& word : command.words) head += " " + word;
    const std::size_t begin = page.find(head + "\n");
    ASSERT_NE(begin, std::string::npos) << head;
    const std::string part = page.substr(begin, page.find("\n.SS ", begin + 1) - begin);
    for (const DeclaredOption& option : command.options) {
      for (const std::string& name : option.names) {
        std::string bold = "\\fB";
        for (const char c : name) bold += c == '-' ? "\\-" : std::string(1, c);
        EXPECT_NE(part.find(bold + "\\fR"), std::string::npos) << head << " " << name;
      }
      EXPECT_FALSE(option.help.empty()) << head << " " << option.operand;
    }
  }
  // No line is a request by mistake.
  for (std::size_t at = page.find("\n."); at != std::string::npos; at = page.find("\n.", at + 1)) {
    const std::string request = page.substr(at + 2, 2);
    EXPECT_TRUE(request == "TH" || request == "SH" || request == "SS" || request == "TP" ||
                request == "PP" || request == "br" || request == "nf" || request == "fi")
        << page.substr(at + 1, 40);
  }
}

}  // namespace
}  // namespace poolproof
