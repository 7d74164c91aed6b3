// SPDX-License-Identifier: Apache-2.0
//
// AllocationWatch: how much memory a piece of code asks operator new for. A target that uses it has
// allocation_watch.cc among its sources, which replaces the operator for the whole program. The one
// of the thread sanitizer cannot be replaced: there nothing is seen.
#ifndef POOLPROOF_FUZZ_ALLOCATION_WATCH_H_
#define POOLPROOF_FUZZ_ALLOCATION_WATCH_H_

#include <cstddef>

namespace poolproof {

// One at a time, for the thread that makes it.
class AllocationWatch {
 public:
  AllocationWatch();
  ~AllocationWatch();
  AllocationWatch(const AllocationWatch&) = delete;
  AllocationWatch& operator=(const AllocationWatch&) = delete;
  // Of a single request, in bytes.
  [[nodiscard]] static std::size_t Largest();
};

}  // namespace poolproof

#endif  // POOLPROOF_FUZZ_ALLOCATION_WATCH_H_
