// SPDX-License-Identifier: Apache-2.0
//
// --color: whether what is printed for people has colours.
#ifndef POOLPROOF_CLI_COLOR_OPTION_H_
#define POOLPROOF_CLI_COLOR_OPTION_H_

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "cli/io.h"
#include "core/status.h"

namespace poolproof {

void DeclareColor(const Command& command, std::optional<std::string>& when);

// `by_itself`: whether there are colours where nothing is said. errors: kInvalidArgument for
// another word than auto, always and never.
Result<bool> ChooseColor(const std::optional<std::string>& when, bool by_itself);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_COLOR_OPTION_H_
