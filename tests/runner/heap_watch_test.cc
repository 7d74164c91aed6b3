// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/heap_watch.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

namespace poolproof {
namespace {

constexpr std::uint64_t kPreviousInUse = 1;

// A heap as glibc lays it out: in each block's second word its size and whether the block before is
// in use; where it is not, that block's size in the first word.
class Heap {
 public:
  void Add(std::size_t bytes, bool in_use = true) {
    const std::size_t at = words_.size();
    words_.resize(at + bytes / sizeof(std::uint64_t));
    words_[at] = previous_in_use_ ? 0x5555555555555555U : previous_bytes_;
    words_[at + 1] = bytes | (previous_in_use_ ? kPreviousInUse : 0);
    previous_bytes_ = bytes;
    previous_in_use_ = in_use;
  }
  std::uint64_t& WordAt(std::size_t offset) { return words_[offset / sizeof(std::uint64_t)]; }
  [[nodiscard]] std::optional<HeapDamage> Find() {
    const auto begin = reinterpret_cast<std::uintptr_t>(words_.data());
    return FindHeapDamage(begin, begin + words_.size() * sizeof(std::uint64_t), blocks_);
  }
  [[nodiscard]] std::size_t blocks() const { return blocks_; }

 private:
  std::vector<std::uint64_t> words_;
  std::uint64_t previous_bytes_ = 0;
  bool previous_in_use_ = true;
  std::size_t blocks_ = 0;
};

Heap WholeHeap() {
  Heap heap;
  heap.Add(32);
  heap.Add(48, false);
  heap.Add(1040);
  heap.Add(96);
  heap.Add(4096);
  return heap;
}

TEST(FindHeapDamage, FindsNothingInAWholeHeap) {
  Heap heap = WholeHeap();
  EXPECT_FALSE(heap.Find().has_value());
  EXPECT_EQ(heap.blocks(), 5U);
}

TEST(FindHeapDamage, FindsNothingInAnEmptyHeap) {
  Heap heap;
  EXPECT_FALSE(heap.Find().has_value());
  EXPECT_EQ(heap.blocks(), 0U);
}

TEST(FindHeapDamage, NamesTheBlockWhoseSizeWasOverwritten) {
  for (const std::uint64_t word : {
           std::uint64_t{0x4141414141414141},  // text
           std::uint64_t{0},                   // zeros
           std::uint64_t{105},                 // no multiple of 16
           std::uint64_t{1U << 20},            // behind the end
           std::uint64_t{98},                  // mapped on its own
           std::uint64_t{100},                 // of another arena
       }) {
    Heap heap = WholeHeap();
    constexpr std::size_t kOffset = 32 + 48 + 1040;
    heap.WordAt(kOffset + 8) = word;
    const std::optional<HeapDamage> damage = heap.Find();
    ASSERT_TRUE(damage.has_value()) << word;
    EXPECT_EQ(damage->offset, kOffset) << word;
  }
}

TEST(FindHeapDamage, NamesTheBlockThatDisagreesWithAFreeOneBeforeIt) {
  Heap heap = WholeHeap();
  heap.WordAt(32 + 48) = 64;
  const std::optional<HeapDamage> damage = heap.Find();
  ASSERT_TRUE(damage.has_value());
  EXPECT_EQ(damage->offset, 32U + 48U);
}

TEST(FindHeapDamage, StopsAtAFencepost) {
  Heap heap = WholeHeap();
  heap.WordAt(32 + 48 + 1040 + 8) = 16 | kPreviousInUse;
  heap.WordAt(32 + 48 + 1040 + 96 + 8) = 0x4141414141414141;
  EXPECT_FALSE(heap.Find().has_value());
}

// Each in a process of its own, which Check() may end.
TEST(HeapWatchDeathTest, AcceptsWhatAProgramDoesWithItsHeap) {
  EXPECT_EXIT(
      {
        HeapWatch watch;
        std::vector<std::vector<char>> kept;
        for (std::size_t i = 0; i < 3000; ++i) {
          kept.emplace_back(1 + i * 37 % 5000);
          if (i % 3 == 0) kept[i / 2].clear();
          if (i % 5 == 0) kept[i / 3].shrink_to_fit();
          if (i % 100 == 0) watch.Check();
        }
        kept.clear();
        kept.shrink_to_fit();
        watch.Check();
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

// Sanitizers bring a heap of their own.
#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST(HeapWatchDeathTest, EndsTheProcessWhereABlockWasOverrun) {
  EXPECT_EXIT(
      {
        HeapWatch watch;
        auto* const block = static_cast<volatile char*>(std::malloc(40));
        auto* const behind = static_cast<volatile char*>(std::malloc(40));
        for (int i = 0; i < 80; ++i) block[i] = 'A';
        watch.Check();
        std::_Exit(behind[0]);
      },
      testing::KilledBySignal(SIGABRT), "the heap is damaged: .* 0x4141414141414141");
}
#endif

}  // namespace
}  // namespace poolproof
