// SPDX-License-Identifier: Apache-2.0
//
// Frames: length-prefixed messages over a stream socket. The protocol alternates (request, answer),
// so a reader never meets the start of a second frame. Used by worker and runner.
#ifndef POOLPROOF_CONFORMANCE_WIRE_FRAME_H_
#define POOLPROOF_CONFORMANCE_WIRE_FRAME_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/status.h"

namespace poolproof {

using WireClock = std::chrono::steady_clock;

// No frame may be longer, whatever a caller allows.
inline constexpr std::uint64_t kMaxFrameBytes = std::uint64_t{1} << 38;

// Waits without end.
inline constexpr WireClock::time_point kNoDeadline = WireClock::time_point::max();

// Sends the whole frame. Never raises SIGPIPE.
// errors: kUnavailable where the peer or the descriptor is gone or `deadline` passes.
Status SendFrame(int socket, std::span<const std::byte> payload, WireClock::time_point deadline);

// Collects one frame from a socket, however it is cut into pieces. The buffer grows with what has
// arrived, so that a wrong length cannot exhaust memory.
class FrameReader {
 public:
  enum class State { kMore, kComplete, kClosed };

  explicit FrameReader(std::uint64_t max_bytes);

  // Takes what is there without waiting. kMore where that was not all, kClosed where the peer ended
  // the stream between frames.
  // errors: kUnavailable for a stream that breaks off, kInvalidArgument for bytes that are no frame
  // or one longer than allowed.
  Result<State> ReadSome(int socket);

  // Requires that ReadSome returned kComplete.
  std::vector<std::byte> Take() { return std::move(payload_); }

 private:
  static constexpr std::size_t kHeaderBytes = 12;

  Result<State> ReadHeader(int socket);
  Status AcceptHeader();

  std::uint64_t max_bytes_;
  std::array<std::byte, 64 * 1024> first_;  // header, and as much payload as came with it
  std::size_t first_size_ = 0;
  bool has_header_ = false;
  std::uint64_t length_ = 0;
  std::vector<std::byte> payload_;
  std::size_t filled_ = 0;
};

// Waits for one whole frame.
// errors: as FrameReader's; kUnavailable with "closed" where the stream ended or `deadline` passed.
Result<std::vector<std::byte>> ReceiveFrame(int socket, std::uint64_t max_bytes,
                                            WireClock::time_point deadline);

// Milliseconds for poll(2) until `deadline`, rounded up; -1 for kNoDeadline.
int PollTimeout(WireClock::time_point deadline);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WIRE_FRAME_H_
