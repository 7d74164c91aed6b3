// SPDX-License-Identifier: Apache-2.0
//
// aclnnAdaptiveMaxPool3dBackward: what phase one demands, and the plan.
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "runtime/boundary.h"
#include "runtime/kernel_binding.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/two_phase.h"

namespace poolproof {
namespace {

constexpr const char* kPhaseOne = "aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize";
constexpr const char* kPhaseTwo = "aclnnAdaptiveMaxPool3dBackward";
constexpr int kSpatialRank = 3;

using Arguments = BackwardOperands;

Objection CheckPointers(const Arguments& a) {
  if (auto no = CheckPointer(a.grad_output, "AMP3-S01")) return no;
  if (auto no = CheckPointer(a.self, "AMP3-S02")) return no;
  if (auto no = CheckPointer(a.indices, "AMP3-S03")) return no;
  return CheckPointer(a.grad_input, "AMP3-S04");
}

Objection CheckTypes(const Arguments& a) {
  for (const Operand& tensor : {a.grad_output, a.self, a.grad_input}) {
    if (auto no =
            CheckType(tensor, {DataType::kFloat, DataType::kFloat16, DataType::kBf16}, "AMP3-S10"))
      return no;
  }
  if (CurrentPlatform() == Platform::kAscend950) {
    // AMP3-B24; the older edition mentions no Ascend 950 (DD-17).
    if (auto no = CheckType(a.indices, {DataType::kInt32, DataType::kInt64}, nullptr)) return no;
  } else {
    const char* clause = a.indices.tensor->type == DataType::kInt64 ? "AMP3-S12" : "AMP3-S11";
    if (auto no = CheckType(a.indices, {DataType::kInt32}, clause)) return no;
  }
  if (auto no = CheckSameType(a.self, a.grad_output, "AMP3-S14")) return no;
  return CheckSameType(a.grad_input, a.self, FollowsSeeds() ? "AMP3-S14" : "AMP3-S15");
}

Objection CheckFormats(const Arguments& a) {
  for (const Operand& tensor : {a.grad_output, a.self, a.indices, a.grad_input}) {
    if (auto no = CheckFormat(tensor, "AMP3-S20")) return no;
  }
  for (const Operand& tensor : {a.grad_output, a.indices, a.grad_input}) {
    if (auto no = CheckSameFormat(tensor, a.self, "AMP3-S21")) return no;
  }
  return std::nullopt;
}

Objection CheckShapes(const Arguments& a) {
  for (const Operand& tensor : {a.grad_output, a.self, a.indices, a.grad_input}) {
    if (auto no = CheckRank(tensor, 4, 5, "AMP3-S30")) return no;
  }
  if (auto no = CheckSameShape(a.indices, a.grad_output, "AMP3-S31")) return no;
  if (auto no = CheckSameShape(a.grad_input, a.self, "AMP3-S32")) return no;
  return CheckSameBatch(a.grad_output, a.self, kSpatialRank, "AMP3-S34");
}

Objection CheckLimits(const Arguments& a) {
  // Where int64 indices are accepted beside int32 (Ascend 950) they can name any element.
  if (a.indices.tensor->type != DataType::kInt64) {
    if (auto no = CheckPlane(a.self, kSpatialRank, "AMP3-S33")) return no;
  }
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
  if (auto no = CheckPlatform({Platform::kAtlasA2, Platform::kAtlasA3, Platform::kAscend950},
                              "AMP3-S49")) {
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

aclnnStatus aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return AtBoundary(kPhaseOne, kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckOutPointers(workspaceSize, executor)) return no;  // 2P-05
    const Arguments arguments{
        {"gradOutput", gradOutput}, {"self", self}, {"indices", indices}, {"gradInput", gradInput}};
    if (auto no = Validate(arguments)) return no;
    Deliver(PlanBackward(kPhaseTwo, arguments, kSpatialRank,
                         BoundKernels().adaptive_max_pool3d_backward, "AMP3-B01"),
            workspaceSize, executor);
    return std::nullopt;
  });
}

aclnnStatus aclnnAdaptiveMaxPool3dBackward(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream) {
  return RunPhaseTwo(kPhaseTwo, workspace, workspaceSize, executor, stream);
}
