// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/cpu_wait.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <thread>

namespace poolproof {
namespace {

// A process that spins on one CPU for ever.
pid_t SpinOn(std::size_t cpu) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ::sched_setaffinity(0, sizeof(one), &one);
  for (;;) ::sched_getcpu();
}

TEST(CpuWait, ProcessesThatShareACpuWaitForIt) {
  if (!std::ifstream("/proc/self/schedstat"))
    GTEST_SKIP() << "this kernel counts no time that threads wait: a deadline is then not extended";
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  std::size_t cpu = 0;
  while (!CPU_ISSET(cpu, &allowed)) ++cpu;
  const std::array<pid_t, 2> spinning = {SpinOn(cpu), SpinOn(cpu)};
  const CpuWait wait(spinning[0]);
  // As long as it takes: one of the two has to wait at some time.
  while (wait.Since() == std::chrono::nanoseconds(0)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GT(wait.Since(), std::chrono::nanoseconds(0));
  for (const pid_t child : spinning) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}

TEST(CpuWait, OfAProcessThatIsGoneThereIsNone) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(CpuWait(child).Since(), std::chrono::nanoseconds(0));
}

}  // namespace
}  // namespace poolproof
