// SPDX-License-Identifier: Apache-2.0
#include "conformance/blame/edit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/float_bits.h"

namespace poolproof {
namespace {

// A view stays one where its axes only get shorter; otherwise the layout starts afresh.
void SetShape(TensorSpec& tensor, Dims shape) {
  if (tensor.shape == shape) return;
  bool shorter = shape.size() == tensor.shape.size();
  for (std::size_t axis = 0; shorter && axis < shape.size(); ++axis) {
    shorter = shape[axis] <= tensor.shape[axis];
  }
  tensor.shape = std::move(shape);
  tensor.storage.clear();
  if (!shorter) MakeContiguous(tensor);
}

// Of the same value, or one of its kind: NaN, an infinity or a subnormal number stays one.
std::uint64_t BitsInType(std::uint64_t bits, DataType from, DataType to) {
  const double value = DecodeFloat(static_cast<std::uint32_t>(bits), from);
  const double magnitude = std::abs(value);
  const bool is_subnormal = magnitude > 0 && magnitude < TraitsOf(from).min_normal;
  const double kept = is_subnormal ? std::copysign(TraitsOf(to).min_subnormal, value) : value;
  return EncodeFloat(kept, to);
}

}  // namespace

bool IsPlain(const TensorSpec& tensor) {
  return IsPacked(tensor) && tensor.offset == 0 && tensor.storage.empty() &&
         (tensor.strides.empty() || IsNhwc(tensor));
}

std::optional<Call> Reshape(const Call& call, const Dims& self, const Dims& output) {
  const OperatorInfo& info = InfoOf(call.op);
  Call result = call;
  SetShape(result.tensor(Role::kSelf), self);
  Dims shape;
  if (info.windows == WindowRule::kAdaptive) {
    if (self.size() < output.size()) return std::nullopt;
    shape = self;
    std::copy(output.begin(), output.end(), shape.end() - std::ssize(output));
    if (info.is_forward) result.list(List::kOutputSize) = output;
  } else {
    Call derived = result;
    if (!DeriveOutputs(derived)) return std::nullopt;
    shape = derived.tensor(Role::kIndices).shape;
  }
  for (const Role role : info.tensors) {
    if (role == Role::kSelf) continue;
    SetShape(result.tensor(role), role == Role::kGradInput ? self : shape);
  }
  return result;
}

void ConvertData(Data& data, DataType from, DataType to) {
  if (from == to) return;
  if (!IsGradientType(from) || !IsGradientType(to)) {
    data.patches.clear();
    if (data.MayBeSpecial()) data = {DataKind::kExact, 1, {}, {}};
    return;
  }
  for (std::uint64_t& bits : data.literal) bits = BitsInType(bits, from, to);
  for (Patch& patch : data.patches) patch.bits = BitsInType(patch.bits, from, to);
}

void SetValueType(TensorSpec& tensor, DataType type) {
  ConvertData(tensor.data, tensor.type, type);
  tensor.type = type;
}

Dims SpatialOutput(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  const Dims& shape = call.tensor(info.is_forward ? Role::kOut : Role::kGradOutput).shape;
  const auto spatial = std::min(static_cast<std::size_t>(info.spatial_rank), shape.size());
  return {shape.end() - static_cast<std::ptrdiff_t>(spatial), shape.end()};
}

std::optional<Call> WithBatchAxis(const Call& call) {
  Call result = call;
  const OperatorInfo& info = InfoOf(call.op);
  for (const Role role : info.tensors) {
    TensorSpec& tensor = result.tensor(role);
    if (tensor.null || static_cast<int>(tensor.shape.size()) != info.spatial_rank + 1) {
      return std::nullopt;
    }
    tensor.shape.insert(tensor.shape.begin(), 1);
    // The stride of an axis of extent 1 is free; the natural one suits every reader.
    if (!tensor.strides.empty()) {
      tensor.strides.insert(tensor.strides.begin(), tensor.strides.front() * tensor.shape[1]);
    }
  }
  return result;
}

std::optional<Call> WithoutBatchAxis(const Call& call) {
  Call result = call;
  const OperatorInfo& info = InfoOf(call.op);
  for (const Role role : info.tensors) {
    TensorSpec& tensor = result.tensor(role);
    if (tensor.null || static_cast<int>(tensor.shape.size()) != info.spatial_rank + 2 ||
        tensor.shape.front() != 1) {
      return std::nullopt;
    }
    tensor.shape.erase(tensor.shape.begin());
    if (!tensor.strides.empty()) tensor.strides.erase(tensor.strides.begin());
  }
  return result;
}

}  // namespace poolproof
