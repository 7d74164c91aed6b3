// SPDX-License-Identifier: Apache-2.0
//
// What differs between libraries built from this folder: each defines these functions (bind_*.cc,
// the adapter kit) and so chooses its kernels.
#ifndef POOLPROOF_RUNTIME_KERNEL_BINDING_H_
#define POOLPROOF_RUNTIME_KERNEL_BINDING_H_

#include <cstddef>

#include "core/kernels.h"

namespace poolproof {

const KernelTable& BoundKernels();

// Whether the library refuses what the documents alone forbid: platforms, types, formats, limits.
// What the runtime rests on (living handles, ranks, lengths, views) is checked in any case.
bool ChecksDocuments();

// Calls on at most so many bytes of operands take its kernels less time than handing them to
// another thread: where a stream has nothing else to do, the calling thread runs them at once.
std::size_t BytesAtOnce();

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_KERNEL_BINDING_H_
