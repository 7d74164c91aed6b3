// SPDX-License-Identifier: Apache-2.0
//
// aclnnMaxPool3dWithArgmax: what phase one demands, and the plan. The forward has no clauses of its
// own; it is held to what its documents say.
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "runtime/boundary.h"
#include "runtime/kernel_binding.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/max_pool_window.h"

namespace poolproof {
namespace {

constexpr const char* kPhaseOne = "aclnnMaxPool3dWithArgmaxGetWorkspaceSize";
constexpr const char* kPhaseTwo = "aclnnMaxPool3dWithArgmax";
constexpr int kSpatialRank = 3;

struct Arguments {
  Operand self;
  const aclIntArray* kernel_size;
  const aclIntArray* stride;
  const aclIntArray* padding;
  const aclIntArray* dilation;
  bool ceil_mode;
  Operand out;
  Operand indices;
};

Objection CheckPointers(const Arguments& a) {
  for (const Operand& tensor : {a.self, a.out, a.indices}) {
    if (auto no = CheckPointer(tensor, nullptr)) return no;
  }
  if (auto no = CheckPointer("kernelSize", a.kernel_size, nullptr)) return no;
  if (auto no = CheckPointer("stride", a.stride, nullptr)) return no;
  if (auto no = CheckPointer("padding", a.padding, nullptr)) return no;
  return CheckPointer("dilation", a.dilation, nullptr);
}

Objection CheckTypes(const Arguments& a) {
  if (auto no =
          CheckType(a.self, {DataType::kFloat, DataType::kFloat16, DataType::kBf16}, nullptr)) {
    return no;
  }
  if (auto no = CheckSameType(a.out, a.self, nullptr)) return no;
  if (CurrentPlatform() == Platform::kAscend950) {
    return CheckType(a.indices, {DataType::kInt32, DataType::kInt64}, nullptr);
  }
  return CheckType(a.indices, {DataType::kInt32}, nullptr);
}

Objection CheckFormats(const Arguments& a) {
  if (CurrentPlatform() == Platform::kAscend950) {
    if (auto no = CheckFormat(a.self, {Format::kNdhwc, Format::kNcdhw, Format::kNchw, Format::kNd},
                              nullptr)) {
      return no;
    }
  } else if (auto no = CheckFormat(a.self, nullptr)) {
    return no;
  }
  if (auto no = CheckSameFormat(a.out, a.self, nullptr)) return no;
  return CheckSameFormat(a.indices, a.self, nullptr);
}

Objection CheckWindow(const Arguments& a) {
  if (auto no = CheckLength("kernelSize", *a.kernel_size, {1, 3}, nullptr)) return no;
  if (auto no = CheckAtLeast("kernelSize", *a.kernel_size, 1, nullptr)) return no;
  if (auto no = CheckLength("stride", *a.stride, {0, 1, 3}, nullptr)) return no;
  if (auto no = CheckAtLeast("stride", *a.stride, 1, nullptr)) return no;
  if (auto no = CheckLength("padding", *a.padding, {1, 3}, nullptr)) return no;
  if (auto no = CheckAtLeast("padding", *a.padding, 0, nullptr)) return no;
  if (auto no = CheckPadding(*a.padding, *a.kernel_size, kSpatialRank, nullptr)) return no;
  if (auto no = CheckLength("dilation", *a.dilation, {1, 3}, nullptr)) return no;
  if (CurrentPlatform() == Platform::kAscend950) {
    return CheckAtLeast("dilation", *a.dilation, 1, nullptr);
  }
  return CheckAllOnes("dilation", *a.dilation, nullptr);
}

Objection CheckShapes(const Arguments& a) {
  if (auto no = CheckRank(a.self, 4, 5, nullptr)) return no;
  if (auto no = CheckWindow(a)) return no;
  if (a.indices.tensor->type == DataType::kInt32) {
    if (auto no = CheckPlane(a.self, kSpatialRank, nullptr)) return no;
  }
  if (auto no = CheckExtents(a.self)) return no;
  const auto axes = WindowAxes(*a.kernel_size, *a.stride, *a.padding, *a.dilation, kSpatialRank);
  if (auto no = CheckPooledShape(a.out, a.self, axes, kSpatialRank, a.ceil_mode, nullptr)) {
    return no;
  }
  return CheckSameShape(a.indices, a.out, nullptr);
}

Objection Validate(const Arguments& a) {
  if (auto no =
          CheckPlatform({Platform::kAtlasA2, Platform::kAtlasA3, Platform::kAscend950}, nullptr)) {
    return no;
  }
  if (auto no = CheckPointers(a)) return no;
  if (auto no = CheckTypes(a)) return no;
  if (auto no = CheckFormats(a)) return no;
  if (auto no = CheckShapes(a)) return no;
  if (auto no = CheckView(a.self)) return no;
  if (auto no = CheckOutputView(a.out)) return no;
  return CheckOutputView(a.indices);
}

}  // namespace
}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

aclnnStatus aclnnMaxPool3dWithArgmaxGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
    aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return AtBoundary(kPhaseOne, kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckOutPointers(workspaceSize, executor)) return no;  // 2P-05
    const Arguments arguments{{"self", self}, kernelSize, stride,       padding,
                              dilation,       ceilMode,   {"out", out}, {"indices", indices}};
    if (auto no = Validate(arguments)) return no;
    Deliver(PlanPooling(kPhaseTwo, {arguments.self, arguments.out, arguments.indices}, kSpatialRank,
                        WindowAxes(*kernelSize, *stride, *padding, *dilation, kSpatialRank),
                        ceilMode, BoundKernels().max_pool3d_with_argmax),
            workspaceSize, executor);
    return std::nullopt;
  });
}

aclnnStatus aclnnMaxPool3dWithArgmax(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream) {
  return RunPhaseTwo(kPhaseTwo, workspace, workspaceSize, executor, stream);
}
