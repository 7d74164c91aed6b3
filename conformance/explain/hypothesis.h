// SPDX-License-Identifier: Apache-2.0
//
// Hypotheses: rules on when a library fails that all failing cases keep. A condition that one of
// them breaks is never part of one, so each new failing case makes the choice smaller.
#ifndef POOLPROOF_CONFORMANCE_EXPLAIN_HYPOTHESIS_H_
#define POOLPROOF_CONFORMANCE_EXPLAIN_HYPOTHESIS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/circumstance/rule.h"

namespace poolproof {

// A passing case. `weight`: bits that a rule loses which holds of it.
struct Passing {
  const CircumstanceValues* values = nullptr;
  double weight = 0;
};

struct Hypothesis {
  Rule rule;
  double bits = 0;   // of its words
  double wrong = 0;  // weight of the passing cases of which it holds
  [[nodiscard]] double Loss() const { return bits + wrong; }
};

class Hypotheses {
 public:
  // Requires a failing case, and all values to outlive it.
  Hypotheses(std::vector<const CircumstanceValues*> failing, std::vector<Passing> passing);

  // The best first, at least one: without a better one that which always holds.
  [[nodiscard]] std::vector<Hypothesis> Best() const;

  // What tells the cases apart as well with another condition in place of one of the rule's.
  [[nodiscard]] std::vector<Rule> Replacing(const Rule& rule) const;

  // Conditions that hold of all that fails, those with fewest bits first.
  [[nodiscard]] const std::vector<Literal>& conditions() const { return conditions_; }

 private:
  using Words = std::vector<std::uint64_t>;
  struct Column {
    Literal literal;
    double bits = 0;
    Words excludes;  // of the passing cases
    double excluded = 0;
  };
  void AddRow(std::size_t row);
  void AddPairs();
  void AddRemainders(std::size_t row);
  void Add(Literal literal);
  [[nodiscard]] Words ExcludedBy(const Literal& literal) const;
  [[nodiscard]] double WeightOf(const Words& words) const;

  const std::vector<const CircumstanceValues*> failing_;
  const std::vector<Passing> passing_;
  double all_ = 0;  // weight of all that passes
  std::vector<Column> columns_;
  std::vector<Literal> conditions_;
};

// Bits that it takes to say the condition: a plain one has fewer.
double BitsOf(const Literal& literal);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXPLAIN_HYPOTHESIS_H_
