// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/gate_options.h"
#include "cli/options.h"
#include "cli/plan_options.h"
#include "cli/report_options.h"
#include "cli/waiver_options.h"
#include "conformance/tally/merge.h"
#include "reports/parse.h"

namespace poolproof {
namespace {

struct MergeArguments {
  std::vector<std::string> files;
  std::optional<std::string> plan_file;
  WaiverArguments waivers;
  GateArguments gate;
  ReportArguments reports;
};

Result<int> Merge(const MergeArguments& arguments, const Io& io) {
  std::optional<Report> report;
  const Result<std::vector<Output>> made = ReportOutputs(arguments.reports, report);
  if (!made.ok()) return made.status();
  const std::vector<Output>& outputs = *made;
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  const Result<std::optional<Baseline>> baseline = ReadBaseline(arguments.gate);
  if (!baseline.ok()) return baseline.status();
  std::vector<NamedReport> reports;
  for (const std::string& path : arguments.files) {
    const Result<std::string> text = ReadFile("merge", path);
    if (!text.ok()) return text.status();
    Result<Report> parsed = ParseReport(*text);
    if (!parsed.ok()) return parsed.status().Annotate(path);
    reports.push_back({path, std::move(parsed).value()});
  }
  if (arguments.waivers.waivers && !arguments.plan_file) {
    return InvalidArgument("--waivers: needs --plan, to know all cases");
  }
  Result<GivenWaivers> given = ReadWaivers(arguments.waivers);
  if (!given.ok()) return given.status();
  MergeWaivers waivers{std::move(given.value().waivers), std::move(given.value().today)};
  std::optional<TestPlan> plan;
  if (arguments.plan_file) {
    Result<TestPlan> read = ReadCasePlan(*arguments.plan_file, reports.front().name,
                                         reports.front().report.run.plan_sha256);
    if (!read.ok()) return read.status();
    plan = std::move(read).value();
    waivers.plan = &*plan;
  }
  const Spec& spec = Spec::Embedded(reports.front().report.edition);
  Result<Report> merged =
      MergeReports(spec, &ReasonNotExercised, std::move(reports), io.argv, std::move(waivers));
  if (!merged.ok()) return merged.status();
  report = std::move(merged).value();
  ApplyBaseline(*baseline, io, *report);
  return WriteReport(io, *report, std::nullopt, arguments.reports, outputs);
}

}  // namespace

void DeclareMerge(const Command& app, Action& action) {
  const Command command = app.AddCommand("merge", "Merge the reports of all shards into one");
  const auto arguments = std::make_shared<MergeArguments>();
  command.AddOption("shard", arguments->files, "Reports of `run --shard` or of `merge`, as JSON")
      .TypeName("F...")
      .Required();
  command
      .AddOption("--plan", arguments->plan_file,
                 "The file of `poolproof plan`, for root causes and --waivers")
      .TypeName("F");
  DeclareWaiverOptions(command, arguments->waivers);
  DeclareGateOptions(command, arguments->gate);
  DeclareReportOptions(command, arguments->reports);
  command
      .AddOption("-o,--output", arguments->reports.paths[PositionOfFormat("--json")],
                 "The same as --json")
      .TypeName("F");
  command.SetGroup("Many machines");
  command.SetFooter(
      "Examples:\n"
      "  poolproof merge shard-*.json -o report.json --html report.html\n"
      "  poolproof merge shard-*.json --plan plan.json --waivers waivers.json\n"
      "\n"
      "Exit status: 0 conformant, 1 nonconformant, 2 usage, 3 harness error,\n"
      "4 incomplete or nothing judged.");
  command.OnChosen([arguments, &action] {
    action = [arguments](const Io& io) { return Merge(*arguments, io); };
  });
}

}  // namespace poolproof
