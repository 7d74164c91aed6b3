// SPDX-License-Identifier: Apache-2.0
//
// The backward of every max pooling whose indices are flat offsets into a plane: zero a plane, add
// its gradients in ascending order, store it.
#ifndef POOLPROOF_OPTIMIZED_MAX_POOL_BACKWARD_H_
#define POOLPROOF_OPTIMIZED_MAX_POOL_BACKWARD_H_

#include <optional>

#include "core/kernels.h"
#include "optimized/parallel_for.h"

namespace poolproof {

std::optional<BadIndex> OptimizedMaxPoolBackward(const BackwardArgs& args,
                                                 const Parallelism& parallelism);

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_MAX_POOL_BACKWARD_H_
