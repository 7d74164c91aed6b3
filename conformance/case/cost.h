// SPDX-License-Identifier: Apache-2.0
#ifndef POOLPROOF_CONFORMANCE_CASE_COST_H_
#define POOLPROOF_CONFORMANCE_CASE_COST_H_

#include "conformance/case/case.h"

namespace poolproof {

// Elements that carrying out the case moves, with some thousand more for each call: what its time
// is counted by, on whatever machine.
double CostOf(const Case& problem);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_COST_H_
