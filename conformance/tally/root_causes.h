// SPDX-License-Identifier: Apache-2.0
//
// Root causes: rules on the circumstances of a run's cases that tell those that fail from those
// that pass. Which cases they are learnt of follows from the plan and from what failed alone.
#ifndef POOLPROOF_CONFORMANCE_TALLY_ROOT_CAUSES_H_
#define POOLPROOF_CONFORMANCE_TALLY_ROOT_CAUSES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/circumstance/rule.h"
#include "conformance/plan/test_plan.h"
#include "conformance/result/report.h"

namespace poolproof {

// A judged case as root causes see it.
struct CauseCase {
  std::int64_t number = 0;
  // Of a failing case, what it breaches; of a passing one, what it is evidence for.
  const std::vector<std::string>* clauses = nullptr;
  // Of a failing case: one of the clauses says what a call must answer. Of a passing one: all do,
  // so that it says nothing of numbers.
  bool answer = false;
};

struct RootCauses {
  std::vector<RootCause> causes;
  std::int64_t unexplained = 0;
};

// The rule of a root cause, of which the report keeps the words. Requires one that was found here.
Rule RuleOf(const RootCause& cause);

// `failing` breach required clauses; `passing` are those that passed. Both ascend by number.
RootCauses FindRootCauses(const TestPlan& plan, const std::vector<CauseCase>& failing,
                          const std::vector<CauseCase>& passing);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TALLY_ROOT_CAUSES_H_
