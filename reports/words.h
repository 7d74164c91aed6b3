// SPDX-License-Identifier: Apache-2.0
//
// The words that every report format uses for verdicts.
#ifndef POOLPROOF_REPORTS_WORDS_H_
#define POOLPROOF_REPORTS_WORDS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/result/report.h"

namespace poolproof {

std::string_view RunVerdictName(RunVerdict verdict);
std::string_view ClauseVerdictName(ClauseVerdict verdict);
std::string_view WaiverStateName(WaiverState state);
std::string_view DifferenceKindName(DifferenceKind kind);
std::optional<DifferenceKind> ParseDifferenceKind(std::string_view name);
std::string ProfileName(const Report& report);
std::vector<std::string> ProfileNames(const WaiverScope& scope);
// Shards of the plan whose results are not in the report: "3, 5-7"; empty where all are.
std::string MissingShards(const RunInfo& run);
// What ended a run before its plan did, in words; empty: nothing.
std::string EndedEarly(const RunInfo& run);
std::optional<RunVerdict> ParseRunVerdict(std::string_view name);
std::optional<ClauseVerdict> ParseClauseVerdict(std::string_view name);
std::optional<WaiverState> ParseWaiverState(std::string_view name);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_WORDS_H_
