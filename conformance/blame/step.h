// SPDX-License-Identifier: Apache-2.0
//
// Steps: calls that differ from a call in one thing, larger ones among them. What a rule on failing
// cases says is tested on them.
#ifndef POOLPROOF_CONFORMANCE_BLAME_STEP_H_
#define POOLPROOF_CONFORMANCE_BLAME_STEP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/case/case.h"

namespace poolproof {

struct Step {
  Case problem;
  std::string difference;  // "stride D = 4 instead of 1"; empty: several things
};

// Requires a case of one call. `borders`: numbers that extents and attributes are set to as well;
// `of_others`: offsets, innermost strides and counts, if there are any. Not all of them are legal
// calls.
std::vector<Step> StepsFrom(const Case& problem, const std::vector<std::int64_t>& borders,
                            const std::vector<std::int64_t>& of_others = {});

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_BLAME_STEP_H_
