// SPDX-License-Identifier: Apache-2.0
//
// List length: an attribute list of length 1 means the same value on every axis.
#include <array>
#include <utility>

#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"

namespace poolproof {
namespace {

constexpr std::array kLists = {List::kKernelSize, List::kStride, List::kPadding, List::kDilation};

bool IsShort(const Call& call, List list) {
  return call.list(list).has_value() && call.list(list)->size() == 1;
}

std::optional<Call> SpeltOut(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  if (info.windows == WindowRule::kAdaptive) return std::nullopt;
  Call longer = call;
  for (const List list : kLists) {
    if (IsShort(call, list)) {
      longer.list(list) =
          Dims(static_cast<std::size_t>(info.spatial_rank), call.list(list)->front());
    }
  }
  if (longer == call) return std::nullopt;
  return longer;
}

std::optional<Case> DeriveListLength(const Case& base) {
  if (!IsPlainBackward(base)) return std::nullopt;
  return WithFollower(base, Relation::kListLength, SpeltOut(base.calls.front()));
}

std::optional<std::string> UnrelatedListLength(std::span<const CallResult> results) {
  return Unlike(results, SpeltOut(results[0].call));
}

Comparison CompareListLength(std::span<const CallResult> results) {
  return CompareEqual(results[0], results[1]);
}

std::vector<std::string> ClausesListLength(const ProfileRules& rules, const Case& problem) {
  std::vector<std::string> ids;
  for (const List list : kLists) {
    if (IsShort(problem.calls.front(), list)) {
      ids.push_back(rules.IdOf(problem.calls.front().op, ShortFormCondition(list)));
    }
  }
  return ids;
}

}  // namespace

Property ListLength() {
  return {.relation = Relation::kListLength,
          .statement = "lists of length 1 give the numbers of lists that name every axis",
          .calls = 2,
          .derive = &DeriveListLength,
          .unrelated = &UnrelatedListLength,
          .compare = &CompareListLength,
          .clauses = &ClausesListLength};
}

}  // namespace poolproof
