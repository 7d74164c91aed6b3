// SPDX-License-Identifier: Apache-2.0
//
// DeviceArena: one block of device memory for the operands of a call after the other, where an
// allocation takes longer than a call. What is taken lies side by side, so that one copy can carry
// it all. Private to the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_DEVICE_ARENA_H_
#define POOLPROOF_CONFORMANCE_WORKER_DEVICE_ARENA_H_

#include <cstddef>

#include "conformance/worker/abi.h"

namespace poolproof {

class DeviceArena {
 public:
  // To which addresses are aligned: to what aclrtMalloc of devices aligns them.
  static constexpr std::size_t kAlignment = 512;

  explicit DeviceArena(const Abi& abi) : abi_(abi) {}
  DeviceArena(const DeviceArena&) = delete;
  DeviceArena& operator=(const DeviceArena&) = delete;

  // So many bytes behind those that were taken last, or where nothing is in use at the beginning;
  // null where they do not fit. Requires a multiple of kAlignment.
  std::byte* Take(std::size_t size);
  // False where the address is none that Take gave.
  bool GiveBack(const std::byte* address);
  // To the library. Requires that all was given back.
  void Release();

 private:
  const Abi& abi_;
  std::byte* block_ = nullptr;
  bool refused_ = false;  // by the library
  std::size_t top_ = 0;
  std::size_t in_use_ = 0;  // pieces
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_DEVICE_ARENA_H_
