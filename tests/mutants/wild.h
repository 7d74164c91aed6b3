// SPDX-License-Identifier: Apache-2.0
//
// Wild libraries: what one may meet before anything works. None of them has a fault of the table;
// whatever a clause says of them is there to be deserved.

#ifndef POOLPROOF_TESTS_MUTANTS_WILD_H_
#define POOLPROOF_TESTS_MUTANTS_WILD_H_

#include <span>
#include <string_view>

#include "abi.h"

namespace mutants {

enum class Wild : int {
  kNone = 0,
  kRefusesEveryCall,
  kEveryFunctionRefuses,
  kDoesNothing,
  kPlansAndDoesNothing,
  kRandomCodes,
  kAcceptsEverything,
  kRefusesInPhaseTwo,
  kChecksInPhaseTwo,
};

struct WildRow {
  Wild wild;
  std::string_view name;
  std::string_view description;
};

std::span<const WildRow> WildRows();

// Returns the row of that name, or nullptr.
const WildRow* FindWild(std::string_view name);

// One of the ABI's codes, 0 included: the same in each process for the same number of calls before.
aclnnStatus NextRandomCode();

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_WILD_H_
