// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/progress.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

namespace poolproof {
namespace {

TEST(Progress, MarkSurvivesTheProcessThatMadeIt) {
  Result<SharedProgress> progress = SharedProgress::Create();
  ASSERT_TRUE(progress.ok());
  EXPECT_EQ(progress->page().Read(3), (ProgressMark{0, Phase::kSetup}));
  const pid_t child = ::fork();
  if (child == 0) {
    Result<SharedProgress> mapped = SharedProgress::Map(progress->fd());
    if (!mapped.ok()) ::_exit(1);
    mapped->page().Mark(2, Phase::kPhaseTwo);
    mapped->page().MarkLost();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(progress->page().Read(3), (ProgressMark{2, Phase::kPhaseTwo}));
  EXPECT_TRUE(progress->page().lost());
  const std::uint64_t step = progress->page().Step();
  progress->page().Mark(2, Phase::kPhaseTwo);
  EXPECT_NE(progress->page().Step(), step);
  EXPECT_EQ(progress->page().Read(3), (ProgressMark{2, Phase::kPhaseTwo}));
  progress->page().Clear();
  EXPECT_EQ(progress->page().Read(3), (ProgressMark{0, Phase::kSetup}));
  EXPECT_FALSE(progress->page().lost());
}

TEST(Progress, WildMarksAreClamped) {
  Result<SharedProgress> progress = SharedProgress::Create();
  ASSERT_TRUE(progress.ok());
  std::memset(static_cast<void*>(&progress->page()), 0xee, sizeof(ProgressPage));
  EXPECT_EQ(progress->page().Read(3), (ProgressMark{2, Phase::kDone}));
  EXPECT_EQ(progress->page().Read(0), (ProgressMark{0, Phase::kDone}));
  EXPECT_FALSE(progress->page().lost());
}

}  // namespace
}  // namespace poolproof
