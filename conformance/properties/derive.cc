// SPDX-License-Identifier: Apache-2.0
#include "conformance/properties/derive.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/shape.h"

namespace poolproof {

Case WithFollowers(const Case& base, Relation relation, std::vector<Call> followers) {
  Case related = base;
  related.plan.relation = relation;
  for (Call& follower : followers) related.calls.push_back(std::move(follower));
  return related;
}

std::optional<Case> WithFollower(const Case& base, Relation relation,
                                 std::optional<Call> follower) {
  if (!follower.has_value()) return std::nullopt;
  return WithFollowers(base, relation, {*std::move(follower)});
}

std::optional<Case> WithStableFollower(const Case& base, const Call& call, Relation relation,
                                       std::optional<Call> (*follow)(const Call&)) {
  std::optional<Call> stable_call = WithStableData(call, base.plan);
  if (!stable_call.has_value()) return std::nullopt;
  Case stable = base;
  stable.calls = {*std::move(stable_call)};
  return WithFollower(stable, relation, follow(stable.calls.front()));
}

bool IsPlainBackward(const Case& base) {
  const CallPlan& plan = base.plan;
  if (base.calls.size() != 1 || plan.descriptors_only || plan.null_workspace_size ||
      plan.null_executor_out || plan.phase_two_alone) {
    return false;
  }
  const Call& call = base.calls.front();
  if (InfoOf(call.op).is_forward) return false;
  for (const Role role : InfoOf(call.op).tensors) {
    const TensorSpec& tensor = call.tensor(role);
    if (tensor.null) return false;
    if (role == Role::kIndices ? !IsIndexType(tensor.type) : !IsGradientType(tensor.type)) {
      return false;
    }
  }
  return true;
}

void WriteValues(TensorSpec& tensor, std::span<const std::uint32_t> values) {
  tensor.data = {};
  tensor.data.kind = DataKind::kLiteral;
  tensor.data.literal.assign(values.begin(), values.end());
}

void WriteIndices(TensorSpec& tensor, std::span<const std::int64_t> indices) {
  tensor.data = {};
  tensor.data.kind = DataKind::kLiteral;
  for (const std::int64_t index : indices) {
    tensor.data.literal.push_back(static_cast<std::uint64_t>(index));
  }
}

std::optional<Call> WithLiteralData(const Call& call, const CallPlan& plan, std::size_t most) {
  if (InfoOf(call.op).is_forward || plan.descriptors_only) return std::nullopt;
  for (const Role role : {Role::kGradOutput, Role::kIndices}) {
    const std::optional<std::int64_t> numel = CheckedNumel(call.tensor(role).shape);
    if (!numel.has_value() || *numel > static_cast<std::int64_t>(most)) return std::nullopt;
  }
  const Result<MaterializedCall> made = MaterializeCall(call, plan);
  if (!made.ok() || made->grad_output.empty() || made->indices.empty()) return std::nullopt;
  Call written = call;
  WriteValues(written.tensor(Role::kGradOutput), made->grad_output);
  WriteIndices(written.tensor(Role::kIndices), made->indices);
  return written;
}

namespace {

// The forward with self as literals of what it holds.
std::optional<Call> WithLiteralSelf(const Call& call, const CallPlan& plan, std::size_t most) {
  const TensorSpec& self = call.tensor(Role::kSelf);
  const std::int64_t numel = CheckedNumel(self.shape).value_or(0);
  if (!IsGradientType(self.type) || numel > static_cast<std::int64_t>(most)) return std::nullopt;
  const Result<MaterializedCall> data = MaterializeCall(call, plan);
  if (!data.ok()) return std::nullopt;
  const std::vector<std::byte>& storage = data->storage[static_cast<std::size_t>(Role::kSelf)];
  const auto width = static_cast<std::size_t>(StorageBytes(self.type));
  std::vector<std::uint32_t> values;
  ForEachOffset(self.shape, StridesOf(self), self.offset, [&](std::int64_t, std::int64_t at) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &storage[static_cast<std::size_t>(at) * width], width);
    values.push_back(bits);
  });
  Call literal = call;
  WriteValues(literal.tensor(Role::kSelf), values);
  return literal;
}

}  // namespace

std::optional<Call> WithStableData(const Call& call, const CallPlan& plan, std::size_t most) {
  const auto shares = [&](Role role) {
    const TensorSpec& tensor = call.tensor(role);
    return !IsInjective(tensor.shape, StridesOf(tensor));
  };
  if (InfoOf(call.op).is_forward) {
    return shares(Role::kSelf) ? WithLiteralSelf(call, plan, most) : call;
  }
  // Only the forward's choice looks at self.
  const bool by_self = call.tensor(Role::kIndices).data.kind == DataKind::kArgmax;
  if (shares(Role::kGradOutput) || shares(Role::kIndices) || (by_self && shares(Role::kSelf))) {
    return WithLiteralData(call, plan, most);
  }
  return call;
}

Call Skeleton(Call call) {
  for (TensorSpec& tensor : call.tensors) tensor.data = {};
  return call;
}

std::optional<std::string> Unlike(std::span<const CallResult> results,
                                  const std::optional<Call>& expected) {
  if (!expected.has_value()) return "the first call leaves nothing to vary";
  if (Skeleton(*expected) != Skeleton(results[1].call)) {
    return "the second call is not the one that follows from the first";
  }
  if (results[0].data.grad_output != results[1].data.grad_output ||
      results[0].data.indices != results[1].data.indices) {
    return "the calls have different gradients or indices";
  }
  return std::nullopt;
}

}  // namespace poolproof
