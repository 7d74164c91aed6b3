// SPDX-License-Identifier: Apache-2.0
//
// TryRules: what a run's root causes say, tested on new cases: steps from a failing case on both
// sides of each condition, and cases on which likely other rules say something else. Where a rule
// is wrong it is learnt anew from what they showed, and tested again. Bounded by counts: the same
// for any number of jobs.
#ifndef POOLPROOF_CONFORMANCE_SESSION_RULE_TRIALS_H_
#define POOLPROOF_CONFORMANCE_SESSION_RULE_TRIALS_H_

#include <functional>

#include "conformance/result/report.h"
#include "conformance/session/attempt.h"
#include "conformance/spec/profile_rules.h"
#include "conformance/tally/root_causes.h"

namespace poolproof {

// Finds the root causes of `report` anew until they stand, and completes those that have a failing
// case of one call to start from. `quit`: no further case is judged, and what was found stays.
// `few_failures`: each case that fails costs a worker that takes long to start: fewer are made than
// have failed.
void TryRules(const ProfileRules& rules, const MakeAttempt& make_attempt, int jobs,
              const std::function<bool()>& quit, bool few_failures, const Report& report,
              CauseEvidence& evidence, RootCauses& found);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_RULE_TRIALS_H_
