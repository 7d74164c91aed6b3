// SPDX-License-Identifier: Apache-2.0
#include "optimized/optimized_kernels.h"
#include "runtime/kernel_binding.h"

namespace poolproof {

const KernelTable& BoundKernels() { return OptimizedKernels(); }

bool ChecksDocuments() { return true; }

std::size_t BytesAtOnce() { return std::size_t{512} << 10; }

}  // namespace poolproof
