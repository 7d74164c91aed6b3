// SPDX-License-Identifier: Apache-2.0
//
// The windows of the fixed-window poolings, over D, H, W or (`spatial_rank` 2) H, W. Used by their
// forward and backward.
#ifndef POOLPROOF_RUNTIME_OPS_MAX_POOL_WINDOW_H_
#define POOLPROOF_RUNTIME_OPS_MAX_POOL_WINDOW_H_

#include <array>

#include "core/pool_geometry.h"
#include "runtime/ops/two_phase.h"

namespace poolproof {

// Per axis at most half the kernel, rounded down. Requires valid lengths and kernels.
Objection CheckPadding(const aclIntArray& padding, const aclIntArray& kernel_size, int spatial_rank,
                       const char* clause);
Objection CheckAllOnes(const char* name, const aclIntArray& array, const char* clause);

// The axes D, H, W; where spatial_rank is 2, D is left as it is. Requires valid lengths.
std::array<PoolAxis, 3> WindowAxes(const aclIntArray& kernel_size, const aclIntArray& stride,
                                   const aclIntArray& padding, const aclIntArray& dilation,
                                   int spatial_rank);

// `pooled` has the shape to which `self` is pooled, and at least one window fits on each axis; an
// axis without elements pools to one without elements. Requires valid axes and extents.
Objection CheckPooledShape(const Operand& pooled, const Operand& self,
                           const std::array<PoolAxis, 3>& axes, int spatial_rank, bool ceil_mode,
                           const char* clause);

// The plan of a forward.
struct PoolingOperands {
  Operand self;
  Operand out;
  Operand indices;
};
ExecutionPlan PlanPooling(const char* function, const PoolingOperands& operands, int spatial_rank,
                          const std::array<PoolAxis, 3>& axes, bool ceil_mode,
                          void (*kernel)(const MaxPoolArgs&));

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_OPS_MAX_POOL_WINDOW_H_
