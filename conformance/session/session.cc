// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/session.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_set>
#include <utility>

#include "conformance/blame/blame.h"
#include "conformance/explain/explain.h"
#include "conformance/gen/acceptance_cases.h"
#include "conformance/gen/sources.h"
#include "conformance/plan/campaign.h"
#include "conformance/plan/explore.h"
#include "conformance/plan/investigations.h"
#include "conformance/plan/shards.h"
#include "conformance/plan/standard_sources.h"
#include "conformance/plan/stop_bound.h"
#include "conformance/properties/properties.h"
#include "conformance/result/shard_record_json.h"
#include "conformance/session/acceptance_probe.h"
#include "conformance/session/environment.h"
#include "conformance/session/investigating.h"
#include "conformance/session/journal.h"
#include "conformance/session/judging.h"
#include "conformance/session/probes.h"
#include "conformance/session/recorder.h"
#include "conformance/session/stream_probe.h"
#include "conformance/tally/assemble.h"

namespace poolproof {
namespace {

using Clock = std::chrono::steady_clock;

class NothingBefore : public JudgedBefore {
 public:
  [[nodiscard]] const Entry* Find(std::int64_t) const override { return nullptr; }
};

// Whether the run is of some cases of its set.
bool IsSelection(const PlanOptions& options) {
  return options.filter || options.cases || options.case_file_cases || options.campaign;
}

class SessionRun {
 public:
  SessionRun(const Spec& spec, const Subject& subject, const SessionOptions& options,
             const SessionParts& parts, SessionProgress& progress, const std::atomic<bool>& stop)
      : spec_(spec),
        subject_(subject),
        options_(options),
        parts_(parts),
        progress_(progress),
        stop_(stop),
        bound_(options.stop_after) {}

  Result<Report> Run();

 private:
  Status Open();
  Status OpenJournal();
  Status Prepare();
  void AskWhatIsAccepted();
  void JudgeAll();
  void JudgeBlock(const Judging& judging, std::int64_t block, std::unique_ptr<Worker> worker);
  void InvestigateFailures(ShardRecord& record, int jobs);
  void TellSpent();
  AskToQuit AtTheEnd();
  MakeAsk Asking(const Report& report);
  RootCauses Explain(const CauseEvidence& evidence, const Report& report);
  std::vector<CaseClass> Prove(const std::vector<HiddenClause>& hidden, const Report& report);
  std::string PlanSha256();
  Result<Report> MakeReport(ShardRecord record);

  [[nodiscard]] FreshWorker Fresh() {
    return [this] {
      Result<std::unique_ptr<Worker>> worker =
          subject_.start(profile_, options_.profile.has_value());
      if (worker.ok()) {
        lost_in_a_row_ = 0;
        failed_starts_ = 0;
        if (!context_.keeps_to_stream) (*worker)->AwaitDevice();
      } else {
        ++failed_starts_;
      }
      return worker;
    };
  }
  // What one thread tries cases with.
  [[nodiscard]] MakeAttempt MakeAttempts(const FreshWorker& start, const AskToQuit& quit) {
    if (FewWorkers()) return MakeKeptAttempts(context_, parts_.judge, start, &*check_, quit);
    return [this, start, quit] {
      return MakeFreshAttempt(context_, parts_.judge, start, &*check_, quit);
    };
  }
  // Each further start would be waited for without success.
  [[nodiscard]] bool NothingStarts() const { return failed_starts_ >= 15 * jobs_; }
  // A library whose memory is not the host's is one for a device: there it takes seconds to start a
  // process and to load a kernel.
  [[nodiscard]] bool FewWorkers() const { return !identity_.probe.host_memory; }
  [[nodiscard]] bool WaitsLess() const { return subject_.waits_less && !FewWorkers(); }
  // Those that investigate failures wait more than they work, for results that may come late and
  // for calls that hang, and so do those that judge a library that hangs: several for each of the
  // workers that were asked for, where these are few.
  [[nodiscard]] int WaitingThreads() const {
    const bool one_by_one = jobs_ == 1 || subject_.max_workers || FewWorkers();
    return one_by_one ? jobs_ : std::max(jobs_, std::min(4 * jobs_, 32));
  }
  [[nodiscard]] bool Quit();
  [[nodiscard]] Shard OwnShard() const { return options_.shard.value_or(Shard()); }
  // Until when failures may be investigated and rules be tried, from now on.
  [[nodiscard]] Clock::time_point End() const {
    Clock::time_point end = Clock::now() + PlanInvestigations(options_.set).safety;
    if (options_.deadline) end = std::min(end, begin_ + *options_.deadline);
    if (options_.time) end = std::min(end, begin_ + *options_.time - spent_);
    return end;
  }
  [[nodiscard]] bool Explains() const { return OwnShard().of == 1 && parts_.explain != nullptr; }
  [[nodiscard]] Clock::duration Elapsed() const { return Clock::now() - begin_; }
  void KeepResult(CaseResult result);
  void TakeEdges(CaseResult& result);
  void Count(const CaseResult& result);
  bool Wrote(const Status& status);
  void HarnessError(const std::string& message);
  void LoseBatch(const std::string& why);
  [[nodiscard]] ShardRecord TakeRecord();

  const Spec& spec_;
  const Subject& subject_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  SessionProgress& progress_;
  const std::atomic<bool>& stop_;

  const Clock::time_point begin_ = Clock::now();
  const std::string start_ = TimestampNow();
  Profile profile_ = Profile::kAtlasA2;
  JudgeContext context_;
  ProbeResults arithmetic_;
  std::vector<AcceptedCall> acceptance_;
  SparedCases spared_;
  ImplementationIdentity identity_;
  Capabilities capabilities_;
  std::optional<CapabilityCheck> check_;
  int jobs_ = 1;

  std::unique_ptr<Worker> first_;  // that was asked before cases are judged; goes on with these

  std::unique_ptr<TestPlan> plan_;
  std::unique_ptr<Sharding> sharding_;
  StopBound bound_;
  Recorder recorder_;
  std::unique_ptr<Journal> journal_;
  std::atomic<std::int64_t> workers_{0};
  std::atomic<int> lost_in_a_row_{0};  // batches, since a worker started
  std::atomic<int> failed_starts_{0};  // the same
  std::atomic<bool> deadline_passed_{false};
  std::atomic<bool> time_passed_{false};
  bool few_failures_ = false;        // some cost a worker that takes long to start
  Clock::duration spent_{};          // by earlier runs of the journal
  Clock::time_point told_ = begin_;  // until when the journal knows of this one

  std::mutex mutex_;  // of the following
  std::string error_;
  std::string lost_;  // why the first batch that was left out had no worker
  std::set<std::string> signatures_;
  std::set<CoverageKey> places_;
  Combinations combinations_;
  std::unordered_set<std::uint32_t> edges_;
  EdgeCoverage edge_coverage_;
  std::atomic<bool> has_error_{false};
};

// Profile and cases of a run.
Result<std::unique_ptr<Worker>> StartFirstOf(const Subject& subject,
                                             const std::optional<Profile>& asked,
                                             const AskToQuit& quit) {
  return StartFirst(
      [&] { return subject.start(asked.value_or(Profile::kAtlasA2), asked.has_value()); }, quit);
}

Status SessionRun::Open() {
  Result<std::unique_ptr<Worker>> worker =
      StartFirstOf(subject_, options_.profile, [this] { return stop_.load(); });
  if (!worker.ok()) return worker.status();
  const Probe probe = (*worker)->probe();
  const Result<Profile> profile = ChooseProfile(options_.profile, probe.soc);
  if (!profile.ok()) return profile.status();
  profile_ = *profile;
  if (options_.pinned && options_.pinned->profile != profile_) {
    return Unavailable("the plan is for profile " +
                       std::string(InfoOf(options_.pinned->profile).name) + ", and the SoC '" +
                       probe.soc + "' belongs to " + std::string(InfoOf(profile_).name));
  }

  identity_ = subject_.identity;
  identity_.probe = probe;
  capabilities_ = CapabilitiesOf(probe.operators, subject_.declared);
  if (capabilities_.operators.empty()) {
    return Unavailable(
        "implementation '" + identity_.name + "' offers no operator" +
        (probe.missing.empty() ? std::string() : ": it lacks " + probe.missing.front()));
  }
  if (probe.devices == 0U) {
    return Unavailable("implementation '" + identity_.name + "' has no device");
  }
  arithmetic_ = ProbeArithmetic(capabilities_, **worker);

  context_.spec = &spec_;
  context_.profile = profile_;
  if (options_.campaign && context_.rules().CoveredBackwards().empty()) {
    return Unavailable("profile " + std::string(InfoOf(profile_).name) +
                       " supports no backward operator: a campaign has nothing to explore");
  }
  if (WaitsLess()) bound_.AllowHangs(kMaxRareTimeouts);
  check_.emplace(context_.rules(), capabilities_);
  if (parts_.stream_cases) {
    context_.keeps_to_stream =
        KeepsToStream(context_, parts_.judge, *check_, parts_.stream_cases(profile_), **worker);
    if (!context_.keeps_to_stream) (*worker)->AwaitDevice();
  }
  jobs_ = std::max(1, options_.jobs);
  if (subject_.max_workers) jobs_ = std::min(jobs_, std::max(1, *subject_.max_workers));
  if (FewWorkers()) {
    // Device memory is scarce and shared: one worker per device.
    jobs_ = std::min(jobs_, std::max(1, subject_.device_count));
    if ((*worker)->alive()) first_ = std::move(worker).value();
  }
  return OkStatus();
}

// What the journal holds is what the run has judged so far.
Status SessionRun::OpenJournal() {
  if (!options_.journal) return OkStatus();
  std::string libraries;
  for (const LibraryIdentity& library : identity_.libraries) {
    libraries += (libraries.empty() ? "" : ", ") + library.name + " " + library.sha256;
  }
  const Shard own = OwnShard();
  Result<std::unique_ptr<Journal>> journal = Journal::Open(
      *options_.journal,
      {{"tool", options_.tool_version},
       {"spec_sha256", spec_.sha256()},
       {"plan_sha256", PlanSha256()},
       {"shard", std::to_string(own.index) + "/" + std::to_string(own.of)},
       {"stop_after", options_.stop_after ? std::to_string(*options_.stop_after) : "none"},
       {"implementation", identity_.name},
       {"libraries", libraries}});
  if (!journal.ok()) return journal.status();
  JournalContents contents = (*journal)->TakeContents();
  progress_.resumed = std::ssize(contents.results);
  for (CaseResult& result : contents.results) {
    workers_ = std::max<std::int64_t>(workers_, result.worker);
    TakeEdges(result);
    Count(result);
    recorder_.Add(std::move(result));
  }
  for (auto& [number, refinement] : contents.refined) {
    recorder_.Refine(number, std::move(refinement));
  }
  spent_ =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(contents.judged_s));
  progress_.spent_ms = std::chrono::duration_cast<std::chrono::milliseconds>(spent_).count();
  journal_ = std::move(journal).value();
  return OkStatus();
}

Status SessionRun::Prepare() {
  plan_ = std::make_unique<TestPlan>(MakeTestPlan(profile_, options_, parts_));
  // Lines of a block are read before its first case is judged.
  const bool may_end_early = options_.campaign || options_.stop_after || options_.deadline;
  sharding_ = std::make_unique<Sharding>(*plan_, OwnShard(), may_end_early, FewWorkers());
  progress_.planned = plan_->size() / OwnShard().of;
  if (options_.pinned && options_.pinned->sha256 != PlanSha256()) {
    return InvalidArgument("the plan was made by another version of this program: its hash is " +
                           options_.pinned->sha256 + ", that of its options here " + PlanSha256());
  }
  return OkStatus();
}

// The acceptance table: of a whole run all of it, otherwise what selected cases rest on.
void SessionRun::AskWhatIsAccepted() {
  if (!parts_.acceptance_table) return;
  std::vector<NamedCase> table = parts_.acceptance_table(profile_);
  const bool selected = IsSelection(options_) && !options_.campaign;
  if (selected) {
    std::set<std::string> wanted;
    for (std::int64_t number = 0; number < plan_->size(); ++number) {
      if (plan_->IsFixed(number)) wanted.insert(plan_->At(number).base);
    }
    std::erase_if(table, [&](const NamedCase& named) { return !wanted.contains(named.Path()); });
  }
  std::vector<NamedCase> spread;
  if (!selected && parts_.acceptance_spread) {
    spread = parts_.acceptance_spread(profile_);
  }
  std::unique_ptr<Worker> worker = std::move(first_);
  ProbedAcceptance probed =
      ProbeAcceptance(context_, parts_.judge, capabilities_, table, spread, Fresh(), stop_, worker);
  acceptance_ = std::move(probed.answers);
  if (!FewWorkers()) return;
  first_ = std::move(worker);
  spared_ = SparedCases(context_.rules(), *plan_, probed.losing);
}

bool SessionRun::Quit() {
  if (stop_ || has_error_) return true;
  // What fails is confirmed and shrunk within the time that was given, too.
  const auto is_over = [&](const std::optional<std::chrono::milliseconds>& given,
                           Clock::duration gone) {
    if (!given) return false;
    const Clock::duration reserve =
        progress_.failed > 0 ? std::min<Clock::duration>(std::chrono::seconds(60), *given / 4)
                             : Clock::duration::zero();
    return gone + reserve >= *given;
  };
  if (!deadline_passed_ && is_over(options_.deadline, Elapsed())) deadline_passed_ = true;
  if (!time_passed_ && is_over(options_.time, Elapsed() + spent_)) time_passed_ = true;
  return deadline_passed_ || time_passed_;
}

void SessionRun::HarnessError(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (error_.empty()) error_ = WithoutPaths(message);
  has_error_ = true;
}

// Whatever keeps a worker from starting may be gone for the next batch, but not after some of them.
void SessionRun::LoseBatch(const std::string& why) {
  constexpr int kMostInARow = 3;
  const std::string message = "a worker did not start: " + why;
  {
    const std::lock_guard lock(mutex_);
    if (lost_.empty()) lost_ = WithoutPaths(why);
  }
  if (++lost_in_a_row_ >= kMostInARow) HarnessError(message);
}

// Ends the run where the journal cannot be written.
bool SessionRun::Wrote(const Status& status) {
  if (!status.ok()) HarnessError(status.message());
  return status.ok();
}

// Of the edges that are new to the worker of a case, leaves it those that are new to the campaign.
void SessionRun::TakeEdges(CaseResult& result) {
  if (!options_.campaign) result.edges.clear();
  if (result.edges.empty()) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(result.edges, [&](std::uint32_t edge) { return !edges_.insert(edge).second; });
  if (result.edges.empty()) return;
  edge_coverage_.cases[result.number] = std::ssize(result.edges);
  edge_coverage_.edges += std::ssize(result.edges);
  progress_.edges = edge_coverage_.edges;
}

void SessionRun::KeepResult(CaseResult result) {
  TakeEdges(result);
  if (journal_ && !Wrote(journal_->Judged(result))) return;
  Count(result);
  recorder_.Add(std::move(result));
}

void SessionRun::Count(const CaseResult& result) {
  ++progress_.judged;
  if (result.kind.coverage) {
    const std::lock_guard lock(mutex_);
    if (places_.insert(*result.kind.coverage).second) {
      combinations_.Add(ClassesOf(*result.kind.coverage));
      progress_.pairs = combinations_.total().pairs;
      progress_.triples = combinations_.total().triples;
    }
  }
  if (result.failed) {
    {
      const std::lock_guard lock(mutex_);
      if (signatures_.insert(result.kind.signature).second) ++progress_.findings;
    }
    ++progress_.failed;
    const bool required = BreachesRequired(spec_, result.kind);
    if (required) ++progress_.failed_required;
    bound_.Add(result.number, required, result.kind.end == End::kTimedOut);
  }
}

// `worker` is for the first batch.
void SessionRun::JudgeBlock(const Judging& judging, std::int64_t block,
                            std::unique_ptr<Worker> worker) {
  const std::vector<std::vector<std::int64_t>> batches = sharding_->BatchesOf(block, jobs_);
  std::atomic<std::size_t> next{0};
  const auto done = [&] { return next >= batches.size() || Quit(); };
  // More threads than may work at a time, for while some wait for calls that hang.
  OnThreads(std::clamp(static_cast<int>(batches.size()), 1, WaitingThreads()), [&] {
    judging.crew.Work(done, [&] {
      const std::size_t batch = next++;
      if (batch >= batches.size()) return;
      JudgeBatch(judging, batches[batch], batch == 0 ? std::move(worker) : nullptr);
    });
  });
}

void SessionRun::JudgeAll() {
  progress_.stage = SessionProgress::Stage::kJudging;
  const NothingBefore nothing;
  Crew crew(jobs_);
  const Judging judging = {
      .context = context_,
      .judge = parts_.judge,
      .fresh = Fresh(),
      .capabilities = capabilities_,
      .check = *check_,
      .plan = *plan_,
      .bound = bound_,
      .before = journal_ ? static_cast<const JudgedBefore&>(*journal_) : nothing,
      .few_workers = FewWorkers(),
      .spared = spared_,
      .crew = crew,
      .stop = stop_,
      .quit = [this] { return Quit(); },
      .next_worker = [this] { return ++workers_; },
      .begin =
          [this](std::int64_t number) {
            if (journal_) Wrote(journal_->Begin(number));
          },
      .keep = [this](CaseResult result) { KeepResult(std::move(result)); },
      .look = parts_.look,
      .lose_batch = [this](const std::string& why) { LoseBatch(why); },
  };
  std::thread background;
  std::atomic<bool> investigating{false};
  std::int64_t looked_into = 0;
  for (std::int64_t block = 0; block < sharding_->blocks() && !Quit(); ++block) {
    if (sharding_->FirstOf(block) > bound_.last()) break;
    // What the worker of a batch has seen must not depend on the shard.
    if (OwnShard().index != 0) first_.reset();
    JudgeBlock(judging, block, std::move(first_));
    if (!options_.campaign) continue;
    TellSpent();
    if (progress_.failed == looked_into) continue;
    // What failed so far is what a choice in the plan's order begins with.
    if (investigating || Quit()) continue;
    if (background.joinable()) background.join();
    investigating = true;
    looked_into = progress_.failed;
    if (FewWorkers()) {
      // Each worker has a device of its own.
      ShardRecord record = TakeRecord();
      InvestigateFailures(record, jobs_);
      investigating = false;
      continue;
    }
    background = std::thread([this, &investigating] {
      ShardRecord record = TakeRecord();
      InvestigateFailures(record, /*jobs=*/1);
      investigating = false;
    });
  }
  first_.reset();
  if (background.joinable()) background.join();
}

ShardRecord SessionRun::TakeRecord() {
  ShardRecord record = recorder_.Take(bound_.last());
  record.sum_probes = arithmetic_.sums;
  record.observed = arithmetic_.observed;
  record.acceptance = acceptance_;
  record.stop_after = options_.stop_after;
  if (WaitsLess()) record.most_hangs = kMaxRareTimeouts;
  {
    const std::lock_guard lock(mutex_);
    record.error = error_;
    record.stopped_detail = lost_;
  }
  if (stop_) {
    record.stopped_by = StopReason::kInterrupt;
  } else if (bound_.Reason() != StopReason::kNone) {
    record.stopped_by = bound_.Reason();
  } else if (deadline_passed_) {
    record.stopped_by = StopReason::kDeadline;
  } else if (time_passed_) {
    record.stopped_by = StopReason::kTime;
  } else if (!record.stopped_detail.empty()) {
    record.stopped_by = StopReason::kNoWorker;
  }
  if (record.stopped_by != StopReason::kNoWorker) record.stopped_detail.clear();
  return record;
}

// Notes the time that went by since it was noted last.
void SessionRun::TellSpent() {
  if (!journal_) return;
  const Clock::time_point now = Clock::now();
  Wrote(journal_->Spent(std::chrono::duration<double>(now - told_).count()));
  told_ = now;
}

void SessionRun::InvestigateFailures(ShardRecord& record, int jobs) {
  if (stop_ || has_error_ || parts_.investigate == nullptr) return;
  if (!options_.campaign && progress_.failed > 0) {
    progress_.stage = SessionProgress::Stage::kInvestigating;
  }
  const bool is_part = OwnShard().of > 1 || options_.campaign;
  InvestigationPlan limits = is_part          ? PlanShardInvestigations(options_.set)
                             : options_.rerun ? PlanReruns(options_.set)
                                              : PlanInvestigations(options_.set);
  limits.few_starts = FewWorkers();
  Clock::time_point latest = End();
  // What was found is tested before the run must end.
  constexpr double kShareOfInvestigations = 0.6;
  if ((options_.deadline || options_.time) && !is_part && Explains()) {
    const Clock::time_point now = Clock::now();
    latest = now + std::chrono::duration_cast<Clock::duration>(
                       std::max(latest - now, Clock::duration::zero()) * kShareOfInvestigations);
  }
  const Investigating investigating = {
      context_,
      parts_,
      *check_,
      *plan_,
      recorder_,
      limits,
      jobs,
      jobs_,
      Fresh(),
      [this](const FreshWorker& start, const AskToQuit& quit) { return MakeAttempts(start, quit); },
      [this] { return stop_ || NothingStarts(); },
      latest,
      [this] { return TakeRecord(); },
      [this](std::int64_t number, const Refinement& found) {
        return !journal_ || Wrote(journal_->Refined(number, found));
      },
      progress_};
  few_failures_ = poolproof::InvestigateFailures(investigating, record);
}

// Independent of what was judged.
std::string SessionRun::PlanSha256() {
  return sharding_->PlanSha256(
      PlanHeader(options_.seed, spec_.sha256(), InfoOf(profile_).name, plan_->size()), jobs_);
}

// What judging and investigating failures left of the time is spent on questions.
AskToQuit SessionRun::AtTheEnd() {
  return [this, latest = End()] {
    return stop_ || has_error_ || NothingStarts() || Clock::now() >= latest;
  };
}

MakeAsk SessionRun::Asking(const Report& report) {
  // About half of the new cases fail as the known ones do.
  const FreshWorker start = report.summary.timed_out > 0 ? Hurried(Fresh()) : Fresh();
  return [this, start, quit = AtTheEnd()]() -> FreshAttempt {
    progress_.stage = SessionProgress::Stage::kExplaining;
    return [this, attempt = MakeAttempts(start, quit)()](const Case& problem) {
      ++progress_.asked;
      return attempt(problem);
    };
  };
}

// A shard's root causes are those of a part of the cases: those of the whole are found by `merge`.
RootCauses SessionRun::Explain(const CauseEvidence& evidence, const Report& report) {
  if (!Explains()) return {};
  return parts_.explain(ProfileRules(spec_, profile_), Asking(report), jobs_, AtTheEnd(),
                        few_failures_, report, evidence);
}

// What the causes of the report leave to be shown. Where each failing case is slow, nothing is
// asked that may be one.
std::vector<CaseClass> SessionRun::Prove(const std::vector<HiddenClause>& hidden,
                                         const Report& report) {
  std::vector<CaseClass> shown;
  if (!Explains() || parts_.prove == nullptr || few_failures_) return shown;
  std::vector<Rule> causes;
  for (const RootCause& cause : report.root_causes) {
    // What always fails, and was not asked, is known of its own clauses alone.
    const bool is_guess = cause.rule.empty() && cause.tested == 0;
    if (!cause.advisory && !is_guess) causes.push_back(RuleOf(cause));
  }
  for (const ProvenCase& proven : parts_.prove(ProfileRules(spec_, profile_), Asking(report), jobs_,
                                               AtTheEnd(), causes, hidden)) {
    const Result<PreparedCase> prepared = poolproof::Prepare(context_.rules(), proven.problem);
    if (!prepared.ok()) continue;
    shown.push_back(MakeCaseResult(spec_, 0, {"", "", proven.problem}, prepared.value(), "",
                                   End::kReturned, proven.verdict)
                        .kind);
  }
  return shown;
}

Result<Report> SessionRun::MakeReport(ShardRecord record) {
  Report report;
  report.tool_version = options_.tool_version;
  report.spec_sha256 = spec_.sha256();
  report.environment = DescribeEnvironment();
  report.implementation = identity_;
  report.profile = profile_;
  report.edition = spec_.edition();
  report.run.seed = options_.seed;
  report.run.argv = options_.argv;
  report.run.scope = IsSelection(options_) ? RunScope::kSelected : RunScope::kFull;
  report.run.set = options_.set;
  report.run.plan_sha256 = PlanSha256();
  report.run.start = start_;
  const Shard own = OwnShard();
  ShardInfo& shard = report.run.shards.front();
  shard.index = own.index;
  shard.of = own.of;

  RunFrame frame = {spec_,        profile_,      capabilities_,
                    options_.set, plan_->size(), parts_.reason_not_exercised};
  frame.waivers = options_.waivers;
  frame.today = options_.today.empty() ? start_.substr(0, 10) : options_.today;
  frame.plan = plan_.get();
  frame.jobs = jobs_;
  frame.explain = [this](const CauseEvidence& evidence, const Report& so_far) {
    return Explain(evidence, so_far);
  };
  frame.prove = [this](const std::vector<HiddenClause>& hidden, const Report& so_far) {
    return Prove(hidden, so_far);
  };
  Result<Report> result = AssembleReport(frame, {{own.index, &record}}, own.of, std::move(report));
  if (!result.ok()) return Internal(result.status().message());
  RunInfo& run = result.value().run;
  run.duration_s = std::chrono::duration<double>(Elapsed()).count();
  if (!options_.shard) return result;
  run.is_shard = own.of > 1;
  run.shards.front() = {own.index,        own.of,         options_.shard_taken_from,
                        start_,           run.duration_s, ShardRecordSha256(record),
                        std::move(record)};
  return result;
}

Result<Report> SessionRun::Run() {
  if (Status status = Open(); !status.ok()) return status;
  if (Status status = Prepare(); !status.ok()) return status;
  if (Status status = OpenJournal(); !status.ok()) return status;
  AskWhatIsAccepted();
  JudgeAll();
  ShardRecord record = TakeRecord();
  if (options_.campaign) TellSpent();
  InvestigateFailures(record, WaitingThreads());
  if (parts_.observe) parts_.observe(record, *plan_, edge_coverage_);
  Result<Report> report = MakeReport(std::move(record));
  progress_.stage = SessionProgress::Stage::kDone;
  return report;
}

}  // namespace

SessionParts StandardParts(const Spec& spec, CaseSet set, std::uint64_t seed) {
  SessionParts parts;
  parts.sources = [&spec, set, seed](Profile profile) {
    return StandardSources(spec, profile, set, seed);
  };
  parts.acceptance_table = [&spec](Profile profile) { return AcceptanceCases(spec, profile); };
  parts.stream_cases = [&spec](Profile profile) {
    return StreamCases(spec, profile, CaseSet::kSmoke);
  };
  parts.acceptance_spread = [&spec](Profile profile) { return SpreadCases(spec, profile); };
  parts.reason_not_exercised = &ReasonNotExercised;
  parts.judge = &JudgeWithProperties;
  parts.investigate = &Investigate;
  parts.make_smaller = &MakeSmaller;
  return parts;
}

SessionParts PartsFor(const Spec& spec, const PlanOptions& options) {
  SessionParts parts = StandardParts(spec, options.set, options.seed);
  if (!options.campaign || options.case_file_cases) return parts;
  parts.sources = [&spec, seed = options.seed](Profile profile) {
    CaseSources sources;
    sources.identity = "campaign 2";
    sources.random.push_back({"explore", kOpenPlan, CampaignCases(spec, profile, seed)});
    return sources;
  };
  return parts;
}

Result<Profile> ChooseProfile(const std::optional<Profile>& asked, std::string_view soc) {
  const std::optional<Profile> found = ProfileOfSoc(soc);
  if (!asked) return found.value_or(Profile::kAtlasA2);
  if (found && *found != *asked) {
    return Unavailable("--profile " + std::string(InfoOf(*asked).name) + ": the SoC '" +
                       std::string(soc) + "' belongs to " + std::string(InfoOf(*found).name));
  }
  return *asked;
}

TestPlan MakeTestPlan(Profile profile, const PlanOptions& options, const SessionParts& parts) {
  CaseSources sources;
  if (options.case_file_cases) {
    sources.fixed = *options.case_file_cases;
  } else {
    sources = parts.sources(profile);
  }
  return {std::move(sources), options.filter, options.cases};
}

PlanFacts DescribePlan(const Spec& spec, Profile profile, const PlanOptions& options,
                       const SessionParts& parts, int jobs) {
  const TestPlan plan = MakeTestPlan(profile, options, parts);
  Sharding sharding(plan, Shard(), /*short_blocks=*/false);
  return {plan.size(), sharding.PlanSha256(PlanHeader(options.seed, spec.sha256(),
                                                      InfoOf(profile).name, plan.size()),
                                           std::max(1, jobs))};
}

Result<Profile> ProfileOf(const Subject& subject, const std::optional<Profile>& asked) {
  const Result<std::unique_ptr<Worker>> worker = StartFirstOf(subject, asked, &NeverQuit);
  if (!worker.ok()) return worker.status();
  return ChooseProfile(asked, (*worker)->probe().soc);
}

Result<Report> RunSession(const Spec& spec, const Subject& subject, const SessionOptions& options,
                          const SessionParts& parts, SessionProgress& progress,
                          const std::atomic<bool>& stop) {
  return SessionRun(spec, subject, options, parts, progress, stop).Run();
}

}  // namespace poolproof
