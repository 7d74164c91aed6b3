// SPDX-License-Identifier: Apache-2.0
//
// Hypotheses: rules on when a library fails that all failing cases keep. A condition that one of
// them breaks is never part of one, so each new failing case makes the choice smaller.
#ifndef POOLPROOF_CONFORMANCE_CIRCUMSTANCE_HYPOTHESIS_H_
#define POOLPROOF_CONFORMANCE_CIRCUMSTANCE_HYPOTHESIS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/circumstance/rule.h"

namespace poolproof {

// Conditions of a rule: what people can read, and three parts of a trigger beside the operator.
inline constexpr std::size_t kMostConditions = 5;
// Remainders that are looked for: vector lengths and blocks of rows that kernels use.
inline constexpr std::int64_t kMostModulus = 16;
// Rules of one length that are made longer: with fewer, conditions that tell nothing alone are
// lost.
inline constexpr std::size_t kBeam = 32;
// Bits that a rule loses where it holds of a passing case of the run: few, for a fault may be
// invisible in some cases that it changes. As many it may gain by one failing case where not all of
// them fit one rule.
inline constexpr double kSeenWeight = 3;

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
  void AddOthers(std::size_t row, std::int64_t least, std::int64_t most);
  [[nodiscard]] bool Varies(std::size_t row) const;
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

// Whether it is a length that the call states, which can be compared with others.
bool IsLength(const Circumstance& row);

// Bits that it takes to say the condition: a plain one has fewer.
double BitsOf(const Literal& literal);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CIRCUMSTANCE_HYPOTHESIS_H_
