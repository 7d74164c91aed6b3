// SPDX-License-Identifier: Apache-2.0
//
// The backward of every max pooling whose indices are flat offsets into a plane. Sums are made in
// ascending order of outputs, so that tier, tuning and threads never change a bit of them.
#ifndef POOLPROOF_OPTIMIZED_MAX_POOL_BACKWARD_H_
#define POOLPROOF_OPTIMIZED_MAX_POOL_BACKWARD_H_

#include <optional>

#include "core/kernels.h"
#include "optimized/tuning.h"

namespace poolproof {

std::optional<BadIndex> OptimizedMaxPoolBackward(const BackwardArgs& args, const Tuning& tuning);

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_MAX_POOL_BACKWARD_H_
