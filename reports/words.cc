// SPDX-License-Identifier: Apache-2.0
#include "reports/words.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 4> kRunVerdicts = {"conformant", "nonconformant",
                                                          "incomplete", "error"};
constexpr std::array<std::string_view, 6> kClauseVerdicts = {
    "passed", "failed", "inconclusive", "unsupported", "not_applicable", "not_run"};
constexpr std::array<std::string_view, 7> kWaiverStates = {
    "used", "out-of-scope", "expired", "unmatched", "passing", "passing-random", "undecided"};

template <typename Enum, std::size_t kCount>
std::optional<Enum> Parse(const std::array<std::string_view, kCount>& names,
                          std::string_view name) {
  const auto place = std::find(names.begin(), names.end(), name);
  if (place == names.end()) return std::nullopt;
  return static_cast<Enum>(place - names.begin());
}

}  // namespace

std::string_view RunVerdictName(RunVerdict verdict) {
  return kRunVerdicts[static_cast<std::size_t>(verdict)];
}

std::string_view ClauseVerdictName(ClauseVerdict verdict) {
  return kClauseVerdicts[static_cast<std::size_t>(verdict)];
}

std::string_view WaiverStateName(WaiverState state) {
  return kWaiverStates[static_cast<std::size_t>(state)];
}

std::string MissingShards(const RunInfo& run) {
  std::string text;
  const auto add = [&](int first, int last) {
    if (first > last) return;
    text += (text.empty() ? "" : ", ") + std::to_string(first);
    if (last > first) text += "-" + std::to_string(last);
  };
  int next = 0;
  for (const ShardInfo& shard : run.shards) {
    add(next, shard.index - 1);
    next = shard.index + 1;
  }
  if (!run.shards.empty()) add(next, run.shards.front().of - 1);
  return text;
}

std::string EndedEarly(const RunInfo& run) {
  if (run.stopped_by != "missing-shards") return run.stopped_by;
  return "of " + std::to_string(run.shards.front().of) + " shards, " + MissingShards(run) +
         " are missing";
}

std::optional<RunVerdict> ParseRunVerdict(std::string_view name) {
  return Parse<RunVerdict>(kRunVerdicts, name);
}

std::optional<ClauseVerdict> ParseClauseVerdict(std::string_view name) {
  return Parse<ClauseVerdict>(kClauseVerdicts, name);
}

std::optional<WaiverState> ParseWaiverState(std::string_view name) {
  return Parse<WaiverState>(kWaiverStates, name);
}

}  // namespace poolproof
