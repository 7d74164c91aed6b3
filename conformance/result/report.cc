// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/report.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/enum_names.h"

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 2> kScopeNames = {"full", "selected"};

}  // namespace

std::optional<Strength> ParseStrength(std::string_view name) {
  for (const Strength strength : {Strength::kRequired, Strength::kAdvisory}) {
    if (StrengthName(strength) == name) return strength;
  }
  return std::nullopt;
}

std::string_view RunScopeName(RunScope scope) {
  return kScopeNames[static_cast<std::size_t>(scope)];
}

std::optional<RunScope> ParseRunScope(std::string_view name) {
  return ParseEnum<RunScope>(kScopeNames, name);
}

bool IsPartial(const RunInfo& run) {
  return run.scope == RunScope::kSelected || run.stopped_by != StopReason::kNone;
}

WaiverState StateOf(const WaiverResult& waiver, bool partial) {
  if (waiver.waived > 0) return WaiverState::kUsed;
  if (waiver.failed_otherwise > 0) return WaiverState::kUnmatched;
  if (partial) return WaiverState::kUndecided;
  if (waiver.passed_fixed > 0) return WaiverState::kPassing;
  return waiver.passed_random > 0 ? WaiverState::kPassingRandom : WaiverState::kUnmatched;
}

bool FailsRun(WaiverState state) {
  return state == WaiverState::kExpired || state == WaiverState::kUnmatched ||
         state == WaiverState::kPassing;
}

bool HoldsOfNewCases(const RootCause& cause) {
  return cause.tested > 0 && cause.agreed == cause.tested && cause.nearest.has_value();
}

bool IsConfirmed(const RootCause& cause) {
  // A fault may hide in some cases; what fails in some runs passes in others.
  constexpr std::int64_t kHidesInOneOf = 16;
  const bool fits_run = cause.passing * kHidesInOneOf <= cause.failing || cause.runs > 0;
  return HoldsOfNewCases(cause) && fits_run;
}

bool FailsRequired(const ClauseResult& clause) {
  return clause.verdict == ClauseVerdict::kFailed && clause.strength == Strength::kRequired;
}

bool EveryBreachIsWaived(const Report& report) {
  if (report.verdict != RunVerdict::kNonconformant) return false;
  return std::all_of(report.clauses.begin(), report.clauses.end(),
                     [](const ClauseResult& clause) {
                       return !FailsRequired(clause) || clause.waived >= clause.failures;
                     }) &&
         std::all_of(report.failures.begin(), report.failures.end(), [](const Failure& failure) {
           return failure.advisory || !failure.waived_by.empty();
         });
}

bool IsOpen(const Report& report, const ClauseResult& clause) {
  return report.run.scope == RunScope::kFull && !report.run.is_shard &&
         clause.strength == Strength::kRequired &&
         (clause.verdict == ClauseVerdict::kInconclusive ||
          clause.verdict == ClauseVerdict::kNotRun);
}

}  // namespace poolproof
