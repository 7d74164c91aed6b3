// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/spared_cases.h"

#include <algorithm>

#include "conformance/judge/prepared_case.h"
#include "conformance/result/ending.h"
#include "conformance/result/facets.h"
#include "conformance/spec/operators.h"

namespace poolproof {
namespace {

bool HasValidCallOf(const ProfileRules& rules, const Case& problem, Operator op) {
  return std::any_of(problem.calls.begin(), problem.calls.end(), [&](const Call& call) {
    return call.op == op && IsValid(rules, call, problem.plan);
  });
}

// Nothing is peculiar that a clause mentions: what happens to any other call is no evidence on it.
bool IsPlain(const Case& problem) {
  return problem.calls.size() == 1 && (FacetsOf(problem) & BitOf(Facet::kView)) == 0 &&
         PlanFacetsOf(problem) == 0 &&
         problem.calls.front().tensor(Role::kSelf).format != Format::kNhwc;
}

}  // namespace

SparedCases::SparedCases(const ProfileRules& rules, const TestPlan& plan,
                         const std::map<Operator, std::string>& losing)
    : rules_(rules) {
  for (const auto& [op, end] : losing) {
    Losing& entry = losing_[op];
    entry.why = "not carried out: every valid call of " + std::string(InfoOf(op).name) +
                " loses its process (" + ShownEnd(end) + "), and another start takes long here";
    for (std::int64_t number = 0; number < plan.size() && entry.judged.size() < kJudged; ++number) {
      const Case problem = plan.At(number).problem;
      if (IsPlain(problem) && HasValidCallOf(rules, problem, op)) entry.judged.insert(number);
    }
  }
}

std::optional<std::string> SparedCases::WhyNot(std::int64_t number, const Case& problem) const {
  for (const auto& [op, entry] : losing_) {
    if (!entry.judged.contains(number) && HasValidCallOf(*rules_, problem, op)) return entry.why;
  }
  return std::nullopt;
}

}  // namespace poolproof
