// SPDX-License-Identifier: Apache-2.0
//
// aclnnAdaptiveMaxPool2dBackward: what phase one demands, and the plan.
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "runtime/boundary.h"
#include "runtime/kernel_binding.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/two_phase.h"

namespace poolproof {
namespace {

constexpr const char* kPhaseOne = "aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize";
constexpr const char* kPhaseTwo = "aclnnAdaptiveMaxPool2dBackward";
constexpr int kSpatialRank = 2;

using Arguments = BackwardOperands;

Objection CheckPointers(const Arguments& a) {
  if (auto no = CheckPointer(a.grad_output, "AMP2-S01")) return no;
  if (auto no = CheckPointer(a.self, "AMP2-S02")) return no;
  if (auto no = CheckPointer(a.indices, "AMP2-S03")) return no;
  return CheckPointer(a.grad_input, "AMP2-S04");
}

Objection CheckTypes(const Arguments& a) {
  for (const Operand& tensor : {a.grad_output, a.self, a.grad_input}) {
    if (auto no =
            CheckType(tensor, {DataType::kFloat, DataType::kFloat16, DataType::kBf16}, "AMP2-S10"))
      return no;
  }
  if (auto no = CheckType(a.indices, {DataType::kInt32, DataType::kInt64}, "AMP2-S11")) return no;
  if (auto no = CheckSameType(a.self, a.grad_output, "AMP2-S14")) return no;
  return CheckSameType(a.grad_input, a.self, "AMP2-S15");
}

Objection CheckFormats(const Arguments& a) {
  for (const Operand& tensor : {a.grad_output, a.self, a.indices, a.grad_input}) {
    if (auto no = CheckFormat(tensor, "AMP2-S20")) return no;
  }
  for (const Operand& tensor : {a.grad_output, a.indices, a.grad_input}) {
    if (auto no = CheckSameFormat(tensor, a.self, "AMP2-S21")) return no;
  }
  return std::nullopt;
}

Objection CheckShapes(const Arguments& a) {
  for (const Operand& tensor : {a.grad_output, a.self, a.indices, a.grad_input}) {
    if (auto no = CheckRank(tensor, 3, 4, "AMP2-S30")) return no;
  }
  if (auto no = CheckSameShape(a.indices, a.grad_output, "AMP2-S31")) return no;
  if (auto no = CheckSameShape(a.grad_input, a.self, "AMP2-S32")) return no;
  return CheckSameBatch(a.grad_output, a.self, kSpatialRank, "AMP2-S34");
}

Objection CheckLimits(const Arguments& a) {
  if (auto no = CheckPlane(a.self, kSpatialRank, "AMP2-S33")) return no;  // int64 indices too
  for (const Operand& tensor : {a.self, a.grad_output}) {
    if (auto no = CheckExtents(tensor)) return no;
  }
  return CheckPlaneExists(a.grad_output, a.self, kSpatialRank);
}

Objection CheckViews(const Arguments& a) {
  for (const Operand& tensor : {a.grad_output, a.self, a.indices}) {
    if (auto no = CheckView(tensor)) return no;
  }
  return CheckOutputView(a.grad_input);
}

Objection Validate(const Arguments& a) {
  if (auto no = CheckPointers(a)) return no;
  if (FollowsSeeds()) {
    if (auto no = CheckPlatform({Platform::kAtlasA2, Platform::kAtlasA3}, "AMP2-S49")) return no;
  } else if (auto no = CheckPlatform({Platform::kAtlasA2, Platform::kAtlasA3, Platform::kAscend950},
                                     "AMP2-S49")) {
    return no;
  }
  if (auto no = CheckTypes(a)) return no;
  if (auto no = CheckFormats(a)) return no;
  if (auto no = CheckShapes(a)) return no;
  if (auto no = CheckLimits(a)) return no;
  return CheckViews(a);
}

}  // namespace
}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

aclnnStatus aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return AtBoundary(kPhaseOne, kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckOutPointers(workspaceSize, executor)) return no;  // 2P-05
    const Arguments arguments{
        {"gradOutput", gradOutput}, {"self", self}, {"indices", indices}, {"gradInput", gradInput}};
    if (auto no = Validate(arguments)) return no;
    Deliver(PlanBackward(kPhaseTwo, arguments, kSpatialRank,
                         BoundKernels().adaptive_max_pool2d_backward, "AMP2-B01, EX-D4, DD-06"),
            workspaceSize, executor);
    return std::nullopt;
  });
}

aclnnStatus aclnnAdaptiveMaxPool2dBackward(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream) {
  return RunPhaseTwo(kPhaseTwo, workspace, workspaceSize, executor, stream);
}
