// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/attempt.h"

#include <utility>

#include "conformance/session/build_invocation.h"

namespace poolproof {
namespace {

Verdict Inconclusive(std::string note) {
  Verdict verdict;
  verdict.kind = VerdictKind::kInconclusive;
  verdict.note = std::move(note);
  return verdict;
}

}  // namespace

Verdict JudgeOutcome(const JudgeContext& context, const JudgeFunction& judge, const Case& problem,
                     const Materialized& data, const Outcome& outcome) {
  if (outcome.end == End::kHarness) return Inconclusive("harness: " + outcome.detail);
  return judge(context, problem, data, outcome);
}

Attempt AttemptCase(const JudgeContext& context, const JudgeFunction& judge, const Case& problem,
                    const Materialized& data, Worker& worker) {
  Attempt attempt;
  attempt.outcome = worker.Run(BuildInvocation(problem, data));
  attempt.verdict = JudgeOutcome(context, judge, problem, data, attempt.outcome);
  return attempt;
}

Result<std::unique_ptr<Worker>> StartWithRetry(const FreshWorker& start) {
  Result<std::unique_ptr<Worker>> worker = start();
  if (worker.ok()) return worker;
  return start();
}

FreshAttempt MakeFreshAttempt(const JudgeContext& context, JudgeFunction judge, FreshWorker start) {
  return [&context, judge = std::move(judge), start = std::move(start)](const Case& problem) {
    const Result<Materialized> data = Materialize(problem);
    if (!data.ok()) return Inconclusive(data.status().message());
    const Result<std::unique_ptr<Worker>> worker = StartWithRetry(start);
    if (!worker.ok()) return Inconclusive("harness: " + worker.status().message());
    return AttemptCase(context, judge, problem, *data, **worker).verdict;
  };
}

bool SpoiltWorker(const Outcome& outcome, const Worker& worker) {
  return !worker.alive() || EndsWorker(outcome);
}

std::string EndText(const Outcome& outcome) {
  switch (outcome.end) {
    case End::kReturned:
      return "returned";
    case End::kSignalled:
      return "signal " + std::to_string(outcome.signal);
    case End::kExited:
      return "exit " + std::to_string(outcome.exit_code);
    case End::kTimedOut:
      return std::string(kTimedOutText);
    case End::kOutOfMemory:
      return "out of memory";
    case End::kThrew:
      return "threw";
    case End::kHarness:
      return "harness";
  }
  return "harness";
}

}  // namespace poolproof
