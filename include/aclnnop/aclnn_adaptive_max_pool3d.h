// SPDX-License-Identifier: Apache-2.0
//
// aclnnAdaptiveMaxPool3d: 3-d adaptive max pooling and where its maxima are. C++11.
#ifndef POOLPROOF_INCLUDE_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_H_
#define POOLPROOF_INCLUDE_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase one. `self` is (N,C,D,H,W) or (C,D,H,W); `outputOut` and `indicesOut` have its N and C and
// the extents of `outputSize` (length 3). Window l of an axis covers
// [floor(l*L/Lo), ceil((l+1)*L/Lo)). Formats NCDHW and NCHW (on Ascend 950 ND too); indices int32
// (on Ascend 950 int64 too).
// Returns 0 with a workspace size and an executor, or leaves both alone: 161001 for a null pointer,
// 161002 for a type, format, shape or parameter that is not supported, 561103 for a view that
// leaves its storage.
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool3dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut,
    aclTensor* indicesOut, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase two: queues the planned work on `stream` and ends the executor. `workspace` holds the bytes
// that phase one asked for; null where it asked for none. Results and faults of the run are there
// once the stream is synchronised.
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool3d(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // POOLPROOF_INCLUDE_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_H_
