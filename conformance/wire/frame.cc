// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/frame.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace poolproof {
namespace {

// "PPF1". A library that writes into a descriptor which it does not own is recognised by it.
constexpr std::uint32_t kMagic = 0x31465050;
constexpr std::size_t kFirstStep = std::size_t{1} << 20;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "both ends share one machine");

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

std::array<std::byte, 12> HeaderFor(std::uint64_t length) {
  std::array<std::byte, 12> header;
  std::memcpy(header.data(), &kMagic, 4);
  std::memcpy(header.data() + 4, &length, 8);
  return header;
}

// What is left of a frame of which `sent` bytes are gone; the number of parts.
std::size_t AddParts(const std::array<std::byte, 12>& header, std::span<const std::byte> payload,
                     std::size_t sent, iovec* parts) {
  // iovec has no const form; sendmsg does not write.
  auto* const head = const_cast<std::byte*>(header.data());
  auto* const body = const_cast<std::byte*>(payload.data());
  std::size_t count = 0;
  if (sent < header.size()) parts[count++] = {head + sent, header.size() - sent};
  const std::size_t from = sent < header.size() ? 0 : sent - header.size();
  if (from < payload.size()) parts[count++] = {body + from, payload.size() - from};
  return count;
}

// Bytes sent; 0 where the socket takes none now.
Result<std::size_t> SendParts(int socket, std::span<iovec> parts) {
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  for (;;) {
    const ssize_t n = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::size_t{0};
    if (errno != EINTR) return Unavailable(ErrorText("send"));
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
  const std::array<std::byte, 12> header = HeaderFor(payload.size());
  const std::size_t total = header.size() + payload.size();
  std::size_t sent = 0;
  while (sent < total) {
    std::array<iovec, 2> parts;
    const std::size_t count = AddParts(header, payload, sent, parts.data());
    const Result<std::size_t> step = SendParts(socket, std::span(parts).first(count));
    if (!step.ok()) return step.status();
    sent += *step;
    if (sent == total || *step > 0) continue;
    if (Status status = WaitFor(socket, POLLOUT, deadline); !status.ok()) return status;
  }
  return OkStatus();
}

void FrameWriter::Queue(std::vector<std::byte> payload) {
  Frame frame{HeaderFor(payload.size()), std::move(payload)};
  frames_.push_back(std::move(frame));
}

Status FrameWriter::SendSome(int socket) {
  constexpr std::size_t kAtOnce = 32;
  while (!frames_.empty()) {
    std::array<iovec, 2 * kAtOnce> parts;
    std::size_t count = 0;
    const std::size_t frames = std::min(frames_.size(), kAtOnce);
    for (std::size_t i = 0; i < frames; ++i) {
      count += AddParts(frames_[i].header, frames_[i].payload, i == 0 ? sent_ : 0, &parts[count]);
    }
    Result<std::size_t> step = SendParts(socket, std::span(parts).first(count));
    if (!step.ok()) return step.status();
    if (*step == 0) return OkStatus();
    sent_ += *step;
    while (!frames_.empty()) {
      const std::size_t size = frames_.front().header.size() + frames_.front().payload.size();
      if (sent_ < size) break;
      sent_ -= size;
      frames_.pop_front();
    }
  }
  return OkStatus();
}

FrameReader::FrameReader(std::uint64_t max_bytes) : max_bytes_(0) { SetLimit(max_bytes); }

void FrameReader::SetLimit(std::uint64_t max_bytes) {
  max_bytes_ = std::min(max_bytes, kMaxFrameBytes);
}

Status FrameReader::AcceptHeader() {
  std::uint32_t magic = 0;
  std::memcpy(&magic, buffer_.data() + begin_, 4);
  std::memcpy(&length_, buffer_.data() + begin_ + 4, 8);
  if (magic != kMagic)
    return InvalidArgument("frame: the received bytes are not the start of a frame");
  if (length_ > max_bytes_) {
    return InvalidArgument("frame: length " + std::to_string(length_) + " exceeds " +
                           std::to_string(max_bytes_));
  }
  begin_ += kHeaderBytes;
  // Of a size that does not depend on how much has arrived: the addresses that a library is given
  // in a worker must not vary with the timing of the messages.
  payload_.resize(std::min<std::uint64_t>(length_, kFirstStep));
  filled_ = std::min(end_ - begin_, payload_.size());
  const auto from = buffer_.begin() + static_cast<std::ptrdiff_t>(begin_);
  std::copy(from, from + static_cast<std::ptrdiff_t>(filled_), payload_.begin());
  begin_ += filled_;
  has_header_ = true;
  return OkStatus();
}

Result<FrameReader::State> FrameReader::ReadHeader(int socket) {
  while (end_ - begin_ < kHeaderBytes) {
    if (begin_ > 0) {  // the start of a header, or nothing, goes to the front
      std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
      end_ -= std::exchange(begin_, 0);
    }
    const ssize_t n = ::recv(socket, buffer_.data() + end_, buffer_.size() - end_, MSG_DONTWAIT);
    if (n > 0) {
      end_ += static_cast<std::size_t>(n);
    } else if (n == 0) {
      if (!has_more()) return State::kClosed;
      return Unavailable("frame: the stream breaks off");
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return State::kMore;
    } else if (errno == ECONNRESET && !has_more()) {
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

std::vector<std::byte> FrameReader::Take() {
  has_header_ = false;
  return std::exchange(payload_, {});
}

void AppendNumber(std::uint64_t number, std::vector<std::byte>& message) {
  const auto bytes = std::as_bytes(std::span(&number, 1));
  message.insert(message.end(), bytes.begin(), bytes.end());
}

std::optional<std::uint64_t> TakeNumber(std::span<const std::byte>& message) {
  std::uint64_t number = 0;
  if (message.size() < sizeof number) return std::nullopt;
  std::memcpy(&number, message.last(sizeof number).data(), sizeof number);
  message = message.first(message.size() - sizeof number);
  return number;
}

Result<std::vector<std::byte>> ReceiveFrame(FrameReader& reader, int socket,
                                            WireClock::time_point deadline) {
  for (;;) {
    // What has arrived comes first: nothing more may follow.
    Result<FrameReader::State> state = reader.ReadSome(socket);
    if (!state.ok()) return state.status();
    if (state.value() == FrameReader::State::kComplete) return reader.Take();
    if (state.value() == FrameReader::State::kClosed) return Unavailable("closed");
    if (Status status = WaitFor(socket, POLLIN, deadline); !status.ok()) return status;
  }
}

Result<std::vector<std::byte>> ReceiveFrame(int socket, std::uint64_t max_bytes,
                                            WireClock::time_point deadline) {
  // On the heap: the reader carries a large buffer.
  const auto reader = std::make_unique<FrameReader>(max_bytes);
  Result<std::vector<std::byte>> frame = ReceiveFrame(*reader, socket, deadline);
  if (frame.ok() && reader->has_more()) return InvalidArgument("frame: bytes after its end");
  return frame;
}

}  // namespace poolproof
