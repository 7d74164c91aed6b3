// SPDX-License-Identifier: Apache-2.0
//
// Frames: length-prefixed messages over a stream socket. Several may be under way in one direction,
// one behind the other. Used by worker and runner.
#ifndef POOLPROOF_CONFORMANCE_WIRE_FRAME_H_
#define POOLPROOF_CONFORMANCE_WIRE_FRAME_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
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

// Frames that wait to be sent, so that one that sends can read meanwhile.
class FrameWriter {
 public:
  void Queue(std::vector<std::byte> payload);
  [[nodiscard]] bool empty() const { return frames_.empty(); }
  // Sends what the socket takes without waiting, many frames at once. Never raises SIGPIPE.
  // errors: kUnavailable where the peer or the descriptor is gone.
  Status SendSome(int socket);

 private:
  struct Frame {
    std::array<std::byte, 12> header;
    std::vector<std::byte> payload;
  };
  std::deque<Frame> frames_;
  std::size_t sent_ = 0;  // bytes of the first one
};

// Collects frames from a socket, however they are cut into pieces. The buffer grows with what has
// arrived, so that a wrong length cannot exhaust memory.
class FrameReader {
 public:
  enum class State { kMore, kComplete, kClosed };

  explicit FrameReader(std::uint64_t max_bytes);

  // The longest payload that the next frame may have.
  void SetLimit(std::uint64_t max_bytes);

  // Takes what is there without waiting. kMore where that was not all of a frame, kClosed where the
  // peer ended the stream between frames.
  // errors: kUnavailable for a stream that breaks off, kInvalidArgument for bytes that are no frame
  // or one longer than allowed.
  Result<State> ReadSome(int socket);

  // The frame, and on to the next. Requires that ReadSome returned kComplete.
  std::vector<std::byte> Take();

  // Bytes behind the last frame have arrived already: the start of another one.
  [[nodiscard]] bool has_more() const { return begin_ < end_; }

 private:
  static constexpr std::size_t kHeaderBytes = 12;

  Result<State> ReadHeader(int socket);
  Status AcceptHeader();

  std::uint64_t max_bytes_;
  std::array<std::byte, 64 * 1024> buffer_;  // arrived and not taken: [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool has_header_ = false;
  std::uint64_t length_ = 0;
  std::vector<std::byte> payload_;
  std::size_t filled_ = 0;
};

// Waits for one whole frame, which others may follow.
// errors: as FrameReader's; kUnavailable with "closed" where the stream ended or `deadline` passed.
Result<std::vector<std::byte>> ReceiveFrame(FrameReader& reader, int socket,
                                            WireClock::time_point deadline);
// The same for the only frame that is under way. errors: kInvalidArgument for bytes behind it.
Result<std::vector<std::byte>> ReceiveFrame(int socket, std::uint64_t max_bytes,
                                            WireClock::time_point deadline);

// Invocations and their answers bear a number behind their bytes: an answer that comes twice or out
// of turn is not taken for another's.
void AppendNumber(std::uint64_t number, std::vector<std::byte>& message);
// Takes it off; nullopt where there is none.
std::optional<std::uint64_t> TakeNumber(std::span<const std::byte>& message);

// Milliseconds for poll(2) until `deadline`, rounded up; -1 for kNoDeadline.
int PollTimeout(WireClock::time_point deadline);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WIRE_FRAME_H_
