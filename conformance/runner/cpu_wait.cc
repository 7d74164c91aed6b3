// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/cpu_wait.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace poolproof {

std::map<int, std::chrono::nanoseconds> CpuWait::ByThread() const {
  std::map<int, std::chrono::nanoseconds> waited;
  std::error_code error;
  const std::string tasks = "/proc/" + std::to_string(process_) + "/task";
  for (auto task = std::filesystem::directory_iterator(tasks, error);
       !error && task != std::filesystem::directory_iterator(); task.increment(error)) {
    // Nanoseconds on a CPU, nanoseconds in which it could have been on one, turns.
    std::ifstream stream(task->path() / "schedstat");
    std::int64_t ran = 0;
    std::int64_t delayed = 0;
    if (stream >> ran >> delayed) {
      waited[std::atoi(task->path().filename().c_str())] = std::chrono::nanoseconds(delayed);
    }
  }
  return waited;
}

std::chrono::nanoseconds CpuWait::Since() const {
  std::chrono::nanoseconds longest{0};
  for (const auto& [thread, waited] : ByThread()) {
    const auto known = before_.find(thread);
    longest = std::max(longest, known == before_.end() ? waited : waited - known->second);
  }
  return longest;
}

}  // namespace poolproof
