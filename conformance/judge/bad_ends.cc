// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/bad_ends.h"

#include <string>
#include <vector>

#include "conformance/judge/evidence.h"
#include "conformance/judge/forward.h"
#include "conformance/result/ending.h"

namespace poolproof {
namespace {

FindingKind EndKind(End end) {
  switch (end) {
    case End::kTimedOut:
      return FindingKind::kTimedOut;
    case End::kOutOfMemory:
      return FindingKind::kOutOfMemory;
    case End::kThrew:
      return FindingKind::kThrew;
    default:
      return FindingKind::kCrashed;
  }
}

// A library may refuse a call that advisory clauses alone mention, or that they leave open; to end
// the process or to hang is no answer to it either.
std::vector<std::string> WithSafety(const std::vector<const Clause*>& clauses, bool in_plane) {
  std::vector<std::string> ids;
  for (const Clause* clause : clauses) ids.push_back(clause->id);
  // What indices outside the plane may do is left open, except for memory of others.
  ids.emplace_back(in_plane ? "SAF-03" : "SAF-04");
  return ids;
}

}  // namespace

void JudgeBadEnd(Judgement& judgement, const Outcome& outcome) {
  const Case& problem = judgement.problem();
  const std::size_t at = outcome.ended_at_call % problem.calls.size();
  const Call& call = problem.calls[at];
  const Legality& legality = judgement.prepared().calls[at].legality;
  std::string text = CallText(judgement, at) + EndSentence(outcome);
  if (outcome.end != End::kCorrupted) text += " in " + std::string(PhaseName(outcome.ended_in));
  const std::string crash = CrashText(outcome.crash);
  text += crash;
  const FindingKind kind = EndKind(outcome.end);
  const bool in_plane = judgement.prepared().calls[at].facts.in_plane;
  judgement.SetAdvice(legality.by_advice);
  switch (legality.kind) {
    case LegalityKind::kInvalid: {
      // A call with one fault was not answered as its clause demands either; of several faults
      // nothing says which of them is at work, and a null out-pointer is one.
      const bool null_out = problem.plan.null_workspace_size || problem.plan.null_executor_out;
      std::vector<const Clause*> governing = legality.Governing();
      if (governing.size() > 1 || (null_out && legality.breached.size() > 1)) governing.clear();
      const std::vector<std::string> ids =
          WithSafety(governing, in_plane || legality.HasRequired());
      const std::string why = ": " + legality.breached.front()->statement;
      judgement.Fail(ids, kind, text + "; expected " + legality.ExpectedText() + why);
      // Phase two is entered only after phase one accepted what it must refuse.
      const bool accepted = outcome.ended_in == Phase::kPhaseTwo ||
                            outcome.ended_in == Phase::kSynchronise ||
                            outcome.ended_in == Phase::kReadBack;
      if (legality.HasRequired() && accepted && !legality.AllowsLateRefusal() &&
          !problem.plan.phase_two_alone) {
        judgement.Fail(GoverningIds(legality), FindingKind::kAccepted,
                       CallText(judgement, at) + "phase one: expected " + legality.ExpectedText() +
                           ", got 0" + why);
      }
      return;
    }
    case LegalityKind::kOpen:
      if (!legality.left_open_by.empty()) {
        judgement.Fail(WithSafety(legality.left_open_by, in_plane), kind,
                       text + ": " + legality.open_reason);
      }
      judgement.Open(text + "; " + legality.open_reason);
      return;
    case LegalityKind::kValid:
      break;
  }
  if (!crash.empty()) text += ",";
  if (InfoOf(call.op).is_forward) {
    // What phase one takes for an out-parameter or a descriptor is damaged when it comes back.
    const bool by_phase_one =
        outcome.ended_in == Phase::kPhaseOne || outcome.ended_in == Phase::kReadBack;
    WithholdForwardEvidence(judgement, at);
    std::vector<std::string> ids = WithSafety(legality.by_advice, in_plane);
    if (legality.by_advice.empty()) {
      ids.insert(ids.begin(), ForwardClause(judgement, call, Condition::kForwardAnswers));
    }
    judgement.Fail(ids, kind,
                   text + " of a valid forward" + TypesText(call) +
                       (by_phase_one && kind == FindingKind::kCrashed
                            ? "; where every call does so, its parameter list may not be the "
                              "documented one, " +
                                  ParameterListText(InfoOf(call.op))
                            : ""));
    return;
  }
  if (!in_plane) {
    judgement.Fail({"SAF-04"}, kind, text + " with indices outside the plane");
    return;
  }
  WithholdEvidence(judgement, at);
  const bool first = outcome.ended_in == Phase::kSetup || outcome.ended_in == Phase::kPhaseOne;
  const std::vector<std::string> ids = {first ? "2P-01" : "2P-02"};
  judgement.Fail(legality.by_advice.empty() ? ids : WithSafety(legality.by_advice, in_plane), kind,
                 text + " of a valid call" + TypesText(call));
}

}  // namespace poolproof
