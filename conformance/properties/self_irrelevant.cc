// SPDX-License-Identifier: Apache-2.0
//
// Self irrelevant: where gradients go is said by the indices, so that other values of self, NaN and
// infinities among them, change nothing.
#include <cmath>

#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

std::optional<Case> DeriveSelfIrrelevant(const Case& base) {
  if (!IsPlainBackward(base)) return std::nullopt;
  Case changed = base;
  Call& call = changed.calls.front();
  if (call.tensor(Role::kIndices).data.kind == DataKind::kArgmax) {
    const std::optional<Call> written = WithLiteralData(call, base.plan, kMaxWritten);
    if (!written.has_value()) return std::nullopt;
    call = *written;
  }
  Call follower = call;
  TensorSpec& self = follower.tensor(Role::kSelf);
  const std::int64_t numel = CheckedNumel(self.shape).value_or(0);
  if (numel == 0 || !IsInjective(self.shape, StridesOf(self))) return std::nullopt;
  self.data = {};
  self.data.kind = DataKind::kWide;
  self.data.seed = call.tensor(Role::kSelf).data.seed + 1;
  self.data.patches = {{0, EncodeFloat(NAN, self.type)},
                       {numel / 2, EncodeFloat(HUGE_VAL, self.type)},
                       {numel - 1, EncodeFloat(-HUGE_VAL, self.type)}};
  return WithFollowers(changed, Relation::kSelfIrrelevant, {std::move(follower)});
}

std::optional<std::string> UnrelatedSelfIrrelevant(std::span<const CallResult> results) {
  if (results[0].call.tensor(Role::kSelf).data == results[1].call.tensor(Role::kSelf).data) {
    return "self holds the same in both calls";
  }
  return Unlike(results, results[0].call);
}

Comparison CompareSelfIrrelevant(std::span<const CallResult> results) {
  return CompareEqual(results[0], results[1]);
}

std::vector<std::string> ClausesSelfIrrelevant(const ProfileRules& rules, const Case& problem) {
  const Operator op = problem.calls.front().op;
  const bool own = rules.Applies(op, Condition::kSelfValues);
  return {rules.IdOf(op, own ? Condition::kSelfValues : Condition::kScatter)};
}

}  // namespace

Property SelfIrrelevant() {
  return {.relation = Relation::kSelfIrrelevant,
          .statement = "other values of self change nothing",
          .calls = 2,
          .derive = &DeriveSelfIrrelevant,
          .unrelated = &UnrelatedSelfIrrelevant,
          .compare = &CompareSelfIrrelevant,
          .clauses = &ClausesSelfIrrelevant};
}

}  // namespace poolproof
