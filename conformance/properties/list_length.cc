// SPDX-License-Identifier: Apache-2.0
//
// List length: an attribute list of length 1 means the same value on three axes.
#include <array>
#include <utility>

#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"

namespace poolproof {
namespace {

constexpr std::array<std::pair<List, std::string_view>, 4> kLists = {{{List::kKernelSize, "B10"},
                                                                      {List::kStride, "B12"},
                                                                      {List::kPadding, "B13"},
                                                                      {List::kDilation, "B14"}}};

bool IsShort(const Call& call, List list) {
  return call.list(list).has_value() && call.list(list)->size() == 1;
}

std::optional<Call> SpeltOut(const Call& call) {
  if (InfoOf(call.op).is_adaptive) return std::nullopt;
  Call longer = call;
  for (const auto& [list, clause] : kLists) {
    if (IsShort(call, list)) longer.list(list) = Dims(3, call.list(list)->front());
  }
  if (longer == call) return std::nullopt;
  return longer;
}

std::optional<Case> Derive(const Case& base) {
  if (!IsPlainBackward(base)) return std::nullopt;
  return WithFollower(base, Relation::kListLength, SpeltOut(base.calls.front()));
}

std::optional<std::string> Unrelated(std::span<const CallResult> results) {
  return Unlike(results, SpeltOut(results[0].call));
}

Comparison Compare(std::span<const CallResult> results) {
  return CompareEqual(results[0], results[1]);
}

std::vector<std::string> Clauses(const Case& problem) {
  std::vector<std::string> ids;
  for (const auto& [list, clause] : kLists) {
    if (IsShort(problem.calls.front(), list)) {
      ids.push_back(ClauseOf(problem.calls.front().op, clause));
    }
  }
  return ids;
}

}  // namespace

Property ListLength() {
  return {.relation = Relation::kListLength,
          .statement = "lists of length 1 give the numbers of lists of length 3",
          .calls = 2,
          .derive = &Derive,
          .unrelated = &Unrelated,
          .compare = &Compare,
          .clauses = &Clauses};
}

}  // namespace poolproof
