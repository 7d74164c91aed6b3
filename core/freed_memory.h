// SPDX-License-Identifier: Apache-2.0
//
// What the C library does with memory that was given back to it.
#ifndef POOLPROOF_CORE_FREED_MEMORY_H_
#define POOLPROOF_CORE_FREED_MEMORY_H_

#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace poolproof {

// Buffers of whole planes come and go with every case: pages that went back to the system would be
// asked for and cleared again, which took a third of a run's time. At most `most` bytes are kept.
inline void KeepFreedMemory([[maybe_unused]] int most) {
#if defined(__GLIBC__)
  ::mallopt(M_MMAP_MAX, 0);  // of no size a mapping of its own, which ends with its block
  ::mallopt(M_TRIM_THRESHOLD, most);
#endif
}

}  // namespace poolproof

#endif  // POOLPROOF_CORE_FREED_MEMORY_H_
