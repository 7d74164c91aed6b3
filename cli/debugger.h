// SPDX-License-Identifier: Apache-2.0
//
// A debugger around a call of this program.
#ifndef POOLPROOF_CLI_DEBUGGER_H_
#define POOLPROOF_CLI_DEBUGGER_H_

#include <string>
#include <vector>

#include "core/status.h"

namespace poolproof {

// This process becomes gdb, which runs this program with `arguments` and stops once where each of
// `functions` begins. Returns only where it cannot be started. errors: kUnavailable.
Status BecomeGdb(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& functions);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_DEBUGGER_H_
