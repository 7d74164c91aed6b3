// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/heap_watch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#if defined(__GLIBC__)
#include <malloc.h>
#if __GLIBC_PREREQ(2, 33) && __SIZEOF_POINTER__ == 8
#define POOLPROOF_READS_HEAP 1
#endif
#endif

namespace poolproof {
namespace {

constexpr std::size_t kSizeWord = sizeof(std::size_t);  // previous size before it, size behind
constexpr std::uint64_t kPreviousInUse = 1;
constexpr std::uint64_t kFlags = 7;
constexpr std::uint64_t kChunkAlignment = 16;
constexpr std::uint64_t kSmallest = 32;
constexpr std::uint64_t kFencepost = 16;
// Headers that a call may read on average: some tens of microseconds.
constexpr std::size_t kBlocksPerCall = 8192;

std::uint64_t WordAt(std::uintptr_t address) {
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
  return word;
}

void TakeSmallBlocks() {
  constexpr std::size_t kStep = 16;
  constexpr std::size_t kLargest = 1040;
  // Two of each: the first still comes off a list whose rest is damaged. Volatile, so that they are
  // really taken.
  for (std::size_t size = kStep; size <= kLargest; size += kStep) {
    void* volatile first = std::malloc(size);
    void* volatile second = std::malloc(size);
    std::free(second);
    std::free(first);
  }
}

#if defined(POOLPROOF_READS_HEAP)
std::uintptr_t Break() { return reinterpret_cast<std::uintptr_t>(::sbrk(0)); }

// Where the memory below the break begins; 0 where there is none.
std::uintptr_t HeapBegin() {
  constexpr std::string_view kName = "[heap]";
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.size() >= kName.size() &&
        line.compare(line.size() - kName.size(), kName.size(), kName) == 0) {
      return std::strtoull(line.c_str(), nullptr, 16);
    }
  }
  return 0;
}

// Bytes that the C library took from the system for its arenas; there is only one.
std::size_t HeapBytes() { return ::mallinfo2().arena; }

bool HasOneThread() {
  struct stat tasks {};
  // Two links besides one for each thread.
  return ::stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3;
}
#endif

}  // namespace

std::optional<HeapDamage> FindHeapDamage(std::uintptr_t begin, std::uintptr_t end,
                                         std::size_t& blocks) {
  blocks = 0;
  for (std::uintptr_t at = begin; at != end;) {
    ++blocks;
    const std::uint64_t word = WordAt(at + kSizeWord);
    const std::uint64_t size = word & ~kFlags;
    if (size == kFencepost) return std::nullopt;
    // Blocks of the main arena have no flag but the one for the block before.
    if ((word & kFlags & ~kPreviousInUse) != 0 || size < kSmallest || size % kChunkAlignment != 0 ||
        size > end - at) {
      return HeapDamage{at - begin, word};
    }
    const std::uintptr_t next = at + size;
    if (next != end && (WordAt(next + kSizeWord) & kPreviousInUse) == 0 && WordAt(next) != size) {
      return HeapDamage{next - begin, WordAt(next + kSizeWord)};
    }
    at = next;
  }
  return std::nullopt;
}

HeapWatch::HeapWatch() {
#if defined(POOLPROOF_READS_HEAP)
  // One arena for all threads, whose blocks lie below the break one behind the other.
  ::mallopt(M_ARENA_MAX, 1);
  begin_ = HeapBegin();
  // Not so where another allocator is before the C library's.
  if (!CanRead() || FindHeapDamage(begin_, end_, blocks_).has_value()) begin_ = 0;
#endif
}

bool HeapWatch::CanRead() {
#if defined(POOLPROOF_READS_HEAP)
  if (begin_ == 0 || !HasOneThread()) return false;
  // Anything else that moved the break has put memory of its own among the blocks. The C library
  // is asked only where the break has moved, since it trips over damaged lists in doing its sums.
  const std::uintptr_t end = Break();
  if (end != end_ && begin_ + HeapBytes() != end) return false;
  end_ = end;
  return true;
#else
  return false;
#endif
}

void HeapWatch::Check() {
  TakeSmallBlocks();
#if defined(POOLPROOF_READS_HEAP)
  if (begin_ == 0) return;
  credit_ += kBlocksPerCall;
  if (credit_ < blocks_) return;
  credit_ = 0;
  if (!CanRead()) return;
  if (const std::optional<HeapDamage> damage = FindHeapDamage(begin_, end_, blocks_)) {
    std::fprintf(stderr,
                 "poolproof-worker: the heap is damaged: the block at offset %zu has %#llx where "
                 "its size belongs\n",
                 damage->offset, static_cast<unsigned long long>(damage->size_word));
    std::abort();
  }
#endif
}

}  // namespace poolproof
