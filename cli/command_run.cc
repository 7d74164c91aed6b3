// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/clause_choice.h"
#include "cli/commands.h"
#include "cli/gate_options.h"
#include "cli/live_progress.h"
#include "cli/options.h"
#include "cli/plan_options.h"
#include "cli/report_cases.h"
#include "cli/report_file.h"
#include "cli/report_options.h"
#include "cli/subject.h"
#include "cli/waiver_options.h"
#include "conformance/session/differences.h"
#include "conformance/session/session.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

struct RunArguments {
  std::string implementation;
  std::optional<std::string> against;
  WorkerPlace workers;
  PlanArguments plan;
  ShardArguments shards;
  std::optional<std::string> clauses;
  std::optional<std::string> failed;
  std::optional<std::string> journal;
  ReportArguments reports;
  WaiverArguments waivers;
  GateArguments gate;
};

// --failed takes the place of the plan's cases.
Status TakeFailed(const RunArguments& arguments, const Io& io, SessionOptions& options) {
  if (!arguments.plan.case_files.empty()) {
    return InvalidArgument("--failed: cannot be combined with --case-file");
  }
  const Result<Report> report = ReadReportFile("--failed", *arguments.failed);
  if (!report.ok()) return report.status();
  Result<std::vector<NamedCase>> cases = FailedCases(*report);
  if (!cases.ok()) return cases.status().Annotate("--failed: " + *arguments.failed);
  if (!ListsAllFailures(*report)) {
    io.err << "poolproof: --failed: the report lists " << CountOf(std::ssize(*cases), "case")
           << " that failed: only these are judged\n";
  }
  options.case_file_cases = std::move(cases).value();
  options.rerun = true;
  return OkStatus();
}

Result<SessionOptions> MakeOptions(const RunArguments& arguments, const Io& io) {
  for (const auto& [option, given] : {std::pair("--clause", arguments.clauses.has_value()),
                                      std::pair("--failed", arguments.failed.has_value())}) {
    if (given && arguments.shards.plan_file) {
      return InvalidArgument(std::string(option) + ": cannot be combined with --plan");
    }
  }
  if (arguments.clauses && (arguments.failed || !arguments.plan.case_files.empty())) {
    return InvalidArgument("--clause: cannot be combined with --failed or --case-file");
  }
  Result<SessionOptions> options = ChooseOptions(arguments.plan, arguments.shards, io);
  if (!options.ok()) return options;
  if (arguments.failed) {
    if (Status status = TakeFailed(arguments, io, options.value()); !status.ok()) return status;
  }
  Result<GivenWaivers> given = ReadWaivers(arguments.waivers);
  if (!given.ok()) return given.status();
  options.value().waivers = std::move(given.value().waivers);
  options.value().today = std::move(given.value().today);
  options.value().journal = arguments.journal;
  return options;
}

// Of --against, each opened once: what cannot be judged is known before the run of `judged`. Shards
// and journals hold no results.
Result<std::vector<Subject>> FindOthers(const std::string& against, const Subject& judged,
                                        const SessionOptions& options) {
  for (const auto& [option, given] : {std::pair("--shard", options.shard.has_value()),
                                      std::pair("--journal", options.journal.has_value())}) {
    if (given) return InvalidArgument(std::string("--against: cannot be combined with ") + option);
  }
  std::vector<Subject> others;
  for (std::size_t at = 0, end = 0; at <= against.size(); at = end + 1) {
    end = std::min(against.find(',', at), against.size());
    Result<Subject> other = FindSubject(against.substr(at, end - at), {}, options.edition);
    if (!other.ok()) {
      std::string message = other.status().message();
      if (message.starts_with("--implementation")) message.replace(0, 16, "--against");
      return Status(other.status().code(), message);
    }
    others.push_back(std::move(other).value());
  }
  const Result<Profile> profile = ProfileOf(judged, options.profile);
  if (!profile.ok()) return profile.status();
  for (const Subject& other : others) {
    const Status status = ProfileOf(other, *profile).status();
    if (!status.ok()) return status.Annotate("--against");
  }
  return others;
}

// Within what is left of the run's time, which began at `begin`.
void CompareWith(const std::vector<Subject>& others, Differential& differential,
                 const SessionOptions& options, std::chrono::steady_clock::time_point begin,
                 bool quiet, const Io& io, Report& report) {
  for (const Subject& other : others) {
    if (io.stop || report.verdict == RunVerdict::kError) return;
    std::optional<std::chrono::milliseconds> left = options.deadline;
    if (left) {
      left = std::max(*left - std::chrono::duration_cast<std::chrono::milliseconds>(
                                  std::chrono::steady_clock::now() - begin),
                      std::chrono::milliseconds(1));
    }
    SessionProgress progress;
    std::optional<LiveProgress> live;
    if (!quiet) live.emplace(io, progress);
    Result<LibraryDifferences> found =
        differential.Compare(other, report.profile, left, progress, io.stop);
    live.reset();
    // The verdict on the judged library stays.
    if (!found.ok()) io.err << "poolproof: --against: " << found.status().message() << "\n";
    if (found.ok()) report.differences.push_back(std::move(found).value());
  }
}

Result<int> Run(const RunArguments& arguments, const Io& io) {
  Result<SessionOptions> options = MakeOptions(arguments, io);
  if (!options.ok()) return options.status();
  std::optional<Report> report;
  const Result<std::vector<Output>> made = ReportOutputs(arguments.reports, report);
  if (!made.ok()) return made.status();
  const std::vector<Output>& outputs = *made;
  // Before anything is started: that takes long on a device.
  std::vector<Output> written = outputs;
  written.push_back({"--journal", arguments.journal, nullptr});
  if (Status status = CheckOutputs(written); !status.ok()) return status;
  const Result<std::optional<Baseline>> baseline = ReadBaseline(arguments.gate);
  if (!baseline.ok()) return baseline.status();
  const Result<Subject> subject =
      FindSubject(arguments.implementation, arguments.workers, options->edition);
  if (!subject.ok()) return subject.status();

  const Spec& spec = Spec::Embedded(options->edition);
  SessionParts parts = PartsFor(spec, *options);
  if (arguments.clauses) {
    if (Status status = ChooseClauses(spec, *arguments.clauses, parts); !status.ok()) return status;
    // It is a selection even where it takes all cases.
    if (!options->filter) options.value().filter = "*";
  }
  const auto begin = std::chrono::steady_clock::now();
  Result<std::vector<Subject>> others = std::vector<Subject>();
  if (arguments.against) others = FindOthers(*arguments.against, *subject, *options);
  if (!others.ok()) return others.status();
  Differential differential(spec, *options, parts);
  SessionProgress progress;
  {
    std::optional<LiveProgress> live;
    if (!arguments.reports.quiet) live.emplace(io, progress);
    Result<Report> result =
        RunSession(spec, *subject, *options, others->empty() ? parts : differential.PartsOfJudged(),
                   progress, io.stop);
    if (!result.ok()) return result.status();
    report = std::move(result).value();
  }
  CompareWith(*others, differential, *options, begin, arguments.reports.quiet, io, *report);
  ApplyBaseline(*baseline, io, *report);
  // Cases are judged side by side: some beyond the one that ended the run.
  const std::int64_t beyond = progress.judged - report->summary.cases;
  if (beyond > 0 && report->run.stopped_by == StopReason::kTimeouts) {
    io.err << "poolproof: " << CountOf(beyond, "further case") << (beyond == 1 ? " was" : " were")
           << " judged and left out, so that the report is the same for any --jobs\n";
  }
  if (arguments.plan.filter && report->summary.cases + report->summary.not_run == 0) {
    const std::string why = "--filter: no case has a path that matches '" + *arguments.plan.filter +
                            "'; paths are operator/family/name, as `poolproof list cases` prints "
                            "them";
    // Other shards may have some.
    if (!report->run.is_shard) return InvalidArgument(why);
    io.err << "poolproof: " << why << "\n";
  }
  return WriteReport(io, *report, arguments.implementation, arguments.reports, outputs);
}

}  // namespace

void DeclareRun(const Command& app, Action& action) {
  const Command command = app.AddCommand("run", "Judge an implementation, clause by clause");
  const auto arguments = std::make_shared<RunArguments>();
  DeclareImplementation(command, arguments->implementation);
  DeclareWorkers(command, arguments->workers);
  command
      .AddOption("--against", arguments->against,
                 "Also say how the results of these differ where all are right: names, paths, "
                 "manifests, with commas")
      .TypeName("X");
  DeclarePlanOptions(command, arguments->plan);
  command
      .AddOption("--clause", arguments->clauses,
                 "Only cases that test these clauses, such as MP3-B02,SAF-*")
      .TypeName("IDS");
  command.AddOption("--failed", arguments->failed, "Only the cases that failed in this JSON report")
      .TypeName("F");
  DeclareShardOptions(command, arguments->shards);
  command
      .AddOption("--journal", arguments->journal,
                 "Write what was judged here; the same command resumes an interrupted run")
      .TypeName("F");
  DeclareJobs(command, arguments->shards);
  DeclareWaiverOptions(command, arguments->waivers);
  DeclareGateOptions(command, arguments->gate);
  DeclareReportOptions(command, arguments->reports);
  command.SetFirstOptions({"--implementation", "--set", "--json", "--html", "--failed"});
  command.SetGroup("Judge");
  command.SetFooter(
      "Examples:\n"
      "  poolproof run --implementation ./libyours.so --json r.json --html r.html\n"
      "  poolproof run --implementation ./libyours.so --failed r.json\n"
      "\n"
      "Exit status: 0 conformant, 1 nonconformant, 2 usage, 3 harness error,\n"
      "4 incomplete or nothing judged.");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
