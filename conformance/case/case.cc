// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/case.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "core/pool_geometry.h"

namespace poolproof {
namespace {

constexpr std::array<std::string_view, kRelationCount> kRelationNames = {
    "none",      "linearity",  "scaling",   "plane-permutation", "conservation", "self-irrelevant",
    "view-copy", "batch-axis", "depth-one", "adaptive-fixed",    "list-length",  "index-type"};

// A list of length 1 or 3 as three values; nullopt for other lengths or values below `lowest`.
std::optional<std::array<std::int64_t, 3>> ExpandList(const std::optional<Dims>& list,
                                                      std::int64_t lowest) {
  if (!list.has_value() || (list->size() != 1 && list->size() != 3)) return std::nullopt;
  std::array<std::int64_t, 3> values{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    values[axis] = (*list)[list->size() == 1 ? 0 : axis];
    if (values[axis] < lowest) return std::nullopt;
  }
  return values;
}

void AddDerivedTensors(Call& call, DataType type, DataType index_type, const Dims& output) {
  TensorSpec& self = call.tensor(Role::kSelf);
  self.data.kind = DataKind::kUniform;
  call.tensor(Role::kGradInput) = MakeTensor(type, self.shape);
  call.tensor(Role::kGradOutput) = MakeTensor(type, output);
  call.tensor(Role::kGradOutput).data.kind = DataKind::kExact;
  call.tensor(Role::kIndices) = MakeTensor(index_type, output);
  call.tensor(Role::kIndices).data.kind = DataKind::kArgmax;
}

// Leading extents of `self` followed by `spatial`.
Dims WithSpatial(const Dims& self, const Dims& spatial) {
  Dims shape = self;
  for (std::size_t i = 0; i < spatial.size() && i < shape.size(); ++i) {
    shape[shape.size() - spatial.size() + i] = spatial[i];
  }
  return shape;
}

}  // namespace

std::string_view RelationName(Relation relation) {
  return kRelationNames[static_cast<std::size_t>(relation)];
}

std::optional<Relation> ParseRelation(std::string_view name) {
  const auto* found = std::find(kRelationNames.begin(), kRelationNames.end(), name);
  if (found == kRelationNames.end()) return std::nullopt;
  return static_cast<Relation>(found - kRelationNames.begin());
}

Poison PoisonOfRun(const Plan& plan, Poison first, int repetition) {
  if (!plan.vary_contents) return first;
  return static_cast<Poison>((static_cast<int>(first) + repetition % kPoisonCount) % kPoisonCount);
}

Dims StridesOf(const TensorSpec& tensor) {
  return tensor.strides.empty() ? ContiguousStrides(tensor.shape) : tensor.strides;
}

bool IsContiguousView(const TensorSpec& tensor) {
  if (tensor.strides.empty()) return true;
  return tensor.strides.size() == tensor.shape.size() && IsContiguous(tensor.shape, tensor.strides);
}

Status CheckStrides(const TensorSpec& tensor, std::string_view name) {
  if (tensor.null || tensor.strides.empty() || tensor.strides.size() == tensor.shape.size()) {
    return OkStatus();
  }
  return InvalidArgument(std::string(name) + " has " + std::to_string(tensor.strides.size()) +
                         " strides, wanted " + std::to_string(tensor.shape.size()) +
                         ", one for each extent");
}

std::optional<std::int64_t> StorageElements(const TensorSpec& tensor) {
  if (!tensor.storage.empty()) return CheckedNumel(tensor.storage);
  const std::optional<std::int64_t> numel = CheckedNumel(tensor.shape);
  if (!numel.has_value()) return std::nullopt;
  if (*numel == 0) return 0;
  if (tensor.strides.empty()) {
    std::int64_t total = 0;
    if (tensor.offset < 0 || __builtin_add_overflow(*numel, tensor.offset, &total)) {
      return std::nullopt;
    }
    return total;
  }
  const std::optional<Reach> reach = ViewReach(tensor.shape, tensor.strides, tensor.offset);
  std::int64_t total = 0;
  if (!reach.has_value() || reach->first < 0 || __builtin_add_overflow(reach->last, 1, &total)) {
    return std::nullopt;
  }
  return total;
}

Dims StorageDimsOf(const TensorSpec& tensor) {
  if (!tensor.storage.empty()) return tensor.storage;
  if (tensor.strides.empty() && tensor.offset == 0) return tensor.shape;
  return {StorageElements(tensor).value_or(0)};
}

TensorSpec MakeTensor(DataType type, Dims shape) {
  TensorSpec tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  return tensor;
}

std::optional<WindowAttributes> ExpandAttributes(const Call& call) {
  const auto kernel = ExpandList(call.list(List::kKernelSize), 1);
  const auto padding = ExpandList(call.list(List::kPadding), 0);
  const auto dilation = ExpandList(call.list(List::kDilation), 1);
  const std::optional<Dims>& stride_list = call.list(List::kStride);
  if (!kernel || !padding || !dilation || !stride_list) return std::nullopt;
  const auto stride = stride_list->empty() ? kernel : ExpandList(stride_list, 1);
  if (!stride) return std::nullopt;
  return WindowAttributes{*kernel, *stride, *padding, *dilation};
}

std::optional<Dims> DerivedOutputShape(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  const Dims& self = call.tensor(Role::kSelf).shape;
  const auto spatial = static_cast<std::size_t>(info.spatial_rank);
  if (call.tensor(Role::kSelf).null) return std::nullopt;
  if (self.size() != spatial + 1 && self.size() != spatial + 2) return std::nullopt;
  Dims output;
  if (info.is_adaptive) {
    if (!info.is_forward || !call.list(List::kOutputSize).has_value()) return std::nullopt;
    output = *call.list(List::kOutputSize);
    if (output.size() != spatial) return std::nullopt;
  } else {
    const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
    if (!attributes.has_value()) return std::nullopt;
    for (std::size_t axis = 0; axis < spatial; ++axis) {
      const std::int64_t input = self[self.size() - spatial + axis];
      if (input < 0) return std::nullopt;
      output.push_back(PooledExtent(input,
                                    {attributes->kernel[axis], attributes->stride[axis],
                                     attributes->padding[axis], attributes->dilation[axis]},
                                    call.ceil_mode));
    }
  }
  for (const std::int64_t extent : output) {
    if (extent < 1) return std::nullopt;
  }
  return WithSpatial(self, output);
}

std::optional<std::int64_t> PlaneElements(const Dims& shape, int spatial_rank) {
  const auto spatial = static_cast<std::size_t>(spatial_rank);
  if (shape.size() < spatial) return std::nullopt;
  return CheckedNumel(std::span(shape).last(spatial));
}

Call MakeFixedBackward(DataType type, DataType index_type, Dims self, Dims kernel, Dims stride,
                       Dims padding, Dims dilation, bool ceil_mode) {
  Call call;
  call.op = Operator::kMaxPool3dWithArgmaxBackward;
  call.tensor(Role::kSelf) = MakeTensor(type, std::move(self));
  call.list(List::kKernelSize) = std::move(kernel);
  call.list(List::kStride) = std::move(stride);
  call.list(List::kPadding) = std::move(padding);
  call.list(List::kDilation) = std::move(dilation);
  call.ceil_mode = ceil_mode;
  const Dims output = DerivedOutputShape(call).value_or(call.tensor(Role::kSelf).shape);
  AddDerivedTensors(call, type, index_type, output);
  return call;
}

Call MakeAdaptiveBackward(Operator op, DataType type, DataType index_type, Dims self,
                          const Dims& output) {
  Call call;
  call.op = op;
  const Dims shape = WithSpatial(self, output);
  call.tensor(Role::kSelf) = MakeTensor(type, std::move(self));
  AddDerivedTensors(call, type, index_type, shape);
  return call;
}

Call MakeForward(const Call& backward) {
  const OperatorInfo& info = InfoOf(backward.op);
  Call call;
  call.tensor(Role::kSelf) = backward.tensor(Role::kSelf);
  const TensorSpec& output = backward.tensor(Role::kGradOutput);
  call.tensor(Role::kOut) = MakeTensor(output.type, output.shape);
  call.tensor(Role::kIndices) =
      MakeTensor(backward.tensor(Role::kIndices).type, backward.tensor(Role::kIndices).shape);
  if (info.is_adaptive) {
    call.op = info.spatial_rank == 3 ? Operator::kAdaptiveMaxPool3d : Operator::kAdaptiveMaxPool2d;
    const auto spatial = std::min(static_cast<std::size_t>(info.spatial_rank), output.shape.size());
    call.list(List::kOutputSize) =
        Dims(output.shape.end() - static_cast<std::ptrdiff_t>(spatial), output.shape.end());
    // The adaptive forwards' pages list named formats only, and INT64 indices for the 2-d one.
    const bool unbatched = output.shape.size() == spatial + 1;
    const Format format = info.spatial_rank == 3 ? (unbatched ? Format::kNchw : Format::kNcdhw)
                                                 : (unbatched ? Format::kNcl : Format::kNchw);
    for (const Role role : {Role::kSelf, Role::kOut, Role::kIndices}) {
      call.tensor(role).format = format;
    }
    if (info.spatial_rank == 2) call.tensor(Role::kIndices).type = DataType::kInt64;
    return call;
  }
  call.op = Operator::kMaxPool3dWithArgmax;
  for (const List list : {List::kKernelSize, List::kStride, List::kPadding, List::kDilation}) {
    call.list(list) = backward.list(list);
  }
  call.ceil_mode = backward.ceil_mode;
  return call;
}

}  // namespace poolproof
