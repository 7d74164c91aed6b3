// SPDX-License-Identifier: Apache-2.0
//
// Where a library built of these sources may do something else: hooks.cc does nothing, random_fault
// has faults that are drawn.

#ifndef POOLPROOF_TESTS_MUTANTS_HOOKS_H_
#define POOLPROOF_TESTS_MUTANTS_HOOKS_H_

#include "plan.h"
#include "validation.h"

namespace mutants {

// What phase one answers where its checks say `status`. `plan` is filled in where that is ok.
Status AfterPlanCall(const CallArguments& call, Status status, Plan& plan);

// RunPlan, or something in its place.
Status CarryOut(const Plan& plan, void* workspace);

// Whether exceptions of the hooks come out of the ABI's functions.
bool HooksThrow();

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_HOOKS_H_
