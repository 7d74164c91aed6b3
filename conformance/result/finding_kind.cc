// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/finding_kind.h"

#include <array>

namespace poolproof {
namespace {

using Kind = FindingKind;

// In the order of FindingKind.
constexpr std::array<FindingKindInfo, kFindingKindCount> kFindingKinds = {{
    {Kind::kWrongStatus, "wrong-status", Aspect::kAnswer, Field::kStatuses, Duty::kRefusal},
    {Kind::kAccepted, "accepted", Aspect::kAnswer, Field::kStatuses, Duty::kRefusal},
    {Kind::kRefused, "refused", Aspect::kAnswer, Field::kStatuses, Duty::kValid},
    {Kind::kLateRefusal, "late-refusal", Aspect::kAnswer, Field::kStatuses, Duty::kRefusal},
    {Kind::kUnnamedNotZero, "unnamed-not-zero", Aspect::kResult, Field::kNumbers},
    {Kind::kContributionLost, "contribution-lost", Aspect::kResult, Field::kNumbers},
    {Kind::kContributionMoved, "contribution-moved", Aspect::kResult, Field::kNumbers},
    {Kind::kContributionDoubled, "contribution-doubled", Aspect::kResult, Field::kNumbers},
    {Kind::kWrongSum, "wrong-sum", Aspect::kResult, Field::kNumbers},
    {Kind::kWrongSpecial, "wrong-special", Aspect::kResult, Field::kNumbers},
    {Kind::kNotRepeatable, "not-repeatable", Aspect::kSideEffect, Field::kNumbers},
    {Kind::kWroteOutside, "wrote-outside", Aspect::kSideEffect, Field::kMemory},
    {Kind::kInputChanged, "input-changed", Aspect::kSideEffect, Field::kMemory},
    {Kind::kWorkspaceOverrun, "workspace-overrun", Aspect::kSideEffect, Field::kMemory},
    {Kind::kPhaseOneSideEffect, "phase-one-side-effect", Aspect::kSideEffect, Field::kMemory},
    {Kind::kRefusedCallWrote, "refused-call-wrote", Aspect::kSideEffect, Field::kMemory},
    {Kind::kOutParameter, "out-parameter", Aspect::kAnswer, Field::kStatuses},
    {Kind::kCrashed, "crashed", Aspect::kEnd, Field::kProcess},
    {Kind::kTimedOut, "timed-out", Aspect::kEnd, Field::kProcess},
    {Kind::kOutOfMemory, "out-of-memory", Aspect::kEnd, Field::kProcess},
    {Kind::kThrew, "threw", Aspect::kEnd, Field::kProcess},
    {Kind::kGrowth, "growth", Aspect::kSideEffect, Field::kProcess},
    {Kind::kProcessChanged, "process-changed", Aspect::kSideEffect, Field::kProcess},
    {Kind::kWrongMaximum, "wrong-maximum", Aspect::kResult, Field::kNumbers},
    {Kind::kWrongIndex, "wrong-index", Aspect::kResult, Field::kNumbers},
    {Kind::kRelationBroken, "relation-broken", Aspect::kResult, Field::kNumbers},
    {Kind::kReadOutside, "read-outside", Aspect::kSideEffect, Field::kMemory},
    {Kind::kStreamFailed, "stream-failed", Aspect::kEnd, Field::kProcess, Duty::kValid},
    {Kind::kErrorText, "error-text", Aspect::kSideEffect, Field::kStatuses},
    {Kind::kNotOnStream, "not-on-stream", Aspect::kSideEffect, Field::kProcess},
}};

constexpr bool EachInItsPlace() {
  for (std::size_t i = 0; i < kFindingKinds.size(); ++i) {
    if (static_cast<std::size_t>(kFindingKinds[i].kind) != i) return false;
  }
  return true;
}
static_assert(EachInItsPlace());

}  // namespace

const FindingKindInfo& InfoOf(FindingKind kind) {
  return kFindingKinds[static_cast<std::size_t>(kind)];
}

}  // namespace poolproof
