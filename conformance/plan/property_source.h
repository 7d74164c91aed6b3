// SPDX-License-Identifier: Apache-2.0
//
// Related cases for a run: bases from the random families, followers from the properties.
#ifndef POOLPROOF_CONFORMANCE_PLAN_PROPERTY_SOURCE_H_
#define POOLPROOF_CONFORMANCE_PLAN_PROPERTY_SOURCE_H_

#include <cstdint>
#include <vector>

#include "conformance/gen/sources.h"
#include "conformance/plan/test_plan.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// One source per property; none where the pages of an operator that it needs do not cover the
// profile.
std::vector<RandomSource> PropertySources(const Spec& spec, Profile profile, CaseSet set,
                                          std::uint64_t seed);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PLAN_PROPERTY_SOURCE_H_
