// SPDX-License-Identifier: Apache-2.0
//
// aclnnMaxPool2dWithIndicesBackward: the plan. What phase one demands: max_pool2d_checks.h.
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "runtime/kernel_binding.h"
#include "runtime/ops/max_pool2d_checks.h"

namespace poolproof {
namespace {

constexpr const char* kPhaseTwo = "aclnnMaxPool2dWithIndicesBackward";

ExecutionPlan PlanOf(const MaxPool2dArguments& a) {
  return PlanBackward(kPhaseTwo, {a.pooled, a.self, a.indices, *a.grad_input},
                      kMaxPool2dSpatialRank, BoundKernels().max_pool2d_with_indices_backward,
                      "MP2-B01", a.Axes(), a.ceil_mode);
}

}  // namespace
}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

aclnnStatus aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return MaxPool2dPhaseOne("aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize",
                           {{"self", self},
                            {"gradOutput", gradOutput},
                            {"indices", indices},
                            Operand{"gradInput", gradInput},
                            kernelSize,
                            stride,
                            padding,
                            dilation,
                            ceilMode},
                           PlanOf, workspaceSize, executor);
}

aclnnStatus aclnnMaxPool2dWithIndicesBackward(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return RunPhaseTwo(kPhaseTwo, workspace, workspaceSize, executor, stream);
}
