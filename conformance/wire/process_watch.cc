// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/process_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "conformance/wire/unique_fd.h"

namespace poolproof {

std::optional<std::int64_t> ResidentBytesOf(pid_t pid) {
  std::array<char, 32> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/statm", static_cast<int>(pid));
  const UniqueFd fd(::open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 128> text{};
  if (!fd.valid() || ::read(fd.get(), text.data(), text.size() - 1) <= 0) return std::nullopt;
  const char* const space = std::strchr(text.data(), ' ');
  if (space == nullptr) return std::nullopt;
  return std::strtoll(space, nullptr, 10) * ::sysconf(_SC_PAGESIZE);
}

bool OutputTail::Drain(int fd, std::size_t limit) {
  std::array<char, 16 * 1024> piece;
  for (std::size_t taken = 0; taken < limit;) {
    const ssize_t n = ::read(fd, piece.data(), piece.size());
    if (n > 0) {
      const auto size = static_cast<std::size_t>(n);
      tail_.append(piece.data(), size);
      if (tail_.size() > kMostBytes) tail_.erase(0, tail_.size() - kMostBytes);
      taken += size;
    } else if (n == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
  }
  return true;
}

}  // namespace poolproof
