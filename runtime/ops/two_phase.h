// SPDX-License-Identifier: Apache-2.0
//
// What is the same for every operator: how phase one ends and what phase two does.
#ifndef POOLPROOF_RUNTIME_OPS_TWO_PHASE_H_
#define POOLPROOF_RUNTIME_OPS_TWO_PHASE_H_

#include <array>
#include <cstdint>
#include <optional>

#include "core/kernels.h"
#include "runtime/handles.h"
#include "runtime/ops/checks.h"

namespace poolproof {

// Hands the plan to the caller. No operator of this library needs a workspace.
void Deliver(ExecutionPlan plan, std::uint64_t* workspace_size, aclOpExecutor** executor);

// Queues what `executor` planned and ends it, whatever the answer, unless it is repeatable.
aclnnStatus RunPhaseTwo(const char* function, void* workspace, std::uint64_t workspace_size,
                        aclOpExecutor* executor, aclrtStream stream) noexcept;

// The operands of a planned call for the kernels.
TensorView KernelInput(const PlannedTensor& operand, int spatial_rank);
MutableTensorView KernelOutput(const PlannedTensor& operand, int spatial_rank);

using BackwardKernel = std::optional<BadIndex> (*)(const BackwardArgs&);

// The plan of a backward, with its windows where they are fixed. `clauses` end up in the message
// about a bad index.
struct BackwardOperands {
  Operand grad_output;
  Operand self;
  Operand indices;
  Operand grad_input;
};
ExecutionPlan PlanBackward(const char* function, const BackwardOperands& operands, int spatial_rank,
                           BackwardKernel kernel, const char* clauses,
                           const std::optional<std::array<PoolAxis, 3>>& axes = std::nullopt,
                           bool ceil_mode = false);

// Asked in phase one: the options of that moment count.
CallNotes NotesOf(const aclTensor& self, bool ceil_mode);

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_OPS_TWO_PHASE_H_
