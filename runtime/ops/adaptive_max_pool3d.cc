// SPDX-License-Identifier: Apache-2.0
//
// aclnnAdaptiveMaxPool3d: what phase one demands, and the plan. The forward has no clauses of its
// own; it is held to what its documents say.
#include <algorithm>
#include <array>

#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "runtime/boundary.h"
#include "runtime/kernel_binding.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/two_phase.h"

namespace poolproof {
namespace {

constexpr const char* kPhaseOne = "aclnnAdaptiveMaxPool3dGetWorkspaceSize";
constexpr const char* kPhaseTwo = "aclnnAdaptiveMaxPool3d";
constexpr int kSpatialRank = 3;

struct Arguments {
  Operand self;
  const aclIntArray* output_size;
  Operand out;
  Operand indices;
};

Objection CheckPointers(const Arguments& a) {
  for (const Operand& tensor : {a.self, a.out, a.indices}) {
    if (auto no = CheckPointer(tensor, nullptr)) return no;
  }
  return CheckPointer("outputSize", a.output_size, nullptr);
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
    if (auto no = CheckFormat(a.self, {Format::kNcdhw, Format::kNchw, Format::kNd}, nullptr)) {
      return no;
    }
  } else if (auto no = CheckFormat(a.self, {Format::kNcdhw, Format::kNchw}, nullptr)) {
    return no;  // ND is refused off Ascend 950
  }
  if (auto no = CheckSameFormat(a.out, a.self, nullptr)) return no;
  return CheckSameFormat(a.indices, a.self, nullptr);
}

Objection CheckShapes(const Arguments& a) {
  if (auto no = CheckRank(a.self, 4, 5, nullptr)) return no;
  if (CurrentPlatform() == Platform::kAscend950) {
    if (auto no = CheckLength("outputSize", *a.output_size, {0, 1, 3}, nullptr)) return no;
  } else if (auto no = CheckLength("outputSize", *a.output_size, {3}, nullptr)) {
    return no;
  }
  if (auto no = CheckAtLeast("outputSize", *a.output_size, 1, nullptr)) return no;
  if (a.indices.tensor->type != DataType::kInt64) {
    if (auto no = CheckPlane(a.self, kSpatialRank, nullptr)) return no;
  }
  if (auto no = CheckExtents(a.self)) return no;
  if (auto no = CheckSameBatch(a.out, a.self, kSpatialRank, nullptr)) return no;
  // On Ascend 950 one value represents three axes, and none leaves the choice to the output.
  Dims wanted = a.out.tensor->shape;
  const std::size_t first = wanted.size() - kSpatialRank;
  const std::array<std::int64_t, 3> sizes =
      PerAxis(*a.output_size, {wanted[first], wanted[first + 1], wanted[first + 2]});
  std::copy(sizes.begin(), sizes.end(), wanted.end() - kSpatialRank);
  if (auto no = CheckShape(a.out, wanted, "by outputSize", nullptr)) return no;
  if (auto no = CheckSameShape(a.indices, a.out, nullptr)) return no;
  if (auto no = CheckExtents(a.out)) return no;
  return CheckPlaneExists(a.out, a.self, kSpatialRank);
}

Objection Validate(const Arguments& a) {
  if (auto no = CheckPointers(a)) return no;
  if (auto no =
          CheckPlatform({Platform::kAtlasA2, Platform::kAtlasA3, Platform::kAscend950}, nullptr)) {
    return no;
  }
  if (auto no = CheckTypes(a)) return no;
  if (auto no = CheckFormats(a)) return no;
  if (auto no = CheckShapes(a)) return no;
  if (auto no = CheckView(a.self)) return no;
  if (auto no = CheckOutputView(a.out)) return no;
  return CheckOutputView(a.indices);
}

ExecutionPlan PlanForward(const Arguments& a) {
  ExecutionPlan plan;
  plan.function = kPhaseTwo;
  plan.inputs = {{a.self.name, *a.self.tensor}};
  plan.outputs = {{a.out.name, *a.out.tensor}, {a.indices.name, *a.indices.tensor}};
  if (IsEmpty(*a.out.tensor)) return plan;
  plan.run = [notes = NotesOf(*a.self.tensor, false)](const ExecutionPlan& self) -> Objection {
    BoundKernels().adaptive_max_pool3d({KernelInput(self.inputs[0], kSpatialRank),
                                        KernelOutput(self.outputs[0], kSpatialRank),
                                        KernelOutput(self.outputs[1], kSpatialRank), notes});
    return std::nullopt;
  };
  return plan;
}

}  // namespace
}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

aclnnStatus aclnnAdaptiveMaxPool3dGetWorkspaceSize(const aclTensor* self,
                                                   const aclIntArray* outputSize,
                                                   aclTensor* outputOut, aclTensor* indicesOut,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return AtBoundary(kPhaseOne, kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckOutPointers(workspaceSize, executor)) return no;  // 2P-05
    const Arguments arguments{
        {"self", self}, outputSize, {"outputOut", outputOut}, {"indicesOut", indicesOut}};
    if (auto no = Validate(arguments)) return no;
    Deliver(PlanForward(arguments), workspaceSize, executor);
    return std::nullopt;
  });
}

aclnnStatus aclnnAdaptiveMaxPool3d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
  return RunPhaseTwo(kPhaseTwo, workspace, workspaceSize, executor, stream);
}
