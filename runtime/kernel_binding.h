// SPDX-License-Identifier: Apache-2.0
//
// The one thing that differs between libraries built from this folder: each defines this function
// (bind_*.cc) and so chooses its kernels.
#ifndef POOLPROOF_RUNTIME_KERNEL_BINDING_H_
#define POOLPROOF_RUNTIME_KERNEL_BINDING_H_

#include "core/kernels.h"

namespace poolproof {

const KernelTable& BoundKernels();

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_KERNEL_BINDING_H_
