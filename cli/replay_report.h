// SPDX-License-Identifier: Apache-2.0
//
// `replay --json` and `--html`: the case that was replayed as a report of a run of it alone.
#ifndef POOLPROOF_CLI_REPLAY_REPORT_H_
#define POOLPROOF_CLI_REPLAY_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/io.h"
#include "cli/outputs.h"
#include "conformance/result/report.h"
#include "conformance/session/session.h"
#include "core/status.h"

namespace poolproof {

struct ReplayReportArguments {
  std::optional<std::string> json;
  std::optional<std::string> html;
};

void DeclareReplayReports(const Command& command, ReplayReportArguments& arguments);

// `report` is read when the outputs are written.
std::vector<Output> ReplayOutputs(const ReplayReportArguments& arguments,
                                  const std::optional<Report>& report);

// Judges the case as `run --case-file` does. errors: as RunSession's.
Result<Report> RunCase(const Subject& subject, const std::optional<Profile>& profile,
                       Edition edition, const Case& problem, const Io& io);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_REPLAY_REPORT_H_
