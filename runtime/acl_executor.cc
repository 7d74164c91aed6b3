// SPDX-License-Identifier: Apache-2.0
//
// acl*: executors between the two phases.
#include "aclnn/acl_meta.h"
#include "runtime/boundary.h"
#include "runtime/handles.h"

namespace poolproof {
namespace {

enum class Operands { kInputs, kOutputs, kAll };

Objection CheckExecutor(const aclOpExecutor* executor) {
  if (executor == nullptr) {
    return Refusal{ACLNN_ERR_INNER_NULLPTR, Complaint("executor", "null", "one of phase one")};
  }
  if (!IsLive(executor)) {
    return Refusal{ACLNN_ERR_INNER, "executor is not a living executor of this library"};
  }
  return std::nullopt;
}

PlannedTensor* FindOperand(ExecutionPlan& plan, Operands which, std::size_t index) {
  if (which != Operands::kOutputs) {
    if (index < plan.inputs.size()) return &plan.inputs[index];
    if (which == Operands::kInputs) return nullptr;
    index -= plan.inputs.size();
  }
  return index < plan.outputs.size() ? &plan.outputs[index] : nullptr;
}

aclnnStatus SetAddress(const char* function, aclOpExecutor* executor, Operands which,
                       std::size_t index, aclTensor* tensor, void* address) {
  return AtBoundary(function, kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckExecutor(executor)) return no;
    if (tensor == nullptr) {
      return Refusal{ACLNN_ERR_INNER_NULLPTR, Complaint("tensor", "null", "a valid pointer")};
    }
    if (!IsLive(tensor)) return Refusal{ACLNN_ERR_INNER, "tensor is not a living tensor"};
    PlannedTensor* operand = FindOperand(executor->plan, which, index);
    if (operand == nullptr) {
      return Refusal{ACLNN_ERR_PARAM_INVALID,
                     Complaint("index", std::to_string(index), "an operand of the planned call")};
    }
    operand->tensor.data = address;
    tensor->data = address;
    return std::nullopt;
  });
}

aclnnStatus SetListAddress(const char* function, const aclOpExecutor* executor,
                           const aclTensorList* tensors) {
  return AtBoundary(function, kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckExecutor(executor)) return no;
    if (tensors == nullptr) {
      return Refusal{ACLNN_ERR_INNER_NULLPTR, Complaint("tensors", "null", "a valid pointer")};
    }
    return Refusal{ACLNN_ERR_PARAM_INVALID, "no operator of this library takes a tensor list"};
  });
}

}  // namespace
}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  return AtBoundary("aclSetAclOpExecutorRepeatable", kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckExecutor(executor)) return no;
    executor->repeatable = true;
    return std::nullopt;
  });
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  return AtBoundary("aclDestroyAclOpExecutor", kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckExecutor(executor)) return no;
    TakeHandle(executor).reset();
    return std::nullopt;
  });
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                  void* addr) {
  return SetAddress("aclSetInputTensorAddr", executor, Operands::kInputs, index, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                   void* addr) {
  return SetAddress("aclSetOutputTensorAddr", executor, Operands::kOutputs, index, tensor, addr);
}

aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                             void* addr) {
  return SetAddress("aclSetTensorAddr", executor, Operands::kAll, index, tensor, addr);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t /*irIndex*/,
                                         const size_t /*relativeIndex*/, aclTensorList* tensors,
                                         void* /*addr*/) {
  return SetListAddress("aclSetDynamicInputTensorAddr", executor, tensors);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t /*irIndex*/,
                                          const size_t /*relativeIndex*/, aclTensorList* tensors,
                                          void* /*addr*/) {
  return SetListAddress("aclSetDynamicOutputTensorAddr", executor, tensors);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t /*irIndex*/,
                                    const size_t /*relativeIndex*/, aclTensorList* tensors,
                                    void* /*addr*/) {
  return SetListAddress("aclSetDynamicTensorAddr", executor, tensors);
}
