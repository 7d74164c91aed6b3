// SPDX-License-Identifier: Apache-2.0
//
// The exported tensors, lists and two-phase operators.

#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "abi.h"
#include "element.h"
#include "hooks.h"
#include "lifecycle.h"
#include "plan.h"
#include "runtime.h"
#include "selected_fault.h"
#include "validation.h"

struct aclOpExecutor {
  mutants::Plan plan;
  bool repeatable = false;
  std::vector<unsigned char> indices;  // kPlansFromContents
};

namespace mutants {
namespace {

constexpr std::size_t kHighestRank = 25;

// Executors between their two phases. One that is not here was never made, or ran already.
struct Executors {
  std::mutex mutex;
  std::map<const aclOpExecutor*, std::shared_ptr<aclOpExecutor>> all;
};

Executors& AllExecutors() {
  static Executors executors;
  return executors;
}

// The plan that kExecutorLeftNull hands over behind the caller's back.
thread_local std::unique_ptr<aclOpExecutor> t_last_executor;
// The plan that kOnePlanAtATime runs.
thread_local Plan t_last_plan;

aclOpExecutor* Adopt(std::unique_ptr<aclOpExecutor> executor) {
  if (Is(Fault::kExecutorLeftNull)) {
    t_last_executor = std::move(executor);
    return nullptr;
  }
  aclOpExecutor* handle = executor.get();
  const std::lock_guard lock(AllExecutors().mutex);
  AllExecutors().all.emplace(handle, std::move(executor));
  return handle;
}

std::shared_ptr<aclOpExecutor> Find(const aclOpExecutor* handle) {
  const std::lock_guard lock(AllExecutors().mutex);
  const auto found = AllExecutors().all.find(handle);
  return found == AllExecutors().all.end() ? nullptr : found->second;
}

// Takes the executor out: phase two owns it, whatever comes of it, unless it is repeatable; of such
// a one the work gets a copy, since its addresses may change before it is done.
std::shared_ptr<aclOpExecutor> Take(const aclOpExecutor* handle) {
  if (handle == nullptr) return std::move(t_last_executor);
  const std::shared_ptr<aclOpExecutor> found = Find(handle);
  const std::lock_guard lock(AllExecutors().mutex);
  if (found != nullptr && found->repeatable) {
    auto copy = std::make_shared<aclOpExecutor>(*found);
    ++found->plan.run;
    return copy;
  }
  AllExecutors().all.erase(handle);
  return found;
}

// Small ones alone: a descriptor without storage has little memory behind it.
void CopyIndices(aclOpExecutor& executor) {
  constexpr int64_t kLargest = 4096;
  View& indices = executor.plan.indices;
  const int64_t bytes = indices.storage_elements * static_cast<int64_t>(indices.element_size);
  if (indices.data == nullptr || bytes < 1 || bytes > kLargest) return;
  executor.indices.assign(indices.data, indices.data + bytes);
  indices.data = executor.indices.data();
}

aclnnStatus Answer(const Status& status) {
  if (status.ok()) return status.code;
  const bool other = Is(Fault::kMessageOfAnotherOperator);
  LeaveMessage(other ? "aclnnMaxPool3dWithArgmax: " + status.message : status.message);
  return status.code;
}

// Turns exceptions into a status, except where letting them out is the fault.
template <typename Body>
aclnnStatus AtBoundary(const Body& body) {
  if (Is(Fault::kListLengthThrows) || Is(Fault::kThrowsOnSomeShape) || HooksThrow()) return body();
  try {
    return body();
  } catch (const std::exception& error) {
    LeaveMessage(error.what());
  } catch (...) {
    LeaveMessage("unknown exception");
  }
  return kInnerError;
}

// Leaves a mark in gradInput though the call is refused.
void Scribble(const aclTensor* grad_input) {
  constexpr int64_t kLargest = 1 << 20;  // extreme descriptors have no memory behind them
  if (grad_input == nullptr || grad_input->data == nullptr || grad_input->dims.empty()) return;
  int64_t elements = 1;
  for (const int64_t extent : grad_input->dims) elements = SaturatingProduct(elements, extent);
  const std::size_t size = ElementSize(grad_input->dtype);
  if (elements < 1 || elements > kLargest || size == 0) return;
  std::memset(static_cast<unsigned char*>(grad_input->data) +
                  grad_input->offset * static_cast<int64_t>(size),
              0x2A, size);
}

void ClearInPhaseOne(const View& out) {
  for (int64_t n = 0; n < out.extents[0]; ++n) {
    for (int64_t c = 0; c < out.extents[1]; ++c) {
      for (int64_t d = 0; d < out.extents[2]; ++d) {
        for (int64_t h = 0; h < out.extents[3]; ++h) {
          for (int64_t w = 0; w < out.extents[4]; ++w) {
            const int64_t offset = out.offset + n * out.strides[0] + c * out.strides[1] +
                                   d * out.strides[2] + h * out.strides[3] + w * out.strides[4];
            std::memset(out.data + offset * static_cast<int64_t>(out.element_size), 0,
                        out.element_size);
          }
        }
      }
    }
  }
}

bool RefusesAll() { return Is(Wild::kRefusesEveryCall) || Is(Wild::kEveryFunctionRefuses); }

bool AcceptsInPhaseOne() {
  return Is(Wild::kPlansAndDoesNothing) || Is(Wild::kAcceptsEverything) ||
         Is(Wild::kRefusesInPhaseTwo) || Is(Wild::kChecksInPhaseTwo) || Is(Wild::kRandomCodes);
}

// Phase one of a wild library that makes an executor of whatever it gets.
aclnnStatus PlanAnything(const CallArguments& call, uint64_t* workspace_size,
                         aclOpExecutor** executor) {
  if (Is(Wild::kRandomCodes)) {
    if (const aclnnStatus code = NextRandomCode(); code != kOk) return code;
  }
  if (workspace_size == nullptr || executor == nullptr) return kOk;
  auto made = std::make_unique<aclOpExecutor>();
  const Status status = PlanCall(call, made->plan);
  if (!status.ok() || Is(Wild::kPlansAndDoesNothing) || Is(Wild::kRandomCodes)) {
    made->plan = Plan();
    made->plan.nothing_to_do = true;
    if (Is(Wild::kChecksInPhaseTwo)) made->plan.deferred = status;
  }
  if (Is(Wild::kRefusesInPhaseTwo)) {
    made->plan.deferred = Refuse(kParamInvalid, "no call is supported");
  }
  *workspace_size = made->plan.workspace_bytes;
  *executor = Adopt(std::move(made));
  return kOk;
}

bool HasTwoNulls(const CallArguments& call) {
  int nulls = 0;
  for (const aclTensor* tensor : {call.grad_output, call.self, call.indices, call.grad_input}) {
    nulls += tensor == nullptr ? 1 : 0;
  }
  return nulls > 1;
}

void PackStrides(aclTensor& tensor) {
  int64_t step = 1;
  for (std::size_t i = tensor.dims.size(); i-- > 0;) {
    tensor.strides[i] = step;
    step = SaturatingProduct(step, tensor.dims[i]);
  }
}

aclnnStatus PhaseOne(const CallArguments& call, aclTensor* grad_input, uint64_t* workspace_size,
                     aclOpExecutor** executor) {
  if (RefusesAll()) return Answer(Refuse(kParamInvalid, "no call is supported"));
  if (Is(Wild::kDoesNothing)) return kOk;
  if (AcceptsInPhaseOne()) return PlanAnything(call, workspace_size, executor);
  if (workspace_size == nullptr || executor == nullptr) {  // 2P-05
    if (Is(Fault::kNullOutPointerCrashes)) std::raise(SIGSEGV);
    const bool other_code = Is(Fault::kLegalAdvisoryChecksAbsent);
    return Answer(
        Refuse(other_code ? kParamInvalid : kParamNullptr, "workspaceSize or executor is null"));
  }
  const std::size_t rank = call.self == nullptr ? 0 : call.self->dims.size();
  NoteRank(rank);
  auto made = std::make_unique<aclOpExecutor>();
  if (Status status = AfterPlanCall(call, PlanCall(call, made->plan), made->plan); !status.ok()) {
    if (Is(Fault::kRejectionScribbles)) Scribble(grad_input);
    if (Is(Fault::kSecondNullCrashes) && HasTwoNulls(call)) std::raise(SIGSEGV);
    RememberRejection(status.code);
    return Answer(status);
  }
  if (!IsNotedRank(rank)) return Answer(Refuse(kParamInvalid, "the tensors differ in rank"));
  if (Status status = RefusalByHistory(); !status.ok()) return Answer(status);
  if (Is(Fault::kPlansFromContents)) CopyIndices(*made);
  if (Is(Fault::kPacksStridesInPlace)) PackStrides(const_cast<aclTensor&>(*call.grad_output));
  if (Is(Fault::kOnePlanAtATime)) t_last_plan = made->plan;
  const Plan& plan = made->plan;
  if (Is(Fault::kCrashesInPhaseOne) && plan.self.extents[1] == 3) std::raise(SIGSEGV);
  constexpr int64_t kLargestCleared = 1 << 16;  // extreme descriptors have no memory behind them
  if (Is(Fault::kPhaseOneClearsOutput) && plan.grad_input.data != nullptr &&
      plan.grad_input.Elements() <= kLargestCleared) {
    ClearInPhaseOne(plan.grad_input);
  }
  if (plan.workspace_bytes != 0 || !Is(Fault::kWorkspaceSizeUnwritten)) {
    *workspace_size = plan.workspace_bytes;
  }
  *executor = Adopt(std::move(made));
  return kOk;
}

aclnnStatus PhaseTwo(void* workspace, uint64_t workspace_size, aclOpExecutor* handle,
                     aclrtStream stream) {
  if (RefusesAll()) return Answer(Refuse(kParamInvalid, "no call is supported"));
  if (Is(Wild::kDoesNothing)) return kOk;
  if (handle == nullptr && Is(Fault::kNullExecutorCrashes)) std::raise(SIGSEGV);
  const std::shared_ptr<aclOpExecutor> executor = Take(handle);
  if (Is(Wild::kRandomCodes)) {
    if (const aclnnStatus code = NextRandomCode(); code != kOk) return code;
  }
  if (executor == nullptr) {  // 2P-09
    const bool checks = Is(Wild::kChecksInPhaseTwo) || Is(Wild::kRefusesInPhaseTwo);
    if (AcceptsInPhaseOne() && !checks) return kOk;
    return Answer(
        Refuse(handle == nullptr ? kParamNullptr : kInnerError, "executor is null or ran already"));
  }
  if (Is(Fault::kOnePlanAtATime)) executor->plan = t_last_plan;
  const Plan& plan = executor->plan;
  if (!plan.deferred.ok()) return Answer(plan.deferred);
  const bool workspace_missing = plan.workspace_bytes > 0 || Is(Fault::kNullWorkspaceRefused);
  if (workspace_missing && workspace == nullptr && plan.grad_input.Elements() > 0) {
    return Answer(Refuse(kParamNullptr, "workspace is null"));
  }
  const bool wants_more = Is(Fault::kExactWorkspaceRefused) && plan.workspace_bytes > 0;
  if (workspace_size < plan.workspace_bytes + (wants_more ? 1 : 0)) {
    return Answer(Refuse(kTilingError, "workspace is too small"));
  }
  MisbehaveOnShape(plan);
  if (!Enqueue(stream, [executor, workspace] { return CarryOut(executor->plan, workspace); })) {
    return Answer(Refuse(kInnerError, "stream is unknown"));
  }
  return kOk;
}

CallArguments AdaptiveCall(Operator op, const aclTensor* grad_output, const aclTensor* self,
                           const aclTensor* indices, const aclTensor* grad_input) {
  CallArguments call;
  call.op = op;
  call.grad_output = grad_output;
  call.self = self;
  call.indices = indices;
  call.grad_input = grad_input;
  return call;
}

}  // namespace
}  // namespace mutants

using namespace mutants;  // the ABI's functions are global

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
  if (Is(Wild::kEveryFunctionRefuses)) return nullptr;
  if ((viewDims == nullptr && viewDimsNum > 0) || (storageDims == nullptr && storageDimsNum > 0) ||
      viewDimsNum > kHighestRank || storageDimsNum > kHighestRank) {
    LeaveMessage("aclCreateTensor: dims are null or of too high a rank");
    return nullptr;
  }
  auto tensor = std::make_unique<aclTensor>();
  tensor->dims.assign(viewDims, viewDims + viewDimsNum);
  tensor->storage_dims.assign(storageDims, storageDims + storageDimsNum);
  if (stride != nullptr) {
    tensor->strides.assign(stride, stride + viewDimsNum);
  } else {
    tensor->strides.assign(viewDimsNum, 1);
    for (std::size_t i = viewDimsNum; i > 1; --i) {
      tensor->strides[i - 2] = SaturatingProduct(tensor->strides[i - 1], tensor->dims[i - 1]);
    }
  }
  tensor->offset = offset;
  tensor->dtype = dataType;
  tensor->format = format;
  tensor->data = tensorData;
  return tensor.release();
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  delete tensor;
  return kOk;
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  if (Is(Wild::kEveryFunctionRefuses)) return nullptr;
  auto array = std::make_unique<aclIntArray>();
  if (value != nullptr) array->values.assign(value, value + size);
  return array.release();
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  delete array;
  return kOk;
}

#ifndef POOLPROOF_MUTANTS_MINIMAL
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  const std::shared_ptr<aclOpExecutor> found = Find(executor);
  if (found == nullptr || Is(Fault::kLegalNotRepeatable)) return kInnerError;
  // The copy of the indices belongs to its executor and cannot be shared.
  if (!found->indices.empty()) return kInnerError;
  found->repeatable = true;
  return kOk;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  const std::lock_guard lock(AllExecutors().mutex);
  return AllExecutors().all.erase(executor) == 1 ? kOk : kInnerError;
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, size_t index, aclTensor* tensor,
                                  void* addr) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  const std::shared_ptr<aclOpExecutor> found = Find(executor);
  if (found == nullptr || tensor == nullptr || index > 2) return kInnerError;
  if (Is(Fault::kExecutorKeepsAddresses)) return kOk;
  Plan& plan = found->plan;
  View* const inputs[] = {&plan.grad_output, &plan.self, &plan.indices};
  inputs[index]->data = static_cast<unsigned char*>(addr);
  return kOk;
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, size_t index, aclTensor* tensor,
                                   void* addr) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  const std::shared_ptr<aclOpExecutor> found = Find(executor);
  if (found == nullptr || tensor == nullptr || index > 0) return kInnerError;
  found->plan.grad_input.data = static_cast<unsigned char*>(addr);
  return kOk;
}
#endif

aclnnStatus aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return AtBoundary([&] {
    const CallArguments call = {Operator::kMaxPool3d,
                                gradOutput,
                                self,
                                indices,
                                kernelSize,
                                stride,
                                padding,
                                dilation,
                                ceilMode,
                                gradInput};
    return PhaseOne(call, gradInput, workspaceSize, executor);
  });
}

aclnnStatus aclnnMaxPool3dWithArgmaxBackward(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream) {
  return AtBoundary([&] { return PhaseTwo(workspace, workspaceSize, executor, stream); });
}

aclnnStatus aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return AtBoundary([&] {
    const CallArguments call = {Operator::kMaxPool2d,
                                gradOutput,
                                self,
                                indices,
                                kernelSize,
                                stride,
                                padding,
                                dilation,
                                ceilMode,
                                gradInput};
    return PhaseOne(call, gradInput, workspaceSize, executor);
  });
}

aclnnStatus aclnnMaxPool2dWithIndicesBackward(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return AtBoundary([&] { return PhaseTwo(workspace, workspaceSize, executor, stream); });
}

aclnnStatus aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return AtBoundary([&] {
    return PhaseOne(AdaptiveCall(Operator::kAdaptive3d, gradOutput, self, indices, gradInput),
                    gradInput, workspaceSize, executor);
  });
}

aclnnStatus aclnnAdaptiveMaxPool3dBackward(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream) {
  return AtBoundary([&] { return PhaseTwo(workspace, workspaceSize, executor, stream); });
}

aclnnStatus aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return AtBoundary([&] {
    return PhaseOne(AdaptiveCall(Operator::kAdaptive2d, gradOutput, self, indices, gradInput),
                    gradInput, workspaceSize, executor);
  });
}

aclnnStatus aclnnAdaptiveMaxPool2dBackward(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream) {
  return AtBoundary([&] { return PhaseTwo(workspace, workspaceSize, executor, stream); });
}
