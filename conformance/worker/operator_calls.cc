// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/operator_calls.h"

namespace poolproof {
namespace {

template <typename F>
F As(void* function) {
  return reinterpret_cast<F>(function);
}

}  // namespace

AbiTensor* MakeDescriptor(const Abi& abi, const TensorArgument& argument, void* data) {
  return abi.create_tensor(argument.shape.data(), argument.shape.size(), argument.type,
                           argument.strides.empty() ? nullptr : argument.strides.data(),
                           argument.offset, argument.format, argument.storage_dims.data(),
                           argument.storage_dims.size(), data);
}

Status MakeLists(const Abi& abi, const CallArguments& call, AttributeLists& lists) {
  static constexpr std::int64_t kNothing = 0;
  for (std::size_t i = 0; i < call.lists.size(); ++i) {
    lists[i] = nullptr;
    const std::optional<Dims>& list = call.lists[i];
    if (!list) continue;
    lists[i] = abi.create_int_array(list->empty() ? &kNothing : list->data(), list->size());
    if (lists[i] == nullptr) {
      return Unavailable("aclCreateIntArray returned a null pointer for " +
                         std::string(ListName(InfoOf(call.op).lists[i])));
    }
  }
  return OkStatus();
}

std::int32_t CallPhaseOne(const Abi& abi, const CallArguments& call, const Descriptors& tensors,
                          const AttributeLists& lists, std::uint64_t* workspace_size,
                          AbiExecutor** executor) {
  const OperatorInfo& info = InfoOf(call.op);
  void* const function = abi.operators[static_cast<std::size_t>(call.op)].phase_one;
  const bool adaptive = info.windows == WindowRule::kAdaptive;
  if (info.is_forward && adaptive) {
    return As<PhaseOneAdaptiveForward>(function)(tensors[0], lists[0], tensors[1], tensors[2],
                                                 workspace_size, executor);
  }
  if (info.is_forward) {
    return As<PhaseOneFixedForward>(function)(tensors[0], lists[0], lists[1], lists[2], lists[3],
                                              call.ceil_mode, tensors[1], tensors[2],
                                              workspace_size, executor);
  }
  if (adaptive) {
    return As<PhaseOneAdaptiveBackward>(function)(tensors[0], tensors[1], tensors[2], tensors[3],
                                                  workspace_size, executor);
  }
  return As<PhaseOneFixedBackward>(function)(tensors[0], tensors[1], tensors[2], lists[0], lists[1],
                                             lists[2], lists[3], call.ceil_mode, tensors[3],
                                             workspace_size, executor);
}

std::chrono::nanoseconds ReadClock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace poolproof
