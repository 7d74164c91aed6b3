// SPDX-License-Identifier: Apache-2.0
//
// The tiers there are and the one to use. Read by dispatch, tests and benchmarks.
#ifndef POOLPROOF_OPTIMIZED_TIERS_H_
#define POOLPROOF_OPTIMIZED_TIERS_H_

#include <span>
#include <string_view>

#include "optimized/tier.h"

namespace poolproof {

extern const Tier kPortableTier;
extern const Tier kPortableWideTier;
extern const Tier kAvx2Tier;
extern const Tier kAvx512Tier;
extern const Tier kAvx512Bf16Tier;
extern const Tier kNeonTier;

// CpuFeature bits of this machine; what the system does not save is not counted.
unsigned CpuFeatures();

// Every tier of this build, best first; the last ones run anywhere.
std::span<const Tier* const> Tiers();

// The best automatic one that `features` allow.
const Tier& BestTier(unsigned features);

// A tier by its name; null where there is none or `features` do not allow it.
const Tier* FindTier(std::string_view name, unsigned features);

// What POOLPROOF_TIER names when first called, else the best one.
const Tier& DefaultTier();

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_TIERS_H_
