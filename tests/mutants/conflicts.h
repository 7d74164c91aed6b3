// SPDX-License-Identifier: Apache-2.0
//
// What faults are to one another. Some are never drawn into one compound: they sit at one place in
// the code, so that one of them is not there, or one undoes what the other does. Some do more harm
// together than each alone.

#ifndef POOLPROOF_TESTS_MUTANTS_CONFLICTS_H_
#define POOLPROOF_TESTS_MUTANTS_CONFLICTS_H_

#include <array>
#include <span>
#include <string_view>

#include "fault_table.h"

namespace mutants {

// Where `right` is empty, any two of `left` are in conflict; else each of `left` with each of
// `right`.
struct Conflict {
  std::string_view why;
  std::array<Fault, 12> left = {};
  std::array<Fault, 12> right = {};
};

std::span<const Conflict> Conflicts();

// One of `left` and one of `right` in one library may breach clauses that neither breaches alone.
struct Together {
  std::string_view why;
  std::array<Fault, 12> left = {};
  std::array<Fault, 12> right = {};
  std::string_view clauses;  // ids with blanks between them
};

std::span<const Together> AllTogether();

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_CONFLICTS_H_
