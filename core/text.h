// SPDX-License-Identifier: Apache-2.0
//
// Small pieces of text that many messages and formats are made of.
#ifndef POOLPROOF_CORE_TEXT_H_
#define POOLPROOF_CORE_TEXT_H_

#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace poolproof {

// At least `digits` lower-case hex digits.
inline std::string HexText(std::uint64_t bits, std::size_t digits) {
  std::array<char, 16> buffer = {};
  char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), bits, 16).ptr;
  const auto length = static_cast<std::size_t>(end - buffer.data());
  return std::string(length < digits ? digits - length : 0, '0').append(buffer.data(), length);
}

// "0x1a3f", as addresses and offsets are written.
inline std::string HexNumber(std::uint64_t number) { return "0x" + HexText(number, 1); }

// With a capital in front.
inline std::string Capitalised(std::string_view words) {
  std::string text(words);
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// The words of a range with `separator` between them.
template <typename Words>
std::string Joined(const Words& words, std::string_view separator = ", ") {
  std::string text;
  bool first = true;
  for (const std::string_view word : words) {
    if (!first) text += separator;
    text += word;
    first = false;
  }
  return text;
}

}  // namespace poolproof

#endif  // POOLPROOF_CORE_TEXT_H_
