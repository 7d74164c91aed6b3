// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/deadline.h"

#include <gtest/gtest.h>

#include <chrono>

namespace poolproof {
namespace {

using std::chrono::milliseconds;

Invocation OfBytes(std::size_t bytes) {
  Invocation invocation;
  CallArguments call;
  call.tensors.resize(4);
  for (TensorArgument& tensor : call.tensors) tensor.bytes.resize(bytes / 4);
  call.lists.resize(4);
  invocation.calls.push_back(call);
  return invocation;
}

TEST(Deadline, WhoHurriesWaitsAFifth) {
  EXPECT_EQ(Hurried(milliseconds(20000)), milliseconds(4000));
  EXPECT_EQ(Hurried(milliseconds(3000)), milliseconds(1000));
  EXPECT_EQ(Hurried(milliseconds(200)), milliseconds(200));
}

TEST(Deadline, GrowsWithSizeAndRuns) {
  const auto tiny = DeadlineFor(OfBytes(64));
  Invocation many = OfBytes(64);
  many.plan.growth_calls = 2000;
  EXPECT_GT(DeadlineFor(many, /*on_device=*/true), DeadlineFor(many) + std::chrono::seconds(30));
  EXPECT_GE(tiny, std::chrono::seconds(5));
  EXPECT_LE(tiny, std::chrono::seconds(15));
  Invocation large = OfBytes(std::size_t{64} << 20);
  const auto once = DeadlineFor(large);
  EXPECT_GT(once, tiny);
  large.plan.repeat = 3;
  large.plan.threads = 4;
  EXPECT_GT(DeadlineFor(large), 4 * (once - tiny));
}

TEST(Deadline, ForwardsReadEachWindow) {
  Invocation forward = OfBytes(std::size_t{1} << 20);
  forward.calls[0].op = Operator::kMaxPool3dWithArgmax;
  forward.calls[0].lists[0] = Dims{10};
  EXPECT_GT(DeadlineFor(forward), DeadlineFor(OfBytes(std::size_t{1} << 20)));
  forward.calls[0].lists[0] = Dims{INT64_MAX, INT64_MAX, INT64_MAX};
  EXPECT_LE(DeadlineFor(forward), std::chrono::hours(5));
}

TEST(Deadline, ManifestDecides) {
  Implementation implementation;
  EXPECT_EQ(DeadlineFor(OfBytes(64), implementation), DeadlineFor(OfBytes(64)));
  implementation.worker_command = "ssh board {worker}";
  EXPECT_EQ(DeadlineFor(OfBytes(64), implementation), 4 * DeadlineFor(OfBytes(64)));
  implementation.limits.case_s = 0.25;
  EXPECT_EQ(DeadlineFor(OfBytes(64), implementation), std::chrono::milliseconds(250));
}

// Copies that hold a stream up take their time, and looks meanwhile take theirs.
TEST(Deadline, WhatThePlanWaitsIsNoWorkOfTheLibrary) {
  Invocation held = OfBytes(64);
  EXPECT_EQ(OwnWait(held), milliseconds(0));
  held.plan.look = Look::kHeld;
  held.plan.repeat = 4;
  EXPECT_EQ(OwnWait(held), milliseconds(1700));
  held.plan.look = Look::kNone;
  held.plan.settle_ms = 60;
  EXPECT_EQ(OwnWait(held), milliseconds(240));
}

// However many runs an invocation has, each of them is one step.
TEST(Deadline, StepsAreSingleRuns) {
  Implementation implementation;
  Invocation many = OfBytes(64);
  many.plan.growth_calls = 100000;
  EXPECT_EQ(StepDeadlineFor(many, implementation), DeadlineFor(OfBytes(64)));
  implementation.worker_command = "ssh board {worker}";
  EXPECT_EQ(StepDeadlineFor(many, implementation), 4 * DeadlineFor(OfBytes(64)));
  implementation.limits.case_s = 0.25;
  EXPECT_EQ(StepDeadlineFor(many, implementation), std::chrono::milliseconds(0));
}

Invocation OfKernel(Operator op, bool deterministic) {
  Invocation invocation = OfBytes(64);
  invocation.calls[0].op = op;
  invocation.plan.deterministic = deterministic;
  return invocation;
}

// Of a call with hardly any work, and of one that may work for ten seconds.
constexpr milliseconds kSmall(5000);
constexpr milliseconds kLarge(15000);

using Clock = std::chrono::steady_clock;

// Waits so often without success, one time after the other.
void WaitInVain(Patience& patience, int times) {
  Clock::time_point from = Clock::now();
  for (int i = 0; i < times; ++i, from += kSmall) patience.InVain(from, from + kSmall);
}

// A slow answer may be waited for; one that never comes is not waited for in full again and again.
TEST(Patience, EndsWithCallsThatHang) {
  Patience patience;
  for (int i = 0; i < 500; ++i) patience.Returned(milliseconds(1), kSmall);
  const Clock::time_point from = Clock::now();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(patience.Of(kSmall), kSmall);
    patience.InVain(from + i * kSmall, from + (i + 1) * kSmall);
  }
  EXPECT_EQ(patience.Of(kSmall), milliseconds(500));
  EXPECT_EQ(patience.Of(milliseconds(300)), milliseconds(300));
}

// A machine that stops for a moment keeps all its workers waiting: that is no library that hangs.
TEST(Patience, LastsWhereAllWaitAtATime) {
  Patience patience;
  for (int i = 0; i < 500; ++i) patience.Returned(milliseconds(1), kSmall);
  const Clock::time_point from = Clock::now();
  for (int worker = 0; worker < 8; ++worker) {
    patience.InVain(from + worker * milliseconds(100), from + worker * milliseconds(100) + kSmall);
  }
  EXPECT_EQ(patience.Of(kSmall), kSmall);
}

TEST(Patience, IsSeveralTimesWhatASlowLibraryTakes) {
  Patience patience;
  for (int i = 0; i < 500; ++i) patience.Returned(milliseconds(200), kSmall);
  WaitInVain(patience, 10);
  EXPECT_EQ(patience.Of(kSmall), milliseconds(1000));
  patience.Returned(milliseconds(4000), kSmall);
  EXPECT_EQ(patience.Of(kSmall), kSmall);
}

// What large calls take says nothing of small ones, nor small ones of large.
TEST(Patience, IsOfAsMuchWork) {
  Patience patience;
  for (int i = 0; i < 500; ++i) patience.Returned(milliseconds(1), kSmall);
  WaitInVain(patience, 10);
  EXPECT_EQ(patience.Of(kLarge), kLarge);
  for (int i = 0; i < 10; ++i) patience.Returned(milliseconds(1000), kLarge);
  EXPECT_NEAR(static_cast<double>(patience.Of(kLarge).count()), 5005, 1);
  EXPECT_EQ(patience.Of(kSmall), milliseconds(500));
  EXPECT_EQ(patience.InHurry(kLarge), milliseconds(3000));
}

TEST(Patience, IsWholeWhereLittleIsKnown) {
  Patience patience;
  for (int i = 0; i < 10; ++i) patience.Returned(milliseconds(1), kSmall);
  WaitInVain(patience, 10);
  EXPECT_EQ(patience.Of(kSmall), kSmall);
  EXPECT_EQ(patience.InHurry(kSmall), milliseconds(1000));
}

TEST(Patience, IsShortInAHurryWhereCallsAreFast) {
  Patience patience;
  for (int i = 0; i < 500; ++i) patience.Returned(milliseconds(1), kSmall);
  EXPECT_EQ(patience.InHurry(kSmall), milliseconds(250));
  patience.Returned(milliseconds(100), kSmall);
  EXPECT_EQ(patience.InHurry(kSmall), milliseconds(500));
  patience.Returned(milliseconds(4000), kSmall);
  EXPECT_EQ(patience.InHurry(kSmall), milliseconds(1000));
}

TEST(FirstUses, AreOneForEachOperatorTypeAndMode) {
  const Operator op = Operator::kMaxPool3dWithArgmaxBackward;
  Invocation both = OfKernel(op, false);
  both.calls.push_back(both.calls[0]);
  EXPECT_EQ(KernelsOf(both)[0], KernelsOf(both)[1]);
  both.calls[1].tensors[0].type = 27;
  EXPECT_NE(KernelsOf(both)[0], KernelsOf(both)[1]);
  EXPECT_NE(KernelsOf(OfKernel(op, false)), KernelsOf(OfKernel(op, true)));
}

std::set<Kernel> OneKernel(bool deterministic) {
  return {KernelsOf(OfKernel(Operator::kAdaptiveMaxPool2d, deterministic)).front()};
}

// A call that is refused has loaded nothing: the one that follows it still has to.
TEST(FirstUses, AreOfCallsThatWereLaunched) {
  Invocation both = OfKernel(Operator::kAdaptiveMaxPool2d, false);
  both.calls.push_back(both.calls[0]);
  both.calls[1].tensors[0].type = 27;
  const std::vector<Kernel> kernels = KernelsOf(both);
  CallOutcome refused;
  refused.phase_one = 161002;
  refused.nanoseconds = 7'000'000;
  CallOutcome launched;
  launched.phase_one = 0;
  launched.phase_two = 0;
  launched.nanoseconds = 5'000'000;
  Outcome outcome;
  outcome.calls = {refused, launched, refused, launched};  // two repetitions
  const Launches launches = NewLaunches(kernels, {}, outcome);
  EXPECT_EQ(launches.kernels, std::set<Kernel>{kernels[1]});
  EXPECT_EQ(launches.longest, std::chrono::milliseconds(5));
  EXPECT_EQ(NewLaunches(kernels, launches.kernels, outcome).kernels.size(), 0U);
  EXPECT_EQ(NewLaunches(kernels, launches.kernels, outcome).longest.count(), 0);
}

TEST(FirstUses, AreAllowedWhatOthersTook) {
  const std::set<Kernel> known = OneKernel(false);
  const std::set<Kernel> unknown = OneKernel(true);
  FirstUses uses;
  EXPECT_EQ(uses.Allow({}).count(), 0);
  EXPECT_GE(uses.Allow(known), std::chrono::seconds(10));
  uses.Note({known, std::chrono::milliseconds(300)});
  EXPECT_EQ(uses.Allow(known), std::chrono::milliseconds(1200));
  EXPECT_GE(uses.Allow(unknown), std::chrono::seconds(10));
  uses.Note({known, std::chrono::seconds(6)});
  EXPECT_EQ(uses.Allow(known), std::chrono::seconds(24));
}

// A large problem that came first in some worker is no reason to wait an hour for a small one.
TEST(FirstUses, AreNotWaitedForWithoutEnd) {
  std::set<Kernel> many = OneKernel(false);
  FirstUses uses;
  uses.Note({many, std::chrono::minutes(20)});
  EXPECT_EQ(uses.Allow(many), std::chrono::seconds(60));
  many.merge(OneKernel(true));
  EXPECT_EQ(uses.Allow(many), std::chrono::seconds(60));
}

// A library that hangs in whatever is asked of it is not waited for again and again.
TEST(FirstUses, AreNotWaitedForInVainAgainAndAgain) {
  const std::set<Kernel> one = OneKernel(false);
  const std::set<Kernel> other = OneKernel(true);
  FirstUses uses;
  uses.NoteInVain(one);
  EXPECT_GE(uses.Allow(other), std::chrono::seconds(10));
  uses.NoteInVain(other);
  EXPECT_EQ(uses.Allow(one).count(), 0);
}

}  // namespace
}  // namespace poolproof
