// SPDX-License-Identifier: Apache-2.0
#include "optimized/parallel_for.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#define POOLPROOF_TEST_TSAN 1
#elif defined(__has_feature)
#define POOLPROOF_TEST_TSAN __has_feature(thread_sanitizer)
#else
#define POOLPROOF_TEST_TSAN 0
#endif

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

TEST(ParallelFor, SeveralCallersAtOnceEachGetAllOfTheirs) {
  std::vector<std::thread> callers;
  std::atomic<int> right = 0;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&right] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<std::int64_t> sum = 0;
        ParallelFor(100, 1, {3, 1}, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) sum += i;
        });
        right += sum == 4950 ? 1 : 0;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, 800);
}

TEST(ParallelFor, MayBeCalledFromABody) {
  std::atomic<std::int64_t> sum = 0;
  ParallelFor(10, 1, {3, 1}, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      ParallelFor(10, 1, {3, 1}, [&](std::int64_t b, std::int64_t e) { sum += e - b; });
    }
  });
  EXPECT_EQ(sum, 100);
}

// The thread sanitizer does not follow threads that a child of fork starts.
#if !POOLPROOF_TEST_TSAN
TEST(ParallelFor, WorksInAChildOfFork) {
  const auto sum_to = [](std::int64_t count) {
    std::atomic<std::int64_t> sum = 0;
    ParallelFor(count, 1, {4, 1}, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) sum += i;
    });
    return sum.load();
  };
  ASSERT_EQ(sum_to(1000), 499500);  // the parent has its threads now
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool right = true;
    for (int round = 0; round < 50; ++round) right = right && sum_to(1000) == 499500;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(sum_to(1000), 499500);
}
#endif

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
