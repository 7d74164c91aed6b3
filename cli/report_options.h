// SPDX-License-Identifier: Apache-2.0
//
// The options that say where a report goes, and in which forms.
#ifndef POOLPROOF_CLI_REPORT_OPTIONS_H_
#define POOLPROOF_CLI_REPORT_OPTIONS_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/io.h"
#include "cli/outputs.h"
#include "conformance/result/report.h"
#include "core/status.h"
#include "reports/formats.h"

namespace poolproof {

struct ReportArguments {
  std::array<std::optional<std::string>, kReportFormatCount> paths;  // by kReportFormats
  std::vector<std::string> performance;
  bool quiet = false;
  bool verbose = false;
  std::optional<std::string> color;
};

void DeclareReportOptions(const Command& command, ReportArguments& arguments);

// `report` is read when the outputs are written. errors: kInvalidArgument for a file of benchmarks
// that cannot be read or that nothing shows, and for options that do not go together.
Result<std::vector<Output>> ReportOutputs(const ReportArguments& arguments,
                                          const std::optional<Report>& report);

// The outputs that are files, then the report as text on stdout, or on stderr where stdout carries
// one of the outputs, which comes last. Of `arguments` how much it says. `implementation`: as it
// was given; nullopt: the report alone says it. Returns the exit status.
Result<int> WriteReport(const Io& io, const Report& report,
                        const std::optional<std::string>& implementation,
                        const ReportArguments& arguments, const std::vector<Output>& outputs);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_REPORT_OPTIONS_H_
