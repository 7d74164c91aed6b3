// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/acceptance_probe.h"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "conformance/result/ending.h"
#include "conformance/session/table_classes.h"

namespace poolproof {
namespace {

// Workers that an operator's calls may lose, and those of one shape: what ends calls of one need
// not end others. A hang, which costs a deadline, counts twice.
constexpr int kMostLost = 8;
constexpr int kMostLostByShape = 2;

// Of an operator: the types, ranks, formats, layouts and facets of which a call was accepted.
class AcceptedClasses {
 public:
  void Add(const Call& call) {
    const TableClasses classes = TableClassesOf(call);
    for (std::size_t i = 0; i < classes.size(); ++i) taken_[i].insert(classes[i]);
    facets_ |= FacetsOf(call);
  }
  [[nodiscard]] bool Holds(const Call& call) const {
    if ((FacetsOf(call) & ~facets_) != 0) return false;
    const TableClasses classes = TableClassesOf(call);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (!taken_[i].contains(classes[i])) return false;
    }
    return true;
  }

 private:
  Facets facets_ = 0;
  std::array<std::set<std::string>, kTableParameters.size()> taken_;
};

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
  if (!done.HasPlan()) {
    call.answer = Answer::kEnded;
    call.detail = done.executor_set ? "no workspaceSize" : "no executor";
    return;
  }
  call.answer = attempt.verdict.kind == VerdictKind::kPassed ? Answer::kRight : Answer::kAccepted;
}

ProbedAcceptance ProbeAcceptance(const JudgeContext& context, const JudgeFunction& judge,
                                 const Capabilities& capabilities,
                                 const std::vector<NamedCase>& table,
                                 const std::vector<NamedCase>& spread, const FreshWorker& fresh,
                                 const std::atomic<bool>& stop, std::unique_ptr<Worker>& worker) {
  ProbedAcceptance probed;
  std::vector<AcceptedCall>& answers = probed.answers;
  std::map<Operator, int> lost;
  std::map<std::pair<Operator, Dims>, int> lost_by_shape;
  std::map<Operator, AcceptedClasses> accepted;
  std::map<Operator, std::string> losing;  // how; empty where a call of it did not end so
  // Whether more can be asked.
  const auto ask = [&](const NamedCase& named) {
    const Call& call = named.problem.calls.front();
    if (OutsideCapabilities(capabilities, named.problem)) return true;
    answers.push_back(NotAsked(named));
    const std::pair shape(call.op, call.tensor(Role::kSelf).shape);
    if (stop || lost[call.op] >= kMostLost || lost_by_shape[shape] >= kMostLostByShape) return true;
    const Result<PreparedCase> prepared = Prepare(context.rules(), named.problem);
    if (!prepared.ok()) return true;
    if (worker == nullptr) {
      Result<std::unique_ptr<Worker>> started = StartWithRetry(fresh, [&] { return stop.load(); });
      if (!started.ok()) return false;
      worker = std::move(started).value();
    }
    const Attempt attempt = AttemptCase(context, judge, *prepared, *worker);
    const bool spoilt = SpoiltWorker(attempt.outcome, *worker);
    // Before another is started, which may want the same device.
    if (spoilt) worker.reset();
    if (attempt.outcome.end == End::kHarness) return true;
    AcceptedCall& answer = answers.back();
    NoteAnswer(attempt, answer);
    if (IsAccepted(answer.answer)) {
      losing[call.op].clear();
      // Of descriptors alone nothing was carried out.
      if (!named.problem.plan.descriptors_only) accepted[call.op].Add(call);
      return true;
    }
    if (answer.answer == Answer::kEnded) worker.reset();
    if (!spoilt && answer.answer != Answer::kEnded) {
      losing[call.op].clear();
      return true;
    }
    lost[call.op] += attempt.outcome.end == End::kTimedOut ? 2 : 1;
    ++lost_by_shape[shape];
    losing.try_emplace(call.op,
                       (answer.answer == Answer::kRefused ? "status " : "") + answer.detail);
    return true;
  };
  for (const NamedCase& named : table) {
    if (!ask(named)) return probed;
  }
  for (const NamedCase& named : spread) {
    const Call& call = named.problem.calls.front();
    if (accepted[call.op].Holds(call) || lost[call.op] >= kMostLost) continue;
    if (!ask(named)) return probed;
  }
  for (auto& [op, how] : losing) {
    if (!how.empty()) probed.losing.emplace(op, std::move(how));
  }
  return probed;
}

}  // namespace poolproof
