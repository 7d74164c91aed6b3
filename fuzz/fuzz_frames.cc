// SPDX-License-Identifier: Apache-2.0
//
// Frames over a socket. The first byte says in which pieces the rest is sent, the second how long a
// frame may be. Whole frames come out as they went in, whatever the pieces; anything else is
// refused, and no length makes the reader ask for more than a first step beyond what has arrived.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/wire/frame.h"
#include "conformance/wire/unique_fd.h"
#include "fuzz/allocation_watch.h"
#include "fuzz/expect.h"

namespace poolproof {
namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kFirstStep = std::size_t{1} << 20;

using Bytes = std::vector<std::byte>;

std::uint64_t LengthAt(std::span<const std::byte> stream) {
  std::uint64_t length = 0;
  std::memcpy(&length, stream.data() + 4, sizeof length);
  return length;
}

// Everything that comes out of the stream before it is refused, cut off or closed.
std::vector<Bytes> ReadFrames(std::span<const std::byte> stream, std::size_t piece,
                              std::uint64_t limit) {
  std::array<int, 2> ends{};
  Expect(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0, "no socket", "");
  UniqueFd sender(ends[0]);
  const UniqueFd receiver(ends[1]);
  const auto reader = std::make_unique<FrameReader>(limit);
  std::vector<Bytes> frames;
  for (;;) {
    const std::size_t count = std::min(piece, stream.size());
    if (count > 0) {
      Expect(
          ::send(sender.get(), stream.data(), count, MSG_NOSIGNAL) == static_cast<ssize_t>(count),
          "the socket takes no more", std::to_string(count));
      stream = stream.subspan(count);
    } else {
      sender = UniqueFd();
    }
    for (;;) {
      std::size_t largest = 0;
      const Result<FrameReader::State> state = [&] {
        const AllocationWatch watch;
        Result<FrameReader::State> read = reader->ReadSome(receiver.get());
        largest = AllocationWatch::Largest();
        return read;
      }();
      Expect(largest <= 2 * kFirstStep, "the reader asks for too much memory",
             std::to_string(largest));
      if (!state.ok()) {
        Expect(!state.status().message().empty(), "a refusal has no message", "");
        return frames;
      }
      if (state.value() == FrameReader::State::kClosed) {
        Expect(count == 0, "the reader sees an end that is not there", "");
        return frames;
      }
      if (state.value() == FrameReader::State::kMore) {
        Expect(count > 0, "the reader waits behind the end", "");
        break;
      }
      frames.push_back(reader->Take());
    }
  }
}

}  // namespace
}  // namespace poolproof

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  if (size < 2 || size > 8192) return 0;
  const std::size_t piece = std::size_t{data[0]} * 16 + 1;
  const std::uint64_t limit = data[1] == 0xff ? kMaxFrameBytes : std::uint64_t{data[1]} * 64;
  const std::span<const std::byte> stream = std::as_bytes(std::span(data, size)).subspan(2);

  const std::vector<Bytes> frames = ReadFrames(stream, piece, limit);
  std::span<const std::byte> rest = stream;
  for (const Bytes& frame : frames) {
    Expect(rest.size() >= kHeader && LengthAt(rest) == frame.size() && frame.size() <= limit,
           "a frame has another length", std::to_string(frame.size()));
    rest = rest.subspan(kHeader);
    Expect(rest.size() >= frame.size() &&
               (frame.empty() || std::memcmp(frame.data(), rest.data(), frame.size()) == 0),
           "a frame has other bytes", std::to_string(frame.size()));
    rest = rest.subspan(frame.size());
  }
  // The pieces make no difference.
  Expect(ReadFrames(stream, 4096, limit) == frames, "other pieces make other frames", "");

  // What was read is sent alike.
  std::array<int, 2> ends{};
  Expect(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0, "no socket", "");
  const UniqueFd sender(ends[0]);
  const UniqueFd receiver(ends[1]);
  FrameWriter writer;
  for (const Bytes& frame : frames) writer.Queue(frame);
  Expect(writer.SendSome(sender.get()).ok() && writer.empty(), "frames are not sent", "");
  const auto reader = std::make_unique<FrameReader>(limit);
  for (const Bytes& frame : frames) {
    const Result<Bytes> again = ReceiveFrame(*reader, receiver.get(), kNoDeadline);
    Expect(again.ok() && *again == frame, "a frame comes back otherwise", "");
  }
  return 0;
}
