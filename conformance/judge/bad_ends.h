// SPDX-License-Identifier: Apache-2.0
//
// Bad ends: what a crash, a hang, an exception or memory exhaustion breaches. Used by the judge.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_BAD_ENDS_H_
#define POOLPROOF_CONFORMANCE_JUDGE_BAD_ENDS_H_

#include "conformance/judge/judgement.h"

namespace poolproof {

// Requires an outcome that did not return.
void JudgeBadEnd(Judgement& judgement, const Outcome& outcome);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_BAD_ENDS_H_
