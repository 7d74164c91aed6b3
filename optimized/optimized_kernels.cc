// SPDX-License-Identifier: Apache-2.0
#include "optimized/optimized_kernels.h"

#include "optimized/max_pool.h"
#include "optimized/max_pool_backward.h"
#include "optimized/parallel_for.h"
#include "optimized/tuning.h"

namespace poolproof {
namespace {

// Small problems stay on this thread: they need not ask how many there could be.
Tuning TuningFor(const Dims& planes, const Dims& pooled) {
  Tuning tuning;
  const std::int64_t elements = CheckedNumel(planes).value_or(0) + CheckedNumel(pooled).value_or(0);
  if (elements >= 2 * tuning.parallelism.elements_per_thread) {
    tuning.parallelism = DefaultParallelism();
  }
  return tuning;
}

std::optional<BadIndex> TunedBackward(const BackwardArgs& args) {
  return OptimizedMaxPoolBackward(args, TuningFor(args.grad_input.shape, args.grad_output.shape));
}

void TunedForward(const MaxPoolArgs& args) {
  OptimizedMaxPool(args, TuningFor(args.self.shape, args.out.shape));
}

void TunedAdaptiveForward(const AdaptiveMaxPoolArgs& args) {
  OptimizedAdaptiveMaxPool(args, TuningFor(args.self.shape, args.out.shape));
}

}  // namespace

const KernelTable& OptimizedKernels() {
  static constexpr KernelTable kTable{
      .name = "optimized",
      .max_pool2d_with_indices_backward = &TunedBackward,
      .max_pool3d_with_argmax_backward = &TunedBackward,
      .adaptive_max_pool3d_backward = &TunedBackward,
      .adaptive_max_pool2d_backward = &TunedBackward,
      .max_pool2d_with_indices = &TunedForward,
      .max_pool3d_with_argmax = &TunedForward,
      .adaptive_max_pool3d = &TunedAdaptiveForward,
      .adaptive_max_pool2d = &TunedAdaptiveForward,
  };
  return kTable;
}

}  // namespace poolproof
