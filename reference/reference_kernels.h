// SPDX-License-Identifier: Apache-2.0
//
// The reference kernels: the operators' definitions as loops. Used by libpoolproof_reference.so and
// by tests.
#ifndef POOLPROOF_REFERENCE_REFERENCE_KERNELS_H_
#define POOLPROOF_REFERENCE_REFERENCE_KERNELS_H_

#include "core/kernels.h"

namespace poolproof {

const KernelTable& ReferenceKernels();

}  // namespace poolproof

#endif  // POOLPROOF_REFERENCE_REFERENCE_KERNELS_H_
