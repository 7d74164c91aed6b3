// SPDX-License-Identifier: Apache-2.0
#include "reports/words.h"

#include <array>
#include <cstddef>

#include "core/enum_names.h"

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 4> kRunVerdicts = {"conformant", "nonconformant",
                                                          "incomplete", "error"};
constexpr std::array<std::string_view, 6> kClauseVerdicts = {
    "passed", "failed", "inconclusive", "unsupported", "not_applicable", "not_run"};
constexpr std::array<std::string_view, 7> kWaiverStates = {
    "used", "out-of-scope", "expired", "unmatched", "passing", "passing-random", "undecided"};
constexpr std::array<std::string_view, 6> kDifferenceKinds = {
    "fails", "indices", "values", "subnormals", "sign-of-zero", "nan"};

}  // namespace

std::string_view DifferenceKindName(DifferenceKind kind) {
  return kDifferenceKinds[static_cast<std::size_t>(kind)];
}

std::optional<DifferenceKind> ParseDifferenceKind(std::string_view name) {
  return ParseEnum<DifferenceKind>(kDifferenceKinds, name);
}

std::string_view RunVerdictName(RunVerdict verdict) {
  return kRunVerdicts[static_cast<std::size_t>(verdict)];
}

std::string_view ClauseVerdictName(ClauseVerdict verdict) {
  return kClauseVerdicts[static_cast<std::size_t>(verdict)];
}

std::string_view WaiverStateName(WaiverState state) {
  return kWaiverStates[static_cast<std::size_t>(state)];
}

std::string ProfileName(const Report& report) { return std::string(InfoOf(report.profile).name); }

std::vector<std::string> ProfileNames(const WaiverScope& scope) {
  std::vector<std::string> names;
  for (const Profile profile : scope.profiles) names.emplace_back(InfoOf(profile).name);
  return names;
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
  std::string text(InfoOf(run.stopped_by).sentence);
  if (run.stopped_by == StopReason::kMissingShards) {
    text += ": " + MissingShards(run) + " of " + std::to_string(run.shards.front().of);
  }
  if (run.stopped_by == StopReason::kTimeouts) {
    text += "; to continue, fix these calls, or exclude such cases with --filter";
  }
  if (!run.stopped_detail.empty()) text += ": " + run.stopped_detail;
  return text;
}

std::optional<RunVerdict> ParseRunVerdict(std::string_view name) {
  return ParseEnum<RunVerdict>(kRunVerdicts, name);
}

std::optional<ClauseVerdict> ParseClauseVerdict(std::string_view name) {
  return ParseEnum<ClauseVerdict>(kClauseVerdicts, name);
}

std::optional<WaiverState> ParseWaiverState(std::string_view name) {
  return ParseEnum<WaiverState>(kWaiverStates, name);
}

}  // namespace poolproof
