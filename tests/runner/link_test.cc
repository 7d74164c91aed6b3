// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "conformance/wire/codec.h"
#include "conformance/wire/unique_fd.h"

namespace poolproof {
namespace {

using testing::HasSubstr;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends;
    EXPECT_EQ(::pipe(ends.data()), 0);
    out = UniqueFd(ends[0]);
    in = UniqueFd(ends[1]);
  }
  UniqueFd out;
  UniqueFd in;
};

TEST(Link, PacketsArriveWholeAndInOrder) {
  Pipe pipe;
  std::vector<std::byte> large((std::size_t{1} << 24) + 5, std::byte{7});
  large.back() = std::byte{9};
  std::thread sender([&] {
    EXPECT_TRUE(WritePacket(pipe.in.get(), PacketKind::kBytes, {}).ok());
    EXPECT_TRUE(WritePacket(pipe.in.get(), PacketKind::kBytes, large).ok());
    pipe.in.Reset();
  });
  const Result<Packet> empty = ReadPacket(pipe.out.get());
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->bytes.empty());
  std::vector<std::byte> got;
  for (;;) {
    Result<Packet> packet = ReadPacket(pipe.out.get());
    if (!packet.ok()) {
      EXPECT_EQ(packet.status().code(), StatusCode::kUnavailable);
      break;
    }
    got.insert(got.end(), packet->bytes.begin(), packet->bytes.end());
  }
  sender.join();
  EXPECT_EQ(got, large);
}

TEST(Link, WhatIsNoPacketIsQuoted) {
  Pipe pipe;
  const std::string text = "Welcome to the board\n";
  ASSERT_EQ(::write(pipe.in.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  const Result<Packet> packet = ReadPacket(pipe.out.get());
  ASSERT_FALSE(packet.ok());
  EXPECT_EQ(packet.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(packet.status().message()), HasSubstr("Welcome"));
}

TEST(Link, ABrokenPacketIsALostConnection) {
  Pipe pipe;
  ASSERT_TRUE(WritePacket(pipe.in.get(), PacketKind::kEnd, Encode(WorkerEnd())).ok());
  std::array<std::byte, 12> part;
  ASSERT_EQ(::read(pipe.out.get(), part.data(), part.size()), 12);
  Pipe cut;
  ASSERT_EQ(::write(cut.in.get(), part.data(), part.size()), 12);
  cut.in.Reset();
  const Result<Packet> packet = ReadPacket(cut.out.get());
  ASSERT_FALSE(packet.ok());
  EXPECT_EQ(packet.status().code(), StatusCode::kUnavailable);
}

TEST(Link, StartAndEndSurviveTheWay) {
  const WorkerStart start{1 << 30, {"A=1", "B=", "C=x=y"}};
  const Result<WorkerStart> started = DecodeWorkerStart(Encode(start));
  ASSERT_TRUE(started.ok());
  EXPECT_EQ(started->memory_bytes, start.memory_bytes);
  EXPECT_EQ(started->environment, start.environment);
  const WorkerEnd end{true, 11, "the last words", CrashSite()};
  const Result<WorkerEnd> ended = DecodeWorkerEnd(Encode(end));
  ASSERT_TRUE(ended.ok());
  EXPECT_TRUE(ended->out_of_memory);
  EXPECT_EQ(ended->wait_status, 11);
  EXPECT_EQ(ended->output, end.output);
  EXPECT_EQ(ended->crash, end.crash);
  std::vector<std::byte> bytes = Encode(end);
  bytes.pop_back();
  EXPECT_FALSE(DecodeWorkerEnd(bytes).ok());
  EXPECT_FALSE(DecodeWorkerStart(std::vector<std::byte>(3)).ok());
}

}  // namespace
}  // namespace poolproof
