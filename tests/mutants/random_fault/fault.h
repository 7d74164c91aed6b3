// SPDX-License-Identifier: Apache-2.0
//
// RandomFault: a trigger on facts of a call, and what goes wrong where it holds. Has a text from
// which it is read again:
//
//   mp3 : w >= 17 and not ceil : lost
//   all : h * w % 4 == 1 and d > h : refused : 3 of 7
//
// Its parts are the operator, the conditions ("always": none), the effect and how often it shows.
// A library may have several, with " ; " between them: a call is struck by the first one that meets
// it.

#ifndef POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_FAULT_H_
#define POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_FAULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fact.h"

namespace mutants::random_fault {

enum class Compare { kAtLeast, kBelow, kAbove, kEquals };

// Does not hold of a call that lacks one of its facts, negated or not.
struct Condition {
  bool negated = false;
  Fact fact = Fact::kW;
  std::optional<Fact> times;  // the product of both
  int64_t modulus = 0;        // 0: the number itself
  Compare compare = Compare::kEquals;
  std::optional<Fact> other;  // compared with it, or else with `value`
  int64_t value = 0;

  friend bool operator==(const Condition&, const Condition&) = default;
};

enum class Effect {
  kLost,         // the last gradient of each plane does not arrive
  kMoved,        // it arrives at the next cell
  kStored,       // gradients are stored where they should be added
  kUlp,          // the last cell that is named is one unit in the last place off
  kNotCleared,   // cells that no index names keep what they held
  kRefused,      // phase one refuses a call that is in order
  kAccepted,     // phase one accepts what it should refuse
  kOtherStatus,  // it refuses with another status
  kCrashOne,     // the process dies in phase one
  kCrashTwo,     // or in phase two
  kHang,         // phase two does not return
  kCount
};

std::string_view EffectName(Effect effect);
// Whether it strikes in phase one, before a call is carried out, where the facts of runs are not
// known.
bool StrikesInPhaseOne(Effect effect);
// Whether it strikes calls that must be refused.
bool StrikesWhatIsRefused(Effect effect);
// Whether it is seen in the numbers of a result.
bool IsOfNumbers(Effect effect);

struct RandomFault {
  int op = -1;  // position in kOperatorNames; -1: all
  std::vector<Condition> conditions;
  Effect effect = Effect::kLost;
  // So many of so many calls of which the trigger holds.
  int64_t strikes = 1;
  int64_t of = 1;

  [[nodiscard]] bool IsSteady() const { return strikes == of; }
  friend bool operator==(const RandomFault&, const RandomFault&) = default;
};

bool Holds(const Condition& condition, const Facts& facts);
// Of a call of the operator. How often the fault shows plays no part.
bool TriggerHolds(const RandomFault& fault, int op, const Facts& facts);

std::string TextOf(const Condition& condition);
std::string TextOf(const RandomFault& fault);
// nullopt where it is not understood; `problem` says why.
std::optional<RandomFault> ParseFault(std::string_view text, std::string& problem);
// Of several; empty where one of them is not understood.
using RandomFaults = std::vector<RandomFault>;
std::string TextOf(const RandomFaults& faults);
RandomFaults ParseFaults(std::string_view text, std::string& problem);

// The fault of a seed: the same on every machine. It may be one that hardly any call meets.
RandomFault DrawFault(std::uint64_t seed);

}  // namespace mutants::random_fault

#endif  // POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_FAULT_H_
