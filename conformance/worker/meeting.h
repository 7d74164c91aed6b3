// SPDX-License-Identifier: Apache-2.0
//
// Meeting: threads that begin something at the same moment, again and again. What calls share shows
// only where they overlap, which threads left to themselves hardly do. Private to the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_MEETING_H_
#define POOLPROOF_CONFORMANCE_WORKER_MEETING_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace poolproof {

class Meeting {
 public:
  explicit Meeting(std::uint32_t threads,
                   std::chrono::microseconds moment = std::chrono::microseconds(1000))
      : threads_(threads), moment_(moment) {}

  // Returns when so many threads have come, or a moment later: a thread that the machine keeps
  // waiting, or that makes fewer calls, holds nobody up.
  void Come();

 private:
  const std::uint32_t threads_;
  const std::chrono::microseconds moment_;
  // How many times all had come, in the upper half, and how many wait.
  std::atomic<std::uint64_t> state_{0};
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_MEETING_H_
