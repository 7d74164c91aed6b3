// SPDX-License-Identifier: Apache-2.0
//
// View copy: operands that are views give the numbers of their contiguous copies.
#include <algorithm>

#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"

namespace poolproof {
namespace {

std::optional<Call> Copy(const Call& call) {
  Call copy = call;
  for (const Role role : InfoOf(call.op).tensors) MakeContiguous(copy.tensor(role));
  if (copy == call) return std::nullopt;
  return copy;
}

std::optional<Case> DeriveViewCopy(const Case& base) {
  if (!IsPlainBackward(base)) return std::nullopt;
  return WithStableFollower(base, base.calls.front(), Relation::kViewCopy, &Copy);
}

std::optional<std::string> UnrelatedViewCopy(std::span<const CallResult> results) {
  return Unlike(results, Copy(results[0].call));
}

Comparison CompareViewCopy(std::span<const CallResult> results) {
  return CompareEqual(results[0], results[1]);
}

std::vector<std::string> ClausesViewCopy(const ProfileRules& rules, const Case& problem) {
  return {rules.IdOf(problem.calls.front().op, Condition::kViews)};
}

}  // namespace

Property ViewCopy() {
  return {.relation = Relation::kViewCopy,
          .statement = "views give the numbers of their contiguous copies",
          .calls = 2,
          .derive = &DeriveViewCopy,
          .unrelated = &UnrelatedViewCopy,
          .compare = &CompareViewCopy,
          .clauses = &ClausesViewCopy};
}

}  // namespace poolproof
