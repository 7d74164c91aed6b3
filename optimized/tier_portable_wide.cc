// SPDX-License-Identifier: Apache-2.0
//
// What runs everywhere in vectors of 64 bytes, so that what AVX-512 computes can be tested on
// machines without it. Chosen by name alone, and hardly optimised: no machine has such vectors, and
// taking them apart well takes g++ half a minute.
#include "optimized/tier_body.h"
#include "optimized/tiers.h"

namespace poolproof {

extern const Tier kPortableWideTier = MakeTier<GnuVector<64>>("portable-wide", 0, false, 24, 24);

}  // namespace poolproof
