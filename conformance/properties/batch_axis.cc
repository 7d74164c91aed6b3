// SPDX-License-Identifier: Apache-2.0
//
// Batch axis: tensors without a batch are those of a batch of one: 4-D equals 5-D with N = 1, for
// the two-dimensional operator 3-D equals 4-D.
#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"

namespace poolproof {
namespace {

std::optional<Call> Batched(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  Call batched = call;
  for (const Role role : info.tensors) {
    TensorSpec& tensor = batched.tensor(role);
    // Named formats name the axes: those of one rank are not those of another.
    if (static_cast<int>(tensor.shape.size()) != info.spatial_rank + 1 ||
        tensor.format != Format::kNd) {
      return std::nullopt;
    }
    if (!tensor.strides.empty()) {
      tensor.strides.insert(tensor.strides.begin(), tensor.strides.front() * tensor.shape.front());
    }
    tensor.shape.insert(tensor.shape.begin(), 1);
  }
  return batched;
}

std::optional<Case> DeriveBatchAxis(const Case& base) {
  if (!IsPlainBackward(base)) return std::nullopt;
  return WithFollower(base, Relation::kBatchAxis, Batched(base.calls.front()));
}

std::optional<std::string> UnrelatedBatchAxis(std::span<const CallResult> results) {
  return Unlike(results, Batched(results[0].call));
}

Comparison CompareBatchAxis(std::span<const CallResult> results) {
  return CompareEqual(results[0], results[1]);
}

std::vector<std::string> ClausesBatchAxis(const ProfileRules& rules, const Case& problem) {
  return {rules.IdOf(problem.calls.front().op, Condition::kUnbatched)};
}

}  // namespace

Property BatchAxis() {
  return {.relation = Relation::kBatchAxis,
          .statement = "tensors without a batch give the numbers of a batch of one",
          .calls = 2,
          .derive = &DeriveBatchAxis,
          .unrelated = &UnrelatedBatchAxis,
          .compare = &CompareBatchAxis,
          .clauses = &ClausesBatchAxis};
}

}  // namespace poolproof
