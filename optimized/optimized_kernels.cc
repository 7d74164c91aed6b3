// SPDX-License-Identifier: Apache-2.0
#include "optimized/optimized_kernels.h"

#include "optimized/max_pool.h"
#include "optimized/max_pool_backward.h"
#include "optimized/parallel_for.h"

namespace poolproof {
namespace {

std::optional<BadIndex> Backward(const BackwardArgs& args) {
  return OptimizedMaxPoolBackward(args, DefaultParallelism());
}

void Forward(const MaxPoolArgs& args) { OptimizedMaxPool(args, DefaultParallelism()); }

void AdaptiveForward(const AdaptiveMaxPoolArgs& args) {
  OptimizedAdaptiveMaxPool(args, DefaultParallelism());
}

}  // namespace

const KernelTable& OptimizedKernels() {
  static constexpr KernelTable kTable{
      .name = "optimized",
      .max_pool3d_with_argmax_backward = &Backward,
      .adaptive_max_pool3d_backward = &Backward,
      .adaptive_max_pool2d_backward = &Backward,
      .max_pool3d_with_argmax = &Forward,
      .adaptive_max_pool3d = &AdaptiveForward,
      .adaptive_max_pool2d = &AdaptiveForward,
  };
  return kTable;
}

}  // namespace poolproof
