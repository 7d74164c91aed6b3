// SPDX-License-Identifier: Apache-2.0
#include "optimized/parallel_for.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>

#include "optimized/thread_pool.h"

namespace poolproof {
namespace {

constexpr std::int64_t kMostThreads = 1024;

std::int64_t CpuCount() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0) return std::max(1, CPU_COUNT(&cpus));
  return std::max<std::int64_t>(1, std::thread::hardware_concurrency());
}

}  // namespace

Parallelism DefaultParallelism() {
  Parallelism parallelism;
  parallelism.threads = CpuCount();
  if (const char* text = std::getenv("POOLPROOF_NUM_THREADS")) {
    const std::string_view digits(text);
    std::int64_t threads = 0;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), threads);
    const bool whole = error == std::errc() && stop == digits.data() + digits.size();
    if (whole && threads >= 1) parallelism.threads = std::min(threads, kMostThreads);
  }
  return parallelism;
}

void ParallelFor(std::int64_t count, std::int64_t elements_each, const Parallelism& parallelism,
                 const std::function<void(std::int64_t begin, std::int64_t end)>& body) {
  const std::int64_t least = std::max<std::int64_t>(parallelism.elements_per_thread, 1);
  const std::int64_t per_thread =
      std::max<std::int64_t>(1, least / std::max<std::int64_t>(elements_each, 1));
  const std::int64_t threads = std::min(parallelism.threads, count / per_thread);
  if (threads <= 1) {
    if (count > 0) body(0, count);
    return;
  }
  // Ranges shorter than a thread's share, so that a thread that is held up does not hold up all.
  const std::int64_t range = std::max<std::int64_t>(1, count / (threads * 8));
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  RunWithHelpers(static_cast<int>(threads - 1), [&] {
    try {
      for (std::int64_t begin = next.fetch_add(range); begin < count;
           begin = next.fetch_add(range)) {
        body(begin, std::min(begin + range, count));
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  });
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace poolproof
