// SPDX-License-Identifier: Apache-2.0
//
// What is seen of a worker from outside: the memory that it takes and the last of what it writes.
// Used by the runner, and by the parent of a worker elsewhere.
#ifndef POOLPROOF_CONFORMANCE_WIRE_PROCESS_WATCH_H_
#define POOLPROOF_CONFORMANCE_WIRE_PROCESS_WATCH_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace poolproof {

// Resident bytes of a process; nullopt where it is gone.
std::optional<std::int64_t> ResidentBytesOf(pid_t pid);

// The last bytes of a stream that may be endless.
class OutputTail {
 public:
  static constexpr std::size_t kMostBytes = 4096;

  void Clear() { tail_.clear(); }
  // Takes what is there of a descriptor that does not block, up to `limit` bytes. False where the
  // stream has ended.
  bool Drain(int fd, std::size_t limit);
  [[nodiscard]] const std::string& text() const { return tail_; }

 private:
  std::string tail_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WIRE_PROCESS_WATCH_H_
