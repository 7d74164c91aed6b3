// SPDX-License-Identifier: Apache-2.0
#include "reference/reference_kernels.h"

#include "reference/max_pool.h"
#include "reference/max_pool_backward.h"

namespace poolproof {

const KernelTable& ReferenceKernels() {
  static constexpr KernelTable kTable{
      .name = "reference",
      .max_pool2d_with_indices_backward = &ReferenceMaxPoolBackward,
      .max_pool3d_with_argmax_backward = &ReferenceMaxPoolBackward,
      .adaptive_max_pool3d_backward = &ReferenceMaxPoolBackward,
      .adaptive_max_pool2d_backward = &ReferenceMaxPoolBackward,
      .max_pool2d_with_indices = &ReferenceMaxPool,
      .max_pool3d_with_argmax = &ReferenceMaxPool,
      .adaptive_max_pool3d = &ReferenceAdaptiveMaxPool,
      .adaptive_max_pool2d = &ReferenceAdaptiveMaxPool,
  };
  return kTable;
}

}  // namespace poolproof
