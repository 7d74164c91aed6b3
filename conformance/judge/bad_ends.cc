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
  judgement.SetAdvice(legality.by_advice);
  switch (legality.kind) {
    case LegalityKind::kInvalid: {
      std::vector<std::string> ids = GoverningIds(legality);
      if (legality.HasRequired()) {
        // A call with one fault was not answered as its clause demands either; of several faults
        // nothing says which of them is at work, and a null out-pointer is one.
        const bool null_out = problem.plan.null_workspace_size || problem.plan.null_executor_out;
        if (ids.size() > 1 || (null_out && legality.breached.size() > 1)) ids.clear();
        ids.emplace_back("SAF-03");
      }
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
      for (const Clause* clause : legality.left_open_by) {
        judgement.Fail({clause->id}, kind, text + ": " + legality.open_reason);
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
    judgement.Fail({ForwardClause(judgement, call, Condition::kForwardAnswers)}, kind,
                   text + " of a valid forward" + TypesText(call) +
                       (by_phase_one && kind == FindingKind::kCrashed
                            ? "; where every call does so, its parameter list may not be the "
                              "documented one, " +
                                  ParameterListText(InfoOf(call.op))
                            : ""));
    return;
  }
  if (!judgement.prepared().calls[at].facts.in_plane) {
    judgement.Fail({"SAF-04"}, kind, text + " with indices outside the plane");
    return;
  }
  WithholdEvidence(judgement, at);
  const bool first = outcome.ended_in == Phase::kSetup || outcome.ended_in == Phase::kPhaseOne;
  judgement.Fail({first ? "2P-01" : "2P-02"}, kind, text + " of a valid call" + TypesText(call));
}

}  // namespace poolproof
