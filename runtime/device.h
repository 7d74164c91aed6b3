// SPDX-License-Identifier: Apache-2.0
//
// A device behind the runtime that is not this host's memory and threads, and what a kernel throws
// that cannot do its work. The host libraries have neither; libraries of the adapter kit may.
#ifndef POOLPROOF_RUNTIME_DEVICE_H_
#define POOLPROOF_RUNTIME_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace poolproof {

// The device, where it is not this host's memory and threads. Functions that may be null are: there
// is nothing to do. A text that is returned says what went wrong; null: nothing.
struct DeviceFunctions {
  const char* (*open)() = nullptr;  // in aclInit; again where it failed
  // Null: all three are the host's.
  void* (*allocate)(std::size_t bytes) = nullptr;  // aligned to 64 bytes
  void (*release)(void* memory) = nullptr;
  const char* (*copy)(void* to, const void* from, std::size_t bytes) = nullptr;  // any direction
  // The device's own queue behind a stream. Work that a kernel left there is finished before the
  // next task of the stream begins.
  void* (*open_queue)() = nullptr;
  void (*close_queue)(void* queue) = nullptr;
  const char* (*finish_queue)(void* queue) = nullptr;
};

// Set while the library is loaded, before the first call.
DeviceFunctions& Device();

// The device's queue of the stream whose task the calling thread runs; null where it has none.
void* QueueOfThisThread();

// Thrown by a kernel that cannot do its work; becomes the status of the stream.
class KernelRefusal : public std::runtime_error {
 public:
  KernelRefusal(std::int32_t status, const std::string& why)
      : std::runtime_error(why), status_(status) {}
  [[nodiscard]] std::int32_t status() const { return status_; }

 private:
  std::int32_t status_;
};

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_DEVICE_H_
