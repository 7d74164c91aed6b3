// SPDX-License-Identifier: Apache-2.0
//
// aclnnMaxPool2dWithIndices: 2-d max pooling and where its maxima are. C++11.
#ifndef POOLPROOF_INCLUDE_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_H_
#define POOLPROOF_INCLUDE_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase one. `self` is (N,C,H,W) or (C,H,W); `out` and `indices` have the pooled shape. An index is
// h*W + w within its own (n, c); the first maximum wins, a NaN wins over numbers, padding never
// wins. float, float16 or bfloat16; indices int32 or int64. The lists are those of the backward.
// Returns 0 with a workspace size and an executor, or leaves both alone: 161001 for a null pointer,
// 161002 for a type, format, shape or parameter that is not supported, 561103 for a view that
// leaves its storage.
ACLNN_API aclnnStatus aclnnMaxPool2dWithIndicesGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
    aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase two: queues the planned work on `stream` and ends the executor. `workspace` holds the bytes
// that phase one asked for; null where it asked for none. Results and faults of the run are there
// once the stream is synchronised.
ACLNN_API aclnnStatus aclnnMaxPool2dWithIndices(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // POOLPROOF_INCLUDE_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_H_
