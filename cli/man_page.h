// SPDX-License-Identifier: Apache-2.0
//
// poolproof(1), made of the declarations of verbs and options.
#ifndef POOLPROOF_CLI_MAN_PAGE_H_
#define POOLPROOF_CLI_MAN_PAGE_H_

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"

namespace poolproof {

// In the macros of man(7). The same for the same program: it has no date.
std::string ManPage(const std::vector<DeclaredCommand>& commands, std::string_view version);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_MAN_PAGE_H_
