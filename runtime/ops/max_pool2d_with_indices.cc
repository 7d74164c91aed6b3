// SPDX-License-Identifier: Apache-2.0
//
// aclnnMaxPool2dWithIndices: the plan. What phase one demands: max_pool2d_checks.h.
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "runtime/kernel_binding.h"
#include "runtime/ops/max_pool2d_checks.h"

namespace poolproof {
namespace {

constexpr const char* kPhaseTwo = "aclnnMaxPool2dWithIndices";

ExecutionPlan PlanOf(const MaxPool2dArguments& a) {
  return PlanPooling(kPhaseTwo, {a.self, a.pooled, a.indices}, kMaxPool2dSpatialRank, a.Axes(),
                     a.ceil_mode, BoundKernels().max_pool2d_with_indices);
}

}  // namespace
}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

aclnnStatus aclnnMaxPool2dWithIndicesGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
    aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return MaxPool2dPhaseOne("aclnnMaxPool2dWithIndicesGetWorkspaceSize",
                           {{"self", self},
                            {"out", out},
                            {"indices", indices},
                            std::nullopt,
                            kernelSize,
                            stride,
                            padding,
                            dilation,
                            ceilMode},
                           PlanOf, workspaceSize, executor);
}

aclnnStatus aclnnMaxPool2dWithIndices(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
  return RunPhaseTwo(kPhaseTwo, workspace, workspaceSize, executor, stream);
}
