// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/verdict.h"

#include <set>

namespace poolproof {
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
