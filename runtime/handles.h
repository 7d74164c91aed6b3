// SPDX-License-Identifier: Apache-2.0
//
// What the opaque pointers of the ABI point to, and the list of those that are alive. A pointer
// that is not on the list is refused without being followed.
#ifndef POOLPROOF_RUNTIME_HANDLES_H_
#define POOLPROOF_RUNTIME_HANDLES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"
#include "core/data_type.h"
#include "core/shape.h"
#include "runtime/refusal.h"

struct aclTensor {
  poolproof::Dims shape;
  poolproof::Dims strides;
  std::int64_t offset = 0;
  poolproof::DataType type = poolproof::DataType::kUndefined;
  poolproof::Format format = poolproof::Format::kUndefined;
  poolproof::Dims storage_shape;
  void* data = nullptr;
};

struct aclScalar {
  poolproof::DataType type = poolproof::DataType::kUndefined;
  std::vector<std::byte> bytes;
};

struct aclIntArray {
  std::vector<std::int64_t> values;
};

struct aclFloatArray {
  std::vector<float> values;
};

struct aclBoolArray {
  std::vector<bool> values;
};

struct aclTensorList {
  std::vector<const aclTensor*> elements;
};

struct aclScalarList {
  std::vector<const aclScalar*> elements;
};

namespace poolproof {

// An operand as phase one saw it. The descriptor is copied: what happens to the caller's own
// between the phases does not matter.
struct PlannedTensor {
  const char* name;
  aclTensor tensor;
};

// Everything that phase two needs.
struct ExecutionPlan {
  const char* function = "";  // of phase two
  std::vector<PlannedTensor> inputs;
  std::vector<PlannedTensor> outputs;
  // Runs on the stream. Empty where there is nothing to do.
  std::function<Objection(const ExecutionPlan&)> run;
};

}  // namespace poolproof

struct aclOpExecutor {
  poolproof::ExecutionPlan plan;
  bool repeatable = false;
};

namespace poolproof {

enum class HandleKind {
  kTensor,
  kScalar,
  kIntArray,
  kFloatArray,
  kBoolArray,
  kTensorList,
  kScalarList,
  kExecutor,
};

template <typename T>
struct HandleKindOf;
template <>
struct HandleKindOf<aclTensor> {
  static constexpr HandleKind kKind = HandleKind::kTensor;
};
template <>
struct HandleKindOf<aclScalar> {
  static constexpr HandleKind kKind = HandleKind::kScalar;
};
template <>
struct HandleKindOf<aclIntArray> {
  static constexpr HandleKind kKind = HandleKind::kIntArray;
};
template <>
struct HandleKindOf<aclFloatArray> {
  static constexpr HandleKind kKind = HandleKind::kFloatArray;
};
template <>
struct HandleKindOf<aclBoolArray> {
  static constexpr HandleKind kKind = HandleKind::kBoolArray;
};
template <>
struct HandleKindOf<aclTensorList> {
  static constexpr HandleKind kKind = HandleKind::kTensorList;
};
template <>
struct HandleKindOf<aclScalarList> {
  static constexpr HandleKind kKind = HandleKind::kScalarList;
};
template <>
struct HandleKindOf<aclOpExecutor> {
  static constexpr HandleKind kKind = HandleKind::kExecutor;
};

void AddHandle(const void* handle, HandleKind kind);
[[nodiscard]] bool IsHandle(const void* handle, HandleKind kind);
// False where it was not on the list; of two callers one gets true.
[[nodiscard]] bool RemoveHandle(const void* handle, HandleKind kind);

template <typename T>
T* NewHandle(T value) {
  auto owner = std::make_unique<T>(std::move(value));
  AddHandle(owner.get(), HandleKindOf<T>::kKind);
  return owner.release();
}
template <typename T>
bool IsLive(const T* handle) {
  return IsHandle(handle, HandleKindOf<T>::kKind);
}
// The object, now the caller's alone; null where it is not alive.
template <typename T>
std::unique_ptr<T> TakeHandle(const T* handle) {
  if (!RemoveHandle(handle, HandleKindOf<T>::kKind)) return nullptr;
  return std::unique_ptr<T>(const_cast<T*>(handle));
}

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_HANDLES_H_
