// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/meeting.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace poolproof {
namespace {

// A busy machine may let a round go by in which not all have come.
TEST(Meeting, ThreadsGoOnOnceAllHaveCome) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 200;
  Meeting meeting(kThreads);
  std::vector<std::atomic<int>> come(kRounds);
  std::atomic<int> complete{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (std::atomic<int>& round : come) {
        ++round;
        meeting.Come();
        if (round == kThreads) ++complete;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(complete, kRounds);  // of three times as many, as the last of a round sees it anyhow
}

TEST(Meeting, NobodyWaitsForAThreadThatDoesNotCome) {
  Meeting meeting(2);
  for (int round = 0; round < 3; ++round) meeting.Come();
  std::thread other([&] { meeting.Come(); });
  meeting.Come();
  other.join();
}

}  // namespace
}  // namespace poolproof
