// SPDX-License-Identifier: Apache-2.0
//
// TryRules: what a run's root causes say, tested on new cases: steps from a failing case on both
// sides of each condition. Bounded by counts: the same for any number of jobs.
#ifndef POOLPROOF_CONFORMANCE_SESSION_RULE_TRIALS_H_
#define POOLPROOF_CONFORMANCE_SESSION_RULE_TRIALS_H_

#include <functional>

#include "conformance/blame/blame.h"
#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// Makes what one thread tries cases with.
using MakeAttempt = std::function<FreshAttempt()>;

// Completes the root causes of `report` that have a failing case of one call to start from.
// `quit`: no further case is judged, and causes that were begun stay as they were.
void TryRules(const Spec& spec, const MakeAttempt& make_attempt, int jobs,
              const std::function<bool()>& quit, Report& report);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_RULE_TRIALS_H_
