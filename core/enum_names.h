// SPDX-License-Identifier: Apache-2.0
//
// From the name of an enumerator to the enumerator, where an array holds the names by number.
#ifndef POOLPROOF_CORE_ENUM_NAMES_H_
#define POOLPROOF_CORE_ENUM_NAMES_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace poolproof {

template <typename Enum, std::size_t kCount>
constexpr std::optional<Enum> ParseEnum(const std::array<std::string_view, kCount>& names,
                                        std::string_view name) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace poolproof

#endif  // POOLPROOF_CORE_ENUM_NAMES_H_
