// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/device_arena.h"

#include <functional>

namespace poolproof {
namespace {

constexpr std::size_t kBytes = std::size_t{8} << 20;
// Nothing is given out at the block's own address: a library that frees an operand must not free
// them all.
constexpr std::size_t kFirst = DeviceArena::kAlignment;

}  // namespace

std::byte* DeviceArena::Take(std::size_t size) {
  if (size == 0 || size > kBytes - kFirst || refused_) return nullptr;
  if (block_ == nullptr) {
    void* block = nullptr;
    refused_ = abi_.rt_malloc(&block, kBytes, kAbiMallocHugeFirst) != 0 || block == nullptr;
    if (refused_) return nullptr;
    block_ = static_cast<std::byte*>(block);
  }
  if (in_use_ == 0) top_ = kFirst;
  if (size > kBytes - top_) return nullptr;
  ++in_use_;
  std::byte* const taken = block_ + top_;
  top_ += size;
  return taken;
}

bool DeviceArena::GiveBack(const std::byte* address) {
  const std::less<> before;
  if (block_ == nullptr || before(address, block_) || !before(address, block_ + kBytes)) {
    return false;
  }
  --in_use_;
  return true;
}

void DeviceArena::Release() {
  if (block_ != nullptr) abi_.rt_free(block_);
  block_ = nullptr;
}

}  // namespace poolproof
