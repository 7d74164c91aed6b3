// SPDX-License-Identifier: Apache-2.0
//
// What the C library does with the memory of a process whose buffers of whole planes come and go
// with every case. Pages of 4 KiB that are asked for one by one, given back and cleared again took
// half of a run's time. No effect where the C library is not glibc, nor under a sanitizer.
#ifndef POOLPROOF_CORE_PROCESS_HEAP_H_
#define POOLPROOF_CORE_PROCESS_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/sanitized.h"

#if defined(__GLIBC__) && !defined(POOLPROOF_SANITIZED)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#define POOLPROOF_KEEPS_HEAP 1
#endif

namespace poolproof {

#if defined(POOLPROOF_KEEPS_HEAP)
namespace process_heap {

// The part of the heap that may have large pages.
inline void* begin = nullptr;
inline std::size_t size = 0;

inline void Advise(int advice) {
  if (begin != nullptr) static_cast<void>(::madvise(begin, size, advice));
}

// For so many bytes, where the system has them. Address space, no memory: the block is not touched,
// and its pages stay below the break.
inline void TakeLargePages(std::size_t bytes) {
  const auto in_page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)) - 1;
  void* const block = std::malloc(bytes);
  if (block == nullptr) return;
  begin = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(block) & ~in_page);
  size = bytes & ~in_page;
  Advise(MADV_HUGEPAGE);
  std::free(block);
}

}  // namespace process_heap
#endif

// Keeps what was freed, up to 1 GiB, and has large pages for half as much. For the first line of a
// program.
inline void KeepHeap() {
#if defined(POOLPROOF_KEEPS_HEAP)
  constexpr int kMost = 1 << 30;
  ::mallopt(M_MMAP_MAX, 0);  // of no size a mapping of its own, which ends with its block
  ::mallopt(M_TRIM_THRESHOLD, kMost);
  process_heap::TakeLargePages(kMost / 2);
#endif
}

// While it lives memory comes in small pages, so that what a few calls touch shows in the resident
// bytes.
class SmallPages {
 public:
  SmallPages() {
#if defined(POOLPROOF_KEEPS_HEAP)
    process_heap::Advise(MADV_NOHUGEPAGE);
#endif
  }
  ~SmallPages() {
#if defined(POOLPROOF_KEEPS_HEAP)
    if (process_heap::size > 0) process_heap::TakeLargePages(process_heap::size);
#endif
  }
  SmallPages(const SmallPages&) = delete;
  SmallPages& operator=(const SmallPages&) = delete;
};

}  // namespace poolproof

#endif  // POOLPROOF_CORE_PROCESS_HEAP_H_
