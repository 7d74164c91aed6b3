// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/meeting.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace poolproof {
namespace {

TEST(Meeting, ThreadsGoOnOnceAllHaveCome) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 200;
  Meeting meeting(kThreads, std::chrono::hours(1));  // no machine is as busy as that
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
  EXPECT_EQ(complete, kThreads * kRounds);
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
