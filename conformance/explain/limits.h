// SPDX-License-Identifier: Apache-2.0
//
// The numbers that decide how far a failure is investigated, all of them, with their reasons.
#ifndef POOLPROOF_CONFORMANCE_EXPLAIN_LIMITS_H_
#define POOLPROOF_CONFORMANCE_EXPLAIN_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace poolproof {

// Bits of a plain condition, at most: an extent and its border have them.
inline constexpr double kPlainBits = 9.5;
// Bits that a rule loses where it holds of a passing case that was asked: more than any condition
// costs.
inline constexpr double kAskedWeight = 14;
// Bits by which a rule may be worse than the best and still be asked about.
inline constexpr double kRivalBits = 12;
// New cases inside a rule, and as many just outside it, that have to agree before it is confirmed:
// of a rule that is wrong in a tenth of its cases, 16 show it in five of six trials on either side.
inline constexpr std::int64_t kOnEachSide = 16;
// The least that tells something from chance: cases that break a condition alone; runs of a case
// that did not end as the rule says (what fails in one of ten runs or more rarely passes each
// time); failing cases and rounds, where each costs a worker that takes long to start; failing
// cases in a row that do not fail alone and each time, before others are left alone.
inline constexpr std::size_t kSome = 3;
// How often something is tried that one time in four shows what it is to show: runs of a case,
// calls of an operator that may speak, cases that get a part of a failing one.
inline constexpr std::int64_t kTries = 16;
// Cases that are asked at once: half of them inside the best rule.
inline constexpr std::size_t kAskedAtOnce = 24;
// New cases to choose from that are made a round; those of half of the rounds are kept.
inline constexpr std::size_t kMade = 96;
// Rounds for one cause; the first ones change most. Of the passing cases of the run as many are
// looked at as can be asked.
inline constexpr int kRounds = 20;
// Runs of a case that does not fail each time: the rate is then known to 10 % or better.
inline constexpr std::int64_t kRuns = 100;
// Causes that are looked for, one after the other.
inline constexpr std::size_t kMostCauses = 8;
// New cases that hang: each costs its deadline.
inline constexpr int kMostHangs = 32;
// What carrying out a new case may cost: calls by the thousand on large planes take seconds.
inline constexpr double kMostCost = 1 << 18;

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXPLAIN_LIMITS_H_
