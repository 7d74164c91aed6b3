// SPDX-License-Identifier: Apache-2.0
//
// SparedCases: cases that are not carried out where starts are slow, since every valid call of one
// of their operators takes its worker along: all but a few of a plan would cost a start each and
// tell the same.
#ifndef POOLPROOF_CONFORMANCE_SESSION_SPARED_CASES_H_
#define POOLPROOF_CONFORMANCE_SESSION_SPARED_CASES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "conformance/case/case.h"
#include "conformance/plan/test_plan.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {

class SparedCases {
 public:
  // Of plain valid calls of such an operator, so many are carried out.
  static constexpr std::size_t kJudged = 8;

  // None.
  SparedCases() = default;
  // `losing`: the operators, and what happens to their calls (ProbedAcceptance).
  SparedCases(const ProfileRules& rules, const TestPlan& plan,
              const std::map<Operator, std::string>& losing);

  // Why the case of that number is spared; nullopt where it is carried out.
  [[nodiscard]] std::optional<std::string> WhyNot(std::int64_t number, const Case& problem) const;

 private:
  struct Losing {
    std::set<std::int64_t> judged;  // valid cases of the operator that are carried out
    std::string why;
  };
  std::optional<ProfileRules> rules_;
  std::map<Operator, Losing> losing_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_SPARED_CASES_H_
