// SPDX-License-Identifier: Apache-2.0
//
// The work of phase two: a scatter-add per plane into an fp32 accumulator, rounded once when it is
// stored. Every fault of the categories scatter to lifecycle that is not about phase one is here.

#ifndef POOLPROOF_TESTS_MUTANTS_KERNELS_H_
#define POOLPROOF_TESTS_MUTANTS_KERNELS_H_

#include "plan.h"

namespace mutants {

// Runs a valid plan. Requires a workspace of plan.workspace_bytes bytes.
// Returns 507015 where an index lies outside its plane; nothing outside grad_input is touched then.
Status RunPlan(const Plan& plan, void* workspace);

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_KERNELS_H_
