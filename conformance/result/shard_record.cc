// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/shard_record.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 5> kStateNames = {"passed", "recorded", "inconclusive",
                                                         "unsupported", "failed"};
static_assert(kStateNames.size() == static_cast<std::size_t>(CaseState::kFailed) + 1);
constexpr std::array<std::string_view, 7> kEndNames = {
    "returned", "signalled", "exited", "timed-out", "out-of-memory", "threw", "harness"};
static_assert(kEndNames.size() == static_cast<std::size_t>(End::kHarness) + 1);
constexpr std::array<std::string_view, 4> kRelationStateNames = {"none", "held", "broken",
                                                                 "discarded"};
static_assert(kRelationStateNames.size() ==
              static_cast<std::size_t>(RelationState::kDiscarded) + 1);

template <typename Enum, std::size_t size>
std::optional<Enum> Find(const std::array<std::string_view, size>& names, std::string_view name) {
  for (std::size_t i = 0; i < size; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

const FailedCase* FindFailed(const ShardRecord& record, std::int64_t number) {
  const auto place = std::lower_bound(
      record.failures.begin(), record.failures.end(), number,
      [](const FailedCase& failed, std::int64_t wanted) { return failed.number < wanted; });
  return place != record.failures.end() && place->number == number ? &*place : nullptr;
}

void AddSums(const std::vector<SumFacts>& facts,
             std::map<std::pair<Operator, DataType>, SumFacts>& totals) {
  for (const SumFacts& more : facts) {
    SumFacts& total = totals[{more.op, more.type}];
    total.op = more.op;
    total.type = more.type;
    total.sums += more.sums;
    total.misrounded += more.misrounded;
    total.beyond_acc32 += more.beyond_acc32;
    total.unlawful += more.unlawful;
    total.results += more.results;
    total.ecosystem += more.ecosystem;
  }
}

std::string_view CaseStateName(CaseState state) {
  return kStateNames[static_cast<std::size_t>(state)];
}
std::optional<CaseState> ParseCaseState(std::string_view name) {
  return Find<CaseState>(kStateNames, name);
}

std::string_view EndName(End end) { return kEndNames[static_cast<std::size_t>(end)]; }
std::optional<End> ParseEnd(std::string_view name) { return Find<End>(kEndNames, name); }

std::string_view RelationStateName(RelationState state) {
  return kRelationStateNames[static_cast<std::size_t>(state)];
}
std::optional<RelationState> ParseRelationState(std::string_view name) {
  return Find<RelationState>(kRelationStateNames, name);
}

}  // namespace poolproof
