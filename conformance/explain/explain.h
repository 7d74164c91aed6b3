// SPDX-License-Identifier: Apache-2.0
//
// ExplainFailures: why a library fails, by experiment. From a failing case new cases are made that
// differ from it in this and that; each answer leaves fewer rules that fit. What is asked next are
// the cases on which the best rules disagree, until one is left that predicted each answer, inside
// and just outside of what it says. Then the next failing case that no rule explains.
//
// The same for any number of jobs: what is asked follows from what was answered alone.
#ifndef POOLPROOF_CONFORMANCE_EXPLAIN_EXPLAIN_H_
#define POOLPROOF_CONFORMANCE_EXPLAIN_EXPLAIN_H_

#include <functional>

#include "conformance/blame/blame.h"
#include "conformance/result/report.h"
#include "conformance/spec/profile_rules.h"
#include "conformance/tally/root_causes.h"

namespace poolproof {

// Gives a thread what it asks cases with.
using MakeAsk = std::function<FreshAttempt()>;

// The root causes of the failing cases that `report` lists and that fail alone; those of the run's
// other cases are in `evidence`. `quit`: nothing further is asked, and what was found stays.
// `few_failures`: each case that fails costs a worker that takes long to start: fewer are asked.
RootCauses ExplainFailures(const ProfileRules& rules, const MakeAsk& make_ask, int jobs,
                           const std::function<bool()>& quit, bool few_failures,
                           const Report& report, const CauseEvidence& evidence);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXPLAIN_EXPLAIN_H_
