// SPDX-License-Identifier: Apache-2.0
//
// What the judge would accept of a case, written out as a value. Used by `poolproof export`.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_EXPECTATION_H_
#define POOLPROOF_CONFORMANCE_JUDGE_EXPECTATION_H_

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"
#include "conformance/judge/judge.h"
#include "conformance/result/expectation.h"

namespace poolproof {

// Requires: `data` is Materialize(problem). Subnormals are expected to be kept.
CaseExpectation ExpectationOf(const JudgeContext& context, const Case& problem,
                              const Materialized& data);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_EXPECTATION_H_
