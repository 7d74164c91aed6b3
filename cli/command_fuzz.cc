// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/live_progress.h"
#include "cli/options.h"
#include "cli/plan_options.h"
#include "cli/report_options.h"
#include "cli/shard_choice.h"
#include "cli/subject.h"
#include "cli/write_file.h"
#include "conformance/corpus/case_file.h"
#include "conformance/plan/explore.h"
#include "conformance/session/corpus_care.h"
#include "conformance/session/session.h"
#include "conformance/tally/root_causes.h"
#include "core/text.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

namespace fs = std::filesystem;

struct FuzzArguments {
  std::string implementation;
  WorkerPlace workers;
  std::string corpus;
  PlanArguments plan;  // of these, what a campaign has
  std::optional<std::string> time;
  ShardArguments shards;
  ReportArguments reports;
};

// The cases that covered combinations of classes, or reached edges, which none before them did.
std::vector<CaseFileEntry> CorpusOf(const ShardRecord& record, const TestPlan& plan,
                                    const EdgeCoverage& edges) {
  std::vector<CaseFileEntry> corpus;
  Combinations covered;
  std::set<CoverageKey> places;
  for (const JudgedCase& judged : record.cases) {
    const CaseClass& kind = record.classes[judged.case_class];
    bool is_new = false;
    if (kind.coverage && places.insert(*kind.coverage).second) {
      const Combinations::Count added = covered.Add(ClassesOf(*kind.coverage));
      is_new = added.pairs + added.triples > 0;
    }
    const auto reached = edges.cases.find(judged.number);
    const std::int64_t count = reached == edges.cases.end() ? 0 : reached->second;
    if (!is_new && count == 0) continue;
    corpus.push_back({plan.At(judged.number).problem, std::nullopt, count});
  }
  return corpus;
}

// Of each root cause, and of each signature that has none, the smallest case that is known; where
// some were made smaller, of these: their data are plain, too.
std::vector<CaseFileEntry> FindingsOf(const Report& report) {
  std::set<std::string> shrunk;  // what findings are of
  std::vector<CaseFileEntry> all;
  for (const Failure& failure : report.failures) {
    // A shard knows of a part of the cases alone.
    const RootCause* cause = report.run.is_shard ? nullptr : RootCauseOf(report, failure);
    FindingNote note = {.profile = report.profile,
                        .implementation = report.implementation.name,
                        .signature = failure.signature,
                        .clauses = failure.clauses,
                        .message = failure.shrunk ? failure.shrunk_message : failure.message,
                        .root_cause = cause != nullptr ? RuleSentence(*cause) : ""};
    if (failure.shrunk) shrunk.insert(SubjectOf(note));
    all.push_back({failure.shrunk.value_or(failure.problem), std::move(note)});
  }
  std::vector<CaseFileEntry> findings;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!report.failures[i].shrunk && shrunk.contains(SubjectOf(*all[i].finding))) continue;
    findings.push_back(std::move(all[i]));
  }
  return MergeEntries(std::move(findings));
}

// Which clauses the cases of the campaign could judge.
std::string JudgedSentence(const Report& report) {
  constexpr std::size_t kNamed = 12;
  std::size_t applicable = 0;
  std::vector<std::string> untested;
  for (const ClauseResult& clause : report.clauses) {
    if (clause.verdict == ClauseVerdict::kNotApplicable ||
        clause.verdict == ClauseVerdict::kUnsupported) {
      continue;
    }
    ++applicable;
    if (clause.verdict == ClauseVerdict::kNotRun) untested.push_back(clause.id);
  }
  std::string text = "poolproof: its cases judged " + std::to_string(applicable - untested.size()) +
                     " of " + std::to_string(applicable) + " clauses";
  if (untested.empty()) return text + "\n";
  const std::size_t more = untested.size() > kNamed ? untested.size() - kNamed : 0;
  untested.resize(untested.size() - more);
  return text + "; not tested: " + Joined(untested, ", ") +
         (more > 0 ? " and " + std::to_string(more) + " more" : std::string()) + "\n";
}

Status SaveCases(const fs::path& path, const std::vector<CaseFileEntry>& entries) {
  return WriteFileAtomically(path.string(), CaseFileText(entries));
}

Result<SessionOptions> MakeOptions(const FuzzArguments& arguments, const Io& io) {
  if (arguments.shards.plan_file && arguments.time) {
    return InvalidArgument("--time: cannot be combined with --plan");
  }
  return ChooseOptions(arguments.plan, arguments.shards, io, [&](SessionOptions& options) {
    return MakeCampaign(arguments.time, options);
  });
}

Result<int> Fuzz(const FuzzArguments& arguments, const Io& io) {
  Result<SessionOptions> options = MakeOptions(arguments, io);
  if (!options.ok()) return options.status();
  std::optional<Report> report;
  const Result<std::vector<Output>> made = ReportOutputs(arguments.reports, report);
  if (!made.ok()) return made.status();
  const std::vector<Output>& outputs = *made;
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  const Result<Subject> subject =
      FindSubject(arguments.implementation, arguments.workers, options->edition);
  if (!subject.ok()) return subject.status();

  const fs::path folder = arguments.corpus;
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    return InvalidArgument("--corpus: '" + arguments.corpus +
                           "' is not a folder and cannot be made");
  }
  std::string suffix;
  if (const std::optional<Shard> shard = options->shard) {
    suffix = "-" + std::to_string(shard->index) + "-of-" + std::to_string(shard->of);
  }
  options.value().journal = (folder / ("journal" + suffix)).string();

  const Spec& spec = Spec::Embedded(options->edition);
  SessionParts parts = PartsFor(spec, *options);
  std::vector<CaseFileEntry> corpus;
  EdgeCoverage reached;
  parts.observe = [&](const ShardRecord& record, const TestPlan& plan, const EdgeCoverage& edges) {
    corpus = CorpusOf(record, plan, edges);
    reached = edges;
  };
  SessionProgress progress;
  {
    std::optional<LiveProgress> live;
    if (!arguments.reports.quiet) live.emplace(io, progress, options->campaign, options->time);
    Result<Report> result = RunSession(spec, *subject, *options, parts, progress, io.stop);
    if (!result.ok()) return result.status();
    report = std::move(result).value();
  }
  if (progress.judged == progress.resumed && report->run.stopped_by == StopReason::kTime) {
    io.err << "poolproof: nothing was judged: earlier runs of this campaign took "
           << Seconds(static_cast<double>(progress.spent_ms) / 1000) << " of --time "
           << Seconds(static_cast<double>(options->time->count()) / 1000) << "; raise --time\n";
  }
  if (reached.edges > 0) {
    io.err << "poolproof: reached " << reached.edges << " edges of the library; "
           << reached.cases.size() << " cases reached new ones\n";
  }
  io.err << JudgedSentence(*report);
  // A full disk must not cost the report.
  Status saved = SaveCases(folder / ("corpus" + suffix + ".jsonl"), corpus);
  if (saved.ok()) {
    saved = SaveCases(folder / ("findings" + suffix + ".jsonl"), FindingsOf(*report));
  }
  const Result<int> written =
      WriteReport(io, *report, arguments.implementation, arguments.reports, outputs);
  return saved.ok() ? written : Result<int>(saved.Annotate("--corpus"));
}

}  // namespace

void DeclareFuzz(const Command& app, Action& action) {
  const Command command = app.AddCommand("fuzz", "Search for failing cases, save them, resume");
  const auto arguments = std::make_shared<FuzzArguments>();
  DeclareImplementation(command, arguments->implementation);
  DeclareWorkers(command, arguments->workers);
  command
      .AddOption("--corpus", arguments->corpus,
                 "Folder of the journal, of cases that added coverage and of findings")
      .TypeName("DIR")
      .Required();
  command
      .AddOption("--profile", arguments->plan.profile,
                 "Product family; default: what the SoC name says, else atlas-a2")
      .TypeName("P");
  command.AddOption("--seed", arguments->plan.seed, "Seed of the campaign; default 1")
      .TypeName("N");
  command
      .AddOption("--time", arguments->time,
                 "Wall time of the whole campaign; default 10m, or as long as --cases takes")
      .TypeName("T");
  command.AddOption("--cases", arguments->plan.cases, "Judge N cases").TypeName("N");
  DeclareShardOptions(command, arguments->shards);
  DeclareJobs(command, arguments->shards);
  DeclareReportOptions(command, arguments->reports);
  command.SetGroup("Judge");
  command.SetFooter(
      "Examples:\n"
      "  poolproof fuzz --implementation ./libyours.so --corpus found --time 10m\n"
      "  poolproof fuzz --implementation yours.json --corpus found --cases 5000\n"
      "\n"
      "Exit status: 0 conformant, 1 nonconformant, 2 usage, 3 harness error,\n"
      "4 incomplete or nothing judged.");
  command.OnChosen([arguments, &action] {
    action = [arguments](const Io& io) { return Fuzz(*arguments, io); };
  });
}

}  // namespace poolproof
