// SPDX-License-Identifier: Apache-2.0
//
// Values of options: text in, value or one line that names option, value and what was wanted.
#ifndef POOLPROOF_CLI_OPTIONS_H_
#define POOLPROOF_CLI_OPTIONS_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case_set.h"
#include "conformance/spec/profile.h"
#include "core/nearest.h"
#include "core/status.h"

namespace poolproof {

// A whole number of at least `least`.
Result<std::int64_t> ParseCount(const std::string& option, const std::string& text,
                                std::int64_t least);
Result<std::uint64_t> ParseSeed(const std::string& text);
// "60s", "5m", "2h", "500ms", "1.5s"; more than nothing, at most a year.
Result<std::chrono::milliseconds> ParseDuration(const std::string& option, const std::string& text);
// "0", "0,2": device numbers, each named once.
Result<std::vector<std::int32_t>> ParseDevices(const std::string& text);
Result<Profile> ParseProfileOption(const std::string& text);
Result<CaseSet> ParseSetOption(const std::string& text);

// A whole file, "-" being standard input. errors: kNotFound naming `option` and the path.
Result<std::string> ReadFile(const std::string& option, const std::string& path);

// ASCII letters alone.
std::string Upper(std::string text);

// "a, b or c".
std::string JoinNames(std::span<const std::string_view> names);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_OPTIONS_H_
