// SPDX-License-Identifier: Apache-2.0
//
// Depth one: pooling in two dimensions is pooling in three with an axis D of extent 1.
#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"

namespace poolproof {
namespace {

// Contiguous, with INT32 indices: what every page of the three-dimensional operator allows.
std::optional<Call> Deepened(const Call& call) {
  const std::optional<Operator> deeper = InfoOf(call.op).deeper;
  if (!deeper) return std::nullopt;
  Call deep = call;
  deep.op = *deeper;
  for (const List list : InfoOf(call.op).lists) {
    std::optional<Dims>& values = deep.list(list);
    if (!values.has_value() || values->empty()) continue;
    values = Dims{list == List::kPadding ? 0 : 1, values->front(), values->back()};
  }
  for (const Role role : InfoOf(call.op).tensors) {
    TensorSpec& tensor = deep.tensor(role);
    if (tensor.shape.size() < 2 || tensor.format != Format::kNd) return std::nullopt;
    MakeContiguous(tensor);
    tensor.shape.insert(tensor.shape.end() - 2, 1);
  }
  deep.tensor(Role::kIndices).type = DataType::kInt32;
  return deep;
}

std::optional<Case> DeriveDepthOne(const Case& base) {
  if (!IsPlainBackward(base)) return std::nullopt;
  return WithStableFollower(base, base.calls.front(), Relation::kDepthOne, &Deepened);
}

std::optional<std::string> UnrelatedDepthOne(std::span<const CallResult> results) {
  return Unlike(results, Deepened(results[0].call));
}

Comparison CompareDepthOne(std::span<const CallResult> results) {
  return CompareEqual(results[0], results[1]);
}

std::vector<std::string> ClausesDepthOne(const ProfileRules& rules, const Case& problem) {
  return {rules.IdOf(problem.calls.front().op, Condition::kScatter),
          rules.IdOf(problem.calls.back().op, Condition::kScatter)};
}

}  // namespace

Property DepthOne() {
  return {.relation = Relation::kDepthOne,
          .statement = "two dimensions give the numbers of three with D = 1",
          .calls = 2,
          .derive = &DeriveDepthOne,
          .unrelated = &UnrelatedDepthOne,
          .compare = &CompareDepthOne,
          .clauses = &ClausesDepthOne};
}

}  // namespace poolproof
