// SPDX-License-Identifier: Apache-2.0
//
// Damage to the C library's heap, found in the call that did it. Private to the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_HEAP_WATCH_H_
#define POOLPROOF_CONFORMANCE_WORKER_HEAP_WATCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace poolproof {

// A block whose header cannot be one, as an offset in bytes from the heap's first block, and the
// word found where its size belongs.
struct HeapDamage {
  std::size_t offset = 0;
  std::uint64_t size_word = 0;
};

// Reads the headers of a run of glibc blocks (malloc_chunk of its malloc.c) in [begin, end), both
// aligned to 16, where `end` is the end of the last block. Stops without a finding at a fencepost,
// since what lies behind one is not the heap's. `blocks` becomes the number of headers read.
[[nodiscard]] std::optional<HeapDamage> FindHeapDamage(std::uintptr_t begin, std::uintptr_t end,
                                                       std::size_t& blocks);

class HeapWatch {
 public:
  // Learns where the heap begins; made before the library is loaded.
  HeapWatch();

  // Ends the process with SIGABRT where the heap is damaged: by taking and giving back blocks of
  // every small size, so that the C library trips over its own lists, and by reading the headers
  // of all blocks while the process has one thread. A heap of very many blocks is read in only
  // some of the calls, so that the cost of a call stays bounded.
  void Check();

 private:
  // And learns where the heap ends.
  [[nodiscard]] bool CanRead();

  std::uintptr_t begin_ = 0;  // 0: this C library's heap cannot be read
  std::uintptr_t end_ = 0;
  std::size_t blocks_ = 0;  // in the heap when it was last read
  std::size_t credit_ = 0;  // headers that may be read by now
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_HEAP_WATCH_H_
