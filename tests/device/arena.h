// SPDX-License-Identifier: Apache-2.0
//
// The memory of the stand-in: pages that are mapped twice. Programs are given addresses of the one
// mapping, which nobody may touch; copies and kernels work on the other.
#ifndef POOLPROOF_TESTS_DEVICE_ARENA_H_
#define POOLPROOF_TESTS_DEVICE_ARENA_H_

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace device {

class Arena {
 public:
  static Arena& Get();

  // A block of at least `size` bytes with whatever contents were there; null where none is left.
  void* Allocate(std::size_t size);
  // False where no block starts at `address`.
  bool Free(const void* address);

  // Bytes that are free, and all.
  [[nodiscard]] std::pair<std::size_t, std::size_t> Room();

  // Whether the address is of the device.
  [[nodiscard]] bool Holds(const void* address) const;
  // Whether so many bytes from `address` on lie in one block.
  [[nodiscard]] bool HoldsAll(const void* address, std::size_t size);
  // Where copies and kernels find what programs know by `address`; other addresses stay.
  [[nodiscard]] std::byte* Behind(const void* address) const;

 private:
  Arena();

  std::byte* programs_ = nullptr;
  std::byte* kernels_ = nullptr;
  std::mutex mutex_;                           // of the following
  std::map<std::size_t, std::size_t> blocks_;  // start, size: in use
  std::map<std::size_t, std::size_t> holes_;   // also: free, none beside another
};

}  // namespace device

#endif  // POOLPROOF_TESTS_DEVICE_ARENA_H_
