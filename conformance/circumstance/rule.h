// SPDX-License-Identifier: Apache-2.0
//
// Rules: under which circumstances a library fails. Learnt from cases that fail and cases that
// pass; pure functions, the same for any order in which the cases were judged.
#ifndef POOLPROOF_CONFORMANCE_CIRCUMSTANCE_RULE_H_
#define POOLPROOF_CONFORMANCE_CIRCUMSTANCE_RULE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
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
// Likewise, as far as it is known of the case.
bool MayHold(const Rule& rule, const CircumstanceValues& values);
// Whether one of its conditions takes a look at the data of a call.
bool IsOfData(const Rule& rule);

// "W > 128", "windows do not overlap along H", "the data type is f16".
std::string LiteralText(const Literal& literal);
// "W > 128 and windows do not overlap along H"; "always".
std::string RuleText(const Rule& rule);

// A judged call. What passes and is about the same clauses as what fails says that the rule does
// not hold of it; what passes and is about others may have been hit without showing it.
enum class Label : std::uint8_t { kFails, kPasses, kPassesElsewhere };
struct Example {
  CircumstanceValues values;
  Label label = Label::kPasses;
};

inline constexpr std::size_t kMostLiterals = 4;

// The rule that tells most of what fails from most of what passes for its length. nullopt where
// there is none that is worth its words. Does not depend on the order of the examples.
std::optional<Rule> LearnRule(const std::vector<Example>& examples);

// Makes one rule of two wherever one says the same of the examples, but for hardly any that pass:
// rules are learnt one after the other, and the first takes what it can get.
void MergeRules(std::vector<Rule>& rules, const std::vector<Example>& examples);

// Rules that explain what fails, the one that explains most first; each is learnt of what those
// before it leave. What none of them holds of is unexplained.
std::vector<Rule> LearnRules(std::vector<Example> examples);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CIRCUMSTANCE_RULE_H_
