// SPDX-License-Identifier: Apache-2.0
//
// Completion scripts for shells, made of the declarations of verbs and options.
#ifndef POOLPROOF_CLI_COMPLETION_H_
#define POOLPROOF_CLI_COMPLETION_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"

namespace poolproof {

inline constexpr std::array<std::string_view, 3> kShells = {"bash", "zsh", "fish"};

// Requires one of kShells.
std::string CompletionScript(std::string_view shell, const std::vector<DeclaredCommand>& commands);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_COMPLETION_H_
