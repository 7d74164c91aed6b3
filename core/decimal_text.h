// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people read them: beside the bits in messages and reports.
#ifndef POOLPROOF_CORE_DECIMAL_TEXT_H_
#define POOLPROOF_CORE_DECIMAL_TEXT_H_

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace poolproof {

// "1.5", "-inf" or "NaN", of so many significant digits.
inline std::string DecimalText(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 40> text = {};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

}  // namespace poolproof

#endif  // POOLPROOF_CORE_DECIMAL_TEXT_H_
