// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/frame.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "conformance/wire/unique_fd.h"

namespace poolproof {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0) {
      a = UniqueFd(ends[0]);
      b = UniqueFd(ends[1]);
    }
  }
  UniqueFd a;
  UniqueFd b;
};

WireClock::time_point Soon() { return WireClock::now() + seconds(30); }

std::vector<std::byte> Pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 31 + (i >> 8));
  return bytes;
}

std::vector<std::byte> Header(std::uint64_t length) {
  std::vector<std::byte> bytes(12);
  std::memcpy(bytes.data(), "PPF1", 4);
  std::memcpy(bytes.data() + 4, &length, sizeof length);
  return bytes;
}

TEST(Frame, CarriesFramesOfAllSizes) {
  const Pair pair;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65523},
                                 std::size_t{65524}, std::size_t{65525}, std::size_t{9'000'001}}) {
    const std::vector<std::byte> sent = Pattern(size);
    std::thread sender([&] { EXPECT_TRUE(SendFrame(pair.a.get(), sent, Soon()).ok()); });
    Result<std::vector<std::byte>> received = ReceiveFrame(pair.b.get(), kMaxFrameBytes, Soon());
    sender.join();
    ASSERT_TRUE(received.ok()) << received.status().message();
    EXPECT_EQ(received.value(), sent);
  }
}

TEST(Frame, IsPutTogetherFromSingleBytes) {
  const Pair pair;
  std::vector<std::byte> stream = Header(40);
  const std::vector<std::byte> payload = Pattern(40);
  stream.insert(stream.end(), payload.begin(), payload.end());
  FrameReader reader(1000);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    ASSERT_EQ(::write(pair.a.get(), &stream[i], 1), 1);
    Result<FrameReader::State> state = reader.ReadSome(pair.b.get());
    ASSERT_TRUE(state.ok());
    EXPECT_EQ(state.value() == FrameReader::State::kComplete, i + 1 == stream.size());
  }
  EXPECT_EQ(reader.Take(), payload);
}

TEST(Frame, LengthAloneAllocatesNothingHuge) {
  const Pair pair;
  const std::vector<std::byte> header = Header(kMaxFrameBytes);
  ASSERT_EQ(::write(pair.a.get(), header.data(), header.size()), 12);
  FrameReader reader(kMaxFrameBytes);
  Result<FrameReader::State> state = reader.ReadSome(pair.b.get());
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(state.value(), FrameReader::State::kMore);
  EXPECT_LE(reader.Take().capacity(), std::size_t{4} << 20);
}

TEST(Frame, RefusesWhatIsNoFrame) {
  const auto first_error = [](const std::vector<std::byte>& bytes, std::uint64_t limit) {
    const Pair pair;
    EXPECT_EQ(::write(pair.a.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
    return ReceiveFrame(pair.b.get(), limit, Soon()).status().code();
  };
  EXPECT_EQ(first_error(Pattern(64), 1000), StatusCode::kInvalidArgument);
  EXPECT_EQ(first_error(Header(1001), 1000), StatusCode::kInvalidArgument);
  EXPECT_EQ(first_error(Header(UINT64_MAX), UINT64_MAX), StatusCode::kInvalidArgument);
  std::vector<std::byte> too_much = Header(1);
  too_much.resize(14);
  EXPECT_EQ(first_error(too_much, 1000), StatusCode::kInvalidArgument);
}

TEST(Frame, EndOfStreamIsUnavailable) {
  Pair pair;
  pair.a.Reset();
  EXPECT_EQ(ReceiveFrame(pair.b.get(), 10, Soon()).status().message(), "closed");
  EXPECT_EQ(SendFrame(pair.b.get(), Pattern(10), Soon()).code(), StatusCode::kUnavailable);

  Pair broken;
  const std::vector<std::byte> header = Header(100);
  ASSERT_EQ(::write(broken.a.get(), header.data(), header.size()), 12);
  broken.a.Reset();
  EXPECT_EQ(ReceiveFrame(broken.b.get(), 1000, Soon()).status().code(), StatusCode::kUnavailable);
}

TEST(Frame, DeadlineEndsWaiting) {
  const Pair pair;
  const auto soon = WireClock::now() + milliseconds(30);
  EXPECT_EQ(ReceiveFrame(pair.b.get(), 10, soon).status().code(), StatusCode::kUnavailable);
  EXPECT_GE(WireClock::now(), soon);
  // The other side does not read: the socket's buffer fills and the sender must not wait for ever.
  EXPECT_EQ(SendFrame(pair.a.get(), Pattern(32 << 20), WireClock::now() + milliseconds(30)).code(),
            StatusCode::kUnavailable);
}

TEST(Frame, InterruptedCallsGoOn) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  const Pair pair;
  const std::vector<std::byte> sent = Pattern(20 << 20);
  const pthread_t reader = ::pthread_self();
  std::thread sender([&] {
    for (int i = 0; i < 5; ++i) {
      std::this_thread::sleep_for(milliseconds(2));
      ::pthread_kill(reader, SIGUSR1);
    }
    EXPECT_TRUE(SendFrame(pair.a.get(), sent, Soon()).ok());
  });
  Result<std::vector<std::byte>> received = ReceiveFrame(pair.b.get(), kMaxFrameBytes, Soon());
  sender.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  ASSERT_TRUE(received.ok()) << received.status().message();
  EXPECT_EQ(received.value(), sent);
}

TEST(Number, StandsBehindTheBytes) {
  std::vector<std::byte> message = {std::byte{7}};
  AppendNumber(0x0102030405060708, message);
  std::span<const std::byte> rest = message;
  EXPECT_EQ(TakeNumber(rest), 0x0102030405060708U);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0], std::byte{7});
  EXPECT_EQ(TakeNumber(rest), std::nullopt);
}

}  // namespace
}  // namespace poolproof
