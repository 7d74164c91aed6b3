// SPDX-License-Identifier: Apache-2.0
//
// What differs between libraries built from this folder: each defines these functions (bind_*.cc,
// the adapter kit) and so chooses its kernels.
#ifndef POOLPROOF_RUNTIME_KERNEL_BINDING_H_
#define POOLPROOF_RUNTIME_KERNEL_BINDING_H_

#include "core/kernels.h"

namespace poolproof {

const KernelTable& BoundKernels();

// Whether the library refuses what the documents alone forbid: platforms, types, formats, limits.
// What the runtime rests on (living handles, ranks, lengths, views) is checked in any case.
bool ChecksDocuments();

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_KERNEL_BINDING_H_
