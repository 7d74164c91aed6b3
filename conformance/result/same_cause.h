// SPDX-License-Identifier: Apache-2.0
//
// SameCause: whether root causes of two runs are one, although their counts and borders differ.
#ifndef POOLPROOF_CONFORMANCE_RESULT_SAME_CAUSE_H_
#define POOLPROOF_CONFORMANCE_RESULT_SAME_CAUSE_H_

#include "conformance/result/report.h"

namespace poolproof {

// Whether the run looked for root causes: those of which nobody knows the plan's cases have
// failures and none.
bool KnowsCauses(const Report& report);

// The same conditions, in any order.
bool SameRule(const RootCause& a, const RootCause& b);

// A clause in common, and conditions on the same circumstances to the same side: where the border
// of a number lies may differ.
bool SameCause(const RootCause& a, const RootCause& b);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_SAME_CAUSE_H_
