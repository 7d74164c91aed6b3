// SPDX-License-Identifier: Apache-2.0
//
// Adaptive fixed: where the output extents divide the input's, adaptive windows are fixed ones that
// lie side by side.
#include <algorithm>

#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"

namespace poolproof {
namespace {

// Contiguous fixed windows; nullopt where the extents do not divide.
std::optional<Call> Fixed(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  if (!info.fixed) return std::nullopt;
  const auto axes = static_cast<std::size_t>(info.spatial_rank);
  const Dims& self = call.tensor(Role::kSelf).shape;
  const Dims& output = call.tensor(Role::kGradOutput).shape;
  if (self.size() <= axes || self.size() != output.size()) return std::nullopt;
  Dims kernel;
  for (std::size_t axis = self.size() - axes; axis < self.size(); ++axis) {
    if (output[axis] < 1 || self[axis] < 1 || self[axis] % output[axis] != 0) return std::nullopt;
    kernel.push_back(self[axis] / output[axis]);
  }
  Call fixed = MakeFixedBackward(*info.fixed, call.tensor(Role::kSelf).type, DataType::kInt32, self,
                                 kernel, kernel, Dims(axes, 0), Dims(axes, 1), false);
  for (const Role role : InfoOf(call.op).tensors) {
    if (call.tensor(role).format != Format::kNd) return std::nullopt;
    fixed.tensor(role).data = call.tensor(role).data;
  }
  return fixed;
}

// The call with its input extents brought down to multiples of the output's.
Call Divisible(const Call& call) {
  const TensorSpec& gradients = call.tensor(Role::kGradOutput);
  const auto spatial = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  Dims self = call.tensor(Role::kSelf).shape;
  if (self.size() <= spatial || gradients.shape.size() != self.size()) return call;
  for (std::size_t axis = self.size() - spatial; axis < self.size(); ++axis) {
    const std::int64_t output = std::max<std::int64_t>(gradients.shape[axis], 1);
    self[axis] = std::max<std::int64_t>(self[axis] / output, 1) * output;
  }
  if (self == call.tensor(Role::kSelf).shape) return call;
  const Dims output(gradients.shape.end() - static_cast<std::ptrdiff_t>(spatial),
                    gradients.shape.end());
  Call changed = MakeAdaptiveBackward(call.op, gradients.type, call.tensor(Role::kIndices).type,
                                      std::move(self), output);
  for (const Role role : InfoOf(call.op).tensors) {
    Data& data = changed.tensor(role).data;
    // Written elements belong to the old shape.
    if (call.tensor(role).data.kind != DataKind::kLiteral) data = call.tensor(role).data;
    data.patches.clear();
  }
  return changed;
}

std::optional<Case> DeriveAdaptiveFixed(const Case& base) {
  if (!IsPlainBackward(base) || InfoOf(base.calls.front().op).windows == WindowRule::kFixed)
    return std::nullopt;
  return WithStableFollower(base, Divisible(base.calls.front()), Relation::kAdaptiveFixed, &Fixed);
}

std::optional<std::string> UnrelatedAdaptiveFixed(std::span<const CallResult> results) {
  return Unlike(results, Fixed(results[0].call));
}

Comparison CompareAdaptiveFixed(std::span<const CallResult> results) {
  return CompareEqual(results[0], results[1]);
}

std::vector<std::string> ClausesAdaptiveFixed(const ProfileRules& rules, const Case& problem) {
  const Operator op = problem.calls.front().op;
  return {rules.IdOf(op, Condition::kScatter),
          rules.IdOf(problem.calls.back().op, Condition::kScatter)};
}

}  // namespace

Property AdaptiveFixed() {
  return {.relation = Relation::kAdaptiveFixed,
          .statement = "adaptive windows that divide give the numbers of fixed ones",
          .calls = 2,
          .derive = &DeriveAdaptiveFixed,
          .unrelated = &UnrelatedAdaptiveFixed,
          .compare = &CompareAdaptiveFixed,
          .clauses = &ClausesAdaptiveFixed};
}

}  // namespace poolproof
