// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/man_page.h"
#include "cli/options.h"
#include "cli/program.h"

namespace poolproof {
namespace {

Result<int> Complete(const std::string& shell, const Io& io) {
  if (std::find(kShells.begin(), kShells.end(), shell) == kShells.end()) {
    return InvalidArgument("completion: '" + shell + "' is unknown; expected " +
                           JoinNames(kShells) + DidYouMean(shell, kShells));
  }
  io.out << CompletionScript(shell, ProgramCommands());
  return kExitOk;
}

}  // namespace

void DeclareCompletion(const Command& app, Action& action) {
  const Command command =
      app.AddCommand("completion", "Print a script that completes command lines in a shell");
  const auto shell = std::make_shared<std::string>();
  command.AddOption("shell", *shell, "bash, zsh or fish").TypeName("").Required();
  command.SetGroup("Set up");
  command.SetFooter(
      "Examples:\n"
      "  source <(poolproof completion bash)\n"
      "  poolproof completion fish > ~/.config/fish/completions/poolproof.fish");
  command.OnChosen(
      [shell, &action] { action = [shell](const Io& io) { return Complete(*shell, io); }; });
}

void DeclareMan(const Command& app, Action& action) {
  const Command command = app.AddCommand("man", "Print the manual page poolproof(1)");
  command.SetGroup("Set up");
  command.SetFooter(
      "Examples:\n"
      "  poolproof man > poolproof.1\n"
      "  poolproof man | man -l -");
  command.OnChosen([&action] {
    action = [](const Io& io) {
      io.out << ManPage(ProgramCommands(), ToolVersion());
      return Result<int>(kExitOk);
    };
  });
}

}  // namespace poolproof
