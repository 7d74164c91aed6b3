// SPDX-License-Identifier: Apache-2.0
//
// Evidence: the clauses for which a right call speaks. Used by the judge's own files.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_EVIDENCE_H_
#define POOLPROOF_CONFORMANCE_JUDGE_EVIDENCE_H_

#include <cstddef>
#include <string>

#include "conformance/judge/judgement.h"
#include "conformance/result/outcome.h"

namespace poolproof {

// What a valid backward call that was carried out right proves.
void BackwardEvidence(Judgement& judgement, std::size_t number);
// What a valid backward call would prove, which failed.
void WithholdEvidence(Judgement& judgement, std::size_t number);
// What the plan of a case shows whose valid calls were carried out.
void ProtocolEvidence(Judgement& judgement, const ProcessFacts& process);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_EVIDENCE_H_
