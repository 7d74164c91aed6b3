// SPDX-License-Identifier: Apache-2.0
//
// Side effects: misbehaviour beside answers that may all the same be right. A fault that shows in
// every call (a byte written outside, an input changed) must not hide what else is wrong.
#ifndef POOLPROOF_CONFORMANCE_RESULT_SIDE_EFFECT_H_
#define POOLPROOF_CONFORMANCE_RESULT_SIDE_EFFECT_H_

#include "conformance/result/verdict.h"

namespace poolproof {

constexpr bool IsSideEffect(FindingKind kind) {
  switch (kind) {
    case FindingKind::kWroteOutside:
    case FindingKind::kInputChanged:
    case FindingKind::kWorkspaceOverrun:
    case FindingKind::kPhaseOneSideEffect:
    case FindingKind::kRefusedCallWrote:
    case FindingKind::kGrowth:
    case FindingKind::kProcessChanged:
    case FindingKind::kNotRepeatable:
    case FindingKind::kReadOutside:
      return true;
    default:
      return false;
  }
}

// Whether some answer is wrong: a status, a number, or that none came.
inline bool HasWrongAnswer(const Verdict& verdict) {
  return AnyFinding(verdict, [](const Finding& finding) { return !IsSideEffect(finding.kind); });
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_SIDE_EFFECT_H_
