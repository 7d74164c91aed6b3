// SPDX-License-Identifier: Apache-2.0
//
// Max poolings with the position of each maximum.
#ifndef POOLPROOF_REFERENCE_MAX_POOL_H_
#define POOLPROOF_REFERENCE_MAX_POOL_H_

#include "core/kernels.h"

namespace poolproof {

// A window that holds no element of the input (possible with dilation) gives minus infinity and
// index 0.
void ReferenceMaxPool(const MaxPoolArgs& args);
void ReferenceAdaptiveMaxPool(const AdaptiveMaxPoolArgs& args);

}  // namespace poolproof

#endif  // POOLPROOF_REFERENCE_MAX_POOL_H_
