// SPDX-License-Identifier: Apache-2.0
//
// --edition: which editions of the pages are followed. Of every verb that judges or explains.
#ifndef POOLPROOF_CLI_EDITION_OPTION_H_
#define POOLPROOF_CLI_EDITION_OPTION_H_

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

void DeclareEdition(const Command& command, std::optional<std::string>& edition);

// The newest where it is not given. errors: kInvalidArgument for another word than the editions'.
Result<Edition> ChooseEdition(const std::optional<std::string>& edition);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_EDITION_OPTION_H_
