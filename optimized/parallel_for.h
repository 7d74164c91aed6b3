// SPDX-License-Identifier: Apache-2.0
//
// Splits planes among threads. Used by the optimized kernels.
#ifndef POOLPROOF_OPTIMIZED_PARALLEL_FOR_H_
#define POOLPROOF_OPTIMIZED_PARALLEL_FOR_H_

#include <cstdint>
#include <functional>

namespace poolproof {

// How work is split; tests put the borders where they want them.
struct Parallelism {
  std::int64_t threads = 1;
  std::int64_t elements_per_thread = std::int64_t{1} << 16;  // less is not worth a thread
};

// POOLPROOF_NUM_THREADS, else the number of CPUs in the calling thread's affinity mask.
Parallelism DefaultParallelism();

// Calls body(begin, end) on ranges that together are [0, count), each once, from several threads
// where count * elements_each is worth it. Returns when all are done; rethrows what a body threw.
void ParallelFor(std::int64_t count, std::int64_t elements_each, const Parallelism& parallelism,
                 const std::function<void(std::int64_t begin, std::int64_t end)>& body);

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_PARALLEL_FOR_H_
