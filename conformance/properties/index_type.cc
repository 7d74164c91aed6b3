// SPDX-License-Identifier: Apache-2.0
//
// Index type: INT32 indices and INT64 indices of the same values give the same numbers.
#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"

namespace poolproof {
namespace {

std::optional<Call> Retyped(const Call& call) {
  Call other = call;
  TensorSpec& indices = other.tensor(Role::kIndices);
  if (!IsIndexType(indices.type)) return std::nullopt;
  indices.type = indices.type == DataType::kInt32 ? DataType::kInt64 : DataType::kInt32;
  return other;
}

std::optional<Case> DeriveIndexType(const Case& base) {
  if (!IsPlainBackward(base)) return std::nullopt;
  return WithFollower(base, Relation::kIndexType, Retyped(base.calls.front()));
}

std::optional<std::string> UnrelatedIndexType(std::span<const CallResult> results) {
  return Unlike(results, Retyped(results[0].call));
}

Comparison CompareIndexType(std::span<const CallResult> results) {
  return CompareEqual(results[0], results[1]);
}

std::vector<std::string> ClausesIndexType(const ProfileRules& rules, const Case& problem) {
  const Operator op = problem.calls.front().op;
  return {rules.IdOf(op, Condition::kInt32Indices), rules.IdOf(op, Condition::kInt64Indices)};
}

}  // namespace

Property IndexType() {
  return {.relation = Relation::kIndexType,
          .statement = "INT32 and INT64 indices give the same numbers",
          .calls = 2,
          .derive = &DeriveIndexType,
          .unrelated = &UnrelatedIndexType,
          .compare = &CompareIndexType,
          .clauses = &ClausesIndexType};
}

}  // namespace poolproof
