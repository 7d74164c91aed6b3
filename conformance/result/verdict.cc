// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/verdict.h"

#include <array>
#include <cstddef>
#include <set>

namespace poolproof {
namespace {

constexpr std::array<std::string_view, kFindingKindCount> kFindingKindNames = {
    "wrong-status",
    "accepted",
    "refused",
    "late-refusal",
    "unnamed-not-zero",
    "contribution-lost",
    "contribution-moved",
    "contribution-doubled",
    "wrong-sum",
    "wrong-special",
    "not-repeatable",
    "wrote-outside",
    "input-changed",
    "workspace-overrun",
    "phase-one-side-effect",
    "refused-call-wrote",
    "out-parameter",
    "crashed",
    "timed-out",
    "out-of-memory",
    "threw",
    "growth",
    "process-changed",
    "wrong-maximum",
    "wrong-index",
    "relation-broken",
    "read-outside",
    "stream-failed",
    "error-text",
    "not-on-stream"};
static_assert(kFindingKindCount == static_cast<std::size_t>(FindingKind::kNotOnStream) + 1);

}  // namespace

bool IsWrongNumber(FindingKind kind) {
  switch (kind) {
    case FindingKind::kUnnamedNotZero:
    case FindingKind::kContributionLost:
    case FindingKind::kContributionMoved:
    case FindingKind::kContributionDoubled:
    case FindingKind::kWrongSum:
    case FindingKind::kWrongSpecial:
      return true;
    default:
      return false;
  }
}

bool IsBadEnd(FindingKind kind) {
  switch (kind) {
    case FindingKind::kCrashed:
    case FindingKind::kTimedOut:
    case FindingKind::kOutOfMemory:
    case FindingKind::kThrew:
    case FindingKind::kStreamFailed:
      return true;
    default:
      return false;
  }
}

std::set<std::string> ClausesOf(const Verdict& verdict) {
  std::set<std::string> clauses;
  for (const Finding& finding : verdict.findings) {
    clauses.insert(finding.clauses.begin(), finding.clauses.end());
  }
  return clauses;
}

bool Hangs(const Verdict& verdict) { return HasFinding(verdict, FindingKind::kTimedOut); }

bool FailedWhenCarriedOut(FindingKind kind, const std::vector<std::string>& clauses) {
  return kind == FindingKind::kStreamFailed ||
         (kind == FindingKind::kRefused && clauses.front() == "2P-02");
}

std::string_view FindingKindName(FindingKind kind) {
  return kFindingKindNames[static_cast<std::size_t>(kind)];
}

std::string SignatureOf(std::string_view operator_name, const Verdict& verdict) {
  std::set<std::string> kinds;
  std::set<std::string> clauses;
  for (const Finding& finding : verdict.findings) {
    kinds.emplace(FindingKindName(finding.kind));
    clauses.insert(finding.clauses.begin(), finding.clauses.end());
  }
  std::string text(operator_name);
  char separator = ':';
  for (const std::string& kind : kinds) {
    text += separator + kind;
    separator = '+';
  }
  separator = ':';
  for (const std::string& clause : clauses) {
    text += separator + clause;
    separator = '+';
  }
  return text;
}

}  // namespace poolproof
