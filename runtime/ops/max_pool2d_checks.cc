// SPDX-License-Identifier: Apache-2.0
//
// The clauses are the backward's; the forward has none of its own and is held to what its documents
// say. NHWC means C last (DD-34).
#include "runtime/ops/max_pool2d_checks.h"

#include <deque>

#include "runtime/boundary.h"

namespace poolproof {
namespace {

constexpr int kSpatialRank = kMaxPool2dSpatialRank;
constexpr std::initializer_list<DataType> kFloat = {DataType::kFloat};
constexpr std::initializer_list<DataType> kFloats = {DataType::kFloat, DataType::kFloat16,
                                                     DataType::kBf16};
constexpr std::initializer_list<DataType> kInt32 = {DataType::kInt32};
constexpr std::initializer_list<DataType> kInt32And64 = {DataType::kInt32, DataType::kInt64};

Objection CheckPointers(const MaxPool2dArguments& a) {
  if (auto no = CheckPointer(a.self, a.Clause("MP2-S01"))) return no;
  if (auto no = CheckPointer(a.indices, a.Clause("MP2-S02"))) return no;
  if (auto no = CheckPointer(a.pooled, a.Clause("MP2-S03"))) return no;
  if (a.grad_input) {
    if (auto no = CheckPointer(*a.grad_input, "MP2-S04")) return no;
  }
  if (auto no = CheckPointer("kernelSize", a.kernel_size, a.Clause("MP2-S05"))) return no;
  if (auto no = CheckPointer("stride", a.stride, a.Clause("MP2-S05"))) return no;
  if (auto no = CheckPointer("padding", a.padding, a.Clause("MP2-S05"))) return no;
  return CheckPointer("dilation", a.dilation, a.Clause("MP2-S05"));
}

// Ascend 950 and every forward: MP2-B24, MP2-B28.
Objection CheckTypes(const MaxPool2dArguments& a) {
  const bool wide = !a.grad_input || CurrentPlatform() == Platform::kAscend950;
  for (const Operand& tensor : a.Values()) {
    if (auto no = CheckType(tensor, wide ? kFloats : kFloat, a.Clause("MP2-S10"))) return no;
  }
  const char* clause = !wide && a.indices.tensor->type == DataType::kInt64 ? "MP2-S12" : "MP2-S11";
  if (auto no = CheckType(a.indices, wide ? kInt32And64 : kInt32, a.Clause(clause))) return no;
  for (const Operand& tensor : a.Values()) {
    if (auto no = CheckSameType(tensor, a.self, a.Clause("MP2-S14"))) return no;
  }
  return std::nullopt;
}

Objection CheckFormats(const MaxPool2dArguments& a) {
  for (const Operand& tensor : a.Tensors()) {
    if (auto no = CheckFormat(tensor, a.Clause("MP2-S20"))) return no;
  }
  for (const Operand& tensor : a.Tensors()) {
    if (auto no = CheckSameFormat(tensor, a.self, a.Clause("MP2-S21"))) return no;
  }
  return std::nullopt;
}

Objection CheckShapes(const MaxPool2dArguments& a) {
  for (const Operand& tensor : a.Tensors()) {
    if (auto no = CheckRank(tensor, 3, 4, a.Clause("MP2-S32"))) return no;
  }
  if (auto no = CheckSameShape(a.indices, a.pooled, a.Clause("MP2-S30"))) return no;
  return a.grad_input ? CheckSameShape(*a.grad_input, a.self, "MP2-S31") : std::nullopt;
}

Objection CheckWindow(const MaxPool2dArguments& a) {
  if (auto no = CheckLength("kernelSize", *a.kernel_size, {1, 2}, a.Clause("MP2-S40"))) return no;
  if (auto no = CheckAtLeast("kernelSize", *a.kernel_size, 1, a.Clause("MP2-S41"))) return no;
  if (auto no = CheckLength("stride", *a.stride, {0, 1, 2}, a.Clause("MP2-S42"))) return no;
  if (auto no = CheckAtLeast("stride", *a.stride, 1, a.Clause("MP2-S43"))) return no;
  if (auto no = CheckLength("padding", *a.padding, {1, 2}, a.Clause("MP2-S44"))) return no;
  if (auto no = CheckAtLeast("padding", *a.padding, 0, a.Clause("MP2-S45"))) return no;
  if (auto no = CheckPadding(*a.padding, *a.kernel_size, kSpatialRank, a.Clause("MP2-S46"))) {
    return no;  // above the whole kernel too: MP2-S52
  }
  if (auto no = CheckLength("dilation", *a.dilation, {1, 2}, a.Clause("MP2-S47"))) return no;
  if (CurrentPlatform() == Platform::kAscend950) {
    return CheckAtLeast("dilation", *a.dilation, 1, a.Clause("MP2-S53"));
  }
  return CheckAllOnes("dilation", *a.dilation, a.Clause("MP2-S48"));
}

Objection CheckLimits(const MaxPool2dArguments& a) {
  if (a.indices.tensor->type == DataType::kInt32) {
    // No clause: an int32 cannot name what lies behind.
    if (auto no = CheckPlane(a.self, kSpatialRank, nullptr)) return no;
  }
  for (const Operand& tensor : {a.self, a.pooled}) {
    if (auto no = CheckExtents(tensor)) return no;
  }
  if (auto no = CheckPlanesExist(a.self, kSpatialRank)) return no;
  return CheckPooledShape(a.pooled, a.self, a.Axes(), kSpatialRank, a.ceil_mode,
                          a.Clause("MP2-S33"));
}

Objection CheckViews(const MaxPool2dArguments& a) {
  if (auto no = CheckView(a.self)) return no;
  if (!a.grad_input) {
    if (auto no = CheckOutputView(a.pooled)) return no;
    return CheckOutputView(a.indices);
  }
  if (auto no = CheckView(a.pooled)) return no;
  if (auto no = CheckView(a.indices)) return no;
  return CheckOutputView(*a.grad_input);
}

Objection Validate(const MaxPool2dArguments& a) {
  if (auto no = CheckPlatform({Platform::kAtlasA2, Platform::kAtlasA3, Platform::kAscend950},
                              a.Clause("MP2-S49"))) {
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

aclnnStatus MaxPool2dPhaseOne(const char* function, const MaxPool2dArguments& arguments,
                              ExecutionPlan (*plan_of)(const MaxPool2dArguments&),
                              std::uint64_t* workspace_size, aclOpExecutor** executor) noexcept {
  return AtBoundary(function, kAclnnCodes, [&]() -> Objection {
    if (auto no = CheckOutPointers(workspace_size, executor)) return no;  // 2P-05
    if (auto no = CheckPointers(arguments)) return no;
    std::deque<aclTensor> tensors;  // those that `channels_first` points to
    const auto convert = [&](Operand& operand) {
      operand.tensor = &tensors.emplace_back(ChannelsFirst(*operand.tensor));
    };
    MaxPool2dArguments channels_first = arguments;
    convert(channels_first.self);
    convert(channels_first.pooled);
    convert(channels_first.indices);
    if (channels_first.grad_input) convert(*channels_first.grad_input);
    if (auto no = Validate(channels_first)) return no;
    Deliver(plan_of(channels_first), workspace_size, executor);
    return std::nullopt;
  });
}

}  // namespace poolproof
