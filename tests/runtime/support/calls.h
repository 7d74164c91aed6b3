// SPDX-License-Identifier: Apache-2.0
//
// Calls of the operators as values: a test changes one field and looks at the status.
#ifndef POOLPROOF_TESTS_RUNTIME_SUPPORT_CALLS_H_
#define POOLPROOF_TESTS_RUNTIME_SUPPORT_CALLS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "core/shape.h"
#include "tests/runtime/support/abi_library.h"

namespace poolproof {

// The SoC that the library under test is to be, for the life of the object.
class SocScope {
 public:
  explicit SocScope(const char* name) { setenv("POOLPROOF_SOC_NAME", name, 1); }
  ~SocScope() { unsetenv("POOLPROOF_SOC_NAME"); }
  SocScope(const SocScope&) = delete;
  SocScope& operator=(const SocScope&) = delete;
};

// The edition of the pages that it is to follow.
class EditionScope {
 public:
  explicit EditionScope(const char* name) { setenv("POOLPROOF_EDITION", name, 1); }
  ~EditionScope() { unsetenv("POOLPROOF_EDITION"); }
  EditionScope(const EditionScope&) = delete;
  EditionScope& operator=(const EditionScope&) = delete;
};

inline constexpr const char* kA2 = "Ascend910B3";
inline constexpr const char* kA3 = "Ascend910_9392";
inline constexpr const char* k950 = "Ascend950PR_9599";
inline constexpr const char* k200i = "Ascend310B1";
inline constexpr const char* kInference = "Ascend310P3";
inline constexpr const char* kTraining = "Ascend910B";

struct TensorSpec {
  Dims shape;
  aclDataType type = ACL_FLOAT;
  aclFormat format = ACL_FORMAT_ND;
  std::optional<Dims> strides = std::nullopt;  // row-major where there are none
  std::int64_t offset = 0;
  std::optional<Dims> storage = std::nullopt;  // the shape where there is none
  void* data = nullptr;
  bool null = false;  // pass a null pointer instead
};

// (N, C, H, W) as (N, H, W, C).
inline void PassChannelsLast(TensorSpec& tensor) {
  tensor.format = ACL_FORMAT_NHWC;
  if (tensor.shape.size() == 4) {
    std::rotate(tensor.shape.begin() + 1, tensor.shape.begin() + 2, tensor.shape.end());
  }
}

struct ListSpec {
  std::vector<std::int64_t> values;
  bool null = false;
};

struct BackwardCall {
  AbiOperator op = AbiOperator::kMaxPool3d;
  TensorSpec grad_output;
  TensorSpec self;
  TensorSpec indices;
  TensorSpec grad_input;
  ListSpec kernel_size;
  ListSpec stride;
  ListSpec padding;
  ListSpec dilation;
  bool ceil_mode = false;
  bool null_workspace_size = false;
  bool null_executor = false;
};

struct ForwardCall {
  AbiOperator op = AbiOperator::kMaxPool3d;
  TensorSpec self;
  TensorSpec out;
  TensorSpec indices;
  ListSpec kernel_size;
  ListSpec stride;
  ListSpec padding;
  ListSpec dilation;
  bool ceil_mode = false;
  ListSpec output_size;
};

// Descriptors that live as long as the object.
class Descriptors {
 public:
  explicit Descriptors(const AbiLibrary& library) : library_(library) {}
  ~Descriptors() {
    for (const aclTensor* tensor : tensors_) library_.aclDestroyTensor(tensor);
    for (const aclIntArray* array : arrays_) library_.aclDestroyIntArray(array);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  aclTensor* Make(const TensorSpec& spec) {
    if (spec.null) return nullptr;
    const Dims& storage = spec.storage.has_value() ? *spec.storage : spec.shape;
    tensors_.push_back(library_.aclCreateTensor(
        spec.shape.data(), spec.shape.size(), spec.type,
        spec.strides.has_value() ? spec.strides->data() : nullptr, spec.offset, spec.format,
        storage.data(), storage.size(), spec.data));
    return tensors_.back();
  }
  aclIntArray* Make(const ListSpec& spec) {
    if (spec.null) return nullptr;
    arrays_.push_back(library_.aclCreateIntArray(spec.values.data(), spec.values.size()));
    return arrays_.back();
  }

 private:
  const AbiLibrary& library_;
  std::vector<aclTensor*> tensors_;
  std::vector<aclIntArray*> arrays_;
};

struct PhaseOne {
  aclnnStatus status = 0;
  std::uint64_t workspace_size = 0xdeadbeef;
  aclOpExecutor* executor = nullptr;
};

inline PhaseOne RunPhaseOne(const AbiLibrary& library, Descriptors& descriptors,
                            const BackwardCall& call) {
  PhaseOne result;
  AbiArguments arguments = {.ceil_mode = call.ceil_mode};
  arguments.tensors = {descriptors.Make(call.grad_output), descriptors.Make(call.self),
                       descriptors.Make(call.indices), descriptors.Make(call.grad_input)};
  if (HasFixedWindows(call.op)) {
    arguments.lists = {descriptors.Make(call.kernel_size), descriptors.Make(call.stride),
                       descriptors.Make(call.padding), descriptors.Make(call.dilation)};
  }
  result.status = CallPhaseOne(library, {call.op, false}, arguments,
                               call.null_workspace_size ? nullptr : &result.workspace_size,
                               call.null_executor ? nullptr : &result.executor);
  return result;
}

inline PhaseOne RunPhaseOne(const AbiLibrary& library, Descriptors& descriptors,
                            const ForwardCall& call) {
  PhaseOne result;
  AbiArguments arguments = {.ceil_mode = call.ceil_mode};
  arguments.tensors = {descriptors.Make(call.self), descriptors.Make(call.out),
                       descriptors.Make(call.indices)};
  if (HasFixedWindows(call.op)) {
    arguments.lists = {descriptors.Make(call.kernel_size), descriptors.Make(call.stride),
                       descriptors.Make(call.padding), descriptors.Make(call.dilation)};
  } else {
    arguments.lists = {descriptors.Make(call.output_size)};
  }
  result.status =
      CallPhaseOne(library, {call.op, true}, arguments, &result.workspace_size, &result.executor);
  return result;
}

inline aclnnStatus RunPhaseTwo(const AbiLibrary& library, const BackwardCall& call,
                               const PhaseOne& phase_one, aclrtStream stream) {
  return CallPhaseTwo(library, {call.op, false}, nullptr, phase_one.workspace_size,
                      phase_one.executor, stream);
}

inline aclnnStatus RunPhaseTwo(const AbiLibrary& library, const ForwardCall& call,
                               const PhaseOne& phase_one, aclrtStream stream) {
  return CallPhaseTwo(library, {call.op, true}, nullptr, phase_one.workspace_size,
                      phase_one.executor, stream);
}

// A legal call of each operator, without memory. MaxPool3d: (2,3,4,6,8) by kernel 2,3,2 stride
// 2,3,2, MaxPool2d: its planes; adaptive: to halves.
inline BackwardCall LegalBackward(AbiOperator op) {
  BackwardCall call;
  call.op = op;
  switch (op) {
    case AbiOperator::kMaxPool3d:
      call.self.shape = {2, 3, 4, 6, 8};
      call.grad_output.shape = {2, 3, 2, 2, 4};
      call.kernel_size.values = {2, 3, 2};
      call.stride.values = {2, 3, 2};
      call.padding.values = {0, 0, 0};
      call.dilation.values = {1, 1, 1};
      break;
    case AbiOperator::kMaxPool2d:
      call.self.shape = {2, 3, 6, 8};
      call.grad_output.shape = {2, 3, 2, 4};
      call.kernel_size.values = {3, 2};
      call.stride.values = {3, 2};
      call.padding.values = {0, 0};
      call.dilation.values = {1, 1};
      break;
    case AbiOperator::kAdaptive3d:
      call.self.shape = {2, 3, 4, 6, 8};
      call.grad_output.shape = {2, 3, 2, 3, 4};
      break;
    case AbiOperator::kAdaptive2d:
      call.self.shape = {2, 3, 6, 8};
      call.grad_output.shape = {2, 3, 3, 4};
      break;
  }
  call.indices.shape = call.grad_output.shape;
  call.indices.type = ACL_INT32;
  call.grad_input.shape = call.self.shape;
  return call;
}

// The same for a fixed window along every axis: shapes follow.
inline void SetGradOutputShape(BackwardCall& call, const Dims& shape) {
  call.grad_output.shape = shape;
  call.indices.shape = shape;
}
inline void SetSelfShape(BackwardCall& call, const Dims& shape) {
  call.self.shape = shape;
  call.grad_input.shape = shape;
}

inline ForwardCall LegalForward(AbiOperator op) {
  const BackwardCall backward = LegalBackward(op);
  ForwardCall call;
  call.op = op;
  call.self = backward.self;
  call.out = backward.grad_output;
  call.indices = backward.indices;
  call.kernel_size = backward.kernel_size;
  call.stride = backward.stride;
  call.padding = backward.padding;
  call.dilation = backward.dilation;
  if (op == AbiOperator::kAdaptive3d) {
    call.output_size.values = {2, 3, 4};
    call.self.format = call.out.format = call.indices.format = ACL_FORMAT_NCDHW;
  }
  if (op == AbiOperator::kAdaptive2d) {
    call.output_size.values = {3, 4};
    call.indices.type = ACL_INT64;
  }
  return call;
}

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_RUNTIME_SUPPORT_CALLS_H_
