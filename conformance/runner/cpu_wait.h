// SPDX-License-Identifier: Apache-2.0
//
// CpuWait: how long a process waited for a CPU. On a busy machine a call that does not hang may
// take many times as long as it works: a deadline does not count that time.
#ifndef POOLPROOF_CONFORMANCE_RUNNER_CPU_WAIT_H_
#define POOLPROOF_CONFORMANCE_RUNNER_CPU_WAIT_H_

#include <sys/types.h>

#include <chrono>
#include <map>

namespace poolproof {

class CpuWait {
 public:
  explicit CpuWait(pid_t process) : process_(process), before_(ByThread()) {}

  // Of the thread that waited longest, since the object was made. Zero where Linux does not tell.
  [[nodiscard]] std::chrono::nanoseconds Since() const;

 private:
  [[nodiscard]] std::map<int, std::chrono::nanoseconds> ByThread() const;

  pid_t process_;
  std::map<int, std::chrono::nanoseconds> before_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RUNNER_CPU_WAIT_H_
