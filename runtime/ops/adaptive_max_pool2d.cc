// SPDX-License-Identifier: Apache-2.0
//
// aclnnAdaptiveMaxPool2d: what phase one demands, and the plan. The forward has no clauses of its
// own; it is held to what its documents say.
#include <algorithm>
#include <array>
#include <vector>

#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "runtime/boundary.h"
#include "runtime/kernel_binding.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/two_phase.h"

namespace poolproof {
namespace {

constexpr const char* kPhaseOne = "aclnnAdaptiveMaxPool2dGetWorkspaceSize";
constexpr const char* kPhaseTwo = "aclnnAdaptiveMaxPool2d";
constexpr int kSpatialRank = 2;

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
  if (auto no = CheckType(
          a.self, {DataType::kFloat, DataType::kFloat16, DataType::kBf16, DataType::kDouble},
          nullptr)) {
    return no;
  }
  if (auto no = CheckSameType(a.out, a.self, nullptr)) return no;
  return CheckType(a.indices, {DataType::kInt64}, nullptr);
}

Objection CheckFormats(const Arguments& a) {
  if (auto no = CheckFormat(a.self, nullptr)) return no;
  if (auto no = CheckSameFormat(a.out, a.self, nullptr)) return no;
  return CheckSameFormat(a.indices, a.self, nullptr);
}

Objection CheckShapes(const Arguments& a) {
  if (auto no = CheckRank(a.self, 3, 4, nullptr)) return no;
  if (auto no = CheckLength("outputSize", *a.output_size, {2}, nullptr)) return no;
  if (auto no = CheckAtLeast("outputSize", *a.output_size, 1, nullptr)) return no;
  if (auto no = CheckExtents(a.self)) return no;
  if (auto no = CheckSameBatch(a.out, a.self, kSpatialRank, nullptr)) return no;
  Dims wanted = a.out.tensor->shape;
  const std::vector<std::int64_t>& sizes = a.output_size->values;
  std::copy(sizes.begin(), sizes.end(), wanted.end() - kSpatialRank);
  if (auto no = CheckShape(a.out, wanted, "by outputSize", nullptr)) return no;
  if (auto no = CheckSameShape(a.indices, a.out, nullptr)) return no;
  if (auto no = CheckExtents(a.out)) return no;
  return CheckPlanesExist(a.self, kSpatialRank);
}

Objection Validate(const Arguments& a) {
  if (auto no = CheckPlatform(
          {Platform::kAtlasA2, Platform::kAtlasA3, Platform::kAscend950, Platform::kAtlasTraining},
          nullptr)) {
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
    BoundKernels().adaptive_max_pool2d({KernelInput(self.inputs[0], kSpatialRank),
                                        KernelOutput(self.outputs[0], kSpatialRank),
                                        KernelOutput(self.outputs[1], kSpatialRank), notes});
    return std::nullopt;
  };
  return plan;
}

}  // namespace
}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

aclnnStatus aclnnAdaptiveMaxPool2dGetWorkspaceSize(const aclTensor* self,
                                                   const aclIntArray* outputSize,
                                                   aclTensor* outputOut, aclTensor* indicesOut,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return AtBoundary(kPhaseOne, kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckOutPointers(workspaceSize, executor)) return no;  // 2P-05
    const Arguments arguments{
        {"self", self}, outputSize, {"outputOut", outputOut}, {"indicesOut", indicesOut}};
    if (auto no = CheckPointers(arguments)) return no;
    const std::array<aclTensor, 3> tensors = {ChannelsFirst(*self), ChannelsFirst(*outputOut),
                                              ChannelsFirst(*indicesOut)};
    const Arguments channels_first{
        {"self", &tensors[0]}, outputSize, {"outputOut", &tensors[1]}, {"indicesOut", &tensors[2]}};
    if (auto no = Validate(channels_first)) return no;
    Deliver(PlanForward(channels_first), workspaceSize, executor);
    return std::nullopt;
  });
}

aclnnStatus aclnnAdaptiveMaxPool2d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
  return RunPhaseTwo(kPhaseTwo, workspace, workspaceSize, executor, stream);
}
