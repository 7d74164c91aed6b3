// SPDX-License-Identifier: Apache-2.0
//
// CaseSet: how many cases a run judges.
#ifndef POOLPROOF_CONFORMANCE_CASE_CASE_SET_H_
#define POOLPROOF_CONFORMANCE_CASE_CASE_SET_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/enum_names.h"

namespace poolproof {

enum class CaseSet : std::uint8_t { kSmoke, kCi, kNightly };
inline constexpr std::array<std::string_view, 3> kCaseSetNames = {"smoke", "ci", "nightly"};

constexpr std::string_view CaseSetName(CaseSet set) {
  return kCaseSetNames[static_cast<std::size_t>(set)];
}
constexpr std::optional<CaseSet> ParseCaseSet(std::string_view name) {
  return ParseEnum<CaseSet>(kCaseSetNames, name);
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_CASE_SET_H_
