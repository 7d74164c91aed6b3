// SPDX-License-Identifier: Apache-2.0
//
// Phase one's checks: everything that can be said about a call without touching tensor data.

#ifndef POOLPROOF_TESTS_MUTANTS_VALIDATION_H_
#define POOLPROOF_TESTS_MUTANTS_VALIDATION_H_

#include "abi.h"
#include "plan.h"

namespace mutants {

// The arguments of phase one; the lists are null for the adaptive operators.
struct CallArguments {
  Operator op = Operator::kMaxPool3d;
  const aclTensor* grad_output = nullptr;
  const aclTensor* self = nullptr;
  const aclTensor* indices = nullptr;
  const aclIntArray* kernel_size = nullptr;
  const aclIntArray* stride = nullptr;
  const aclIntArray* padding = nullptr;
  const aclIntArray* dilation = nullptr;
  bool ceil_mode = false;
  const aclTensor* grad_input = nullptr;
};

// Whether N, C, H and W are passed as N, H, W and C (MP2-B29). No argument needs to be in order.
bool PassesChannelsLast(const CallArguments& call);

// Checks the call and fills in the plan.
Status PlanCall(const CallArguments& call, Plan& plan);

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_VALIDATION_H_
