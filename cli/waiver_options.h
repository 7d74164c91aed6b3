// SPDX-License-Identifier: Apache-2.0
//
// --waivers and --today, as `run` and `merge` share them.
#ifndef POOLPROOF_CLI_WAIVER_OPTIONS_H_
#define POOLPROOF_CLI_WAIVER_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "conformance/waiver/waiver.h"
#include "core/status.h"

namespace poolproof {

// As given; nullopt: not given.
struct WaiverArguments {
  std::optional<std::string> waivers;
  std::optional<std::string> today;
};

void DeclareWaiverOptions(const Command& command, WaiverArguments& arguments);

struct GivenWaivers {
  std::vector<Waiver> waivers;
  std::string today;  // a date; empty: not given
};

// errors: kInvalidArgument, kNotFound, in one line that names the option.
Result<GivenWaivers> ReadWaivers(const WaiverArguments& arguments);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_WAIVER_OPTIONS_H_
