// SPDX-License-Identifier: Apache-2.0
#include "tests/device/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>

namespace device {
namespace {

constexpr std::size_t kBytes = std::size_t{4} << 30;
constexpr std::size_t kBlock = 512;  // sizes and addresses are multiples of it

std::byte* Map(int fd, int protection) {
  void* const pages = ::mmap(nullptr, kBytes, protection, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (pages == MAP_FAILED) std::abort();
  return static_cast<std::byte*>(pages);
}

}  // namespace

Arena& Arena::Get() {
  // Left to the end of the process: its kernels may be at work until then.
  static Arena& arena = *new Arena;
  return arena;
}

Arena::Arena() {
  const int fd = ::memfd_create("device", MFD_CLOEXEC);
  if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(kBytes)) != 0) std::abort();
  programs_ = Map(fd, PROT_NONE);
  kernels_ = Map(fd, PROT_READ | PROT_WRITE);
  ::close(fd);
  holes_[0] = kBytes;
}

void* Arena::Allocate(std::size_t size) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (size > kBytes) return nullptr;
  size = std::max(kBlock, (size + kBlock - 1) / kBlock * kBlock);
  const auto hole = std::find_if(holes_.begin(), holes_.end(),
                                 [&](const auto& entry) { return entry.second >= size; });
  if (hole == holes_.end()) return nullptr;
  const auto [start, room] = *hole;
  holes_.erase(hole);
  if (room > size) holes_[start + size] = room - size;
  blocks_[start] = size;
  return programs_ + start;
}

bool Arena::Free(const void* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!Holds(address)) return false;
  const auto start = static_cast<std::size_t>(static_cast<const std::byte*>(address) - programs_);
  const auto block = blocks_.find(start);
  if (block == blocks_.end()) return false;
  auto hole = holes_.emplace(start, block->second).first;
  blocks_.erase(block);
  const auto next = std::next(hole);
  if (next != holes_.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    holes_.erase(next);
  }
  if (hole != holes_.begin()) {
    const auto previous = std::prev(hole);
    if (previous->first + previous->second == hole->first) {
      previous->second += hole->second;
      holes_.erase(hole);
    }
  }
  return true;
}

std::pair<std::size_t, std::size_t> Arena::Room() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::size_t free = 0;
  for (const auto& [start, size] : holes_) free += size;
  return {free, kBytes};
}

bool Arena::Holds(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto first = reinterpret_cast<std::uintptr_t>(programs_);
  return at >= first && at - first < kBytes;
}

bool Arena::HoldsAll(const void* address, std::size_t size) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!Holds(address)) return false;
  const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(address) - programs_);
  const auto after = blocks_.upper_bound(at);
  if (after == blocks_.begin()) return false;
  const auto [start, room] = *std::prev(after);
  return at - start <= room && size <= room - (at - start);
}

std::byte* Arena::Behind(const void* address) const {
  auto* const same = static_cast<std::byte*>(const_cast<void*>(address));
  return Holds(address) ? kernels_ + (same - programs_) : same;
}

}  // namespace device
