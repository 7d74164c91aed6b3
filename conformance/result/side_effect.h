// SPDX-License-Identifier: Apache-2.0
//
// Side effects: misbehaviour beside answers that may still be right. A fault that shows in
// every call (a byte written outside, an input changed) must not hide what else is wrong.
#ifndef POOLPROOF_CONFORMANCE_RESULT_SIDE_EFFECT_H_
#define POOLPROOF_CONFORMANCE_RESULT_SIDE_EFFECT_H_

#include <string_view>

#include "conformance/result/verdict.h"

namespace poolproof {

// Whether some answer is wrong: a status, a number, or that none came.
inline bool HasWrongAnswer(const Verdict& verdict) {
  return AnyFinding(verdict, [](const Finding& finding) { return !IsSideEffect(finding.kind); });
}

// Which clause a call breaches that fails behind others alone: what came before it may not change
// its result.
inline constexpr std::string_view kOthersClause = "2P-07";

// Whether a finding of the kind on such a call is one of that clause: a wrong answer, or that runs
// differ, since some are wrong.
inline bool IsOfOthers(FindingKind kind) {
  return !IsSideEffect(kind) || kind == FindingKind::kNotRepeatable;
}

// Which clause a library breaches that does its work elsewhere than on the stream that it is given.
inline constexpr std::string_view kStreamClause = "2P-03";

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_SIDE_EFFECT_H_
