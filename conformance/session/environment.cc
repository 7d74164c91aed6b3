// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/environment.h"

#include <sched.h>
#include <sys/utsname.h>

#include <array>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <string_view>

namespace poolproof {
namespace {

std::string CpuName(const std::string& fallback) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return fallback;
}

}  // namespace

int AvailableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count < 1 ? 1 : count;
}

Environment DescribeEnvironment() {
  Environment environment;
  utsname names = {};
  std::string machine = "unknown";
  if (uname(&names) == 0) {
    environment.os = std::string(names.sysname) + " " + names.release;
    machine = names.machine;
  }
  environment.cpu = CpuName(machine);
#if defined(__clang__)
  environment.compiler = "clang " __clang_version__;
#else
  environment.compiler = "gcc " __VERSION__;
#endif
  environment.cores = AvailableProcessors();
  return environment;
}

std::string TimestampNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::array<char, 32> text = {};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text.data(), size);
}

}  // namespace poolproof
