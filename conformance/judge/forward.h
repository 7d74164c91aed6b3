// SPDX-License-Identifier: Apache-2.0
//
// Forward: what a valid call of a forward must answer. Its output is compared with the maxima of
// the windows, its indices against windows and maxima; whatever kept it from answering is charged
// to the clause that says that it answers. Used by the judge's own files.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_FORWARD_H_
#define POOLPROOF_CONFORMANCE_JUDGE_FORWARD_H_

#include <cstddef>
#include <string>

#include "conformance/judge/judgement.h"

namespace poolproof {

// The clause that a call breaches which should have come back with the right numbers: that on the
// forward's views where an operand is one, else that of `condition`.
std::string ForwardClause(const Judgement& judgement, const Call& call, Condition condition);

// What a valid call of a forward proves that was carried out right, and what it would have
// proven that was not.
void ForwardEvidence(Judgement& judgement, const Call& call);
void WithholdForwardEvidence(Judgement& judgement, std::size_t number);

// A forward that was carried out.
void JudgeForward(Judgement& judgement, std::size_t number, const CallOutcome& outcome,
                  const std::string& where);

// A valid forward that was refused in some phase, or whose phase one left an out-parameter alone.
void JudgeForwardRefused(Judgement& judgement, std::size_t number, const CallOutcome& outcome,
                         const std::string& where);

// "(self, outputSize, out, indices, workspaceSize, executor)": phase one's parameters.
std::string ParameterListText(const OperatorInfo& info);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_FORWARD_H_
