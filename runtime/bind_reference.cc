// SPDX-License-Identifier: Apache-2.0
#include "reference/reference_kernels.h"
#include "runtime/kernel_binding.h"

namespace poolproof {

const KernelTable& BoundKernels() { return ReferenceKernels(); }

bool ChecksDocuments() { return true; }

std::size_t BytesAtOnce() { return std::size_t{32} << 10; }

}  // namespace poolproof
