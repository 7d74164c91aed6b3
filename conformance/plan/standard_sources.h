// SPDX-License-Identifier: Apache-2.0
//
// The cases that a run judges unless it is given others: spec, protocol, corpus, tables, random,
// properties.
#ifndef POOLPROOF_CONFORMANCE_PLAN_STANDARD_SOURCES_H_
#define POOLPROOF_CONFORMANCE_PLAN_STANDARD_SOURCES_H_

#include <cstdint>

#include "conformance/gen/sources.h"
#include "conformance/plan/test_plan.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"

namespace poolproof {

CaseSources StandardSources(const Spec& spec, Profile profile, CaseSet set, std::uint64_t seed);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PLAN_STANDARD_SOURCES_H_
