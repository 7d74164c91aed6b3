// SPDX-License-Identifier: Apache-2.0
//
// What the opaque pointers of the ABI point to, and the list of those that are alive. A pointer
// that is not on the list is refused without being followed.
#ifndef POOLPROOF_RUNTIME_HANDLES_H_
#define POOLPROOF_RUNTIME_HANDLES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
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

// The list, which is asked several times in every call: handles are added, found and removed
// without a lock, eight to a line of the cache; those that find no room there are kept in a set,
// which, like the ordered maps of RuntimeState, holds no memory while it is empty.
class HandleList {
 public:
  void Add(const void* handle, HandleKind kind);
  [[nodiscard]] bool Contains(const void* handle, HandleKind kind);
  // False where it was not on the list; of two callers one gets true.
  [[nodiscard]] bool Remove(const void* handle, HandleKind kind);
  [[nodiscard]] std::vector<const void*> AllOf(HandleKind kind);

 private:
  // The address, whose last bits are free, and the kind.
  using Key = std::uintptr_t;
  static constexpr Key kKinds = 15;
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ > kKinds);
  struct alignas(64) Line {
    std::array<std::atomic<Key>, 8> keys = {};
  };
  // 0 where that is no address of a handle.
  static Key KeyOf(const void* handle, HandleKind kind) {
    const auto address = reinterpret_cast<Key>(handle);
    return (address & kKinds) == 0 ? address | static_cast<Key>(kind) : 0;
  }
  Line& LineOf(Key key) { return lines_[((key >> 4) * kMultiplier) >> kShift]; }

  static constexpr std::size_t kLines = 512;
  static constexpr int kShift = 64 - 9;  // leaves the bits of a line's number
  static constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio

  std::array<Line, kLines> lines_ = {};
  std::atomic<std::size_t> others_count_ = 0;
  std::mutex mutex_;  // of the set
  std::set<Key> others_;
};

HandleList& Handles();

template <typename T>
T* NewHandle(T value) {
  auto owner = std::make_unique<T>(std::move(value));
  Handles().Add(owner.get(), HandleKindOf<T>::kKind);
  return owner.release();
}
template <typename T>
bool IsLive(const T* handle) {
  return Handles().Contains(handle, HandleKindOf<T>::kKind);
}
// The object, now the caller's alone; null where it is not alive.
template <typename T>
std::unique_ptr<T> TakeHandle(const T* handle) {
  if (!Handles().Remove(handle, HandleKindOf<T>::kKind)) return nullptr;
  return std::unique_ptr<T>(const_cast<T*>(handle));
}

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_HANDLES_H_
