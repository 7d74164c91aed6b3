// SPDX-License-Identifier: Apache-2.0
//
// What a call shows: its arguments in phase one, its contents where it is carried out.

#ifndef POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_SEE_H_
#define POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_SEE_H_

#include "../plan.h"
#include "../validation.h"
#include "fact.h"

namespace mutants::random_fault {

// No argument needs to be in order.
Facts SeeArguments(const CallArguments& call, int64_t calls_before);

// Adds what is seen of the contents, and of the run. Requires operands of the right sizes; nothing
// is added where they have no memory.
void SeeContents(const Plan& plan, Facts& facts);

// The element's value as an index of its plane.
int64_t LoadIndexAt(const View& indices, int64_t offset);

}  // namespace mutants::random_fault

#endif  // POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_SEE_H_
