// SPDX-License-Identifier: Apache-2.0
//
// Which rows of the tables this process runs: read once, when the library is loaded, from the names
// in POOLPROOF_MUTANT, which commas part.

#ifndef POOLPROOF_TESTS_MUTANTS_SELECTED_FAULT_H_
#define POOLPROOF_TESTS_MUTANTS_SELECTED_FAULT_H_

#include <array>
#include <cstddef>
#include <vector>

#include "fault_table.h"
#include "partial.h"
#include "wild.h"

namespace mutants {

struct Selection {
  // kCount represents "no fault": it is never selected.
  std::array<bool, static_cast<std::size_t>(Fault::kCount) + 1> faults = {};
  std::vector<const Partial*> partials;
  Wild wild = Wild::kNone;
};

extern const Selection g_selection;

inline bool Is(Fault fault) { return g_selection.faults[static_cast<std::size_t>(fault)]; }
inline bool Is(Wild wild) { return g_selection.wild == wild; }

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_SELECTED_FAULT_H_
