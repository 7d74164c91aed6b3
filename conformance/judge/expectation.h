// SPDX-License-Identifier: Apache-2.0
//
// What the judge would accept of a case, written out as a value. Used by `poolproof export`.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_EXPECTATION_H_
#define POOLPROOF_CONFORMANCE_JUDGE_EXPECTATION_H_

#include "conformance/judge/prepared_case.h"
#include "conformance/result/expectation.h"

namespace poolproof {

// Of sums in which subnormals meet, a range of values that has all right ones.
CaseExpectation ExpectationOf(const PreparedCase& prepared);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_EXPECTATION_H_
