// SPDX-License-Identifier: Apache-2.0
//
// The window attributes of the fixed-window poolings. Used by their forward and backward.
#ifndef POOLPROOF_RUNTIME_OPS_MAX_POOL_WINDOW_H_
#define POOLPROOF_RUNTIME_OPS_MAX_POOL_WINDOW_H_

#include <array>

#include "core/pool_geometry.h"
#include "runtime/ops/checks.h"

namespace poolproof {

// Per axis at most half the kernel, rounded down. Requires valid lengths and kernels.
Objection CheckPadding(const aclIntArray& padding, const aclIntArray& kernel_size,
                       const char* clause);
Objection CheckAllOnes(const char* name, const aclIntArray& array, const char* clause);

// The axes D, H, W. Requires valid lengths.
std::array<PoolAxis, 3> WindowAxes(const aclIntArray& kernel_size, const aclIntArray& stride,
                                   const aclIntArray& padding, const aclIntArray& dilation);

// `pooled` has the shape to which `self` is pooled, and at least one window fits on each axis; an
// axis without elements pools to one without elements. Requires valid axes and extents.
Objection CheckPooledShape(const Operand& pooled, const Operand& self,
                           const std::array<PoolAxis, 3>& axes, bool ceil_mode, const char* clause);

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_OPS_MAX_POOL_WINDOW_H_
