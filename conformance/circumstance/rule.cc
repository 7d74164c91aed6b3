// SPDX-License-Identifier: Apache-2.0
#include "conformance/circumstance/rule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

namespace poolproof {

std::int64_t Literal::ValueIn(const CircumstanceValues& values) const {
  const std::int64_t own = values[circumstance];
  if (of == TermOf::kItself || !IsValue(own)) return own;
  if (of == TermOf::kRemainder) return own < 0 ? kNoValue : own % with;
  const std::int64_t other = values[static_cast<std::size_t>(with)];
  if (!IsValue(other)) return other;
  std::int64_t result = 0;
  const bool overflows = of == TermOf::kProduct ? __builtin_mul_overflow(own, other, &result)
                                                : __builtin_sub_overflow(own, other, &result);
  return overflows ? kNoValue : result;
}

bool Literal::HoldsOf(std::int64_t own) const {
  if (!IsValue(own)) return false;
  switch (test) {
    case LiteralTest::kIs:
      return own == value;
    case LiteralTest::kIsNot:
      return own != value;
    case LiteralTest::kAtLeast:
      return own >= value;
    case LiteralTest::kAtMost:
      break;
  }
  return own <= value;
}

bool Holds(const Rule& rule, const CircumstanceValues& values) {
  return std::all_of(rule.begin(), rule.end(),
                     [&](const Literal& literal) { return literal.Holds(values); });
}

bool IsOfData(const Rule& rule) {
  return std::any_of(rule.begin(), rule.end(), [](const Literal& literal) {
    return AllCircumstances()[literal.circumstance].of_data;
  });
}

bool MayHold(const Rule& rule, const CircumstanceValues& values) {
  return std::all_of(rule.begin(), rule.end(),
                     [&](const Literal& literal) { return literal.MayHold(values); });
}

namespace {

struct TermSign {
  TermOf of;
  std::string_view sign;
};
constexpr std::array kTermSigns = {TermSign{TermOf::kDifference, " - "},
                                   TermSign{TermOf::kProduct, " * "},
                                   TermSign{TermOf::kRemainder, " % "}};

// "D > H": the sign of a difference needs no number.
std::string ComparisonText(const Literal& literal) {
  const std::string left = AllCircumstances()[literal.circumstance].text;
  const std::string right = AllCircumstances()[static_cast<std::size_t>(literal.with)].text;
  const auto says = [&](LiteralTest test, std::int64_t value, const char* sign) {
    return literal.test == test && literal.value == value ? left + sign + right : std::string();
  };
  for (const std::string& text :
       {says(LiteralTest::kAtLeast, 1, " > "), says(LiteralTest::kAtLeast, 0, " >= "),
        says(LiteralTest::kAtMost, -1, " < "), says(LiteralTest::kAtMost, 0, " <= "),
        says(LiteralTest::kIs, 0, " = "), says(LiteralTest::kIsNot, 0, " != ")}) {
    if (!text.empty()) return text;
  }
  const auto beyond = [](const std::string& more, const std::string& less, std::int64_t by) {
    return more + " > " + less + " + " + std::to_string(by);
  };
  if (literal.test == LiteralTest::kAtLeast && literal.value > 1) {
    return beyond(left, right, literal.value - 1);
  }
  if (literal.test == LiteralTest::kAtMost && literal.value < -1) {
    return beyond(right, left, -1 - literal.value);
  }
  return "";
}

// What the condition is about, in words.
std::string TermText(const Literal& literal) {
  std::string own = AllCircumstances()[literal.circumstance].text;
  switch (literal.of) {
    case TermOf::kItself:
      return own;
    case TermOf::kRemainder:
      return own + " mod " + std::to_string(literal.with);
    case TermOf::kDifference:
    case TermOf::kProduct:
      break;
  }
  return own + (literal.of == TermOf::kProduct ? " * " : " - ") +
         AllCircumstances()[static_cast<std::size_t>(literal.with)].text;
}

}  // namespace

std::string TermName(const Literal& literal) {
  const std::string& own = AllCircumstances()[literal.circumstance].name;
  for (const TermSign& row : kTermSigns) {
    if (row.of != literal.of) continue;
    return own + std::string(row.sign) +
           (literal.of == TermOf::kRemainder
                ? std::to_string(literal.with)
                : AllCircumstances()[static_cast<std::size_t>(literal.with)].name);
  }
  return own;
}

bool ParseTerm(std::string_view name, Literal& literal) {
  literal.of = TermOf::kItself;
  std::string_view own = name;
  for (const TermSign& row : kTermSigns) {
    const std::size_t place = name.find(row.sign);
    if (place == std::string_view::npos) continue;
    literal.of = row.of;
    own = name.substr(0, place);
    const std::string_view other = name.substr(place + row.sign.size());
    if (row.of == TermOf::kRemainder) {
      const char* const end = other.data() + other.size();
      const auto parsed = std::from_chars(other.data(), end, literal.with);
      if (parsed.ec != std::errc() || parsed.ptr != end || literal.with < 1) return false;
    } else {
      const std::size_t position = CircumstanceOf(other);
      if (position == AllCircumstances().size()) return false;
      literal.with = static_cast<std::int64_t>(position);
    }
    break;
  }
  literal.circumstance = CircumstanceOf(own);
  return literal.circumstance < AllCircumstances().size();
}

Literal Negated(Literal literal) {
  switch (literal.test) {
    case LiteralTest::kIs:
      literal.test = LiteralTest::kIsNot;
      break;
    case LiteralTest::kIsNot:
      literal.test = LiteralTest::kIs;
      break;
    case LiteralTest::kAtLeast:
      literal.test = LiteralTest::kAtMost;
      --literal.value;
      break;
    case LiteralTest::kAtMost:
      literal.test = LiteralTest::kAtLeast;
      ++literal.value;
      break;
  }
  return literal;
}

std::string LiteralText(const Literal& literal) {
  const Circumstance& row = AllCircumstances()[literal.circumstance];
  if (row.kind == Circumstance::Kind::kFlag) {
    const bool holds = (literal.value != 0) == (literal.test == LiteralTest::kIs);
    return holds ? row.text : row.negation;
  }
  if (row.kind == Circumstance::Kind::kWord) {
    const auto word = static_cast<std::size_t>(literal.value);
    return row.text + (literal.test == LiteralTest::kIs ? " is " : " is not ") +
           (word < row.words.size() ? row.words[word] : std::to_string(literal.value));
  }
  if (literal.of == TermOf::kDifference) {
    std::string comparison = ComparisonText(literal);
    if (!comparison.empty()) return comparison;
  }
  const std::string text = TermText(literal);
  switch (literal.test) {
    case LiteralTest::kIs:
      return text + " = " + std::to_string(literal.value);
    case LiteralTest::kIsNot:
      return text + " != " + std::to_string(literal.value);
    case LiteralTest::kAtLeast:
      if (literal.value <= 0) return text + " >= " + std::to_string(literal.value);
      return text + " > " + std::to_string(literal.value - 1);
    case LiteralTest::kAtMost:
      break;
  }
  return text + " <= " + std::to_string(literal.value);
}

std::string RuleText(const Rule& rule) {
  if (rule.empty()) return "always";
  std::string text;
  for (const Literal& literal : rule) text += (text.empty() ? "" : " and ") + LiteralText(literal);
  return text;
}

}  // namespace poolproof
