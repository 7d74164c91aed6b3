// SPDX-License-Identifier: Apache-2.0

#ifndef POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_RUN_STRUCK_H_
#define POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_RUN_STRUCK_H_

#include "../plan.h"
#include "fault.h"

namespace mutants::random_fault {

// Carries the plan out with an effect on numbers; otherwise as RunPlan would.
Status RunStruck(const Plan& plan, void* workspace, Effect effect);

}  // namespace mutants::random_fault

#endif  // POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_RUN_STRUCK_H_
