// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_report.h"

#include <utility>

#include "cli/program.h"
#include "conformance/session/environment.h"
#include "reports/formats.h"

namespace poolproof {
namespace {

constexpr const char* kJson = "--json";
constexpr const char* kHtml = "--html";

}  // namespace

void DeclareReplayReports(const Command& command, ReplayReportArguments& arguments) {
  command.AddOption(kJson, arguments.json, "Write a report of the case here; - is stdout")
      .TypeName("F");
  command.AddOption(kHtml, arguments.html, "Write a page about the case here; - is stdout")
      .TypeName("F");
}

std::vector<Output> ReplayOutputs(const ReplayReportArguments& arguments,
                                  const std::optional<Report>& report) {
  const auto output = [&](const char* option, const std::optional<std::string>& path) {
    return Output{option, path, [option, &report] {
                    return kReportFormats[PositionOfFormat(option)].render(
                        *report, Spec::Embedded(report->edition), std::nullopt);
                  }};
  };
  return {output(kJson, arguments.json), output(kHtml, arguments.html)};
}

Result<Report> RunCase(const Subject& subject, const std::optional<Profile>& profile,
                       Edition edition, const Case& problem, const Io& io) {
  const Spec& spec = Spec::Embedded(edition);
  SessionOptions options;
  options.edition = edition;
  options.profile = profile;
  options.case_file_cases = std::vector<NamedCase>{{"file", "replayed", problem}};
  options.jobs = AvailableProcessors();
  options.argv = io.argv;
  options.tool_version = ToolVersion();
  SessionProgress progress;
  return RunSession(spec, subject, options, PartsFor(spec, options), progress, io.stop);
}

}  // namespace poolproof
