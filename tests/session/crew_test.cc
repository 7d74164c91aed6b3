// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "conformance/plan/shards.h"

namespace poolproof {
namespace {

TEST(Crew, WorksWithSoManyAtATime) {
  Crew crew(2);
  std::atomic<int> left{200};
  std::atomic<int> at_work{0};
  std::atomic<int> most{0};
  OnThreads(6, [&] {
    crew.Work([&] { return left <= 0; },
              [&] {
                const int now = ++at_work;
                for (int known = most; now > known && !most.compare_exchange_weak(known, now);) {
                }
                std::this_thread::yield();
                --left;
                --at_work;
              });
  });
  EXPECT_LE(left, 0);
  EXPECT_LE(most, 2);
}

// Each waits until the last of them has begun, which only those that wait let it do.
TEST(Crew, WhoWaitsForCallsThatHangLetsOthersWork) {
  constexpr int kTurns = 4;
  Crew crew(1);
  crew.Hung();
  std::atomic<int> begun{0};
  OnThreads(kTurns, [&] {
    crew.Work([&] { return begun >= kTurns; },
              [&] {
                ++begun;
                const Crew::Wait wait(crew);
                while (begun < kTurns) std::this_thread::sleep_for(std::chrono::milliseconds(1));
              });
  });
  EXPECT_EQ(begun, kTurns);
}

TEST(Crew, ATurnThatThrowsIsOver) {
  Crew crew(1);
  std::atomic<int> turns{0};
  EXPECT_THROW(OnThreads(3,
                         [&] {
                           crew.Work([&] { return turns >= 3; },
                                     [&] {
                                       if (++turns < 3) throw std::runtime_error("this one");
                                     });
                         }),
               std::runtime_error);
  EXPECT_EQ(turns, 3);
}

}  // namespace
}  // namespace poolproof
