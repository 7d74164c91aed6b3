// SPDX-License-Identifier: Apache-2.0
//
// Which row of the table this process runs: read once, when the library is loaded.

#ifndef POOLPROOF_TESTS_MUTANTS_SELECTED_FAULT_H_
#define POOLPROOF_TESTS_MUTANTS_SELECTED_FAULT_H_

#include "fault_table.h"

namespace mutants {

extern const Fault g_selected_fault;

inline bool Is(Fault fault) { return g_selected_fault == fault; }

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_SELECTED_FAULT_H_
