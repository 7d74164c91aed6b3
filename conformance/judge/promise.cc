// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/promise.h"

#include <cstddef>
#include <utility>

#include "conformance/judge/evidence.h"
#include "conformance/judge/forward.h"
#include "conformance/judge/judgement.h"
#include "conformance/result/outcome.h"

namespace poolproof {

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
          ForwardEvidence(judgement, call);
        } else {
          BackwardEvidence(judgement, i);
        }
        break;
      case LegalityKind::kInvalid:
        for (const std::string& id : GoverningIds(legality)) judgement.Evidence(id);
        if (legality.OfStatusTable()) judgement.Evidence("2P-08");
        if (legality.HasRequired()) judgement.Evidence("SAF-03");
        if (prepared.problem.calls.size() > 1) judgement.Evidence("2P-10");
        break;
      case LegalityKind::kOpen:
        for (const Clause* clause : legality.left_open_by) judgement.Evidence(clause->id);
        break;
    }
  }
  if (any_valid) ProtocolEvidence(judgement, ProcessFacts());
  if (any_valid && prepared.problem.plan.guard != Guard::kNone) judgement.Evidence("SAF-07");
  Verdict verdict = std::move(judgement).Finish();
  std::vector<std::string> ids = std::move(verdict.evidence);
  for (const auto& more : {verdict.by_refusal, verdict.by_acceptance}) {
    ids.insert(ids.end(), more.begin(), more.end());
  }
  return ids;
}

}  // namespace poolproof
