// SPDX-License-Identifier: Apache-2.0
//
// Exploration: the cases of a campaign. They spread over the parameter space so that pairs and
// triples of its classes are covered soon, with other sizes and data in every round.
#ifndef POOLPROOF_CONFORMANCE_PLAN_EXPLORE_H_
#define POOLPROOF_CONFORMANCE_PLAN_EXPLORE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/result/coverage.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {

// Pairs and triples of classes that were met together.
class Combinations {
 public:
  // `classes`: the class number on each axis; less than 256 axes and classes. How many pairs and
  // triples are new.
  struct Count {
    std::int64_t pairs = 0;
    std::int64_t triples = 0;
  };
  [[nodiscard]] Count New(std::span<const std::uint8_t> classes) const;
  Count Add(std::span<const std::uint8_t> classes);
  [[nodiscard]] const Count& total() const { return total_; }

 private:
  std::unordered_set<std::uint64_t> seen_;
  Count total_;
};

// The pairs and triples of such classes, each as a number of its own.
std::vector<std::uint64_t> CombinationsOf(std::span<const std::uint8_t> classes);

// The classes of a place in the parameter space, the operator's first.
std::vector<std::uint8_t> ClassesOf(const CoverageKey& key);

// Case i of a campaign: a pure function of (rules, seed, i). Of a few candidates it is the one
// that adds most combinations to those of its round; a round is a run of consecutive cases. May be
// called from several threads at once.
std::function<NamedCase(std::uint64_t index)> Exploration(const ProfileRules& rules,
                                                          std::uint64_t seed);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PLAN_EXPLORE_H_
