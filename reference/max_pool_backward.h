// SPDX-License-Identifier: Apache-2.0
//
// The backward of every max pooling whose indices are flat offsets into a plane.
#ifndef POOLPROOF_REFERENCE_MAX_POOL_BACKWARD_H_
#define POOLPROOF_REFERENCE_MAX_POOL_BACKWARD_H_

#include <optional>

#include "core/kernels.h"

namespace poolproof {

std::optional<BadIndex> ReferenceMaxPoolBackward(const BackwardArgs& args);

}  // namespace poolproof

#endif  // POOLPROOF_REFERENCE_MAX_POOL_BACKWARD_H_
