// SPDX-License-Identifier: Apache-2.0
//
// The part of the aclnn C ABI that the worker calls, as function pointers with opaque types of its
// own: the worker must neither define nor need any acl symbol. Private to the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_ABI_H_
#define POOLPROOF_CONFORMANCE_WORKER_ABI_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "conformance/spec/operators.h"

namespace poolproof {

struct AbiTensor;    // aclTensor
struct AbiIntArray;  // aclIntArray
struct AbiExecutor;  // aclOpExecutor
using AbiStream = void*;

enum AbiCopyKind : std::uint32_t {
  kAbiHostToDevice = 1,
  kAbiDeviceToHost = 2,
  kAbiDeviceToDevice = 3,
};
inline constexpr std::uint32_t kAbiMallocHugeFirst = 0;
enum AbiMemory : std::uint32_t { kAbiDdrMemory = 0, kAbiHbmMemory = 1 };
inline constexpr std::uint32_t kAbiOptDeterministic = 0;
inline constexpr std::int32_t kAbiRepeatInitialize = 100002;

using PhaseOneFixedBackward = std::int32_t (*)(const AbiTensor*, const AbiTensor*, const AbiTensor*,
                                               const AbiIntArray*, const AbiIntArray*,
                                               const AbiIntArray*, const AbiIntArray*, bool,
                                               AbiTensor*, std::uint64_t*, AbiExecutor**);
using PhaseOneAdaptiveBackward = std::int32_t (*)(const AbiTensor*, const AbiTensor*,
                                                  const AbiTensor*, AbiTensor*, std::uint64_t*,
                                                  AbiExecutor**);
using PhaseOneFixedForward = std::int32_t (*)(const AbiTensor*, const AbiIntArray*,
                                              const AbiIntArray*, const AbiIntArray*,
                                              const AbiIntArray*, bool, AbiTensor*, AbiTensor*,
                                              std::uint64_t*, AbiExecutor**);
using PhaseOneAdaptiveForward = std::int32_t (*)(const AbiTensor*, const AbiIntArray*, AbiTensor*,
                                                 AbiTensor*, std::uint64_t*, AbiExecutor**);
using PhaseTwo = std::int32_t (*)(void*, std::uint64_t, AbiExecutor*, AbiStream);

// The two functions of an operator; both null where it is not offered.
struct AbiOperator {
  void* phase_one = nullptr;  // one of the PhaseOne... types, by the operator
  PhaseTwo phase_two = nullptr;
};

struct Abi {
  // Required.
  std::int32_t (*rt_malloc)(void**, std::size_t, std::uint32_t) = nullptr;
  std::int32_t (*rt_free)(void*) = nullptr;
  std::int32_t (*rt_memcpy)(void*, std::size_t, const void*, std::size_t, std::uint32_t) = nullptr;
  std::int32_t (*create_stream)(AbiStream*) = nullptr;
  std::int32_t (*destroy_stream)(AbiStream) = nullptr;
  std::int32_t (*synchronize_stream)(AbiStream) = nullptr;
  AbiTensor* (*create_tensor)(const std::int64_t*, std::uint64_t, std::int32_t, const std::int64_t*,
                              std::int64_t, std::int32_t, const std::int64_t*, std::uint64_t,
                              void*) = nullptr;
  std::int32_t (*destroy_tensor)(const AbiTensor*) = nullptr;
  AbiIntArray* (*create_int_array)(const std::int64_t*, std::uint64_t) = nullptr;
  std::int32_t (*destroy_int_array)(const AbiIntArray*) = nullptr;

  // Used when present.
  std::int32_t (*init)(const char*) = nullptr;
  std::int32_t (*finalize)() = nullptr;
  std::int32_t (*nn_init)(const char*) = nullptr;
  std::int32_t (*nn_finalize)() = nullptr;
  std::int32_t (*set_device)(std::int32_t) = nullptr;
  std::int32_t (*reset_device)(std::int32_t) = nullptr;
  std::int32_t (*get_device_count)(std::uint32_t*) = nullptr;
  const char* (*get_soc_name)() = nullptr;
  const char* (*get_recent_err_msg)() = nullptr;
  std::int32_t (*get_mem_info)(std::uint32_t, std::size_t*, std::size_t*) = nullptr;
  std::int32_t (*rt_memcpy_async)(void*, std::size_t, const void*, std::size_t, std::uint32_t,
                                  AbiStream) = nullptr;
  std::int32_t (*synchronize_device)() = nullptr;
  std::int32_t (*ctx_set_sys_param_opt)(std::uint32_t, std::int64_t) = nullptr;
  std::int32_t (*set_sys_param_opt)(std::uint32_t, std::int64_t) = nullptr;
  std::int32_t (*set_executor_repeatable)(AbiExecutor*) = nullptr;
  std::int32_t (*destroy_executor)(AbiExecutor*) = nullptr;
  std::int32_t (*set_input_tensor_addr)(AbiExecutor*, std::size_t, AbiTensor*, void*) = nullptr;
  std::int32_t (*set_output_tensor_addr)(AbiExecutor*, std::size_t, AbiTensor*, void*) = nullptr;
  // For timing alone: no report lists them.
  std::int32_t (*create_event)(void**) = nullptr;
  std::int32_t (*destroy_event)(void*) = nullptr;
  std::int32_t (*record_event)(void*, AbiStream) = nullptr;
  std::int32_t (*event_elapsed_time)(float*, void*, void*) = nullptr;

  std::array<AbiOperator, kOperatorCount> operators;  // by Operator

  [[nodiscard]] bool HasEvents() const {
    return create_event != nullptr && destroy_event != nullptr && record_event != nullptr &&
           event_elapsed_time != nullptr;
  }
  [[nodiscard]] bool CanReuseExecutors() const {
    return set_executor_repeatable != nullptr && destroy_executor != nullptr &&
           set_input_tensor_addr != nullptr && set_output_tensor_addr != nullptr;
  }
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_ABI_H_
