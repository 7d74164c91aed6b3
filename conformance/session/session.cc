// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/session.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>

#include "conformance/blame/blame.h"
#include "conformance/case/case_text.h"
#include "conformance/properties/properties.h"
#include "conformance/session/build_invocation.h"
#include "conformance/session/environment.h"
#include "conformance/session/probes.h"
#include "conformance/session/standard_sources.h"
#include "conformance/spec/coverage.h"
#include "conformance/spec/interpretations.h"
#include "conformance/waiver/waiving.h"
#include "core/sha256.h"

namespace poolproof {
namespace {

using Clock = std::chrono::steady_clock;

// Failing cases that are investigated in full, whatever their signature.
constexpr std::size_t kInvestigatedAlways = 16;
// Of each signature, this many beyond them.
constexpr int kInvestigatedPerSignature = 3;
// Failing cases with one signature that a report lists; all are counted.
constexpr std::int64_t kListedPerSignature = 100;
// Cases of a batch that are made ready ahead of their judgement, and bytes of their operands beyond
// which no more are.
constexpr std::size_t kReadyCases = 24;
constexpr std::size_t kReadyBytes = std::size_t{1} << 20;
// Cases whose lines enter plan_sha256; what follows is determined by seed and family.
constexpr std::int64_t kHashedCases = 262144;

enum class RecordState : std::uint8_t {
  kNotRun,
  kPassed,
  kRecorded,
  kInconclusive,
  kUnsupported,
  kFailed,
};

// What is kept of every case.
struct Record {
  RecordState state = RecordState::kNotRun;
  End end = End::kReturned;
  bool in_shared_worker = false;  // ran in its batch's worker, not in one of its own
  std::uint32_t evidence = 0;     // position in EvidenceSets
  std::optional<CoverageKey> coverage;
  Relation relation = Relation::kNone;
  RelationState relation_state = RelationState::kNone;
  std::uint32_t traits = 0;  // CaseTraits
};

// What is kept of a failing case besides.
struct FailedCase {
  std::int64_t number = 0;
  std::int64_t worker_since = 0;  // the first case that its worker may have seen
  bool own_worker = false;
  std::string end_text;
  Verdict verdict;
  std::string signature;  // of `verdict`, with the family: what may share a root cause
};

struct InconclusiveCase {
  std::int64_t number = 0;
  std::string clause;
  std::string note;
};

// Sets of clauses, each stored once: most cases are evidence for one of a few sets.
class EvidenceSets {
 public:
  EvidenceSets() { Add({}); }
  std::uint32_t Add(std::vector<std::uint16_t> clauses) {
    const std::lock_guard lock(mutex_);
    const auto [place, added] =
        positions_.emplace(std::move(clauses), static_cast<std::uint32_t>(sets_.size()));
    if (added) sets_.push_back(&place->first);
    return place->second;
  }
  [[nodiscard]] const std::vector<std::uint16_t>& At(std::uint32_t position) const {
    return *sets_[position];
  }

 private:
  std::mutex mutex_;
  std::map<std::vector<std::uint16_t>, std::uint32_t> positions_;
  std::vector<const std::vector<std::uint16_t>*> sets_;
};

// Decides, the same for any number of jobs, behind which failing case a run ends: counts failures
// in the completed batches that stand before all unfinished ones.
class StopRule {
 public:
  StopRule(std::int64_t batches, std::optional<std::int64_t> stop_after)
      : stop_after_(stop_after),
        failures_(static_cast<std::size_t>(batches), -1),
        timeouts_(static_cast<std::size_t>(batches), 0),
        last_batch_(batches) {}

  // True where a batch with so many failing cases of its own may end here.
  bool Reached(std::int64_t batch, std::int64_t failures, std::int64_t timeouts) {
    const std::lock_guard lock(mutex_);
    const bool reached = (stop_after_ && prefix_failures_ + failures >= *stop_after_) ||
                         prefix_timeouts_ + timeouts >= kMaxTimeouts;
    if (reached) last_batch_ = std::min(last_batch_, batch);
    return reached;
  }
  void Complete(std::int64_t batch, std::int64_t failures, std::int64_t timeouts) {
    const std::lock_guard lock(mutex_);
    failures_[static_cast<std::size_t>(batch)] = failures;
    timeouts_[static_cast<std::size_t>(batch)] = timeouts;
    while (prefix_ < failures_.size() && failures_[prefix_] >= 0) {
      prefix_failures_ += failures_[prefix_];
      prefix_timeouts_ += timeouts_[prefix_];
      ++prefix_;
      if ((stop_after_ && prefix_failures_ >= *stop_after_) || prefix_timeouts_ >= kMaxTimeouts) {
        last_batch_ = std::min(last_batch_, static_cast<std::int64_t>(prefix_) - 1);
      }
    }
  }
  // False for batches whose results would be thrown away.
  bool Wants(std::int64_t batch) {
    const std::lock_guard lock(mutex_);
    return batch <= last_batch_;
  }

 private:
  std::mutex mutex_;
  const std::optional<std::int64_t> stop_after_;
  std::vector<std::int64_t> failures_;
  std::vector<std::int64_t> timeouts_;
  std::size_t prefix_ = 0;
  std::int64_t prefix_failures_ = 0;
  std::int64_t prefix_timeouts_ = 0;
  std::int64_t last_batch_;
};

// Runs `work` on so many threads and waits for them.
void OnThreads(int threads, const std::function<void()>& work) {
  std::vector<std::thread> pool;
  for (int i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
}

// Absolute paths within a message, cut to their base names: reports name no folders.
std::string WithoutPaths(const std::string& text) {
  std::string result;
  std::size_t i = 0;
  while (i < text.size()) {
    const bool starts =
        text[i] == '/' &&
        (i == 0 || std::string_view(" '\"(=:,").find(text[i - 1]) != std::string_view::npos);
    if (!starts) {
      result += text[i++];
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" '\"),:;\n", i), text.size());
    const std::string path = text.substr(i, end - i);
    result += path.substr(path.rfind('/') + 1);
    i = end;
  }
  return result;
}

std::string MessageOf(const Verdict& verdict) {
  std::string text;
  std::set<std::string> said;
  for (const Finding& finding : verdict.findings) {
    if (!said.insert(finding.message).second) continue;
    if (said.size() > 3) {
      text += "; and more";
      break;
    }
    text += (text.empty() ? "" : "; ") + finding.message;
  }
  return WithoutPaths(text);
}

// The wrong elements that a verdict names, call by call.
std::vector<Mismatch> MismatchesOf(const Verdict& verdict) {
  std::vector<Mismatch> all;
  for (const Finding& finding : verdict.findings) {
    if (finding.mismatch) all.push_back(*finding.mismatch);
    all.insert(all.end(), finding.further.begin(), finding.further.end());
  }
  const auto place = [](const Mismatch& m) { return std::pair(m.call, m.position); };
  std::sort(all.begin(), all.end(),
            [&](const Mismatch& a, const Mismatch& b) { return place(a) < place(b); });
  const auto end = std::unique(all.begin(), all.end(), [&](const Mismatch& a, const Mismatch& b) {
    return place(a) == place(b);
  });
  all.erase(end, all.end());
  return all;
}

// Wrong numbers alone may have several readings. Those that no looked-into failure of the operator
// confirmed are dropped while one remains.
Verdict NarrowTo(const Verdict& verdict, const std::set<std::string>& confirmed) {
  Verdict narrowed = verdict;
  std::erase_if(narrowed.findings, [&](const Finding& finding) {
    return IsWrongNumber(finding.kind) &&
           std::none_of(finding.clauses.begin(), finding.clauses.end(),
                        [&](const std::string& id) { return confirmed.contains(id); });
  });
  return narrowed.findings.empty() ? verdict : narrowed;
}

std::set<std::string> BlamedClauses(const Verdict& verdict) {
  std::set<std::string> clauses;
  for (const Finding& finding : verdict.findings) {
    clauses.insert(finding.clauses.begin(), finding.clauses.end());
  }
  return clauses;
}

bool IsRefusalKind(FindingKind kind) {
  return kind == FindingKind::kWrongStatus || kind == FindingKind::kAccepted ||
         kind == FindingKind::kLateRefusal;
}

// Whether the clauses stand for one fault of a call: one clause, or one with those it contains (an
// INT64 or DOUBLE tensor breaches two rows at once).
bool StandForOneFault(const std::vector<std::string>& clauses) {
  return std::count_if(clauses.begin(), clauses.end(), [](const std::string& id) {
           return !id.ends_with("-S12") && !id.ends_with("-S13");
         }) <= 1;
}

// Clauses that calls with a single fault have shown to be breached.
void CollectSingleFaults(const Verdict& verdict, std::set<std::string>& singles) {
  for (const Finding& finding : verdict.findings) {
    if (IsRefusalKind(finding.kind) && StandForOneFault(finding.clauses)) {
      singles.insert(finding.clauses.begin(), finding.clauses.end());
    }
  }
}

// A call with two faults that gets a wrong answer breaches what its single faults breach: the other
// clause is not to blame.
Verdict NarrowPairs(Verdict verdict, const std::set<std::string>& singles) {
  for (Finding& finding : verdict.findings) {
    if (!IsRefusalKind(finding.kind) || StandForOneFault(finding.clauses)) continue;
    std::vector<std::string> kept;
    for (const std::string& id : finding.clauses) {
      if (singles.contains(id)) kept.push_back(id);
    }
    if (!kept.empty()) finding.clauses = std::move(kept);
  }
  return verdict;
}

// How many failures a run looks into, and how far: counts, not clocks, so that the blame does not
// depend on the machine or on --jobs.
struct InvestigationPlan {
  std::size_t failures;         // looked into for their blame
  std::size_t shrunk;           // of them, made small
  std::chrono::minutes safety;  // a net for libraries that make every attempt slow
};
InvestigationPlan PlanInvestigations(CaseSet set) {
  switch (set) {
    case CaseSet::kSmoke:
      return {64, 6, std::chrono::minutes(5)};
    case CaseSet::kCi:
      return {120, 12, std::chrono::minutes(10)};
    case CaseSet::kNightly:
      break;
  }
  return {2000, 100, std::chrono::minutes(60)};
}
constexpr int kBlameAttempts = 60;
constexpr int kShrinkAttempts = 150;
constexpr double kInvestigationSeconds = 60;
// Calls that hang cost a deadline each: few are tried again, and hardly varied.
constexpr std::size_t kInvestigatedTimeouts = 6;
constexpr int kTimeoutAttempts = 2;

class SessionRun {
 public:
  SessionRun(const Spec& spec, const Subject& subject, const SessionOptions& options,
             const SessionParts& parts, SessionProgress& progress, const std::atomic<bool>& stop)
      : spec_(spec),
        subject_(subject),
        options_(options),
        parts_(parts),
        progress_(progress),
        stop_(stop) {}

  Result<Report> Run();

 private:
  Status Open();
  void Prepare();
  void JudgeAll();
  void RunBatch(std::int64_t batch);
  struct BatchState;
  void MakeReady(BatchState& state, std::int64_t number);
  bool SubmitReady(BatchState& state);
  void JudgeNext(BatchState& state);
  void JudgeAlone(BatchState& state, std::int64_t number);
  void Keep(BatchState& state, std::int64_t number, const NamedCase& named, Attempt attempt,
            bool own_worker, std::int64_t worker_since);
  void CutAtStop();
  // A failure to look into: the so many-th of its signature, and its position in failed_.
  struct Choice {
    int rank;
    std::size_t position;
  };
  std::vector<Choice> ChooseInvestigations() const;
  [[nodiscard]] Operator OperatorOf(const FailedCase& failed) const {
    return plan_->At(failed.number).problem.calls.front().op;
  }
  [[nodiscard]] bool TimedOut(const Choice& choice) const {
    const std::int64_t number = failed_[choice.position].number;
    return records_[static_cast<std::size_t>(number)].end == End::kTimedOut;
  }
  void Investigate(const std::vector<Choice>& chosen, const FreshAttempt& attempt,
                   Clock::time_point latest, bool shrink);
  void InvestigateFailures();
  void DropUnconfirmed();
  Report MakeReport();
  void CountEvidence(ClauseEvidence& evidence);
  void CountSummary(Summary& summary) const;
  [[nodiscard]] std::vector<PropertyResult> CountProperties() const;
  void AddSums(const std::vector<SumFacts>& sums);
  void ObserveStandards(ImplementationIdentity& identity) const;
  [[nodiscard]] std::vector<CoverageCell> CountCoverage() const;
  void CountPassed(Waiving& waiving);
  std::string PlanSha256();

  [[nodiscard]] FreshWorker Fresh() const {
    return [this] { return subject_.start(profile_, options_.profile.has_value()); };
  }
  [[nodiscard]] bool Quit(std::int64_t batch);
  [[nodiscard]] Clock::duration Elapsed() const { return Clock::now() - begin_; }
  void HarnessError(const std::string& message);
  std::uint32_t InternEvidence(const std::vector<std::string>& clauses);
  void RecordNote(std::int64_t number, const NamedCase& named, const std::string& note);
  Record& record(std::int64_t number) { return records_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] bool IsSelected() const {
    return options_.filter || options_.cases || options_.case_file_cases;
  }

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
  std::vector<SumProbe> sum_probes_;
  ImplementationIdentity identity_;
  Offer offer_;
  int jobs_ = 1;
  std::unordered_map<std::string, std::uint16_t> clause_positions_;

  std::unique_ptr<CasePlan> plan_;
  std::unique_ptr<StopRule> stop_rule_;
  std::vector<Record> records_;
  std::vector<std::string> batch_digests_;
  EvidenceSets evidence_sets_;
  std::atomic<std::int64_t> next_batch_{0};
  std::atomic<bool> deadline_passed_{false};
  std::string stopped_by_;

  std::mutex mutex_;  // of the following
  std::vector<FailedCase> failed_;
  std::vector<InconclusiveCase> inconclusive_;
  std::map<std::pair<Operator, DataType>, SumFacts> sums_;
  std::set<Operator> judged_operators_;
  std::string error_;
  std::atomic<bool> has_error_{false};

  struct Refined {
    Case problem;
    std::optional<Case> shrunk;
    Verdict verdict;
    Verdict shrunk_verdict;
  };
  std::vector<std::optional<Refined>> refined_;  // by position in failed_
};

// A case with its data, on its way through the batch's worker.
struct ReadyCase {
  std::int64_t number = 0;
  NamedCase named;
  Materialized data;
  std::size_t bytes = 0;
  bool retried = false;
};

struct SessionRun::BatchState {
  std::int64_t batch = 0;
  std::unique_ptr<Worker> worker;
  std::int64_t worker_since = 0;  // the first case that the worker saw
  std::deque<ReadyCase> ready;    // not judged, in order
  std::size_t submitted = 0;      // of them, the first so many are the worker's
  std::size_t ready_bytes = 0;
  std::vector<std::int64_t> deferred;
  std::set<Operator> operators;
  Sha256 digest;
  std::int64_t last = 0;  // the last case that was judged
  std::int64_t failures = 0;
  std::int64_t timeouts = 0;
  bool last_failed = false;
};

Status SessionRun::Open() {
  const Profile first = options_.profile.value_or(Profile::kAtlasA2);
  const bool is_explicit = options_.profile.has_value();
  Result<std::unique_ptr<Worker>> worker = subject_.start(first, is_explicit);
  if (!worker.ok()) return worker.status();
  const Probe probe = (*worker)->probe();
  const Result<Profile> profile = ChooseProfile(options_.profile, probe.soc);
  if (!profile.ok()) return profile.status();
  profile_ = *profile;

  identity_ = subject_.identity;
  identity_.probe = probe;
  offer_ = MakeOffer(probe.operators, subject_.declared);
  if (offer_.operators.empty()) {
    return Unavailable(
        "implementation '" + identity_.name + "' offers no operator" +
        (probe.missing.empty() ? std::string() : ": it lacks " + probe.missing.front()));
  }
  if (probe.devices == 0U) {
    return Unavailable("implementation '" + identity_.name + "' has no device");
  }
  const ProbeResults arithmetic = ProbeArithmetic(offer_, **worker);
  identity_.observed = arithmetic.observed;

  context_.spec = &spec_;
  context_.profile = profile_;
  context_.flushing = arithmetic.flushing;
  sum_probes_ = arithmetic.sums;
  jobs_ = std::max(1, options_.jobs);
  if (subject_.max_workers) jobs_ = std::min(jobs_, std::max(1, *subject_.max_workers));
  // Device memory is scarce and shared: one worker per device.
  if (!probe.host_memory) jobs_ = std::min(jobs_, std::max(1, subject_.device_count));
  return OkStatus();
}

void SessionRun::Prepare() {
  CaseSources sources;
  if (options_.case_file_cases) {
    sources.fixed = *options_.case_file_cases;
  } else {
    sources = parts_.sources(profile_);
  }
  plan_ = std::make_unique<CasePlan>(std::move(sources), options_.filter, options_.cases);
  const std::int64_t batches = (plan_->size() + kBatchSize - 1) / kBatchSize;
  records_.resize(static_cast<std::size_t>(plan_->size()));
  batch_digests_.resize(static_cast<std::size_t>(batches));
  stop_rule_ = std::make_unique<StopRule>(batches, options_.stop_after);
  for (std::size_t i = 0; i < spec_.clauses().size(); ++i) {
    clause_positions_.emplace(spec_.clauses()[i].id, static_cast<std::uint16_t>(i));
  }
  progress_.planned = plan_->size();
}

bool SessionRun::Quit(std::int64_t batch) {
  if (stop_ || has_error_) return true;
  if (options_.deadline && !deadline_passed_) {
    // What fails is confirmed and shrunk within the deadline too.
    const Clock::duration reserve =
        progress_.failed > 0
            ? std::min<Clock::duration>(std::chrono::seconds(10), *options_.deadline * 15 / 100)
            : Clock::duration::zero();
    if (Elapsed() + reserve >= *options_.deadline) deadline_passed_ = true;
  }
  return deadline_passed_ || !stop_rule_->Wants(batch);
}

void SessionRun::HarnessError(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (error_.empty()) error_ = WithoutPaths(message);
  has_error_ = true;
}

std::uint32_t SessionRun::InternEvidence(const std::vector<std::string>& clauses) {
  std::vector<std::uint16_t> positions;
  for (const std::string& clause : clauses) {
    const auto place = clause_positions_.find(clause);
    if (place != clause_positions_.end()) positions.push_back(place->second);
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return evidence_sets_.Add(std::move(positions));
}

void SessionRun::RecordNote(std::int64_t number, const NamedCase& named, const std::string& note) {
  // A case that was made for a clause is named for it: "MP3-S40/length-2".
  const std::string clause = named.name.substr(0, named.name.find('/'));
  if (clause_positions_.count(clause) == 0) return;
  const std::lock_guard lock(mutex_);
  inconclusive_.push_back({number, clause, WithoutPaths(note)});
}

void SessionRun::Keep(BatchState& state, std::int64_t number, const NamedCase& named,
                      Attempt attempt, bool own_worker, std::int64_t worker_since) {
  Record& kept = record(number);
  kept.end = attempt.outcome.end;
  kept.in_shared_worker = !own_worker;
  Verdict& verdict = attempt.verdict;
  kept.relation_state = verdict.relation;
  kept.traits = verdict.traits;
  AddSums(verdict.sums);
  kept.coverage = CoverageOf(named.problem);
  switch (verdict.kind) {
    case VerdictKind::kPassed:
      kept.state = RecordState::kPassed;
      kept.evidence = InternEvidence(verdict.evidence);
      break;
    case VerdictKind::kRecorded:
      kept.state = RecordState::kRecorded;
      kept.evidence = InternEvidence(verdict.evidence);
      break;
    case VerdictKind::kUnsupported:
      kept.state = RecordState::kUnsupported;
      break;
    case VerdictKind::kInconclusive:
      kept.state = RecordState::kInconclusive;
      RecordNote(number, named, verdict.note);
      break;
    case VerdictKind::kFailed: {
      kept.state = RecordState::kFailed;
      ++state.failures;
      if (kept.end == End::kTimedOut) ++state.timeouts;
      ++progress_.failed;
      FailedCase failed;
      failed.number = number;
      failed.worker_since = worker_since;
      failed.own_worker = own_worker;
      failed.end_text = EndText(attempt.outcome);
      failed.signature =
          SignatureOf(InfoOf(named.problem.calls.front().op).name, verdict) + ":" + named.family;
      failed.verdict = std::move(verdict);
      const std::lock_guard lock(mutex_);
      failed_.push_back(std::move(failed));
      break;
    }
  }
  state.last_failed = kept.state == RecordState::kFailed;
  ++progress_.judged;
}

// Judges a case that may do damage in a worker of its own.
void SessionRun::JudgeAlone(BatchState& state, std::int64_t number) {
  const NamedCase named = plan_->At(number);
  const Result<Materialized> data = Materialize(named.problem);
  if (!data.ok()) return;
  for (int round = 0; round < 2; ++round) {
    const Result<std::unique_ptr<Worker>> worker = StartWithRetry(Fresh());
    if (!worker.ok()) {
      HarnessError("a worker did not start: " + worker.status().message());
      return;
    }
    Attempt attempt = AttemptCase(context_, parts_.judge, named.problem, *data, **worker);
    if (stop_ && attempt.outcome.end != End::kReturned) return;
    if (attempt.outcome.end == End::kHarness && round == 0) continue;
    Keep(state, number, named, std::move(attempt), /*own_worker=*/true, number);
    return;
  }
}

// Makes the next case of the batch ready to be carried out; puts those aside that are not.
void SessionRun::MakeReady(BatchState& state, std::int64_t number) {
  NamedCase named = plan_->At(number);
  if (number < kHashedCases) state.digest.Update(CaseLine(named.problem) + "\n");
  record(number).relation = named.problem.plan.relation;
  const auto without_verdict = [&](RecordState outcome) {
    record(number).state = outcome;
    ++progress_.judged;
  };
  if (OutsideOffer(offer_, named.problem)) return without_verdict(RecordState::kUnsupported);
  Result<Materialized> data = Materialize(named.problem);
  if (!data.ok()) {
    RecordNote(number, named, data.status().message());
    return without_verdict(RecordState::kInconclusive);
  }
  if (IndicesOutsideOffer(offer_, named.problem, *data)) {
    return without_verdict(RecordState::kUnsupported);
  }
  for (const Call& call : named.problem.calls) state.operators.insert(InfoOf(call.op).backward);
  if (MayDoDamage(named, *data)) {
    state.deferred.push_back(number);
    return;
  }
  std::size_t bytes = 0;
  for (const MaterializedCall& call : data->calls) {
    for (const std::vector<std::byte>& storage : call.storage) bytes += storage.size();
  }
  state.ready_bytes += bytes;
  state.ready.push_back({number, std::move(named), std::move(data).value(), bytes});
}

// Hands ready cases to the worker, which carries them out while the first of them are judged.
// False where no worker can be had.
bool SessionRun::SubmitReady(BatchState& state) {
  if (state.worker == nullptr) {
    Result<std::unique_ptr<Worker>> started = StartWithRetry(Fresh());
    if (!started.ok()) {
      HarnessError("a worker did not start: " + started.status().message());
      return false;
    }
    state.worker = std::move(started).value();
    state.worker_since = state.ready.front().number;
    state.submitted = 0;
  }
  for (; state.submitted < state.ready.size(); ++state.submitted) {
    const ReadyCase& next = state.ready[state.submitted];
    state.worker->Submit(BuildInvocation(next.named.problem, next.data));
  }
  return true;
}

// Judges the first of the ready cases.
void SessionRun::JudgeNext(BatchState& state) {
  Attempt attempt;
  attempt.outcome = state.worker->Collect();
  --state.submitted;
  if (SpoiltWorker(attempt.outcome, *state.worker)) {
    // What was submitted behind this case is put to the next worker.
    state.worker.reset();
    state.submitted = 0;
  }
  ReadyCase& first = state.ready.front();
  // A fault of our own is tried again in a fresh worker before it is believed.
  if (attempt.outcome.end == End::kHarness && !std::exchange(first.retried, true)) return;
  const ReadyCase ready = std::move(first);
  state.ready.pop_front();
  state.ready_bytes -= ready.bytes;
  // What stops the run may have stopped the worker too: its death then says nothing.
  if (stop_ && attempt.outcome.end != End::kReturned) return;
  attempt.verdict =
      JudgeOutcome(context_, parts_.judge, ready.named.problem, ready.data, attempt.outcome);
  Keep(state, ready.number, ready.named, std::move(attempt), /*own_worker=*/false,
       state.worker_since);
  state.last = ready.number;
}

void SessionRun::RunBatch(std::int64_t batch) {
  BatchState state;
  state.batch = batch;
  const std::int64_t end = std::min(plan_->size(), (batch + 1) * kBatchSize);
  std::int64_t next = batch * kBatchSize;
  bool cut = false;
  while (!Quit(batch)) {
    // In groups, so that neither side waits for the other at every case.
    if (state.ready.size() <= kReadyCases / 2) {
      while (next < end && state.ready.size() < kReadyCases && state.ready_bytes < kReadyBytes) {
        MakeReady(state, next++);
      }
      if (state.ready.empty()) break;
    }
    if (!SubmitReady(state)) break;
    state.last_failed = false;
    JudgeNext(state);
    if (state.last_failed && stop_rule_->Reached(batch, state.failures, state.timeouts)) {
      cut = true;
      break;
    }
  }
  state.worker.reset();
  // Calls that may do damage come last and alone; those behind a stop are not wanted.
  for (const std::int64_t late : state.deferred) {
    if ((cut && late > state.last) || Quit(batch)) break;
    JudgeAlone(state, late);
  }
  if (next == end) batch_digests_[static_cast<std::size_t>(batch)] = state.digest.Finish();
  stop_rule_->Complete(batch, state.failures, state.timeouts);
  const std::lock_guard lock(mutex_);
  judged_operators_.insert(state.operators.begin(), state.operators.end());
}

void SessionRun::JudgeAll() {
  progress_.stage = SessionProgress::Stage::kJudging;
  const auto batches = static_cast<std::int64_t>(batch_digests_.size());
  OnThreads(static_cast<int>(std::min<std::int64_t>(jobs_, std::max<std::int64_t>(1, batches))),
            [this, batches] {
              for (;;) {
                const std::int64_t batch = next_batch_++;
                if (batch >= batches || Quit(batch)) return;
                RunBatch(batch);
              }
            });
  std::sort(failed_.begin(), failed_.end(),
            [](const FailedCase& a, const FailedCase& b) { return a.number < b.number; });
  CutAtStop();
}

// Forgets what was judged behind the case that ends the run.
void SessionRun::CutAtStop() {
  std::int64_t failures = 0;
  std::int64_t timeouts = 0;
  std::int64_t last = plan_->size() - 1;
  std::string stop_reason;
  for (const FailedCase& failed : failed_) {
    ++failures;
    if (record(failed.number).end == End::kTimedOut) ++timeouts;
    if (options_.stop_after && failures >= *options_.stop_after) stop_reason = "stop-after";
    if (stop_reason.empty() && timeouts >= kMaxTimeouts) stop_reason = "timeouts";
    if (!stop_reason.empty()) {
      last = failed.number;
      break;
    }
  }
  for (std::int64_t number = last + 1; number < plan_->size(); ++number) {
    record(number) = Record();
  }
  std::erase_if(failed_, [&](const FailedCase& failed) { return failed.number > last; });
  std::erase_if(inconclusive_, [&](const InconclusiveCase& entry) { return entry.number > last; });

  const bool incomplete = std::any_of(records_.begin(), records_.end(), [](const Record& entry) {
    return entry.state == RecordState::kNotRun;
  });
  if (!incomplete) return;
  if (stop_) {
    stopped_by_ = "interrupt";
  } else if (!stop_reason.empty()) {
    stopped_by_ = stop_reason;
  } else if (deadline_passed_) {
    stopped_by_ = "deadline";
  }
}

// Positions in failed_: the first of every signature, then the second, and so on, so that a budget
// that runs out has still seen all signatures.
std::vector<SessionRun::Choice> SessionRun::ChooseInvestigations() const {
  std::map<std::string, int> seen;
  std::vector<Choice> chosen;
  for (std::size_t i = 0; i < failed_.size(); ++i) {
    const int rank = seen[failed_[i].signature]++;
    if (i < kInvestigatedAlways || rank < kInvestigatedPerSignature) chosen.push_back({rank, i});
  }
  std::sort(chosen.begin(), chosen.end(), [](const Choice& a, const Choice& b) {
    return std::pair(a.rank, a.position) < std::pair(b.rank, b.position);
  });
  std::size_t timeouts = 0;
  std::erase_if(chosen, [&](const Choice& choice) {
    return TimedOut(choice) && ++timeouts > kInvestigatedTimeouts;
  });
  const std::size_t most = PlanInvestigations(options_.set).failures;
  if (chosen.size() > most) chosen.resize(most);
  return chosen;
}

void SessionRun::InvestigateFailures() {
  refined_.resize(failed_.size());
  if (failed_.empty() || stop_ || has_error_) return;
  progress_.stage = SessionProgress::Stage::kInvestigating;
  const std::vector<Choice> chosen = ChooseInvestigations();
  progress_.investigations = static_cast<std::int64_t>(chosen.size());

  const InvestigationPlan plan = PlanInvestigations(options_.set);
  Clock::time_point latest = Clock::now() + plan.safety;
  if (options_.deadline) latest = std::min(latest, begin_ + *options_.deadline);
  const FreshAttempt attempt = MakeFreshAttempt(context_, parts_.judge, Fresh());
  Investigate(chosen, attempt, latest, /*shrink=*/false);
  // One small counterexample of each kind is what a person reads; kinds are known only now.
  std::set<std::string> seen;
  std::vector<Choice> first_of_kind;
  for (const Choice& choice : chosen) {
    const std::optional<Refined>& refined = refined_[choice.position];
    if (!refined || refined->verdict.kind != VerdictKind::kFailed || TimedOut(choice)) continue;
    if (first_of_kind.size() >= plan.shrunk) break;
    const Case& problem = plan_->At(failed_[choice.position].number).problem;
    if (seen.insert(SignatureOf(InfoOf(problem.calls.front().op).name, refined->verdict)).second) {
      first_of_kind.push_back(choice);
    }
  }
  Investigate(first_of_kind, attempt, latest, /*shrink=*/true);
  DropUnconfirmed();
}

// Looks into the chosen failures, as far as time allows.
void SessionRun::Investigate(const std::vector<Choice>& chosen, const FreshAttempt& attempt,
                             Clock::time_point latest, bool shrink) {
  std::atomic<std::size_t> next{0};
  OnThreads(std::min(jobs_, static_cast<int>(chosen.size())), [&] {
    for (;;) {
      const std::size_t turn = next++;
      if (turn >= chosen.size() || stop_ || Clock::now() >= latest) return;
      const std::size_t position = chosen[turn].position;
      const FailedCase& failed = failed_[position];
      std::vector<Case> before;
      for (std::int64_t n = failed.worker_since; !failed.own_worker && n < failed.number; ++n) {
        if (record(n).in_shared_worker) before.push_back(plan_->At(n).problem);
      }
      InvestigationLimits limits;
      limits.shrink = shrink;
      limits.max_attempts = TimedOut(chosen[turn]) ? kTimeoutAttempts
                            : shrink               ? kShrinkAttempts
                                                   : kBlameAttempts;
      limits.max_seconds = kInvestigationSeconds;
      const std::chrono::duration<double> left = latest - Clock::now();
      limits.max_seconds = std::min(limits.max_seconds, left.count());
      Investigation investigation = parts_.investigate(context_, plan_->At(failed.number).problem,
                                                       failed.verdict, before, attempt, limits);
      if (!shrink) ++progress_.investigated;
      // Half an answer is worse than that of a sibling.
      if (!investigation.complete) continue;
      refined_[position] =
          Refined{std::move(investigation.problem), std::move(investigation.shrunk),
                  std::move(investigation.verdict), std::move(investigation.shrunk_verdict)};
    }
  });
}

// What a fresh worker could not confirm and the investigation no longer calls a failure.
void SessionRun::DropUnconfirmed() {
  std::vector<FailedCase> failed;
  std::vector<std::optional<Refined>> refined;
  for (std::size_t i = 0; i < failed_.size(); ++i) {
    if (refined_[i] && refined_[i]->verdict.kind != VerdictKind::kFailed) {
      Record& entry = record(failed_[i].number);
      entry.state = RecordState::kInconclusive;
      entry.end = End::kReturned;
      RecordNote(failed_[i].number, plan_->At(failed_[i].number), refined_[i]->verdict.note);
      continue;
    }
    failed.push_back(std::move(failed_[i]));
    refined.push_back(std::move(refined_[i]));
  }
  failed_ = std::move(failed);
  refined_ = std::move(refined);
}

void SessionRun::CountSummary(Summary& summary) const {
  for (const Record& entry : records_) {
    if (entry.state == RecordState::kNotRun) {
      ++summary.not_run;
      continue;
    }
    ++summary.cases;
    switch (entry.state) {
      case RecordState::kRecorded:
        ++summary.recorded;
        ++summary.passed;
        break;
      case RecordState::kPassed:
        ++summary.passed;
        break;
      case RecordState::kInconclusive:
        ++summary.inconclusive;
        break;
      case RecordState::kUnsupported:
        ++summary.unsupported;
        break;
      case RecordState::kFailed:
        if (entry.end == End::kTimedOut) {
          ++summary.timed_out;
        } else if (entry.end == End::kReturned) {
          ++summary.failed;
        } else {
          ++summary.crashed;
        }
        break;
      case RecordState::kNotRun:
        break;
    }
  }
}

void SessionRun::CountEvidence(ClauseEvidence& evidence) {
  const std::size_t clauses = spec_.clauses().size();
  evidence.cases.assign(clauses, 0);
  evidence.failures.assign(clauses, 0);
  evidence.traits.assign(clauses, 0);
  std::vector<std::int64_t> uses;
  std::vector<std::uint32_t> traits;
  for (const Record& entry : records_) {
    if (entry.state != RecordState::kPassed && entry.state != RecordState::kRecorded) continue;
    if (entry.evidence >= uses.size()) {
      uses.resize(entry.evidence + 1, 0);
      traits.resize(entry.evidence + 1, 0);
    }
    ++uses[entry.evidence];
    traits[entry.evidence] |= entry.traits;
  }
  for (std::uint32_t set = 0; set < uses.size(); ++set) {
    if (uses[set] == 0) continue;
    for (const std::uint16_t clause : evidence_sets_.At(set)) {
      evidence.cases[clause] += uses[set];
      evidence.traits[clause] |= traits[set];
    }
  }
  evidence.judged = judged_operators_;
  std::sort(
      inconclusive_.begin(), inconclusive_.end(),
      [](const InconclusiveCase& a, const InconclusiveCase& b) { return a.number < b.number; });
  for (const InconclusiveCase& entry : inconclusive_) {
    evidence.inconclusive.emplace(entry.clause, entry.note);
  }
}

void SessionRun::AddSums(const std::vector<SumFacts>& sums) {
  if (sums.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const SumFacts& facts : sums) {
    SumFacts& total = sums_[{facts.op, facts.type}];
    total.op = facts.op;
    total.type = facts.type;
    total.sums += facts.sums;
    total.misrounded += facts.misrounded;
    total.beyond_acc32 += facts.beyond_acc32;
    total.unlawful += facts.unlawful;
    total.results += facts.results;
    total.ecosystem += facts.ecosystem;
  }
}

// Standards of summation side by side, of runs that came to their end.
void SessionRun::ObserveStandards(ImplementationIdentity& identity) const {
  if (!stopped_by_.empty() || !error_.empty()) return;
  for (const SumProbe& probe : sum_probes_) {
    const auto place = sums_.find({probe.op, probe.type});
    if (place == sums_.end()) continue;
    const SumFacts& facts = place->second;
    const std::string key = std::string(InfoOf(probe.op).name) + "." + DataTypeName(probe.type);
    if (const std::optional<std::string> standard = StandardOf(probe, facts)) {
      identity.observed.emplace_back("standard." + key, *standard);
    }
    const auto share = [](std::int64_t part, std::int64_t all) {
      return std::to_string(part) + " of " + std::to_string(all);
    };
    identity.observed.emplace_back("correctly-rounded." + key,
                                   share(facts.sums - facts.misrounded, facts.sums) + " sums");
    identity.observed.emplace_back("within-acc32." + key,
                                   share(facts.sums - facts.beyond_acc32, facts.sums) + " sums");
    identity.observed.emplace_back("cann-eco." + key,
                                   share(facts.ecosystem, facts.results) + " results");
  }
}

std::vector<PropertyResult> SessionRun::CountProperties() const {
  std::array<PropertyEvidence, kRelationCount> evidence;
  for (const Record& entry : records_) {
    PropertyEvidence& own = evidence[static_cast<std::size_t>(entry.relation)];
    if (entry.state == RecordState::kUnsupported) ++own.unsupported;
    switch (entry.relation_state) {
      case RelationState::kNone:
        break;
      case RelationState::kBroken:
        ++own.failures;
        [[fallthrough]];
      case RelationState::kHeld:
        ++own.cases;
        break;
      case RelationState::kDiscarded:
        ++own.discarded;
        break;
    }
  }
  std::vector<PropertyResult> results;
  for (const Property& property : AllProperties()) {
    results.push_back(TallyProperty(property.relation,
                                    evidence[static_cast<std::size_t>(property.relation)],
                                    IsSelected() || !stopped_by_.empty()));
  }
  return results;
}

// What was passed or failed; what proved nothing covers nothing.
std::vector<CoverageCell> SessionRun::CountCoverage() const {
  std::map<CoverageKey, CoverageCell> cells;
  for (const Record& entry : records_) {
    const bool failed = entry.state == RecordState::kFailed;
    if (!entry.coverage || !(failed || entry.state == RecordState::kPassed)) continue;
    CoverageCell& cell = cells[*entry.coverage];
    ++cell.cases;
    if (failed) ++cell.failures;
  }
  std::vector<CoverageCell> counted;
  for (auto& [key, cell] : cells) {
    cell.key = key;
    counted.push_back(cell);
  }
  return counted;
}

void SessionRun::CountPassed(Waiving& waiving) {
  if (waiving.empty()) return;
  for (std::int64_t number = 0; number < plan_->size(); ++number) {
    const Record& entry = record(number);
    if (entry.state != RecordState::kPassed) continue;
    std::vector<std::string> evidence;
    for (const std::uint16_t clause : evidence_sets_.At(entry.evidence)) {
      evidence.push_back(spec_.clauses()[clause].id);
    }
    waiving.Passed(plan_->At(number).problem, evidence, plan_->IsFixed(number));
  }
}

// Independent of what was judged: lines that no batch has hashed are hashed here.
std::string SessionRun::PlanSha256() {
  const std::int64_t hashed_batches =
      (std::min(plan_->size(), kHashedCases) + kBatchSize - 1) / kBatchSize;
  std::atomic<std::int64_t> next{0};
  OnThreads(jobs_, [&] {
    for (;;) {
      const std::int64_t batch = next++;
      if (batch >= hashed_batches) return;
      std::string& text = batch_digests_[static_cast<std::size_t>(batch)];
      if (!text.empty()) continue;
      Sha256 digest;
      const std::int64_t end = std::min({plan_->size(), (batch + 1) * kBatchSize, kHashedCases});
      for (std::int64_t n = batch * kBatchSize; n < end; ++n) {
        digest.Update(CaseLine(plan_->At(n).problem) + "\n");
      }
      text = digest.Finish();
    }
  });
  Sha256 digest;
  digest.Update("seed " + std::to_string(options_.seed) + "\nspec " + spec_.sha256() +
                "\nprofile " + std::string(InfoOf(profile_).name) + "\ncases " +
                std::to_string(plan_->size()) + "\n");
  for (std::int64_t batch = 0; batch < hashed_batches; ++batch) {
    digest.Update(batch_digests_[static_cast<std::size_t>(batch)] + "\n");
  }
  return digest.Finish();
}

Report SessionRun::MakeReport() {
  static constexpr std::array<std::string_view, 3> kSetNames = {"smoke", "ci", "nightly"};
  Report report;
  report.tool_version = options_.tool_version;
  report.spec_sha256 = spec_.sha256();
  report.environment = DescribeEnvironment();
  report.implementation = identity_;
  ObserveStandards(report.implementation);
  report.profile = InfoOf(profile_).name;
  report.run.seed = options_.seed;
  report.run.argv = options_.argv;
  report.run.scope = IsSelected() ? "selected" : "full";
  report.run.set = kSetNames[static_cast<std::size_t>(options_.set)];
  report.run.plan_sha256 = PlanSha256();
  report.run.start = start_;
  report.run.stopped_by = stopped_by_;
  report.error = error_;
  CountSummary(report.summary);

  ClauseEvidence evidence;
  CountEvidence(evidence);
  std::map<std::string, const Refined*> by_signature;
  for (std::size_t i = 0; i < failed_.size(); ++i) {
    if (refined_[i]) by_signature.emplace(failed_[i].signature, &*refined_[i]);
  }
  // A failure that was not looked into is taken for what the first of its kind turned out to be,
  // or, where its kind was not looked into at all, for what the operator's failures turned out to
  // be.
  std::map<Operator, std::set<std::string>> confirmed;
  for (std::size_t i = 0; i < failed_.size(); ++i) {
    if (!refined_[i]) continue;
    const std::set<std::string> clauses = BlamedClauses(refined_[i]->verdict);
    confirmed[OperatorOf(failed_[i])].insert(clauses.begin(), clauses.end());
  }
  const auto blame_of = [&](std::size_t i) -> Verdict {
    if (refined_[i]) return refined_[i]->verdict;
    const auto sibling = by_signature.find(failed_[i].signature);
    if (sibling != by_signature.end()) return sibling->second->verdict;
    return NarrowTo(failed_[i].verdict, confirmed[OperatorOf(failed_[i])]);
  };
  std::set<std::string> single_faults;
  for (std::size_t i = 0; i < failed_.size(); ++i) CollectSingleFaults(blame_of(i), single_faults);
  std::map<std::string, std::int64_t> listed;
  Waiving waiving(options_.waivers, options_.today.empty() ? start_.substr(0, 10) : options_.today,
                  report.implementation, report.profile);
  std::vector<std::int64_t> waived(spec_.clauses().size());
  std::map<Relation, std::int64_t> waived_relations;
  for (std::size_t i = 0; i < failed_.size(); ++i) {
    const FailedCase& failed = failed_[i];
    const NamedCase named = plan_->At(failed.number);
    const Verdict blame = NarrowPairs(blame_of(i), single_faults);
    const Verdict& shown = refined_[i] ? refined_[i]->verdict : failed.verdict;
    const std::set<std::string> clauses = BlamedClauses(blame);
    std::vector<std::string> required;
    for (const std::string& id : clauses) {
      const auto place = clause_positions_.find(id);
      if (place == clause_positions_.end()) continue;
      ++evidence.cases[place->second];
      ++evidence.failures[place->second];
      if (spec_.clauses()[place->second].strength == Strength::kRequired) required.push_back(id);
    }
    for (const std::string& id : shown.evidence) {
      const auto place = clause_positions_.find(id);
      if (place != clause_positions_.end() && clauses.count(id) == 0) {
        ++evidence.cases[place->second];
      }
    }
    Failure failure;
    failure.clauses.assign(clauses.begin(), clauses.end());
    failure.advisory = !clauses.empty() && required.empty();
    failure.end = failed.end_text;
    failure.message = MessageOf(shown);
    failure.case_number = failed.number;
    failure.path = named.Path();
    failure.problem = refined_[i] ? refined_[i]->problem : named.problem;
    if (refined_[i]) failure.shrunk = refined_[i]->shrunk;
    for (const Finding& finding : shown.findings) {
      if (!failure.first_mismatch) failure.first_mismatch = finding.mismatch;
    }
    if (failure.shrunk) failure.shrunk_message = MessageOf(refined_[i]->shrunk_verdict);
    failure.mismatches = MismatchesOf(failure.shrunk ? refined_[i]->shrunk_verdict : shown);
    failure.signature = SignatureOf(InfoOf(named.problem.calls.front().op).name, blame);
    failure.waived_by = waiving.Failed(named.problem, failure, required);
    if (!failure.waived_by.empty()) {
      ++report.summary.waived;
      for (const std::string& id : clauses) {
        if (const auto at = clause_positions_.find(id); at != clause_positions_.end()) {
          ++waived[at->second];
        }
      }
      const Record& kept = record(failed.number);
      if (kept.relation_state == RelationState::kBroken) ++waived_relations[kept.relation];
    }
    if (++listed[failure.signature] > kListedPerSignature) continue;
    report.failures.push_back(std::move(failure));
  }

  TallyContext context;
  context.spec = &spec_;
  context.profile = profile_;
  context.offer = &offer_;
  context.selected = IsSelected();
  context.stopped_by = stopped_by_;
  context.reason_not_exercised = parts_.reason_not_exercised;
  Tally tally = TallyClauses(context, evidence);
  report.clauses = std::move(tally.clauses);
  for (std::size_t i = 0; i < waived.size(); ++i) report.clauses[i].waived = waived[i];
  report.properties = CountProperties();
  for (PropertyResult& property : report.properties) {
    if (const auto relation = ParseRelation(property.name)) {
      property.waived = waived_relations[*relation];
    }
  }
  CountPassed(waiving);
  report.waivers = waiving.Results(IsSelected() || !stopped_by_.empty());
  report.coverage = CountCoverage();
  for (const RegisteredDiscrepancy& entry : spec_.discrepancies()) {
    report.discrepancies.push_back(
        {entry.id, entry.documents, entry.statement, std::string(InterpretationOf(entry.id))});
  }
  report.verdict = DecideRun(report, tally.open_required);
  report.run.duration_s = std::chrono::duration<double>(Elapsed()).count();
  return report;
}

Result<Report> SessionRun::Run() {
  if (Status status = Open(); !status.ok()) return status;
  Prepare();
  JudgeAll();
  InvestigateFailures();
  Report report = MakeReport();
  progress_.stage = SessionProgress::Stage::kDone;
  return report;
}

}  // namespace

SessionParts StandardParts(const Spec& spec, CaseSet set, std::uint64_t seed) {
  SessionParts parts;
  parts.sources = [&spec, set, seed](Profile profile) {
    return StandardSources(spec, profile, set, seed);
  };
  parts.reason_not_exercised = &ReasonNotExercised;
  parts.judge = &JudgeWithProperties;
  parts.investigate = &Investigate;
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

Result<Report> RunSession(const Spec& spec, const Subject& subject, const SessionOptions& options,
                          const SessionParts& parts, SessionProgress& progress,
                          const std::atomic<bool>& stop) {
  return SessionRun(spec, subject, options, parts, progress, stop).Run();
}

}  // namespace poolproof
