// SPDX-License-Identifier: Apache-2.0
//
// Dates and times as files hold them (RFC 3339, UTC).
#ifndef POOLPROOF_CORE_DATES_H_
#define POOLPROOF_CORE_DATES_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace poolproof {

// "2026-02-28"; nullopt where the calendar has no such day.
std::optional<std::chrono::sys_days> ParseDate(std::string_view text);
// The inverse; of years 0 to 9999.
std::string DateText(std::chrono::sys_days day);
// "2026-01-02T03:04:05Z".
std::optional<std::chrono::sys_seconds> ParseTime(std::string_view text);

}  // namespace poolproof

#endif  // POOLPROOF_CORE_DATES_H_
