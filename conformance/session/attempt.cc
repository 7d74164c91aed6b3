// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/attempt.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "conformance/result/outcome_check.h"
#include "conformance/session/build_invocation.h"

namespace poolproof {
namespace {

// How long a request to quit may be overlooked.
constexpr std::chrono::milliseconds kNap{20};
// Before a start that failed is tried again.
constexpr std::array<std::chrono::milliseconds, 4> kPauses = {
    std::chrono::milliseconds(0), std::chrono::milliseconds(200), std::chrono::milliseconds(800),
    std::chrono::milliseconds(2000)};

Verdict Inconclusive(std::string note) {
  Verdict verdict;
  verdict.kind = VerdictKind::kInconclusive;
  verdict.note = std::move(note);
  return verdict;
}

}  // namespace

Verdict JudgeOutcome(const JudgeContext& context, const JudgeFunction& judge,
                     const PreparedCase& prepared, const Outcome& outcome) {
  if (outcome.end == End::kHarness) return Inconclusive("harness: " + outcome.detail);
  return judge(context, prepared, outcome);
}

std::optional<Attempt> AttemptUntilFailure(const JudgeContext& context, const JudgeFunction& judge,
                                           const PreparedCase& prepared, const Outcome& outcome) {
  if (outcome.end != End::kHarness) return std::nullopt;
  const auto failed =
      std::find_if(outcome.calls.begin(), outcome.calls.end(), [](const CallOutcome& call) {
        return call.reached == Phase::kDone && call.synchronise.value_or(0) != 0;
      });
  if (failed == outcome.calls.end()) return std::nullopt;
  const auto number = static_cast<std::size_t>(failed - outcome.calls.begin());
  Case until = prepared.problem;
  const CallPlan& plan = prepared.problem.plan;
  const bool alike = !plan.vary_contents && plan.shift_bytes == 0 && !plan.reuse_executor;
  Attempt attempt;
  attempt.outcome.end = End::kReturned;
  attempt.outcome.process = outcome.process;
  if (until.calls.size() == 1 && (alike || number == 0)) {
    // Of several threads and repetitions: each made this call.
    attempt.outcome.calls = {*failed};
  } else if (plan.threads == 1 && plan.order == Order::kInTurn && number < until.calls.size()) {
    until.calls.resize(number + 1);
    attempt.outcome.calls.assign(outcome.calls.begin(), std::next(failed));
  } else {
    return std::nullopt;
  }
  until.plan.relation = Relation::kNone;
  until.plan.threads = 1;
  until.plan.repeat = 1;
  until.plan.growth_calls = 0;
  attempt.outcome.process.heap_gain = {};
  attempt.outcome.process.resident_gain = {};
  attempt.outcome.process.device_gain = {};
  attempt.outcome.process.runs_otherwise = 0;
  const Result<PreparedCase> shorter = Prepare(context.rules(), std::move(until));
  if (!shorter.ok()) return std::nullopt;
  const ExpectedAnswer expected(BuildInvocation(shorter->problem, shorter->data));
  if (FindMisfit(expected, attempt.outcome)) return std::nullopt;
  attempt.outcome.output_tail = outcome.output_tail;
  attempt.verdict = judge(context, *shorter, attempt.outcome);
  if (attempt.verdict.kind != VerdictKind::kFailed) return std::nullopt;
  return attempt;
}

Attempt AttemptCase(const JudgeContext& context, const JudgeFunction& judge,
                    const PreparedCase& prepared, Worker& worker, bool fills_pools) {
  Attempt attempt;
  Invocation invocation = BuildInvocation(prepared.problem, prepared.data);
  invocation.fills_pools = fills_pools;
  attempt.outcome = worker.Run(invocation);
  if (auto until = AttemptUntilFailure(context, judge, prepared, attempt.outcome)) {
    return *std::move(until);
  }
  attempt.verdict = JudgeOutcome(context, judge, prepared, attempt.outcome);
  return attempt;
}

namespace {

// False where it was cut short.
bool Pause(std::chrono::milliseconds pause, const AskToQuit& quit) {
  for (; !quit(); pause -= kNap) {
    if (pause <= std::chrono::milliseconds(0)) return true;
    std::this_thread::sleep_for(std::min(pause, kNap));
  }
  return false;
}

template <typename IsEnough>
Result<std::unique_ptr<Worker>> StartUntil(const IsEnough& is_enough, const FreshWorker& start,
                                           const AskToQuit& quit) {
  Result<std::unique_ptr<Worker>> worker = start();
  for (const std::chrono::milliseconds pause : kPauses) {
    if (is_enough(worker.status()) || !Pause(pause, quit)) break;
    worker = start();
  }
  return worker;
}

}  // namespace

Result<std::unique_ptr<Worker>> StartWithRetry(const FreshWorker& start, const AskToQuit& quit) {
  return StartUntil([](const Status& status) { return status.ok(); }, start, quit);
}

Result<std::unique_ptr<Worker>> StartFirst(const FreshWorker& start, const AskToQuit& quit) {
  return StartUntil([](const Status& status) { return status.code() != StatusCode::kBusy; }, start,
                    quit);
}

namespace {

// A case made ready, or the verdict on one that cannot be.
struct Readied {
  std::optional<PreparedCase> prepared;
  Verdict verdict;
};

Readied MakeReady(const JudgeContext& context, const CapabilityCheck* check, const Case& problem) {
  Readied readied;
  if (const auto outside = check != nullptr ? check->Outside(problem) : std::nullopt) {
    readied.verdict.kind = VerdictKind::kUnsupported;
    readied.verdict.note = *outside;
    return readied;
  }
  Result<PreparedCase> prepared = Prepare(context.rules(), problem);
  if (!prepared.ok()) {
    readied.verdict = Inconclusive(prepared.status().message());
  } else if (auto outside =
                 check != nullptr ? check->Outside(problem, prepared->data) : std::nullopt) {
    readied.verdict.kind = VerdictKind::kUnsupported;
    readied.verdict.note = *std::move(outside);
  } else {
    readied.prepared = std::move(prepared).value();
  }
  return readied;
}

// What makes two failures of attempts the same here: how the process fared, and what was found.
struct FailureKind {
  End end = End::kReturned;
  int signal = 0;
  int exit_code = 0;
  std::int32_t status = 0;  // the first with which a device failed
  std::set<FindingKind> findings;
  friend bool operator==(const FailureKind&, const FailureKind&) = default;
  friend bool operator<(const FailureKind& a, const FailureKind& b) {
    const auto key = [](const FailureKind& kind) {
      return std::tie(kind.end, kind.signal, kind.exit_code, kind.status, kind.findings);
    };
    return key(a) < key(b);
  }
};

FailureKind KindOf(const Attempt& attempt) {
  FailureKind kind{attempt.outcome.end, attempt.outcome.signal, attempt.outcome.exit_code, 0, {}};
  for (const CallOutcome& call : attempt.outcome.calls) {
    if (kind.status == 0) kind.status = call.synchronise.value_or(0);
  }
  for (const Finding& finding : attempt.verdict.findings) kind.findings.insert(finding.kind);
  return kind;
}

// A device that fails, and what a library leaves open: nothing that earlier calls left behind in
// memory makes these, as it may make a crash or a wrong number.
bool IsOwn(const FailureKind& kind) {
  return kind.end == End::kReturned &&
         (kind.status != 0 || kind.findings == std::set<FindingKind>{FindingKind::kProcessChanged});
}

// Failures that a call makes by what it answers and writes, and not by what it does to the process.
// Of a device's memory stray writes spoil nothing: what lies there is put there for each call.
bool IsOfTheAnswer(const FailureKind& kind, bool host_memory) {
  const auto is_of_answer = [&](FindingKind finding) {
    const Aspect aspect = InfoOf(finding).aspect;
    if (finding == FindingKind::kAccepted || finding == FindingKind::kWroteOutside ||
        finding == FindingKind::kRefusedCallWrote) {
      return !host_memory;
    }
    return aspect == Aspect::kAnswer || aspect == Aspect::kResult;
  };
  return kind.end == End::kReturned && !kind.findings.empty() &&
         std::all_of(kind.findings.begin(), kind.findings.end(), is_of_answer);
}

// Failures of answers, first in a used worker and then in a fresh one. Where several were the same
// in both and none was not, one is believed of a used worker, except for the 8th, 64th, ... time.
// The first failure of an investigation, from which all else is concluded, is so where its like was
// the same several times at the beginning of one, of the same operator.
class Believed {
 public:
  void SameInBoth(const FailureKind& kind, const Case& problem, bool is_first) {
    ++same_;
    if (is_first) ++first_[Key{kind, problem.calls.back().op}].same;
  }
  void InUsedAlone() { never_ = true; }
  // Counts the times.
  bool Has(const FailureKind& kind, const Case& problem, bool is_first) {
    constexpr int kFirst = 2;
    constexpr int kAny = 8;
    if (never_ || same_ < kAny) return false;
    if (!is_first) return IsBelieved(++times_);
    First& first = first_[Key{kind, problem.calls.back().op}];
    return first.same >= kFirst && IsBelieved(++first.times);
  }

 private:
  using Key = std::pair<FailureKind, Operator>;
  struct First {
    int same = 0;
    unsigned times = 0;
  };
  static bool IsBelieved(unsigned times) {
    return times == 1 || !std::has_single_bit(times) || std::countr_zero(times) % 3 != 0;
  }

  int same_ = 0;
  unsigned times_ = 0;
  std::map<Key, First> first_;
  bool never_ = false;
};

class KeptAttempt {
 public:
  KeptAttempt(const JudgeContext& context, JudgeFunction judge, FreshWorker start,
              const CapabilityCheck* check, AskToQuit quit)
      : context_(context),
        judge_(std::move(judge)),
        start_(std::move(start)),
        check_(check),
        quit_(std::move(quit)) {}

  void BeginAnother() {
    is_first_ = true;
    hidden_ = false;
    unsure_.reset();
  }

  Verdict operator()(const Case& problem) {
    const bool is_first = std::exchange(is_first_, false);
    Readied readied = MakeReady(context_, check_, problem);
    if (!readied.prepared) return readied.verdict;
    if (worker_ != nullptr) {
      Attempt attempt = Try(*readied.prepared);
      if (attempt.verdict.kind == VerdictKind::kPassed && !is_first && ShowsUnsure()) {
        return std::move(attempt.verdict);
      }
      // A fresh worker need not be asked where one has failed in the same way.
      if (attempt.verdict.kind == VerdictKind::kFailed && IsOwn(KindOf(attempt)) &&
          seen_.contains(KindOf(attempt))) {
        unsure_.reset();
        return std::move(attempt.verdict);
      }
      if (attempt.verdict.kind == VerdictKind::kFailed && worker_ != nullptr && !hidden_) {
        const FailureKind kind = KindOf(attempt);
        if (IsOfTheAnswer(kind, worker_->probe().host_memory)) {
          if (believed_.Has(kind, problem, is_first)) return std::move(attempt.verdict);
          Attempt afresh = TryAfresh(*std::move(readied.prepared));
          if (afresh.verdict.kind == VerdictKind::kPassed) believed_.InUsedAlone();
          if (afresh.verdict.kind == VerdictKind::kFailed && KindOf(afresh) == kind) {
            believed_.SameInBoth(kind, problem, is_first);
          }
          return std::move(afresh.verdict);
        }
      }
    }
    return TryAfresh(*std::move(readied.prepared)).verdict;
  }

 private:
  // In the worker that there is, which is kept where nothing happened.
  Attempt Try(const PreparedCase& prepared) {
    // What is investigated failed with full pools.
    Attempt attempt = AttemptCase(context_, judge_, prepared, *worker_, /*fills_pools=*/false);
    if (SpoiltWorker(attempt.outcome, *worker_)) worker_.reset();
    return attempt;
  }

  // A failure that ended its process may be one of a process's first calls: before what passes in a
  // used worker counts, it is asked there. False where it does not show.
  bool ShowsUnsure() {
    if (!unsure_) return true;
    hidden_ = Try(*std::exchange(unsure_, std::nullopt)).verdict.kind != VerdictKind::kFailed;
    return !hidden_;
  }

  Attempt TryAfresh(PreparedCase prepared) {
    worker_.reset();
    Result<std::unique_ptr<Worker>> started = StartWithRetry(start_, quit_);
    if (!started.ok()) {
      return {{}, Inconclusive("harness: " + started.status().message())};
    }
    worker_ = std::move(started).value();
    Attempt attempt = Try(prepared);
    if (attempt.verdict.kind == VerdictKind::kFailed) {
      const bool is_new = seen_.insert(KindOf(attempt)).second;
      // A fault of a process's first calls is hidden from whatever comes later.
      if (worker_ != nullptr) {
        hidden_ = Try(prepared).verdict.kind != VerdictKind::kFailed;
      } else if (is_new) {
        unsure_ = std::move(prepared);
      }
    }
    if (hidden_) worker_.reset();
    return attempt;
  }

  const JudgeContext& context_;
  const JudgeFunction judge_;
  const FreshWorker start_;
  const CapabilityCheck* const check_;
  const AskToQuit quit_;
  bool is_first_ = true;            // of an investigation
  std::unique_ptr<Worker> worker_;  // used, and nothing happened in it
  bool hidden_ = false;             // the last failure may not show in a used worker
  std::set<FailureKind> seen_;      // in fresh workers
  Believed believed_;
  std::optional<PreparedCase> unsure_;  // failed in a fresh worker, which it ended
};

}  // namespace

FreshAttempt MakeFreshAttempt(const JudgeContext& context, JudgeFunction judge, FreshWorker start,
                              const CapabilityCheck* check, AskToQuit quit) {
  return [&context, judge = std::move(judge), start = std::move(start), check,
          quit = std::move(quit)](const Case& problem) {
    Readied readied = MakeReady(context, check, problem);
    if (!readied.prepared) return readied.verdict;
    const Result<std::unique_ptr<Worker>> worker = StartWithRetry(start, quit);
    if (!worker.ok()) return Inconclusive("harness: " + worker.status().message());
    return AttemptCase(context, judge, *readied.prepared, **worker).verdict;
  };
}

MakeAttempt MakeKeptAttempts(const JudgeContext& context, JudgeFunction judge, FreshWorker start,
                             const CapabilityCheck* check, AskToQuit quit) {
  const auto kept = std::make_shared<KeptAttempt>(context, std::move(judge), std::move(start),
                                                  check, std::move(quit));
  return [kept]() -> FreshAttempt {
    kept->BeginAnother();
    return [kept](const Case& problem) { return (*kept)(problem); };
  };
}

FreshWorker Hurried(FreshWorker start) {
  return [start = std::move(start)] {
    Result<std::unique_ptr<Worker>> worker = start();
    if (worker.ok()) (*worker)->Hurry();
    return worker;
  };
}

bool SpoiltWorker(const Outcome& outcome, const Worker& worker) {
  return !worker.alive() || EndsWorker(outcome);
}

}  // namespace poolproof
