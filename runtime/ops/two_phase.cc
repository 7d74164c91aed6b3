// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/two_phase.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/boundary.h"
#include "runtime/kernel_binding.h"
#include "runtime/state.h"

namespace poolproof {
namespace {

// The plan, taken out of its executor or copied from a repeatable one.
Objection TakePlan(const char* function, aclOpExecutor* executor, ExecutionPlan& plan) {
  if (executor == nullptr) {
    return Refusal{ACLNN_ERR_PARAM_NULLPTR,
                   Complaint("executor", "null", "one that phase one returned", "2P-09")};
  }
  if (!IsLive(executor)) {
    return Refusal{ACLNN_ERR_INNER,
                   "executor is not a living executor of this library: it was used or destroyed "
                   "before, or phase one did not succeed"};
  }
  if (executor->repeatable) {
    plan = executor->plan;
  } else {
    const std::unique_ptr<aclOpExecutor> owner = TakeHandle(executor);
    if (owner == nullptr) return Refusal{ACLNN_ERR_INNER, "executor is in use by another thread"};
    plan = std::move(owner->plan);
  }
  if (std::string_view(plan.function) == function) return std::nullopt;
  return Refusal{ACLNN_ERR_INNER, Complaint("executor", std::string("one for ") + plan.function,
                                            std::string("one for ") + function)};
}

// Phase one may be called on descriptors alone; now the memory must be there. `room`: the bytes
// behind the address; nullopt: not our memory, its size is the caller's word.
Objection CheckMemory(const PlannedTensor& operand, const std::optional<std::size_t>& room) {
  const aclTensor& tensor = operand.tensor;
  if (IsEmpty(tensor)) return std::nullopt;
  if (tensor.data == nullptr) {
    return Refusal{ACLNN_ERR_PARAM_NULLPTR,
                   Complaint(std::string("data address of ") + operand.name, "null",
                             "memory for shape " + DimsText(tensor.shape))};
  }
  if (!room.has_value()) return std::nullopt;
  const std::optional<Reach> reach = ViewReach(tensor.shape, tensor.strides, tensor.offset);
  const auto element = static_cast<std::size_t>(StorageBytes(tensor.type));
  if (reach.has_value() && static_cast<std::uint64_t>(reach->last) < *room / element) {
    return std::nullopt;
  }
  return Refusal{
      ACLNN_ERR_PARAM_INVALID,
      Complaint(std::string("memory of ") + operand.name,
                std::to_string(*room) + " bytes with padding",
                "room for shape " + DimsText(tensor.shape) + ", strides " +
                    DimsText(tensor.strides) + ", offset " + std::to_string(tensor.offset) +
                    " of " + std::to_string(element) + " bytes each")};
}

Objection CheckMemory(const ExecutionPlan& plan) {
  RuntimeState& state = State();
  const std::lock_guard lock(state.mutex);
  for (const std::vector<PlannedTensor>* operands : {&plan.inputs, &plan.outputs}) {
    for (const PlannedTensor& operand : *operands) {
      if (auto no = CheckMemory(operand, BytesBehind(state, operand.tensor.data))) return no;
    }
  }
  return std::nullopt;
}

std::uint64_t BytesOf(const ExecutionPlan& plan) {
  std::uint64_t bytes = 0;
  for (const std::vector<PlannedTensor>* operands : {&plan.inputs, &plan.outputs}) {
    for (const PlannedTensor& operand : *operands) {
      bytes += static_cast<std::uint64_t>(CheckedNumel(operand.tensor.shape).value_or(0)) *
               static_cast<std::uint64_t>(StorageBytes(operand.tensor.type));
    }
  }
  return bytes;
}

// "indices[0,2,1]" for a row-major number.
std::string ElementName(const PlannedTensor& operand, std::int64_t number) {
  Dims index(operand.tensor.shape.size());
  for (std::size_t axis = index.size(); axis-- > 0;) {
    index[axis] = number % operand.tensor.shape[axis];
    number /= operand.tensor.shape[axis];
  }
  return operand.name + DimsText(index);
}

}  // namespace

void Deliver(ExecutionPlan plan, std::uint64_t* workspace_size, aclOpExecutor** executor) {
  aclOpExecutor made;
  made.plan = std::move(plan);
  *executor = NewHandle(std::move(made));
  *workspace_size = 0;
}

aclnnStatus RunPhaseTwo(const char* function, void* workspace, std::uint64_t workspace_size,
                        aclOpExecutor* executor, aclrtStream stream) noexcept {
  return AtBoundary(function, kAclnnCodes, [=]() -> Objection {
    ExecutionPlan plan;
    if (auto no = TakePlan(function, executor, plan)) return no;
    if (workspace == nullptr && workspace_size > 0) {
      return Refusal{ACLNN_ERR_PARAM_NULLPTR,
                     Complaint("workspace", "null",
                               "memory of workspaceSize, " + std::to_string(workspace_size))};
    }
    const std::shared_ptr<Stream> queue = FindStream(stream);
    if (queue == nullptr) {
      return Refusal{ACLNN_ERR_RUNTIME_ERROR,
                     "stream is not alive, expected one of aclrtCreateStream or null"};
    }
    if (!plan.run) return std::nullopt;
    if (auto no = CheckMemory(plan)) return no;
    if (BytesOf(plan) <= BytesAtOnce() &&
        queue->RunAtOnce({function, [&plan] { return plan.run(plan); }})) {
      return std::nullopt;
    }
    const auto shared = std::make_shared<const ExecutionPlan>(std::move(plan));
    if (!queue->Enqueue({function, [shared] { return shared->run(*shared); }})) {
      return Refusal{ACLNN_ERR_RUNTIME_ERROR, "stream is being destroyed"};
    }
    // The default stream has no handle to keep apart: its work is done when the call returns.
    if (stream == nullptr) static_cast<void>(queue->Wait());
    return std::nullopt;
  });
}

TensorView KernelInput(const PlannedTensor& operand, int spatial_rank) {
  const aclTensor& tensor = operand.tensor;
  return ToNcdhw(TensorView{tensor.data, tensor.type, tensor.shape, tensor.strides, tensor.offset},
                 spatial_rank);
}

MutableTensorView KernelOutput(const PlannedTensor& operand, int spatial_rank) {
  const aclTensor& tensor = operand.tensor;
  return ToNcdhw(
      MutableTensorView{tensor.data, tensor.type, tensor.shape, tensor.strides, tensor.offset},
      spatial_rank);
}

CallNotes NotesOf(const aclTensor& self, bool ceil_mode) {
  return {static_cast<int>(self.shape.size()), ceil_mode, SysParam(ACL_OPT_DETERMINISTIC) != 0};
}

ExecutionPlan PlanBackward(const char* function, const BackwardOperands& operands, int spatial_rank,
                           BackwardKernel kernel, const char* clauses,
                           const std::optional<std::array<PoolAxis, 3>>& axes, bool ceil_mode) {
  ExecutionPlan plan;
  plan.function = function;
  plan.inputs.reserve(3);
  for (const Operand& input : {operands.grad_output, operands.self, operands.indices}) {
    plan.inputs.push_back({input.name, *input.tensor});
  }
  plan.outputs.push_back({operands.grad_input.name, *operands.grad_input.tensor});
  if (IsEmpty(*operands.grad_input.tensor)) return plan;  // MP3-S51: nothing to write
  const CallNotes notes = NotesOf(*operands.self.tensor, ceil_mode);
  plan.run = [=](const ExecutionPlan& self) -> Objection {
    const PlannedTensor& indices = self.inputs[2];
    const std::optional<BadIndex> bad =
        kernel({KernelInput(self.inputs[0], spatial_rank), KernelInput(indices, spatial_rank),
                KernelOutput(self.outputs[0], spatial_rank), axes,
                KernelInput(self.inputs[1], spatial_rank), notes});
    if (!bad.has_value()) return std::nullopt;
    const std::string size = std::to_string(bad->plane_size);
    return Refusal{ACL_ERROR_RT_AICORE_EXCEPTION,
                   ElementName(indices, bad->position) + ": index " + std::to_string(bad->index) +
                       " is outside a plane of " + size + ", expected 0 <= index < " + size + " [" +
                       clauses + "]"};
  };
  return plan;
}

}  // namespace poolproof
