// SPDX-License-Identifier: Apache-2.0
//
// Plane permutation: planes (n, c) have nothing to do with one another, so that gradients and
// indices with their planes in reverse order give gradInput with its planes in reverse order.
#include "conformance/judge/membership.h"
#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"

namespace poolproof {
namespace {

template <typename T>
std::vector<T> Reversed(const std::vector<T>& elements, std::int64_t planes) {
  const auto count = static_cast<std::size_t>(planes);
  const std::size_t size = elements.size() / count;
  std::vector<T> reversed;
  for (std::size_t plane = count; plane-- > 0;) {
    const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(plane * size);
    reversed.insert(reversed.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  return reversed;
}

// Call 1 without its data: inputs whose elements share storage cannot take another order.
Call Follower(const Call& call) {
  Call follower = call;
  for (const Role role : {Role::kGradOutput, Role::kIndices}) {
    TensorSpec& tensor = follower.tensor(role);
    if (!IsInjective(tensor.shape, StridesOf(tensor))) MakeContiguous(tensor);
  }
  return follower;
}

std::optional<Case> DerivePlanePermutation(const Case& base) {
  if (!IsPlainBackward(base)) return std::nullopt;
  const Call& call = base.calls.front();
  const std::optional<Membership> membership = Membership::Of(call);
  const std::optional<Call> written = WithLiteralData(call, base.plan, kMaxWritten);
  if (!membership.has_value() || membership->geometry().planes < 2 || !written.has_value()) {
    return std::nullopt;
  }
  const std::int64_t planes = membership->geometry().planes;
  Call follower = Follower(call);
  for (const Role role : {Role::kGradOutput, Role::kIndices}) {
    Data& data = follower.tensor(role).data;
    data = written->tensor(role).data;
    data.literal = Reversed(data.literal, planes);
  }
  return WithFollowers(base, Relation::kPlanePermutation, {std::move(follower)});
}

std::optional<std::string> UnrelatedPlanePermutation(std::span<const CallResult> results) {
  const std::optional<Membership> membership = Membership::Of(results[0].call);
  if (!membership.has_value() || membership->geometry().planes < 2) {
    return "there is one plane only";
  }
  const std::int64_t planes = membership->geometry().planes;
  if (Skeleton(Follower(results[0].call)) != Skeleton(results[1].call) ||
      Reversed(results[0].data.grad_output, planes) != results[1].data.grad_output ||
      Reversed(results[0].data.indices, planes) != results[1].data.indices) {
    return "call 2 is not call 1 with its planes in reverse order";
  }
  return std::nullopt;
}

Comparison ComparePlanePermutation(std::span<const CallResult> results) {
  const PlaneGeometry geometry = Membership::Of(results[0].call)->geometry();
  const std::int64_t size = geometry.PlaneSize();
  return CompareEqual(results[0], results[1], [&](std::int64_t i) {
    return (geometry.planes - 1 - i / size) * size + i % size;
  });
}

std::vector<std::string> ClausesPlanePermutation(const ProfileRules& rules, const Case& problem) {
  return {rules.IdOf(problem.calls.front().op, Condition::kScatter)};
}

}  // namespace

Property PlanePermutation() {
  return {.relation = Relation::kPlanePermutation,
          .statement = "planes in another order give gradInput with its planes in that order",
          .calls = 2,
          .derive = &DerivePlanePermutation,
          .unrelated = &UnrelatedPlanePermutation,
          .compare = &ComparePlanePermutation,
          .clauses = &ClausesPlanePermutation};
}

}  // namespace poolproof
