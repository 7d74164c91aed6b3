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

Verdict JudgeOutcome(const JudgeContext& context, const JudgeFunction& judge,
                     const PreparedCase& prepared, const Outcome& outcome) {
  if (outcome.end == End::kHarness) return Inconclusive("harness: " + outcome.detail);
  return judge(context, prepared, outcome);
}

Attempt AttemptCase(const JudgeContext& context, const JudgeFunction& judge,
                    const PreparedCase& prepared, Worker& worker) {
  Attempt attempt;
  attempt.outcome = worker.Run(BuildInvocation(prepared.problem, prepared.data));
  attempt.verdict = JudgeOutcome(context, judge, prepared, attempt.outcome);
  return attempt;
}

Result<std::unique_ptr<Worker>> StartWithRetry(const FreshWorker& start) {
  Result<std::unique_ptr<Worker>> worker = start();
  if (worker.ok()) return worker;
  return start();
}

FreshAttempt MakeFreshAttempt(const JudgeContext& context, JudgeFunction judge, FreshWorker start,
                              const CapabilityCheck* check) {
  return
      [&context, judge = std::move(judge), start = std::move(start), check](const Case& problem) {
        if (const auto outside = check != nullptr ? check->Outside(problem) : std::nullopt) {
          Verdict verdict;
          verdict.kind = VerdictKind::kUnsupported;
          verdict.note = *outside;
          return verdict;
        }
        const Result<PreparedCase> prepared = Prepare(context.rules(), problem);
        if (!prepared.ok()) return Inconclusive(prepared.status().message());
        const Result<std::unique_ptr<Worker>> worker = StartWithRetry(start);
        if (!worker.ok()) return Inconclusive("harness: " + worker.status().message());
        return AttemptCase(context, judge, *prepared, **worker).verdict;
      };
}

bool SpoiltWorker(const Outcome& outcome, const Worker& worker) {
  return !worker.alive() || EndsWorker(outcome);
}

}  // namespace poolproof
