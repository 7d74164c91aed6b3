// SPDX-License-Identifier: Apache-2.0
//
// The words that every report format uses for verdicts.
#ifndef POOLPROOF_REPORTS_WORDS_H_
#define POOLPROOF_REPORTS_WORDS_H_

#include <optional>
#include <string_view>

#include "conformance/result/report.h"

namespace poolproof {

std::string_view RunVerdictName(RunVerdict verdict);
std::string_view ClauseVerdictName(ClauseVerdict verdict);
std::string_view WaiverStateName(WaiverState state);
std::optional<RunVerdict> ParseRunVerdict(std::string_view name);
std::optional<ClauseVerdict> ParseClauseVerdict(std::string_view name);
std::optional<WaiverState> ParseWaiverState(std::string_view name);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_WORDS_H_
