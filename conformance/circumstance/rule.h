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
#include <vector>

#include "conformance/circumstance/circumstances.h"

namespace poolproof {

enum class LiteralTest : std::uint8_t { kIs, kIsNot, kAtLeast, kAtMost };

// One condition of a rule: "W > 128". Does not hold of what a case does not have.
struct Literal {
  std::size_t circumstance = 0;  // position in AllCircumstances()
  LiteralTest test = LiteralTest::kIs;
  std::int64_t value = 0;
  [[nodiscard]] bool Holds(const CircumstanceValues& values) const {
    return HoldsOf(values[circumstance]);
  }
  [[nodiscard]] bool HoldsOf(std::int64_t own) const;
  friend bool operator==(const Literal&, const Literal&) = default;
};

// All of its literals hold. Without any it always holds.
using Rule = std::vector<Literal>;
bool Holds(const Rule& rule, const CircumstanceValues& values);
// Likewise, as far as it is known of the case.
bool MayHold(const Rule& rule, const CircumstanceValues& values);

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
  bool tried = false;  // made to find out about a rule: what passes does not do so by luck
};

inline constexpr std::size_t kMostLiterals = 4;

// The rule that tells most of what fails from most of what passes for its length. nullopt where
// there is none that is worth its words. Does not depend on the order of the examples.
std::optional<Rule> LearnRule(const std::vector<Example>& examples);

// A rule and others that tell the examples apart as well, or nearly so: which one is right, cases
// on which they differ can say.
struct LearntRule {
  Rule rule;
  std::vector<Rule> rivals;  // likely ones first
};

// Makes one rule of two wherever one says the same of the examples, but for hardly any that pass:
// rules are learnt one after the other, and the first takes what it can get.
void MergeRules(std::vector<LearntRule>& rules, const std::vector<Example>& examples);

// Rules that explain what fails, the one that explains most first; each is learnt of what those
// before it leave. What none of them holds of is unexplained.
std::vector<LearntRule> LearnRules(std::vector<Example> examples);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CIRCUMSTANCE_RULE_H_
