// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/case.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

namespace poolproof {
namespace {

// A list of length 1 or `axes` as values for D, H and W, of which those that the plane lacks get
// `neutral`; nullopt for other lengths or values below `lowest`.
std::optional<std::array<std::int64_t, 3>> ExpandList(const std::optional<Dims>& list,
                                                      std::size_t axes, std::int64_t lowest,
                                                      std::int64_t neutral) {
  if (!list.has_value() || (list->size() != 1 && list->size() != axes)) return std::nullopt;
  std::array<std::int64_t, 3> values = {neutral, neutral, neutral};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::int64_t& value = values[3 - axes + axis];
    value = (*list)[list->size() == 1 ? 0 : axis];
    if (value < lowest) return std::nullopt;
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

Dims StridesOf(const TensorSpec& tensor) {
  return tensor.strides.empty() ? ContiguousStrides(tensor.shape) : tensor.strides;
}

bool IsNhwc(const TensorSpec& tensor) {
  return tensor.format == Format::kNhwc && tensor.shape.size() == 4;
}

Dims ChannelsLast(Dims axes) {
  if (axes.size() == 4) std::rotate(axes.begin() + 1, axes.begin() + 2, axes.end());
  return axes;
}

Dims ChannelsFirst(Dims axes) {
  if (axes.size() == 4) std::rotate(axes.begin() + 1, axes.begin() + 3, axes.end());
  return axes;
}

bool IsPacked(const TensorSpec& tensor) {
  if (IsContiguousView(tensor)) return true;
  return IsNhwc(tensor) && tensor.strides.size() == 4 &&
         IsContiguous(ChannelsLast(tensor.shape), ChannelsLast(tensor.strides));
}

void MakeContiguous(TensorSpec& tensor) {
  tensor.strides.clear();
  tensor.offset = 0;
  tensor.storage.clear();
  if (!IsNhwc(tensor) || !CheckedNumel(tensor.shape)) return;
  tensor.strides = ChannelsFirst(ContiguousStrides(ChannelsLast(tensor.shape)));
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
                         " strides, expected " + std::to_string(tensor.shape.size()) +
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
  const auto axes = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  const auto kernel = ExpandList(call.list(List::kKernelSize), axes, 1, 1);
  const auto padding = ExpandList(call.list(List::kPadding), axes, 0, 0);
  const auto dilation = ExpandList(call.list(List::kDilation), axes, 1, 1);
  const std::optional<Dims>& stride_list = call.list(List::kStride);
  if (!kernel || !padding || !dilation || !stride_list) return std::nullopt;
  const auto stride = stride_list->empty() ? kernel : ExpandList(stride_list, axes, 1, 1);
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
  if (info.windows == WindowRule::kAdaptive) {
    if (!info.is_forward || !call.list(List::kOutputSize).has_value()) return std::nullopt;
    output = *call.list(List::kOutputSize);
    if (output.size() != spatial) return std::nullopt;
  } else {
    const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
    if (!attributes.has_value()) return std::nullopt;
    for (std::size_t axis = 0; axis < spatial; ++axis) {
      const std::int64_t input = self[self.size() - spatial + axis];
      if (input < 0) return std::nullopt;
      output.push_back(PooledExtent(input, attributes->Axis(3 - spatial + axis), call.ceil_mode));
    }
  }
  for (const std::int64_t extent : output) {
    if (extent < 1) return std::nullopt;
  }
  return WithSpatial(self, output);
}

bool DeriveOutputs(Call& call) {
  const std::optional<Dims> shape = DerivedOutputShape(call);
  if (!shape.has_value()) return false;
  const bool forward = InfoOf(call.op).is_forward;
  call.tensor(forward ? Role::kOut : Role::kGradOutput).shape = *shape;
  call.tensor(Role::kIndices).shape = *shape;
  return true;
}

bool HasDerivedOutput(const Call& call) {
  const Role output = InfoOf(call.op).is_forward ? Role::kOut : Role::kGradOutput;
  return DerivedOutputShape(call) == call.tensor(output).shape;
}

bool CeilChangesOutput(const Call& call) {
  if (!call.ceil_mode) return false;
  Call floor = call;
  floor.ceil_mode = false;
  return DerivedOutputShape(call) != DerivedOutputShape(floor);
}

std::optional<std::int64_t> PlaneElements(const Dims& shape, int spatial_rank) {
  const auto spatial = static_cast<std::size_t>(spatial_rank);
  if (shape.size() < spatial) return std::nullopt;
  return CheckedNumel(std::span(shape).last(spatial));
}

Call MakeFixedBackward(Operator op, DataType type, DataType index_type, Dims self, Dims kernel,
                       Dims stride, Dims padding, Dims dilation, bool ceil_mode) {
  Call call;
  call.op = op;
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

Call MakeBackward(Operator op, DataType type, DataType index_type, const BaseGeometry& geometry) {
  if (InfoOf(op).windows == WindowRule::kAdaptive) {
    return MakeAdaptiveBackward(op, type, index_type, geometry.self, geometry.output);
  }
  return MakeFixedBackward(op, type, index_type, geometry.self, geometry.kernel, geometry.stride,
                           geometry.padding, geometry.dilation, geometry.ceil_mode);
}

Call MakeForward(const Call& backward) {
  Call call;
  call.op = InfoOf(backward.op).forward;
  const OperatorInfo& info = InfoOf(call.op);
  const TensorSpec& output = backward.tensor(Role::kGradOutput);
  const auto spatial = static_cast<std::size_t>(info.spatial_rank);
  call.tensor(Role::kSelf) = backward.tensor(Role::kSelf);
  call.tensor(Role::kOut) = MakeTensor(output.type, output.shape);
  call.tensor(Role::kIndices) =
      MakeTensor(backward.tensor(Role::kIndices).type, backward.tensor(Role::kIndices).shape);
  DataType& index_type = call.tensor(Role::kIndices).type;
  const bool listed = std::any_of(info.index_types.begin(), info.index_types.end(),
                                  [&](const SupportedType& row) { return row.type == index_type; });
  if (!listed) index_type = info.index_types.front().type;
  const bool unbatched = output.shape.size() == spatial + 1;
  const auto row =
      std::find_if(info.formats.begin(), info.formats.end(), [&](const SupportedFormat& format) {
        return format.rank == SupportedFormat::Rank::kAny ||
               (format.rank == SupportedFormat::Rank::kUnbatched) == unbatched;
      });
  for (const Role role : info.tensors) call.tensor(role).format = row->format;
  for (const List list : info.lists) call.list(list) = backward.list(list);
  if (info.windows == WindowRule::kAdaptive) {
    const auto axes = static_cast<std::ptrdiff_t>(std::min(spatial, output.shape.size()));
    call.list(List::kOutputSize) = Dims(output.shape.end() - axes, output.shape.end());
  }
  call.ceil_mode = backward.ceil_mode;
  return call;
}

}  // namespace poolproof
