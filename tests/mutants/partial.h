// SPDX-License-Identifier: Apache-2.0
//
// Partial libraries: each refuses something legal with 161002 in phase one, before it looks at
// anything else but nulls. A partial library may have faults of the table, too; those that only
// calls which it refuses would show are hidden then.

#ifndef POOLPROOF_TESTS_MUTANTS_PARTIAL_H_
#define POOLPROOF_TESTS_MUTANTS_PARTIAL_H_

#include <span>
#include <string_view>

#include "validation.h"

namespace mutants {

struct Partial {
  std::string_view name;
  std::string_view description;
  // Called where no argument is null but perhaps stride; ranks and lengths may be anything.
  bool (*refuses)(const CallArguments& call);
  // The clauses that promise what is refused, ids with blanks between them: none of them is passed.
  std::string_view clauses = {};
  std::string_view profile = "atlas-a2";
};

std::span<const Partial> Partials();

// Returns the row of that name, or nullptr.
const Partial* FindPartial(std::string_view name);

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_PARTIAL_H_
