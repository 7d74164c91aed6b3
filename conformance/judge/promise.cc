// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/promise.h"

#include <cstddef>

#include "conformance/judge/evidence.h"
#include "conformance/judge/judgement.h"

namespace poolproof {
namespace {

// What the indices of a forward can show.
void ForwardPromise(Judgement& judgement, const Call& call) {
  const bool fixed = InfoOf(call.op).windows == WindowRule::kFixed;
  judgement.Evidence(call, fixed ? Condition::kPaddingNeverWins : Condition::kAdaptiveWindows);
  if (fixed && CeilChangesOutput(call)) judgement.Evidence(call, Condition::kCeilMode);
}

}  // namespace

std::vector<std::string> CouldProve(const JudgeContext& context, const PreparedCase& prepared) {
  Judgement judgement(context, prepared);
  bool any_valid = false;
  for (std::size_t i = 0; i < prepared.problem.calls.size(); ++i) {
    const Call& call = prepared.problem.calls[i];
    const Legality& legality = prepared.calls[i].legality;
    switch (legality.kind) {
      case LegalityKind::kValid:
        any_valid = true;
        if (InfoOf(call.op).is_forward) {
          ForwardPromise(judgement, call);
        } else {
          BackwardEvidence(judgement, i);
        }
        break;
      case LegalityKind::kInvalid:
        for (const std::string& id : GoverningIds(legality)) judgement.Evidence(id);
        break;
      case LegalityKind::kOpen:
        for (const Clause* clause : legality.left_open_by) judgement.Evidence(clause->id);
        break;
    }
  }
  if (any_valid) ProtocolEvidence(judgement);
  if (any_valid && prepared.problem.plan.guard != Guard::kNone) judgement.Evidence("SAF-07");
  return std::move(judgement).Finish().evidence;
}

}  // namespace poolproof
