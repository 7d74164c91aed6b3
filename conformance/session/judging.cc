// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/judging.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "conformance/judge/promise.h"
#include "conformance/result/ending.h"
#include "conformance/session/build_invocation.h"

namespace poolproof {
namespace {

// Cases that are made ready ahead of their judgement, and bytes of their operands beyond which no
// more are.
constexpr std::size_t kReadyCases = 24;
constexpr std::size_t kReadyBytes = std::size_t{1} << 20;
// The same while a worker starts, where that takes seconds.
constexpr std::size_t kReadyBytesAtStart = std::size_t{16} << 20;

// SIGKILL comes from outside as a rule (OOM killer, operator): tried again before it is believed.
bool IsKilled(const Outcome& outcome) {
  return outcome.end == End::kSignalled && outcome.signal == SIGKILL;
}

// How often an outcome is doubted, and its case tried again, before it is believed: faults of our
// own, killed workers, and answers of a damaged process, but where no verdict is asked for.
int DoubtsOf(const Outcome& outcome, bool judged_before) {
  constexpr int kKills = 8;
  if (IsKilled(outcome)) return kKills;
  if (outcome.end == End::kCorrupted) return judged_before ? 0 : 1;
  // Before the first call of the operator the machine is slow rather than the library.
  if (outcome.end == End::kTimedOut && outcome.ended_in == Phase::kSetup)
    return judged_before ? 0 : 1;
  return outcome.end == End::kHarness ? 1 : 0;
}

// Gaps lie in the operand's own storage, and nothing lies in the guard zones.
bool WroteBeyondGuards(const CallOutcome& call) {
  return std::any_of(call.memory.begin(), call.memory.end(), [](const MemoryFacts& facts) {
    return !facts.damage_contained || facts.guard_touch;
  });
}

bool CarriedOut(const Outcome& outcome) {
  return std::any_of(outcome.calls.begin(), outcome.calls.end(),
                     [](const CallOutcome& call) { return call.phase_two.has_value(); });
}

// Whether the library carried out a call that it should have refused: where such a call wrote is
// anyone's guess.
bool CarriedOutForbidden(const Verdict& verdict, const Outcome& outcome) {
  return CarriedOut(outcome) && HasFinding(verdict, FindingKind::kAccepted);
}

// Or beyond an operand's guard zones, on the host, where the heap can be walked only while the
// process has one thread.
bool MayHaveHitHeap(const Verdict& verdict, const Outcome& outcome) {
  return CarriedOutForbidden(verdict, outcome) ||
         (CarriedOut(outcome) && HasFinding(verdict, FindingKind::kWroteOutside) &&
          std::any_of(outcome.calls.begin(), outcome.calls.end(), WroteBeyondGuards));
}

// Whether a failure may come of damage that an earlier call did to the process: statuses do not.
bool MayBeDamage(const Verdict& verdict) {
  return AnyFinding(verdict, [](const Finding& finding) { return !IsRefusalKind(finding.kind); });
}

// A case with its data, on its way through the batch's worker.
struct ReadyCase {
  std::int64_t number = 0;
  NamedCase named;
  PreparedCase prepared;
  std::size_t bytes = 0;
  int retries = 0;
  bool judged_before = false;  // carried out for the history's sake
};

class Batch {
 public:
  Batch(const Judging& judging, const std::vector<std::int64_t>& numbers,
        std::unique_ptr<Worker> worker)
      : judging_(judging), numbers_(numbers), worker_(std::move(worker)) {}

  void Run();

 private:
  void FindHistory();
  void MakeReady(std::int64_t number, bool judged_before);
  bool SubmitReady();
  void DidNotStart(const Status& status);
  [[nodiscard]] Outcome Collect();
  [[nodiscard]] Attempt AttemptIn(Worker& worker, const ReadyCase& ready);
  void JudgeNext();
  // The first case is done; `ended`: its worker is gone, or must go.
  void Settle(Attempt attempt, bool is_kept, bool ended);
  void JudgeLate(std::int64_t number);
  bool KeepUnlessFailed(const ReadyCase& ready);
  void LeaveWorker();
  void NextSeesNothing();
  void SeeAgain();
  void Fill();
  bool MakeNextReady();
  Result<std::unique_ptr<Worker>> StartWorker();
  [[nodiscard]] bool Wanted(std::int64_t number) const { return number <= judging_.bound.last(); }
  void Keep(CaseResult result, bool shared, bool ended) {
    result.worker = shared ? worker_number_ : 0;
    result.ended_worker = ended;
    judging_.keep(std::move(result));
  }
  [[nodiscard]] CaseResult ResultOf(const ReadyCase& ready, Attempt attempt) const {
    if (judging_.look) judging_.look(ready.number, ready.prepared, attempt);
    CaseResult result =
        MakeCaseResult(*judging_.context.spec, ready.number, ready.named, ready.prepared,
                       EndText(attempt.outcome), attempt.outcome.end, std::move(attempt.verdict));
    if (result.failed) {
      result.failed->output = KeptOutput(attempt.outcome.output_tail);
      if (attempt.outcome.crash) result.failed->crash = KeptCrash(*attempt.outcome.crash);
    }
    result.edges = std::move(attempt.outcome.reached_edges);
    return result;
  }

  const Judging& judging_;
  const std::vector<std::int64_t>& numbers_;
  std::size_t next_ = 0;              // position of the first case that is not ready yet
  std::deque<std::int64_t> history_;  // judged before, by the worker that goes on
  std::unique_ptr<Worker> worker_;
  std::int64_t worker_number_ = 0;
  std::deque<ReadyCase> ready_;        // not judged, in order
  std::size_t submitted_ = 0;          // of them, the first so many are the worker's
  std::size_t at_once_ = kReadyCases;  // as many may be
  std::size_t ready_bytes_ = 0;
  std::vector<std::int64_t> seen_;  // by the present worker
  std::vector<std::int64_t> deferred_;
  bool lost_ = false;  // no worker could be had
  // The present worker carried out a forbidden call, and starts are slow: what fails in it is
  // judged in another one.
  bool doubtful_ = false;
};

// What the worker of the first case that is to be judged has seen in an earlier run: it sees that
// again.
void Batch::FindHistory() {
  bool finished = true;
  for (const std::int64_t number : numbers_) {
    const JudgedBefore::Entry* entry = judging_.before.Find(number);
    if (entry == nullptr) finished = false;
    if (entry == nullptr || entry->worker == 0) continue;
    if (worker_number_ != entry->worker) history_.clear();
    worker_number_ = entry->worker;
    history_.push_back(number);
    if (entry->ended_worker) {
      history_.clear();
      worker_number_ = 0;
    }
  }
  if (finished) history_.clear();
}

// Makes a case ready to be carried out; puts those aside that are not.
void Batch::MakeReady(std::int64_t number, bool judged_before) {
  NamedCase named = judging_.plan.At(number);
  const auto without_verdict = [&](CaseState state, const std::string& note) {
    Keep(MakeCaseResult(number, named, state, note), /*shared=*/false, /*ended=*/false);
  };
  const bool outside = judging_.check.Outside(named.problem, named.base).has_value();
  Result<PreparedCase> prepared = Prepare(judging_.context.rules(), named.problem);
  if (!prepared.ok()) {
    return without_verdict(outside ? CaseState::kUnsupported : CaseState::kInconclusive,
                           prepared.status().message());
  }
  if (outside || IndicesOutsideCapabilities(judging_.capabilities, named.problem, prepared->data)) {
    CaseResult result = MakeCaseResult(number, named, CaseState::kUnsupported, "");
    result.kind.evidence = CouldProve(judging_.context, *prepared);
    if (!judging_.capabilities.Exports(named.problem)) result.kind.operators.clear();
    return Keep(std::move(result), /*shared=*/false, /*ended=*/false);
  }
  if (const std::optional<std::string> why = judging_.spared.WhyNot(number, named.problem)) {
    return without_verdict(CaseState::kInconclusive, *why);
  }
  if (IndicesLeavePlane(named.problem, prepared->data)) {
    deferred_.push_back(number);
    return;
  }
  std::size_t bytes = 0;
  for (const MaterializedCall& call : prepared->data.calls) {
    for (const std::vector<std::byte>& storage : call.storage) bytes += storage.size();
  }
  ready_bytes_ += bytes;
  ready_.push_back(
      {number, std::move(named), std::move(prepared).value(), bytes, 0, judged_before});
}

// In groups, so that neither side waits for the other at every case.
void Batch::Fill() {
  if (ready_.size() > kReadyCases / 2) return;
  while (ready_.size() < kReadyCases && ready_bytes_ < kReadyBytes) {
    if (!MakeNextReady()) return;
  }
}

// False where there is none.
bool Batch::MakeNextReady() {
  if (next_ == numbers_.size() || !Wanted(numbers_[next_])) return false;
  const std::int64_t number = numbers_[next_];
  if (judging_.before.Find(number) == nullptr) {
    MakeReady(number, /*judged_before=*/false);
  } else if (!history_.empty() && history_.front() == number) {
    history_.pop_front();
    MakeReady(number, /*judged_before=*/true);
  }
  ++next_;
  return true;
}

Result<std::unique_ptr<Worker>> Batch::StartWorker() {
  if (!judging_.few_workers) return StartWithRetry(judging_.fresh, judging_.quit);
  std::future<Result<std::unique_ptr<Worker>>> started = std::async(
      std::launch::async, [this] { return StartWithRetry(judging_.fresh, judging_.quit); });
  while (started.wait_for(std::chrono::seconds(0)) != std::future_status::ready &&
         ready_bytes_ < kReadyBytesAtStart && !judging_.quit()) {
    if (!MakeNextReady()) break;
  }
  return started.get();
}

// Hands ready cases to the worker, which carries them out while the first of them are judged.
// False where no worker can be had.
bool Batch::SubmitReady() {
  if (worker_ == nullptr) {
    Result<std::unique_ptr<Worker>> started = StartWorker();
    if (!started.ok()) {
      DidNotStart(started.status());
      return false;
    }
    worker_ = std::move(started).value();
    submitted_ = 0;
  }
  if (worker_number_ == 0) worker_number_ = judging_.next_worker();
  for (; submitted_ < std::min(ready_.size(), at_once_); ++submitted_) {
    const ReadyCase& next = ready_[submitted_];
    if (!next.judged_before) judging_.begin(next.number);
    worker_->Submit(BuildInvocation(next.prepared.problem, next.prepared.data));
  }
  return true;
}

// What is not judged yet is left out. No loss of a run that was asked to end meanwhile.
void Batch::DidNotStart(const Status& status) {
  lost_ = true;
  if (!judging_.quit()) judging_.lose_batch(status.message());
}

Outcome Batch::Collect() {
  const Crew::Wait wait(judging_.crew);
  Outcome outcome = worker_->Collect();
  if (outcome.end == End::kTimedOut) judging_.crew.Hung();
  return outcome;
}

// For a case by itself.
Attempt Batch::AttemptIn(Worker& worker, const ReadyCase& ready) {
  const Crew::Wait wait(judging_.crew);
  Attempt attempt = AttemptCase(judging_.context, judging_.judge, ready.prepared, worker);
  if (attempt.outcome.end == End::kTimedOut) judging_.crew.Hung();
  return attempt;
}

// Judges the first of the ready cases.
void Batch::JudgeNext() {
  Attempt attempt;
  attempt.outcome = Collect();
  --submitted_;
  const bool doubtful = doubtful_;
  const bool ended = SpoiltWorker(attempt.outcome, *worker_);
  if (ended) LeaveWorker();
  ReadyCase& first = ready_.front();
  std::optional<Attempt> until =
      AttemptUntilFailure(judging_.context, judging_.judge, first.prepared, attempt.outcome);
  const bool is_judged = until.has_value();
  if (until) attempt = *std::move(until);
  if (first.retries < DoubtsOf(attempt.outcome, first.judged_before)) {
    ++first.retries;
    if (attempt.outcome.end != End::kHarness) return SeeAgain();
    return NextSeesNothing();
  }
  const bool is_kept = !first.judged_before && Wanted(first.number);
  if (!is_judged && (is_kept || judging_.few_workers)) {
    attempt.verdict =
        JudgeOutcome(judging_.context, judging_.judge, first.prepared, attempt.outcome);
  }
  if (doubtful && is_kept && MayBeDamage(attempt.verdict)) {
    if (!ended) LeaveWorker();
    return NextSeesNothing();
  }
  Settle(std::move(attempt), is_kept, ended);
}

void Batch::Settle(Attempt attempt, bool is_kept, bool ended) {
  const ReadyCase ready = std::move(ready_.front());
  ready_.pop_front();
  ready_bytes_ -= ready.bytes;
  // What stops the run may have stopped the worker too: its death then says nothing.
  if (judging_.stop && attempt.outcome.end != End::kReturned) return;
  if (judging_.few_workers) {
    doubtful_ = doubtful_ || (!ended && CarriedOutForbidden(attempt.verdict, attempt.outcome));
  } else if (is_kept && !ended && MayHaveHitHeap(attempt.verdict, attempt.outcome)) {
    ended = true;
    LeaveWorker();
  }
  if (is_kept) Keep(ResultOf(ready, std::move(attempt)), /*shared=*/true, ended);
  seen_.push_back(ready.number);
  if (ended) return NextSeesNothing();
  at_once_ = std::min(2 * at_once_, kReadyCases);
}

// What was submitted behind the case that is judged is given to the next worker, at first one case
// at a time: where many cases end their worker, what is queued behind them is carried out for
// nothing.
void Batch::LeaveWorker() {
  worker_.reset();
  submitted_ = 0;
  at_once_ = 1;
  doubtful_ = false;
}

// The next worker is another one, and not by what it has seen.
void Batch::NextSeesNothing() {
  worker_number_ = 0;
  seen_.clear();
}

// The next worker must have seen what the one that is gone had.
void Batch::SeeAgain() {
  std::deque<ReadyCase> rest;
  rest.swap(ready_);
  for (const std::int64_t number : std::exchange(seen_, {})) {
    MakeReady(number, /*judged_before=*/true);
  }
  for (ReadyCase& ready : rest) ready_.push_back(std::move(ready));
}

// Judges a case that may do damage.
void Batch::JudgeLate(std::int64_t number) {
  const NamedCase named = judging_.plan.At(number);
  Result<PreparedCase> prepared = Prepare(judging_.context.rules(), named.problem);
  if (!prepared.ok()) return;
  const ReadyCase ready{number, named, std::move(prepared).value()};
  if (worker_ != nullptr && KeepUnlessFailed(ready)) return;
  for (int round = 0;; ++round) {
    worker_.reset();
    Result<std::unique_ptr<Worker>> worker = StartWithRetry(judging_.fresh, judging_.quit);
    if (!worker.ok()) {
      DidNotStart(worker.status());
      return;
    }
    judging_.begin(number);
    Attempt attempt = AttemptIn(**worker, ready);
    if (judging_.stop && attempt.outcome.end != End::kReturned) return;
    if (round < DoubtsOf(attempt.outcome, /*judged_before=*/false)) continue;
    if (judging_.few_workers && attempt.verdict.kind != VerdictKind::kFailed &&
        !SpoiltWorker(attempt.outcome, **worker)) {
      worker_ = std::move(worker).value();
    }
    Keep(ResultOf(ready, std::move(attempt)), /*shared=*/false, /*ended=*/false);
    return;
  }
}

// Judges the case in a worker that has seen others. False where it fails there, or does not come to
// its end: that says nothing of the case.
bool Batch::KeepUnlessFailed(const ReadyCase& ready) {
  judging_.begin(ready.number);
  Attempt attempt = AttemptIn(*worker_, ready);
  if (SpoiltWorker(attempt.outcome, *worker_)) worker_.reset();
  if (attempt.outcome.end != End::kReturned || attempt.verdict.kind == VerdictKind::kFailed) {
    return false;
  }
  Keep(ResultOf(ready, std::move(attempt)), /*shared=*/false, /*ended=*/false);
  return true;
}

void Batch::Run() {
  FindHistory();
  while (!lost_ && !judging_.quit()) {
    Fill();
    if (ready_.empty() || !Wanted(ready_.front().number) || !SubmitReady()) break;
    JudgeNext();
  }
  // Calls that may do damage come last, and alone where they could do it to the worker itself.
  if (!judging_.few_workers || !ready_.empty()) worker_.reset();
  for (const std::int64_t late : deferred_) {
    if (lost_ || judging_.quit()) break;
    if (Wanted(late)) JudgeLate(late);
  }
}

}  // namespace

void JudgeBatch(const Judging& judging, const std::vector<std::int64_t>& numbers,
                std::unique_ptr<Worker> worker) {
  Batch(judging, numbers, std::move(worker)).Run();
}

}  // namespace poolproof
