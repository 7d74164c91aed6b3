// SPDX-License-Identifier: Apache-2.0
//
// Rules: under which circumstances a library fails.
#ifndef POOLPROOF_CONFORMANCE_CIRCUMSTANCE_RULE_H_
#define POOLPROOF_CONFORMANCE_CIRCUMSTANCE_RULE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/circumstance/circumstances.h"

namespace poolproof {

enum class LiteralTest : std::uint8_t { kIs, kIsNot, kAtLeast, kAtMost };

// What a condition is about: a circumstance, or what an operator makes of a number and another one.
enum class TermOf : std::uint8_t {
  kItself,
  kDifference,  // less the circumstance `with`
  kProduct,     // times the circumstance `with`
  kRemainder    // modulo `with`, a number
};

// One condition of a rule: "W > 128", "D > H", "W mod 3 = 1". Does not hold of what a case does not
// have.
struct Literal {
  std::size_t circumstance = 0;  // position in AllCircumstances()
  LiteralTest test = LiteralTest::kIs;
  std::int64_t value = 0;
  TermOf of = TermOf::kItself;
  std::int64_t with = 0;
  // What the condition is about, as the case has it.
  [[nodiscard]] std::int64_t ValueIn(const CircumstanceValues& values) const;
  [[nodiscard]] bool Holds(const CircumstanceValues& values) const {
    return HoldsOf(ValueIn(values));
  }
  // The same, as far as it is known of the case.
  [[nodiscard]] bool MayHold(const CircumstanceValues& values) const {
    const std::int64_t own = ValueIn(values);
    return own == kNotLookedAt || HoldsOf(own);
  }
  [[nodiscard]] bool HoldsOf(std::int64_t own) const;
  friend bool operator==(const Literal&, const Literal&) = default;
};

// The condition that holds where this one does not, of cases that have what it is about.
Literal Negated(Literal literal);

// The name of what the condition is about: "in_w", "in_d - in_h", "in_h * in_w", "in_w % 3".
std::string TermName(const Literal& literal);
// Puts what the name says into `literal`; false where it is no such name.
bool ParseTerm(std::string_view name, Literal& literal);

// All of its literals hold. Without any it always holds.
using Rule = std::vector<Literal>;
bool Holds(const Rule& rule, const CircumstanceValues& values);
// The same, as far as it is known of the case.
bool MayHold(const Rule& rule, const CircumstanceValues& values);
// Whether one of its conditions takes a look at the data of a call.
bool IsOfData(const Rule& rule);

// "W > 128", "windows do not overlap along H", "the data type is f16".
std::string LiteralText(const Literal& literal);
// "W > 128 and windows do not overlap along H"; "always".
std::string RuleText(const Rule& rule);

// A judged call.
enum class Label : std::uint8_t { kFails, kPasses };
struct Example {
  CircumstanceValues values;
  Label label = Label::kPasses;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CIRCUMSTANCE_RULE_H_
