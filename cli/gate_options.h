// SPDX-License-Identifier: Apache-2.0
//
// --gate and --baseline, as `run` and `merge` share them.
#ifndef POOLPROOF_CLI_GATE_OPTIONS_H_
#define POOLPROOF_CLI_GATE_OPTIONS_H_

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "cli/io.h"
#include "conformance/result/report.h"
#include "core/status.h"

namespace poolproof {

// As given; nullopt: not given.
struct GateArguments {
  std::optional<std::string> gate;
  std::optional<std::string> baseline;
};

void DeclareGateOptions(const Command& command, GateArguments& arguments);

struct Baseline {
  std::string path;
  std::string sha256;  // of the file
  Report report;
};

// nullopt where every failure counts. Called before the work, so that a bad file costs none.
// errors: kInvalidArgument, kNotFound, in one line that names the option.
Result<std::optional<Baseline>> ReadBaseline(const GateArguments& arguments);

// Writes down in `report` what is new beside the baseline, if there is one; says so on io.err where
// the two cannot be compared.
void ApplyBaseline(const std::optional<Baseline>& baseline, const Io& io, Report& report);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_GATE_OPTIONS_H_
