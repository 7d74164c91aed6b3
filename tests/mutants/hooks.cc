// SPDX-License-Identifier: Apache-2.0

#include "hooks.h"

#include "kernels.h"

namespace mutants {

Status AfterPlanCall(const CallArguments& /*call*/, Status status, Plan& /*plan*/) {
  return status;
}

Status CarryOut(const Plan& plan, void* workspace) { return RunPlan(plan, workspace); }

bool HooksThrow() { return false; }

}  // namespace mutants
