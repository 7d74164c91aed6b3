// SPDX-License-Identifier: Apache-2.0
//
// What runs everywhere; and the same in vectors of 64 bytes, so that what AVX-512 computes can be
// tested on machines without it.
#include "optimized/tier_body.h"
#include "optimized/tiers.h"

namespace poolproof {

extern const Tier kPortableTier = MakeTier<GnuVector<16>>("portable", 0, true, 48, 48);
extern const Tier kPortableWideTier = MakeTier<GnuVector<64>>("portable-wide", 0, false, 24, 24);

}  // namespace poolproof
