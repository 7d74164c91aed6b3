// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/same_cause.h"

#include <algorithm>
#include <string>

namespace poolproof {

bool KnowsCauses(const Report& report) {
  return !report.root_causes.empty() || report.unexplained > 0 ||
         std::none_of(report.clauses.begin(), report.clauses.end(), &FailsRequired);
}

bool SameRule(const RootCause& a, const RootCause& b) {
  const auto same = [](const RuleCondition& x, const RuleCondition& y) {
    return x.name == y.name && x.comparison == y.comparison && x.value == y.value;
  };
  return std::is_permutation(a.rule.begin(), a.rule.end(), b.rule.begin(), b.rule.end(), same);
}

bool SameCause(const RootCause& a, const RootCause& b) {
  const auto same = [](const RuleCondition& x, const RuleCondition& y) {
    const bool border = x.comparison == "at-least" || x.comparison == "at-most";
    return x.name == y.name && x.comparison == y.comparison && (border || x.value == y.value);
  };
  const bool in_common =
      std::any_of(a.clauses.begin(), a.clauses.end(), [&](const std::string& id) {
        return std::binary_search(b.clauses.begin(), b.clauses.end(), id);
      });
  return in_common && a.advisory == b.advisory &&
         std::is_permutation(a.rule.begin(), a.rule.end(), b.rule.begin(), b.rule.end(), same);
}

}  // namespace poolproof
