// SPDX-License-Identifier: Apache-2.0
//
// The optimized kernels: parallel over planes, deterministic for any number of threads. Used by
// libpoolproof_optimized.so and by tests.
#ifndef POOLPROOF_OPTIMIZED_OPTIMIZED_KERNELS_H_
#define POOLPROOF_OPTIMIZED_OPTIMIZED_KERNELS_H_

#include "core/kernels.h"

namespace poolproof {

const KernelTable& OptimizedKernels();

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_OPTIMIZED_KERNELS_H_
