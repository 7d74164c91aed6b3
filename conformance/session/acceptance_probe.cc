// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/acceptance_probe.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "conformance/result/ending.h"

namespace poolproof {
namespace {

// Workers that an operator's calls may lose.
constexpr int kMostLost = 4;

// The first status that is no success; 0 where every phase that was entered succeeded.
std::int32_t StatusOf(const CallOutcome& call) {
  if (call.phase_one.value_or(0) != 0) return *call.phase_one;
  if (call.phase_two.value_or(0) != 0) return *call.phase_two;
  return call.synchronise.value_or(0);
}

}  // namespace

AcceptedCall NotAsked(const NamedCase& named) {
  AcceptedCall call;
  call.path = named.Path();
  call.op = named.problem.calls.front().op;
  call.facets = FacetsOf(named.problem);
  return call;
}

void NoteAnswer(const Attempt& attempt, AcceptedCall& call) {
  const Outcome& outcome = attempt.outcome;
  if (outcome.end != End::kReturned || outcome.calls.empty()) {
    call.answer = Answer::kEnded;
    call.detail = EndText(outcome);
    return;
  }
  const std::int32_t status = StatusOf(outcome.calls.front());
  if (status != 0) {
    call.answer = Answer::kRefused;
    call.detail = std::to_string(status);
    return;
  }
  // What cannot be carried out is no acceptance.
  const CallOutcome& done = outcome.calls.front();
  if (!done.workspace_size_set || !done.executor_set) {
    call.answer = Answer::kEnded;
    call.detail = done.executor_set ? "no workspaceSize" : "no executor";
    return;
  }
  call.answer = attempt.verdict.kind == VerdictKind::kPassed ? Answer::kRight : Answer::kAccepted;
}

ProbedAcceptance ProbeAcceptance(const JudgeContext& context, const JudgeFunction& judge,
                                 const Capabilities& capabilities,
                                 const std::vector<NamedCase>& table, const FreshWorker& fresh,
                                 const std::atomic<bool>& stop, std::unique_ptr<Worker>& worker) {
  ProbedAcceptance probed;
  std::vector<AcceptedCall>& answers = probed.answers;
  std::map<Operator, int> lost;
  std::set<Operator> accepted;
  for (const NamedCase& named : table) {
    const Operator op = named.problem.calls.front().op;
    if (OutsideCapabilities(capabilities, named.problem)) continue;
    answers.push_back(NotAsked(named));
    if (stop || lost[op] >= kMostLost) continue;
    const Result<PreparedCase> prepared = Prepare(context.rules(), named.problem);
    if (!prepared.ok()) continue;
    if (worker == nullptr) {
      Result<std::unique_ptr<Worker>> started = StartWithRetry(fresh, [&] { return stop.load(); });
      if (!started.ok()) return probed;
      worker = std::move(started).value();
    }
    const Attempt attempt = AttemptCase(context, judge, *prepared, *worker);
    const bool spoilt = SpoiltWorker(attempt.outcome, *worker);
    // Before another is started, which may want the same device.
    if (spoilt) worker.reset();
    if (attempt.outcome.end == End::kHarness) continue;
    AcceptedCall& answer = answers.back();
    NoteAnswer(attempt, answer);
    if (IsAccepted(answer.answer)) {
      accepted.insert(op);
      continue;
    }
    if (answer.answer == Answer::kEnded) worker.reset();
    if ((spoilt || answer.answer == Answer::kEnded) && ++lost[op] == kMostLost) {
      probed.losing[op] = (answer.answer == Answer::kRefused ? "status " : "") + answer.detail;
    }
  }
  for (const Operator op : accepted) probed.losing.erase(op);
  return probed;
}

}  // namespace poolproof
