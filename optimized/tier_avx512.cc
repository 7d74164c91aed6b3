// SPDX-License-Identifier: Apache-2.0
#include "optimized/tier_avx512.h"

#include "optimized/tiers.h"

namespace poolproof {

extern const Tier kAvx512Tier = MakeTier<Avx512>("avx512", kCpuAvx2 | kCpuAvx512, true, 32, 32);

}  // namespace poolproof
