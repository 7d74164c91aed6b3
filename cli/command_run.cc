// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/live_progress.h"
#include "cli/options.h"
#include "cli/plan_options.h"
#include "cli/report_options.h"
#include "cli/subject.h"
#include "cli/waiver_options.h"
#include "conformance/session/session.h"

namespace poolproof {
namespace {

struct RunArguments {
  std::string implementation;
  std::optional<std::string> device;
  PlanArguments plan;
  ShardArguments shards;
  std::optional<std::string> journal;
  ReportArguments reports;
  WaiverArguments waivers;
};

Result<SessionOptions> MakeOptions(const RunArguments& arguments, const Io& io) {
  Result<SessionOptions> options = ChooseOptions(arguments.plan, arguments.shards, io);
  if (!options.ok()) return options;
  Result<GivenWaivers> given = ReadWaivers(arguments.waivers);
  if (!given.ok()) return given.status();
  options.value().waivers = std::move(given.value().waivers);
  options.value().today = std::move(given.value().today);
  options.value().journal = arguments.journal;
  return options;
}

Result<int> Run(const RunArguments& arguments, const Io& io) {
  const Result<SessionOptions> options = MakeOptions(arguments, io);
  if (!options.ok()) return options.status();
  std::optional<Report> report;
  const Result<std::vector<Output>> made = ReportOutputs(arguments.reports, report);
  if (!made.ok()) return made.status();
  const std::vector<Output>& outputs = *made;
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  const Result<Subject> subject = FindSubject(arguments.implementation, arguments.device);
  if (!subject.ok()) return subject.status();

  const Spec& spec = Spec::Embedded();
  SessionProgress progress;
  {
    const LiveProgress live(io, progress);
    Result<Report> result =
        RunSession(spec, *subject, *options, PartsFor(spec, *options), progress, io.stop);
    if (!result.ok()) return result.status();
    report = std::move(result).value();
  }
  if (options->filter && report->summary.cases + report->summary.not_run == 0) {
    io.err << "poolproof: --filter: no case has a path that matches '" << *options->filter
           << "'; paths are operator/family/name, as `poolproof list cases` prints them\n";
  }
  return WriteReport(io, *report, arguments.implementation, outputs);
}

}  // namespace

void DeclareRun(const Command& app, Action& action) {
  const Command command = app.AddCommand("run", "Judge an implementation, clause by clause");
  const auto arguments = std::make_shared<RunArguments>();
  DeclareImplementation(command, arguments->implementation);
  DeclareDevice(command, arguments->device);
  DeclarePlanOptions(command, arguments->plan);
  DeclareShardOptions(command, arguments->shards);
  command
      .AddOption("--journal", arguments->journal,
                 "Write down here what was judged; a run that was cut off is taken up again")
      .TypeName("F");
  DeclareJobs(command, arguments->shards);
  DeclareWaiverOptions(command, arguments->waivers);
  DeclareReportOptions(command, arguments->reports);
  command.SetGroup("Judge");
  command.SetFooter(
      "Examples:\n"
      "  poolproof run --implementation ./libyours.so --json r.json --html r.html\n"
      "  poolproof run --implementation ./libyours.so --set nightly --journal j\n"
      "\n"
      "Exit status: 0 conformant, 1 nonconformant, 2 usage, 3 harness error,\n"
      "4 incomplete or nothing judged.");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
