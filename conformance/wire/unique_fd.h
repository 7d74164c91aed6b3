// SPDX-License-Identifier: Apache-2.0
//
// UniqueFd: sole owner of a file descriptor. Used by wire, worker and runner.
#ifndef POOLPROOF_CONFORMANCE_WIRE_UNIQUE_FD_H_
#define POOLPROOF_CONFORMANCE_WIRE_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace poolproof {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { Reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  void Reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WIRE_UNIQUE_FD_H_
