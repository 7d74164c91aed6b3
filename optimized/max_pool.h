// SPDX-License-Identifier: Apache-2.0
//
// Max poolings with the position of each maximum: first of equal ones, last NaN.
#ifndef POOLPROOF_OPTIMIZED_MAX_POOL_H_
#define POOLPROOF_OPTIMIZED_MAX_POOL_H_

#include "core/kernels.h"
#include "optimized/tuning.h"

namespace poolproof {

void OptimizedMaxPool(const MaxPoolArgs& args, const Tuning& tuning);
void OptimizedAdaptiveMaxPool(const AdaptiveMaxPoolArgs& args, const Tuning& tuning);

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_MAX_POOL_H_
