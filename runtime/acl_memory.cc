// SPDX-License-Identifier: Apache-2.0
//
// aclrt*: memory of the device, which is memory of the host here.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "runtime/boundary.h"
#include "runtime/device.h"
#include "runtime/state.h"

namespace poolproof {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kGranule = 32;
constexpr std::size_t kFillBytes = std::size_t{1} << 20;  // of the device, at a time

std::size_t AskTotalMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return SIZE_MAX;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_size);
}

std::size_t TotalMemory() {
  static const std::size_t total = AskTotalMemory();
  return total;
}

void* AlignedMemory(std::size_t bytes) {
  void* memory = nullptr;
  return posix_memalign(&memory, kAlignment, bytes) == 0 ? memory : nullptr;
}

// Whether memory of the kind is the device's own and not the host's.
bool OnDevice(MemoryKind kind) {
  return kind == MemoryKind::kDevice && Device().allocate != nullptr;
}

Objection DeviceFault(const char* why) {
  if (why == nullptr) return std::nullopt;
  return Refusal{ACL_ERROR_RT_INTERNAL_ERROR, why};
}

Objection Copy(void* to, const void* from, std::size_t count) {
  if (Device().copy != nullptr) return DeviceFault(Device().copy(to, from, count));
  std::memmove(to, from, count);
  return std::nullopt;
}

Objection Set(void* memory, std::int32_t value, std::size_t count, MemoryKind kind) {
  if (!OnDevice(kind) || Device().copy == nullptr) {
    std::memset(memory, value, count);
    return std::nullopt;
  }
  const std::vector<unsigned char> filled(std::min(count, kFillBytes),
                                          static_cast<unsigned char>(value));
  for (std::size_t done = 0; done < count; done += filled.size()) {
    if (auto no = Copy(static_cast<std::byte*>(memory) + done, filled.data(),
                       std::min(filled.size(), count - done))) {
      return no;
    }
  }
  return std::nullopt;
}

// Zero-filled, padded to whole granules and one more: programs that upload fewer bytes than their
// tensor type says read zeros behind them, as they do on the device (DD-06, DD-22).
Objection Allocate(const char* name, void** pointer, std::size_t size, MemoryKind kind) {
  if (pointer == nullptr) {
    return Refusal{ACL_ERROR_INVALID_PARAM, Complaint(name, "null", "a valid pointer")};
  }
  if (size == 0) return Refusal{ACL_ERROR_INVALID_PARAM, Complaint("size", "0", "1 or more")};
  // The zero fill would touch what a generous system promises but does not have.
  if (size > TotalMemory() - 2 * kGranule) {
    return Refusal{ACL_ERROR_RT_MEMORY_ALLOCATION,
                   Complaint("size", std::to_string(size), "no more than the memory there is")};
  }
  const std::size_t padded = (size + kGranule - 1) / kGranule * kGranule + kGranule;
  const bool own = OnDevice(kind);
  void* const memory = own ? Device().allocate(padded) : AlignedMemory(padded);
  if (memory == nullptr) {
    return Refusal{ACL_ERROR_RT_MEMORY_ALLOCATION,
                   Complaint("size", std::to_string(size), "no more than the memory that is left")};
  }
  std::unique_ptr<void, void (*)(void*)> owner(memory, own ? Device().release : &std::free);
  if (auto no = Set(memory, 0, padded, kind)) return no;
  RuntimeState& state = State();
  const std::lock_guard lock(state.mutex);
  state.allocations.emplace(static_cast<const std::byte*>(memory), Allocation{padded, kind});
  *pointer = memory;
  static_cast<void>(owner.release());
  return std::nullopt;
}

Objection Release(const char* name, void* pointer, MemoryKind kind) {
  if (pointer == nullptr) {
    return Refusal{ACL_ERROR_INVALID_PARAM, Complaint(name, "null", "a valid pointer")};
  }
  {
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    const auto found = state.allocations.find(static_cast<const std::byte*>(pointer));
    if (found == state.allocations.end() || found->second.kind != kind) {
      return Refusal{ACL_ERROR_RT_PARAM_INVALID,
                     Complaint(name, "not the start of living memory of this library",
                               kind == MemoryKind::kDevice ? "a pointer of aclrtMalloc"
                                                           : "a pointer of aclrtMallocHost")};
    }
    state.allocations.erase(found);
  }
  if (OnDevice(kind)) {
    Device().release(pointer);
  } else {
    std::free(pointer);
  }
  return std::nullopt;
}

// The bytes behind `pointer` where this library knows them.
Objection CheckRoom(const char* name, const void* pointer, std::size_t count) {
  const std::optional<std::size_t> room = [pointer] {
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    return BytesBehind(state, pointer);
  }();
  if (!room.has_value() || count <= *room) return std::nullopt;
  return Refusal{ACL_ERROR_RT_PARAM_INVALID,
                 Complaint("count", std::to_string(count),
                           "at most " + std::to_string(*room) + ", the bytes behind " + name)};
}

Objection CheckCopy(const void* dst, std::size_t dest_max, const void* src, std::size_t count,
                    aclrtMemcpyKind kind) {
  if (dst == nullptr) {
    return Refusal{ACL_ERROR_INVALID_PARAM, Complaint("dst", "null", "a valid pointer")};
  }
  if (src == nullptr) {
    return Refusal{ACL_ERROR_INVALID_PARAM, Complaint("src", "null", "a valid pointer")};
  }
  if (kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
    return Refusal{ACL_ERROR_INVALID_PARAM,
                   Complaint("kind", std::to_string(static_cast<unsigned>(kind)), "0 to 5")};
  }
  if (count > dest_max) {
    return Refusal{
        ACL_ERROR_RT_PARAM_INVALID,
        Complaint("count", std::to_string(count), "at most destMax, " + std::to_string(dest_max))};
  }
  if (auto no = CheckRoom("dst", dst, count)) return no;
  return CheckRoom("src", src, count);
}

Objection CheckSet(const void* memory, std::size_t max_count, std::size_t count) {
  if (memory == nullptr) {
    return Refusal{ACL_ERROR_INVALID_PARAM, Complaint("devPtr", "null", "a valid pointer")};
  }
  if (count > max_count) {
    return Refusal{ACL_ERROR_RT_PARAM_INVALID,
                   Complaint("count", std::to_string(count),
                             "at most maxCount, " + std::to_string(max_count))};
  }
  return CheckRoom("devPtr", memory, count);
}

Objection Queue(aclrtStream handle, Task task) {
  const std::shared_ptr<Stream> stream = FindStream(handle);
  if (stream == nullptr || !stream->Enqueue(std::move(task))) {
    return Refusal{ACL_ERROR_RT_INVALID_HANDLE,
                   "stream is not alive, expected one of aclrtCreateStream or null"};
  }
  return std::nullopt;
}

}  // namespace
}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

// The policy chooses among kinds of device memory; there is one kind here.
aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return AtBoundary("aclrtMalloc", kAclCodes,
                    [=] { return Allocate("devPtr", devPtr, size, MemoryKind::kDevice); });
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return AtBoundary("aclrtMallocAlign32", kAclCodes,
                    [=] { return Allocate("devPtr", devPtr, size, MemoryKind::kDevice); });
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return AtBoundary("aclrtMallocCached", kAclCodes,
                    [=] { return Allocate("devPtr", devPtr, size, MemoryKind::kDevice); });
}

aclError aclrtFree(void* devPtr) {
  return AtBoundary("aclrtFree", kAclCodes,
                    [=] { return Release("devPtr", devPtr, MemoryKind::kDevice); });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return AtBoundary("aclrtMallocHost", kAclCodes,
                    [=] { return Allocate("hostPtr", hostPtr, size, MemoryKind::kHost); });
}

aclError aclrtFreeHost(void* hostPtr) {
  return AtBoundary("aclrtFreeHost", kAclCodes,
                    [=] { return Release("hostPtr", hostPtr, MemoryKind::kHost); });
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
  return AtBoundary("aclrtMemcpy", kAclCodes, [=]() -> Objection {
    if (count == 0) return std::nullopt;
    if (auto no = CheckCopy(dst, destMax, src, count, kind)) return no;
    return Copy(dst, src, count);
  });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream) {
  return AtBoundary("aclrtMemcpyAsync", kAclCodes, [=]() -> Objection {
    if (count == 0) return std::nullopt;
    if (auto no = CheckCopy(dst, destMax, src, count, kind)) return no;
    if (kind == ACL_MEMCPY_HOST_TO_HOST) {
      return Refusal{ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     Complaint("kind", "ACL_MEMCPY_HOST_TO_HOST", "a copy with a device side")};
    }
    return Queue(stream, {"aclrtMemcpyAsync", [=] { return Copy(dst, src, count); }});
  });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return AtBoundary("aclrtMemset", kAclCodes, [=]() -> Objection {
    if (count == 0) return std::nullopt;
    if (auto no = CheckSet(devPtr, maxCount, count)) return no;
    return Set(devPtr, value, count, MemoryKind::kDevice);
  });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream) {
  return AtBoundary("aclrtMemsetAsync", kAclCodes, [=]() -> Objection {
    if (count == 0) return std::nullopt;
    if (auto no = CheckSet(devPtr, maxCount, count)) return no;
    return Queue(stream, {"aclrtMemsetAsync",
                          [=] { return Set(devPtr, value, count, MemoryKind::kDevice); }});
  });
}

aclError aclrtGetMemInfo(aclrtMemAttr /*attr*/, size_t* free, size_t* total) {
  return AtBoundary("aclrtGetMemInfo", kAclCodes, [=]() -> Objection {
    if (free == nullptr) {
      return Refusal{ACL_ERROR_INVALID_PARAM, Complaint("free", "null", "a valid pointer")};
    }
    if (total == nullptr) {
      return Refusal{ACL_ERROR_INVALID_PARAM, Complaint("total", "null", "a valid pointer")};
    }
    if (Device().allocate != nullptr) {
      return Refusal{ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the device does not say what it has"};
    }
    const long pages = sysconf(_SC_AVPHYS_PAGES);
    const long page_size = sysconf(_SC_PAGESIZE);
    *total = TotalMemory();
    *free = pages > 0 && page_size > 0
                ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_size)
                : 0;
    return std::nullopt;
  });
}
