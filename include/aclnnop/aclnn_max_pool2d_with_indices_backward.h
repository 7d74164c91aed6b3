// SPDX-License-Identifier: Apache-2.0
//
// aclnnMaxPool2dWithIndicesBackward: gradients of a 2-d max pooling, put back where the maxima
// were. C++11.
#ifndef POOLPROOF_INCLUDE_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_BACKWARD_H_
#define POOLPROOF_INCLUDE_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase one. `self` and `gradInput` are (N,C,H,W) or (C,H,W), whatever public format they are
// labelled with; `gradOutput` and `indices` have the forward's output shape. An index is h*W + w
// within its own (n, c). gradInput is the sum of the gradients whose index names the position, and
// zero elsewhere; it is written in full. float, on Ascend 950 float16 and bfloat16 too; indices
// int32, on Ascend 950 int64 too. kernelSize has length 1 or 2, stride 0 (equal to the kernel), 1
// or 2, padding 1 or 2 and at most half the kernel, dilation 1 or 2 with value 1, on Ascend 950
// any positive one. The tensors' memory is read and written by phase two's work only.
// Returns 0 with a workspace size and an executor, or leaves both alone: 161001 for a null pointer,
// 161002 for a type, format, shape or parameter that is not supported, 561103 for a view that
// leaves its storage.
ACLNN_API aclnnStatus aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase two: queues the planned work on `stream` and ends the executor. `workspace` holds the bytes
// that phase one asked for; null where it asked for none. Results and faults of the run are there
// once the stream is synchronised.
ACLNN_API aclnnStatus aclnnMaxPool2dWithIndicesBackward(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // POOLPROOF_INCLUDE_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_BACKWARD_H_
