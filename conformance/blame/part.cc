// SPDX-License-Identifier: Apache-2.0
#include "conformance/blame/part.h"

namespace poolproof {

std::set<FindingKind> SortsOf(const Verdict& verdict) {
  std::set<FindingKind> sorts;
  for (const Finding& finding : verdict.findings) {
    sorts.insert(IsWrongNumber(finding.kind) ? FindingKind::kWrongSum : finding.kind);
  }
  return sorts;
}

std::optional<FailureSort> SortOf(const Verdict& verdict) {
  const auto is_wrong_number = [](const Finding& f) { return IsWrongNumber(f.kind); };
  const auto ends_plain_call = [](const Finding& f) {
    return IsBadEnd(f.kind) && (f.clauses.front() == "2P-01" || f.clauses.front() == "2P-02");
  };
  if (AnyFinding(verdict, is_wrong_number)) return FailureSort::kValue;
  if (HasFinding(verdict, FindingKind::kRefused)) return FailureSort::kRefusal;
  if (AnyFinding(verdict, ends_plain_call)) return FailureSort::kEnd;
  return std::nullopt;
}

bool Concerns(Part part, FindingKind kind) {
  if (part == Part::kSideEffects) return true;
  if (IsSideEffect(kind)) return false;
  if (!IsWrongNumber(kind)) return true;
  switch (part) {
    case Part::kZeros:
      return kind == FindingKind::kUnnamedNotZero;
    case Part::kAcceptance:  // numbers are there only where the call was taken
      return false;
    default:
      return kind != FindingKind::kUnnamedNotZero;
  }
}

Part PartOf(const Verdict& verdict) {
  const auto concerns = [&](Part part) {
    return AnyFinding(verdict, [&](const Finding& f) { return Concerns(part, f.kind); });
  };
  if (SortOf(verdict) == FailureSort::kRefusal) return Part::kAcceptance;
  if (concerns(Part::kAnswers)) return Part::kAnswers;
  return concerns(Part::kZeros) ? Part::kZeros : Part::kSideEffects;
}

}  // namespace poolproof
