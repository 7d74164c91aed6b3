// SPDX-License-Identifier: Apache-2.0
//
// The operators that an adapter can offer, in the order of KernelTable (core/kernels.h): the name
// of the ABI, and that of functions. Used by the kit and by adapters that offer all of them.
#ifndef POOLPROOF_ADAPTERS_KIT_EACH_OPERATOR_H_
#define POOLPROOF_ADAPTERS_KIT_EACH_OPERATOR_H_

#define POOLPROOF_EACH_OPERATOR(X)                                  \
  X(MaxPool2dWithIndicesBackward, max_pool2d_with_indices_backward) \
  X(MaxPool3dWithArgmaxBackward, max_pool3d_with_argmax_backward)   \
  X(AdaptiveMaxPool3dBackward, adaptive_max_pool3d_backward)        \
  X(AdaptiveMaxPool2dBackward, adaptive_max_pool2d_backward)        \
  X(MaxPool2dWithIndices, max_pool2d_with_indices)                  \
  X(MaxPool3dWithArgmax, max_pool3d_with_argmax)                    \
  X(AdaptiveMaxPool3d, adaptive_max_pool3d)                         \
  X(AdaptiveMaxPool2d, adaptive_max_pool2d)

#endif  // POOLPROOF_ADAPTERS_KIT_EACH_OPERATOR_H_
