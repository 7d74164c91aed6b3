// SPDX-License-Identifier: Apache-2.0
//
// Side effects: misbehaviour beside answers that may all the same be right. A fault that shows in
// every call (a byte written outside, an input changed) must not hide what else is wrong.
#ifndef POOLPROOF_CONFORMANCE_RESULT_SIDE_EFFECT_H_
#define POOLPROOF_CONFORMANCE_RESULT_SIDE_EFFECT_H_

#include <string_view>

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
    case FindingKind::kErrorText:
    case FindingKind::kNotOnStream:
      return true;
    default:
      return false;
  }
}

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

// Whether a finding of the kind may come of work that such a library still does when another call
// is made, or a result is read: any memory may change at any time.
constexpr bool MayComeOfLateWork(FindingKind kind) {
  switch (kind) {
    case FindingKind::kUnnamedNotZero:
    case FindingKind::kContributionLost:
    case FindingKind::kContributionMoved:
    case FindingKind::kContributionDoubled:
    case FindingKind::kWrongSum:
    case FindingKind::kWrongSpecial:
    case FindingKind::kWrongMaximum:
    case FindingKind::kWrongIndex:
    case FindingKind::kRelationBroken:
    case FindingKind::kNotRepeatable:
    case FindingKind::kWroteOutside:
    case FindingKind::kInputChanged:
    case FindingKind::kWorkspaceOverrun:
    case FindingKind::kPhaseOneSideEffect:
    case FindingKind::kRefusedCallWrote:
      return true;
    default:
      return false;
  }
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_SIDE_EFFECT_H_
