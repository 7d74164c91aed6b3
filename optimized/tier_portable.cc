// SPDX-License-Identifier: Apache-2.0
//
// What runs everywhere.
#include "optimized/tier_body.h"
#include "optimized/tiers.h"

namespace poolproof {

extern const Tier kPortableTier = MakeTier<GnuVector<16>>("portable", 0, true, 48, 48);

}  // namespace poolproof
