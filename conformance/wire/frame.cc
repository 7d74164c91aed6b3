// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/frame.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <string>

namespace poolproof {
namespace {

// "PPF1". A library that writes into a descriptor which it does not own is recognised by it.
constexpr std::uint32_t kMagic = 0x31465050;
constexpr std::size_t kFirstStep = std::size_t{1} << 20;

static_assert(std::endian::native == std::endian::little, "both ends share one machine");

std::string ErrorText(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

// errors: kUnavailable where `deadline` passes or the descriptor is unusable.
Status WaitFor(int socket, short events, WireClock::time_point deadline) {
  pollfd entry{socket, events, 0};
  for (;;) {
    const int ready = ::poll(&entry, 1, PollTimeout(deadline));
    if (ready > 0) return OkStatus();
    if (ready == 0 && WireClock::now() >= deadline) return Unavailable("deadline passed");
    if (ready < 0 && errno != EINTR) return Unavailable(ErrorText("poll"));
  }
}

}  // namespace

int PollTimeout(WireClock::time_point deadline) {
  if (deadline == kNoDeadline) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - WireClock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

Status SendFrame(int socket, std::span<const std::byte> payload, WireClock::time_point deadline) {
  if (payload.size() > kMaxFrameBytes) {
    return InvalidArgument("frame of " + std::to_string(payload.size()) + " bytes is too long");
  }
  std::array<std::byte, 12> header;
  const std::uint64_t length = payload.size();
  std::memcpy(header.data(), &kMagic, 4);
  std::memcpy(header.data() + 4, &length, 8);

  const std::size_t total = header.size() + payload.size();
  std::size_t sent = 0;
  while (sent < total) {
    std::array<iovec, 2> parts;
    std::size_t count = 0;
    if (sent < header.size()) parts[count++] = {header.data() + sent, header.size() - sent};
    const std::size_t from = sent < header.size() ? 0 : sent - header.size();
    // iovec has no const form; sendmsg does not write.
    parts[count++] = {const_cast<std::byte*>(payload.data()) + from, payload.size() - from};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t n = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      sent += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (Status status = WaitFor(socket, POLLOUT, deadline); !status.ok()) return status;
    } else if (errno != EINTR) {
      return Unavailable(ErrorText("send"));
    }
  }
  return OkStatus();
}

FrameReader::FrameReader(std::uint64_t max_bytes)
    : max_bytes_(std::min(max_bytes, kMaxFrameBytes)) {}

Status FrameReader::AcceptHeader() {
  std::uint32_t magic = 0;
  std::memcpy(&magic, first_.data(), 4);
  std::memcpy(&length_, first_.data() + 4, 8);
  if (magic != kMagic) return InvalidArgument("frame: the bytes received start no frame");
  if (length_ > max_bytes_) {
    return InvalidArgument("frame: length " + std::to_string(length_) + " exceeds " +
                           std::to_string(max_bytes_));
  }
  filled_ = first_size_ - kHeaderBytes;
  if (filled_ > length_) return InvalidArgument("frame: bytes after its end");
  payload_.assign(first_.begin() + kHeaderBytes,
                  first_.begin() + static_cast<std::ptrdiff_t>(first_size_));
  has_header_ = true;
  return OkStatus();
}

Result<FrameReader::State> FrameReader::ReadHeader(int socket) {
  while (first_size_ < kHeaderBytes) {
    const ssize_t n =
        ::recv(socket, first_.data() + first_size_, first_.size() - first_size_, MSG_DONTWAIT);
    if (n > 0) {
      first_size_ += static_cast<std::size_t>(n);
    } else if (n == 0) {
      if (first_size_ == 0) return State::kClosed;
      return Unavailable("frame: the stream breaks off");
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return State::kMore;
    } else if (errno == ECONNRESET && first_size_ == 0) {
      return State::kClosed;
    } else if (errno != EINTR) {
      return Unavailable(ErrorText("receive"));
    }
  }
  if (Status status = AcceptHeader(); !status.ok()) return status;
  return State::kComplete;
}

Result<FrameReader::State> FrameReader::ReadSome(int socket) {
  if (!has_header_) {
    Result<State> header = ReadHeader(socket);
    if (!header.ok() || header.value() != State::kComplete) return header;
  }
  while (filled_ < length_) {
    if (filled_ == payload_.size()) {
      const std::uint64_t step = std::max<std::uint64_t>(kFirstStep, 2 * std::uint64_t{filled_});
      payload_.resize(std::min<std::uint64_t>(length_, step));
    }
    const ssize_t n =
        ::recv(socket, payload_.data() + filled_, payload_.size() - filled_, MSG_DONTWAIT);
    if (n > 0) {
      filled_ += static_cast<std::size_t>(n);
    } else if (n == 0) {
      return Unavailable("frame: the stream breaks off");
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return State::kMore;
    } else if (errno != EINTR) {
      return Unavailable(ErrorText("receive"));
    }
  }
  return State::kComplete;
}

Result<std::vector<std::byte>> ReceiveFrame(int socket, std::uint64_t max_bytes,
                                            WireClock::time_point deadline) {
  // On the heap: the reader carries a large buffer.
  const auto reader = std::make_unique<FrameReader>(max_bytes);
  for (;;) {
    if (Status status = WaitFor(socket, POLLIN, deadline); !status.ok()) return status;
    Result<FrameReader::State> state = reader->ReadSome(socket);
    if (!state.ok()) return state.status();
    if (state.value() == FrameReader::State::kComplete) return reader->Take();
    if (state.value() == FrameReader::State::kClosed) return Unavailable("closed");
  }
}

}  // namespace poolproof
