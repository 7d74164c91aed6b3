// SPDX-License-Identifier: Apache-2.0
//
// Starts that fail, and attempts that share workers, on a fake library and a fake judge. What a
// call must do is written in its plan's settle_ms, which the fakes read and nothing else does.
#include "conformance/session/attempt.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace poolproof {
namespace {

enum AttemptBehaviour : int {
  kPass,
  kFail,
  kFailFirst,
  kFailLater,
  kCrash,
  kRaise,
  kRaiseFirst,
  kLeak
};

class AttemptWorker : public Worker {
 public:
  explicit AttemptWorker(int& calls) : calls_(calls) {}
  [[nodiscard]] const Probe& probe() const override { return probe_; }
  Outcome Run(const Invocation& invocation) override {
    EXPECT_TRUE(alive_);
    ++calls_;
    const int behaviour = invocation.plan.settle_ms;
    const bool is_first = !std::exchange(used_, true);
    Outcome outcome;
    if (behaviour == kFail || behaviour == (is_first ? kFailFirst : kFailLater)) {
      outcome.detail = "wrong";
    }
    if (behaviour == kCrash) outcome.end = End::kSignalled;
    if (behaviour == kRaise || (behaviour == kRaiseFirst && is_first)) {
      outcome.calls.emplace_back().synchronise = 507015;
    }
    outcome.process.file_descriptors_changed = behaviour == kLeak;
    alive_ = !EndsWorker(outcome);
    return outcome;
  }
  [[nodiscard]] bool alive() const override { return alive_; }

 private:
  int& calls_;
  Probe probe_;
  bool used_ = false;
  bool alive_ = true;
};

Verdict AttemptJudge(const JudgeContext& /*context*/, const PreparedCase& /*prepared*/,
                     const Outcome& outcome) {
  Verdict verdict;
  const auto fail = [&](FindingKind kind) {
    verdict.kind = VerdictKind::kFailed;
    verdict.findings.push_back({{"2P-02"}, kind, "", std::nullopt});
  };
  verdict.kind = VerdictKind::kPassed;
  if (outcome.end != End::kReturned) fail(FindingKind::kCrashed);
  if (!outcome.detail.empty()) fail(FindingKind::kWrongSum);
  if (!outcome.calls.empty()) fail(FindingKind::kRefused);
  if (outcome.process.file_descriptors_changed) fail(FindingKind::kProcessChanged);
  return verdict;
}

Case That(AttemptBehaviour behaviour) {
  Case problem;
  problem.calls.push_back(MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward,
                                            DataType::kFloat, DataType::kInt32, {1, 1, 1, 2, 2},
                                            {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false));
  problem.plan.settle_ms = behaviour;
  return problem;
}

class AttemptTest : public testing::Test {
 protected:
  AttemptTest() { context_.spec = &Spec::Embedded(); }

  FreshWorker Start() {
    return [this]() -> Result<std::unique_ptr<Worker>> {
      if (starts_++ < refused_starts_) return Unavailable("the device is taken");
      return std::unique_ptr<Worker>(std::make_unique<AttemptWorker>(calls_));
    };
  }
  FreshAttempt Kept() {
    return MakeKeptAttempts(context_, &AttemptJudge, Start(), nullptr, &NeverQuit)();
  }

  JudgeContext context_;
  int refused_starts_ = 0;
  int starts_ = 0;
  int calls_ = 0;
};

TEST_F(AttemptTest, StartsThatFailAreTriedAgain) {
  refused_starts_ = 2;
  EXPECT_TRUE(StartWithRetry(Start(), &NeverQuit).ok());
  EXPECT_EQ(starts_, 3);
}

TEST_F(AttemptTest, WhoQuitsDoesNotWaitForStarts) {
  refused_starts_ = 1000;
  const auto worker = StartWithRetry(Start(), [] { return true; });
  EXPECT_EQ(worker.status().message(), "the device is taken");
  EXPECT_EQ(starts_, 1);
  // In the middle of a pause: nobody asks once more after it.
  starts_ = 0;
  int asked = 0;
  EXPECT_FALSE(StartWithRetry(Start(), [&] { return ++asked > 4; }).ok());
  EXPECT_EQ(asked, 5);
  EXPECT_EQ(starts_, 2);
}

TEST_F(AttemptTest, WhatPassesSharesAWorker) {
  const FreshAttempt attempt = Kept();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(attempt(That(kPass)).kind, VerdictKind::kPassed);
  EXPECT_EQ(starts_, 1);
}

// What fails behind other calls may fail because of them: a fresh worker decides.
TEST_F(AttemptTest, WhatFailsInAUsedWorkerIsTriedInAFreshOne) {
  const FreshAttempt attempt = Kept();
  EXPECT_EQ(attempt(That(kPass)).kind, VerdictKind::kPassed);
  EXPECT_EQ(attempt(That(kFailLater)).kind, VerdictKind::kPassed);
  EXPECT_EQ(starts_, 2);
  EXPECT_EQ(attempt(That(kFail)).kind, VerdictKind::kFailed);
  EXPECT_EQ(starts_, 3);
}

// Once it was the same in fresh ones several times; looked at again now and then.
TEST_F(AttemptTest, AWrongAnswerIsBelievedOfAUsedWorker) {
  const FreshAttempt attempt = Kept();
  for (int i = 0; i < 9; ++i) EXPECT_EQ(attempt(That(kFail)).kind, VerdictKind::kFailed);
  EXPECT_EQ(starts_, 9);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(attempt(That(kFail)).kind, VerdictKind::kFailed);
  EXPECT_EQ(starts_, 9);
  EXPECT_EQ(attempt(That(kFail)).kind, VerdictKind::kFailed);
  EXPECT_EQ(starts_, 10);
}

// All else is concluded from it.
TEST_F(AttemptTest, TheFirstFailureOfAnInvestigationIsBelievedOnlyWhereFirstOnesWereTheSame) {
  const MakeAttempt attempts =
      MakeKeptAttempts(context_, &AttemptJudge, Start(), nullptr, &NeverQuit);
  {
    const FreshAttempt attempt = attempts();
    for (int i = 0; i < 10; ++i) attempt(That(kFail));
  }
  const int before = starts_;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(attempts()(That(kFail)).kind, VerdictKind::kFailed);
  EXPECT_EQ(starts_, before + 2);
}

TEST_F(AttemptTest, NoWrongAnswerIsBelievedOnceAFreshWorkerGaveTheRightOne) {
  const FreshAttempt attempt = Kept();
  EXPECT_EQ(attempt(That(kPass)).kind, VerdictKind::kPassed);
  EXPECT_EQ(attempt(That(kFailLater)).kind, VerdictKind::kPassed);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(attempt(That(kFail)).kind, VerdictKind::kFailed);
  EXPECT_EQ(starts_, 22);
}

// A fault of a process's first call would hide from every attempt in a used worker.
TEST_F(AttemptTest, AFaultOfFirstCallsIsLookedForInFreshWorkers) {
  const FreshAttempt attempt = Kept();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(attempt(That(kFailFirst)).kind, VerdictKind::kFailed);
  EXPECT_EQ(starts_, 3);
}

// A failure that has shown in a fresh worker, and cannot come of what calls leave behind.
TEST_F(AttemptTest, ADeviceThatFailsAgainCostsOneStart) {
  const FreshAttempt attempt = Kept();
  EXPECT_EQ(attempt(That(kRaise)).kind, VerdictKind::kFailed);
  EXPECT_EQ(starts_, 1);
  EXPECT_EQ(attempt(That(kPass)).kind, VerdictKind::kPassed)
      << "the second, in which it raises again";
  EXPECT_EQ(starts_, 2);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(attempt(That(kPass)).kind, VerdictKind::kPassed);
  EXPECT_EQ(starts_, 3);
  EXPECT_EQ(attempt(That(kRaise)).kind, VerdictKind::kFailed) << "and is asked no more";
  EXPECT_EQ(starts_, 3);
  EXPECT_EQ(attempt(That(kPass)).kind, VerdictKind::kPassed);
  EXPECT_EQ(starts_, 4);
}

TEST_F(AttemptTest, AnExceptionOfFirstCallsIsLookedForInFreshWorkers) {
  const FreshAttempt attempt = Kept();
  EXPECT_EQ(attempt(That(kRaiseFirst)).kind, VerdictKind::kFailed);
  EXPECT_EQ(attempt(That(kPass)).kind, VerdictKind::kPassed);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(attempt(That(kRaiseFirst)).kind, VerdictKind::kFailed);
}

TEST_F(AttemptTest, WhatALibraryLeavesOpenCostsNoStarts) {
  const FreshAttempt attempt = Kept();
  EXPECT_EQ(attempt(That(kLeak)).kind, VerdictKind::kFailed);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(attempt(That(kLeak)).kind, VerdictKind::kFailed);
    EXPECT_EQ(attempt(That(kPass)).kind, VerdictKind::kPassed);
  }
  EXPECT_EQ(starts_, 1);
}

TEST_F(AttemptTest, InvestigationsShareAWorker) {
  const MakeAttempt attempts =
      MakeKeptAttempts(context_, &AttemptJudge, Start(), nullptr, &NeverQuit);
  for (int i = 0; i < 3; ++i) {
    const FreshAttempt attempt = attempts();
    EXPECT_EQ(attempt(That(kLeak)).kind, VerdictKind::kFailed);
    EXPECT_EQ(attempt(That(kPass)).kind, VerdictKind::kPassed);
  }
  EXPECT_EQ(starts_, 1);
  // Of a failure that a used worker may hide nothing is known yet.
  EXPECT_EQ(attempts()(That(kFailFirst)).kind, VerdictKind::kFailed);
  EXPECT_EQ(starts_, 2);
}

TEST_F(AttemptTest, AWorkerThatDiedIsNotKept) {
  const FreshAttempt attempt = Kept();
  EXPECT_EQ(attempt(That(kPass)).kind, VerdictKind::kPassed);
  EXPECT_EQ(attempt(That(kCrash)).kind, VerdictKind::kFailed);
  EXPECT_EQ(attempt(That(kPass)).kind, VerdictKind::kPassed);
  EXPECT_EQ(starts_, 3);
}

}  // namespace
}  // namespace poolproof
