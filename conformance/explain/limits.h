// SPDX-License-Identifier: Apache-2.0
//
// The numbers that decide how far a failure is looked into, all of them, with their reasons.
#ifndef POOLPROOF_CONFORMANCE_EXPLAIN_LIMITS_H_
#define POOLPROOF_CONFORMANCE_EXPLAIN_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace poolproof {

// Conditions of a rule: what people can read, and three parts of a trigger beside the operator.
inline constexpr std::size_t kMostConditions = 5;
// Remainders that are looked for: vector lengths and blocks of rows that kernels use.
inline constexpr std::int64_t kMostModulus = 16;
// Rules of one length that are made longer: with fewer, conditions that tell nothing alone are
// lost.
inline constexpr std::size_t kBeam = 32;
// Bits that a rule loses where it holds of a passing case: of one that was asked more than any
// condition costs; of one of the run less, for a fault need not show wherever it strikes.
inline constexpr double kAskedWeight = 14;
inline constexpr double kSeenWeight = 3;
// Likewise where it passes, and fails with other data.
inline constexpr double kHiddenWeight = 1.5;
// Of the cases asked one in so many may do so, before the rule is in doubt.
inline constexpr std::int64_t kMostHidden = 12;
// Bits by which a rule may be worse than the best and still be asked about.
inline constexpr double kRivalBits = 12;
// New cases inside a rule and just outside it that have to agree before it is confirmed: of a rule
// that is wrong in a tenth of its cases, 16 show it in five of six trials on either side.
inline constexpr std::int64_t kInside = 16;
inline constexpr std::int64_t kOutside = 16;
// Of them, those that break one condition alone, of each; and so many are asked at once.
inline constexpr int kAlone = 3;
inline constexpr std::size_t kBeside = 3;
// Cases that are asked at once: half of them inside the best rule.
inline constexpr std::size_t kAskedAtOnce = 24;
// Where each case that fails costs a worker that takes long to start: so many that fail, and
// rounds.
inline constexpr std::int64_t kFewFailures = 3;
inline constexpr int kFewRounds = 3;
// Rounds for one cause; the first ones change most.
inline constexpr int kRounds = 20;
// Rounds in a row in which all ended as the rule says, before the rest of the run is held against
// it.
inline constexpr int kCalmRounds = 2;
// Failing cases of the run that are then held against it, at a time.
inline constexpr std::size_t kChallengers = 6;
// Causes that are looked for, one after the other.
inline constexpr std::size_t kMostCauses = 8;
// Failing cases in a row that do not fail alone and each time: others will hardly do so.
inline constexpr int kMostBarren = 4;
// Bits that a rule may grow by for one failing case where not all of them fit one rule.
inline constexpr double kSpareBits = 3;
// New cases that hang: each costs its deadline.
inline constexpr int kMostHangs = 32;
// How often a case is asked that did not end as the rule says: what fails in one of ten runs or
// more rarely passes each time.
inline constexpr int kAskedAgain = 3;
// New cases to choose from are made so many a round.
inline constexpr std::size_t kMade = 96;
// And so many are kept to choose from.
inline constexpr std::size_t kMostOffered = 800;
// Plain conditions that cases are made to break in a round, and cases for each.
inline constexpr std::size_t kBrokenAtOnce = 24;
inline constexpr std::size_t kCrossesToBreak = 4;
// Conditions of so few bits are plain: an extent and its border are.
inline constexpr double kPlainBits = 9.5;
// Passing cases of the run that a rule is held against.
inline constexpr std::size_t kMostSeen = 600;
// What carrying out a new case may cost: calls by the thousand on large planes take seconds.
inline constexpr double kMostCost = 1 << 18;

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXPLAIN_LIMITS_H_
