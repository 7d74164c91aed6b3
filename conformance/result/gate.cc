// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/gate.h"

#include <algorithm>
#include <cstddef>

namespace poolproof {
namespace {

// "A, B and 3 more".
std::string Listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

template <typename Include>
std::vector<std::string> ClausesWhere(const Report& report, Include include) {
  std::vector<std::string> ids;
  for (const ClauseResult& clause : report.clauses) {
    if (include(clause)) ids.push_back(clause.id);
  }
  return ids;
}

// Of a run without an error and without a breach that counts.
Gate Unbroken(const Report& report, const std::string& good) {
  const RunInfo& run = report.run;
  if (report.verdict == RunVerdict::kConformant) return {0, {good}};
  const Summary& summary = report.summary;
  const bool judged =
      summary.passed > summary.recorded || summary.failed + summary.crashed + summary.timed_out > 0;
  if (!judged) return {4, {"no case was judged"}};
  if (IsJudgedShard(report)) {
    const ShardInfo& shard = run.shards.front();
    return {0,
            {"shard " + std::to_string(shard.index) + " of " + std::to_string(shard.of) +
             " judged all its cases and " + good +
             "; `poolproof merge` gives the verdict of all shards"}};
  }
  std::vector<std::string> reasons;
  const std::vector<std::string> open = report.baseline
                                            ? report.baseline->unanswered
                                            : ClausesWhere(report, [&](const ClauseResult& clause) {
                                                return IsOpen(report, clause);
                                              });
  if (!open.empty()) {
    reasons.push_back("required clauses not decided" +
                      std::string(report.baseline ? ", which the baseline has: " : ": ") +
                      Listed(open));
  }
  const bool incomplete = report.verdict == RunVerdict::kIncomplete;
  // What was not judged may fail in a new way.
  const bool may_be_new =
      report.baseline && !(run.is_shard && run.stopped_by == StopReason::kMissingShards);
  if (run.stopped_by != StopReason::kNone &&
      (incomplete || run.scope == RunScope::kSelected || may_be_new)) {
    reasons.push_back("not all cases were judged: " + std::string(InfoOf(run.stopped_by).sentence));
  }
  if (!reasons.empty()) return {4, std::move(reasons)};
  return {incomplete && !report.baseline ? 4 : 0, {good}};
}

// Of a run with failures that count, whose baseline was asked for.
Gate BesideBaseline(const Report& report) {
  const BaselineComparison& baseline = *report.baseline;
  std::vector<std::string> reasons;
  if (!baseline.clauses.empty()) {
    reasons.push_back("required clauses failed that did not fail in the baseline: " +
                      Listed(baseline.clauses));
  }
  if (!baseline.signatures.empty()) {
    reasons.push_back("kinds of failure that the baseline does not have: " +
                      Listed(baseline.signatures));
  }
  if (!baseline.causes.empty()) {
    reasons.push_back("root causes that the baseline does not have: " +
                      std::to_string(baseline.causes.size()));
  }
  if (baseline.unexplained > 0) {
    reasons.push_back("failing cases without a root cause, beyond those of the baseline: " +
                      std::to_string(baseline.unexplained));
  }
  if (!reasons.empty()) return {1, std::move(reasons)};
  return Unbroken(report, "nothing failed that did not fail in the baseline");
}

}  // namespace

bool IsJudgedShard(const Report& report) {
  return report.run.is_shard && report.run.stopped_by == StopReason::kMissingShards &&
         report.verdict == RunVerdict::kIncomplete && report.summary.cases > 0;
}

Gate GateOf(const Report& report) {
  if (report.verdict == RunVerdict::kError) return {3, {"the run failed: " + report.error}};
  std::vector<std::string> bad_waivers;
  for (const WaiverResult& waiver : report.waivers) {
    if (FailsRun(waiver.state)) bad_waivers.push_back(waiver.id);
  }
  if (!bad_waivers.empty()) {
    return {1, {"waivers that expired or are not needed: " + Listed(bad_waivers)}};
  }
  if (report.verdict != RunVerdict::kNonconformant) {
    return Unbroken(report, "no required clause failed");
  }
  if (report.baseline) return BesideBaseline(report);
  if (EveryBreachIsWaived(report)) return Unbroken(report, "every breach is waived");
  const std::vector<std::string> failed = ClausesWhere(report, [](const ClauseResult& clause) {
    return FailsRequired(clause) && clause.waived < clause.failures;
  });
  if (failed.empty()) return {1, {"cases failed that breach no clause by name"}};
  return {1, {"required clauses failed: " + Listed(failed)}};
}

}  // namespace poolproof
