// SPDX-License-Identifier: Apache-2.0
//
// What a case could prove, without an outcome: so that a clause whose cases are all outside an
// implementation's capabilities is distinguished from one that has no case.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_PROMISE_H_
#define POOLPROOF_CONFORMANCE_JUDGE_PROMISE_H_

#include <string>
#include <vector>

#include "conformance/judge/judge.h"

namespace poolproof {

// The clauses for which the case would speak if everything about it were right, sorted.
std::vector<std::string> CouldProve(const JudgeContext& context, const PreparedCase& prepared);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_PROMISE_H_
