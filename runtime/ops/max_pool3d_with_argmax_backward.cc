// SPDX-License-Identifier: Apache-2.0
//
// aclnnMaxPool3dWithArgmaxBackward: what phase one demands, and the plan.
#include <array>

#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "runtime/boundary.h"
#include "runtime/kernel_binding.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/max_pool_window.h"

namespace poolproof {
namespace {

constexpr const char* kPhaseOne = "aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize";
constexpr const char* kPhaseTwo = "aclnnMaxPool3dWithArgmaxBackward";
constexpr int kSpatialRank = 3;

struct Arguments {
  Operand grad_output;
  Operand self;
  Operand indices;
  Operand grad_input;
  const aclIntArray* kernel_size;
  const aclIntArray* stride;
  const aclIntArray* padding;
  const aclIntArray* dilation;
  bool ceil_mode;
};

Objection CheckPointers(const Arguments& a) {
  if (auto no = CheckPointer(a.self, "MP3-S01")) return no;
  if (auto no = CheckPointer(a.indices, "MP3-S02")) return no;
  if (auto no = CheckPointer(a.grad_output, "MP3-S03")) return no;
  if (auto no = CheckPointer(a.grad_input, "MP3-S04")) return no;
  if (auto no = CheckPointer("kernelSize", a.kernel_size, "MP3-S05")) return no;
  if (auto no = CheckPointer("stride", a.stride, "MP3-S05")) return no;
  if (auto no = CheckPointer("padding", a.padding, "MP3-S05")) return no;
  return CheckPointer("dilation", a.dilation, "MP3-S05");
}

Objection CheckTypes(const Arguments& a) {
  for (const Operand& tensor : {a.grad_output, a.self, a.grad_input}) {
    if (auto no =
            CheckType(tensor, {DataType::kFloat, DataType::kFloat16, DataType::kBf16}, "MP3-S10"))
      return no;  // DOUBLE too: MP3-S13
  }
  if (CurrentPlatform() == Platform::kAscend950) {
    if (auto no = CheckType(a.indices, {DataType::kInt32, DataType::kInt64}, "MP3-S11")) return no;
  } else {
    const char* clause = a.indices.tensor->type == DataType::kInt64 ? "MP3-S12" : "MP3-S11";
    if (auto no = CheckType(a.indices, {DataType::kInt32}, clause)) return no;
  }
  if (auto no = CheckSameType(a.grad_output, a.self, "MP3-S14")) return no;
  return CheckSameType(a.grad_input, a.self, "MP3-S14");
}

Objection CheckFormats(const Arguments& a) {
  for (const Operand& tensor : {a.grad_output, a.self, a.indices, a.grad_input}) {
    if (auto no = CheckFormat(tensor, "MP3-S20")) return no;
  }
  if (auto no = CheckSameFormat(a.grad_output, a.self, "MP3-S21")) return no;
  if (auto no = CheckSameFormat(a.grad_input, a.self, "MP3-S21")) return no;
  return CheckSameFormat(a.indices, a.self, "MP3-S22");
}

Objection CheckShapes(const Arguments& a) {
  for (const Operand& tensor : {a.grad_output, a.self, a.indices, a.grad_input}) {
    if (auto no = CheckRank(tensor, 4, 5, "MP3-S32")) return no;
  }
  if (auto no = CheckSameShape(a.indices, a.grad_output, "MP3-S30")) return no;
  if (auto no = CheckSameShape(a.grad_input, a.self, "MP3-S31")) return no;
  return std::nullopt;
}

Objection CheckWindow(const Arguments& a) {
  if (auto no = CheckLength("kernelSize", *a.kernel_size, {1, 3}, "MP3-S40")) return no;
  if (auto no = CheckAtLeast("kernelSize", *a.kernel_size, 1, "MP3-S41")) return no;
  if (auto no = CheckLength("stride", *a.stride, {0, 1, 3}, "MP3-S42")) return no;
  if (auto no = CheckAtLeast("stride", *a.stride, 1, "MP3-S43")) return no;
  if (auto no = CheckLength("padding", *a.padding, {1, 3}, "MP3-S44")) return no;
  if (auto no = CheckAtLeast("padding", *a.padding, 0, "MP3-S45")) return no;
  if (auto no = CheckPadding(*a.padding, *a.kernel_size, kSpatialRank, "MP3-S46")) return no;
  if (auto no = CheckLength("dilation", *a.dilation, {1, 3}, "MP3-S47")) return no;
  return CheckAllOnes("dilation", *a.dilation, "MP3-S48");
}

Objection CheckLimits(const Arguments& a) {
  if (CurrentPlatform() != Platform::kAscend950) {
    if (auto no = CheckPlane(a.self, kSpatialRank, "MP3-S50")) return no;
  } else if (a.indices.tensor->type == DataType::kInt32) {
    // No clause: an int32 cannot name what lies behind. With int64 there is no limit (MP3-B25).
    if (auto no = CheckPlane(a.self, kSpatialRank, nullptr)) return no;
  }
  for (const Operand& tensor : {a.self, a.grad_output}) {
    if (auto no = CheckExtents(tensor)) return no;
  }
  const auto axes = WindowAxes(*a.kernel_size, *a.stride, *a.padding, *a.dilation, kSpatialRank);
  return CheckPooledShape(a.grad_output, a.self, axes, kSpatialRank, a.ceil_mode, "MP3-S33");
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
                              "MP3-S49")) {
    return no;
  }
  if (auto no = CheckTypes(a)) return no;
  if (auto no = CheckFormats(a)) return no;
  if (auto no = CheckShapes(a)) return no;
  if (auto no = CheckWindow(a)) return no;
  if (auto no = CheckLimits(a)) return no;
  return CheckViews(a);
}

}  // namespace
}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

aclnnStatus aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return AtBoundary(kPhaseOne, kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckOutPointers(workspaceSize, executor)) return no;  // 2P-05
    const Arguments arguments{{"gradOutput", gradOutput},
                              {"self", self},
                              {"indices", indices},
                              {"gradInput", gradInput},
                              kernelSize,
                              stride,
                              padding,
                              dilation,
                              ceilMode};
    if (auto no = Validate(arguments)) return no;
    Deliver(PlanBackward(
                kPhaseTwo,
                {arguments.grad_output, arguments.self, arguments.indices, arguments.grad_input},
                kSpatialRank, BoundKernels().max_pool3d_with_argmax_backward, "MP3-B01",
                WindowAxes(*kernelSize, *stride, *padding, *dilation, kSpatialRank), ceilMode),
            workspaceSize, executor);
    return std::nullopt;
  });
}

aclnnStatus aclnnMaxPool3dWithArgmaxBackward(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream) {
  return RunPhaseTwo(kPhaseTwo, workspace, workspaceSize, executor, stream);
}
