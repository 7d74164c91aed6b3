// SPDX-License-Identifier: Apache-2.0
#include "conformance/blame/edit.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "conformance/case/materialize.h"

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

}  // namespace

void MakeContiguous(TensorSpec& tensor) {
  tensor.strides.clear();
  tensor.offset = 0;
  tensor.storage.clear();
}

bool IsPlain(const TensorSpec& tensor) {
  return tensor.strides.empty() && tensor.offset == 0 && tensor.storage.empty();
}

std::optional<Call> Reshape(const Call& call, const Dims& self, const Dims& output) {
  const OperatorInfo& info = InfoOf(call.op);
  Call result = call;
  SetShape(result.tensor(Role::kSelf), self);
  Dims shape;
  if (info.is_adaptive) {
    if (self.size() < output.size()) return std::nullopt;
    shape = self;
    std::copy(output.begin(), output.end(), shape.end() - std::ssize(output));
    if (info.is_forward) result.list(List::kOutputSize) = output;
  } else {
    const std::optional<Dims> derived = DerivedOutputShape(result);
    if (!derived.has_value()) return std::nullopt;
    shape = *derived;
  }
  for (const Role role : info.tensors) {
    if (role == Role::kSelf) continue;
    SetShape(result.tensor(role), role == Role::kGradInput ? self : shape);
  }
  return result;
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

std::optional<Call> WithLiteralData(const Call& call, const Plan& plan, std::size_t most) {
  if (InfoOf(call.op).is_forward || plan.descriptors_only) return std::nullopt;
  Case alone;
  alone.calls = {call};
  alone.plan = plan;
  const Result<Materialized> data = Materialize(alone);
  if (!data.ok()) return std::nullopt;
  const MaterializedCall& made = data->calls.front();
  if (made.grad_output.empty() || made.indices.empty() || made.indices.size() > most) {
    return std::nullopt;
  }
  Call result = call;
  Data& values = result.tensor(Role::kGradOutput).data;
  values = {};
  values.kind = DataKind::kLiteral;
  values.literal.assign(made.grad_output.begin(), made.grad_output.end());
  Data& indices = result.tensor(Role::kIndices).data;
  indices = {};
  indices.kind = DataKind::kLiteral;
  for (const std::int64_t index : made.indices) {
    indices.literal.push_back(static_cast<std::uint64_t>(index));
  }
  return result;
}

}  // namespace poolproof
