// SPDX-License-Identifier: Apache-2.0
#include "optimized/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace poolproof {
namespace {

TEST(ParallelFor, CoversEveryNumberOnce) {
  for (const std::int64_t threads : {1, 2, 3, 16}) {
    for (const std::int64_t count : {0, 1, 2, 7, 8, 9, 100, 1001}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      ParallelFor(count, 1, {threads, 1}, [&](std::int64_t begin, std::int64_t end) {
        ASSERT_LT(begin, end);
        for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      for (const auto& times : seen) ASSERT_EQ(times, 1);
    }
  }
}

TEST(ParallelFor, SmallWorkStaysOnTheCallingThread) {
  const std::thread::id caller = std::this_thread::get_id();
  ParallelFor(100, 10, {8, 1000}, [&](std::int64_t begin, std::int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
  });
}

TEST(ParallelFor, UsesSeveralThreadsWhereThereIsWork) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  for (int attempt = 0; attempt < 20 && threads.size() < 2; ++attempt) {
    ParallelFor(64, 1, {4, 1}, [&](std::int64_t, std::int64_t) {
      {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  }
  EXPECT_GE(threads.size(), 2U);
}

TEST(ParallelFor, RethrowsWhatABodyThrew) {
  const auto throwing = [](std::int64_t begin, std::int64_t) {
    if (begin > 10) throw std::runtime_error("body");
  };
  EXPECT_THROW(ParallelFor(1000, 1, {4, 1}, throwing), std::runtime_error);
}

TEST(DefaultParallelism, FollowsTheEnvironmentWhereItIsANumber) {
  setenv("POOLPROOF_NUM_THREADS", "5", 1);
  EXPECT_EQ(DefaultParallelism().threads, 5);
  for (const char* text : {"0", "-3", "five", "5x", ""}) {
    setenv("POOLPROOF_NUM_THREADS", text, 1);
    EXPECT_GE(DefaultParallelism().threads, 1) << text;
  }
  unsetenv("POOLPROOF_NUM_THREADS");
  EXPECT_GE(DefaultParallelism().threads, 1);
}

}  // namespace
}  // namespace poolproof
