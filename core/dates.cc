// SPDX-License-Identifier: Apache-2.0
#include "core/dates.h"

#include <algorithm>
#include <cstddef>

namespace poolproof {
namespace {

// Whether the text has digits where the form has zeros, and the same characters elsewhere.
bool HasForm(std::string_view text, std::string_view form) {
  return std::equal(text.begin(), text.end(), form.begin(), form.end(), [](char c, char wanted) {
    return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
  });
}

int Number(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

}  // namespace

std::optional<std::chrono::sys_days> ParseDate(std::string_view text) {
  if (!HasForm(text, "0000-00-00")) return std::nullopt;
  const std::chrono::year_month_day day(
      std::chrono::year(Number(text.substr(0, 4))),
      std::chrono::month(static_cast<unsigned>(Number(text.substr(5, 2)))),
      std::chrono::day(static_cast<unsigned>(Number(text.substr(8, 2)))));
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day);
}

std::string DateText(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  const auto padded = [](int number, std::size_t digits) {
    const std::string text = std::to_string(number);
    return std::string(digits - std::min(digits, text.size()), '0') + text;
  };
  return padded(static_cast<int>(date.year()), 4) + "-" +
         padded(static_cast<int>(static_cast<unsigned>(date.month())), 2) + "-" +
         padded(static_cast<int>(static_cast<unsigned>(date.day())), 2);
}

std::optional<std::chrono::sys_seconds> ParseTime(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (!HasForm(text, kForm)) return std::nullopt;
  const std::optional<std::chrono::sys_days> day = ParseDate(text.substr(0, 10));
  const int hour = Number(text.substr(11, 2));
  const int minute = Number(text.substr(14, 2));
  const int second = Number(text.substr(17, 2));
  if (!day || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return *day + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

}  // namespace poolproof
