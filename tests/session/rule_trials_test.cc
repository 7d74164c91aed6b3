// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/rule_trials.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/case/cost.h"

namespace poolproof {
namespace {

using TrialValues = CircumstanceValues;

std::int64_t Of(const TrialValues& values, const char* name) {
  return values[CircumstanceOf(name)];
}

// A library that fails where `fault` says so, and what a run saw of it.
class RuleTrials : public testing::Test {
 protected:
  void See(std::int64_t height, std::int64_t width, const std::string& type = "f32",
           const std::string& indices = "first", const std::string& plan = "") {
    const std::string line = "pp1:MaxPool3dWithArgmaxBackward:self=" + type + "[1,1,1," +
                             std::to_string(height) + "," + std::to_string(width) +
                             "];k=1,1,2;s=1,1,1;p=0,0,0;d=1,1,1;ix=~" + indices + plan;
    Result<Case> problem = ParseCaseLine(line);
    ASSERT_TRUE(problem.ok()) << line;
    cases_.push_back(std::move(problem).value());
  }

  // What is known of the library in the end.
  RootCauses Try(const std::function<bool(const TrialValues&)>& fault, int jobs = 1) {
    Report report;
    std::vector<CauseCase> failing;
    std::vector<CauseCase> passing;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const auto number = static_cast<std::int64_t>(i);
      if (fault(CircumstancesOf(cases_[i], 0))) {
        failing.push_back({number, &clauses_, false});
        Failure failure;
        failure.problem = cases_[i];
        failure.signature = signature_(CircumstancesOf(cases_[i], 0));
        report.failures.push_back(failure);
      } else {
        passing.push_back({number, &clauses_, false});
      }
    }
    CauseEvidence evidence(
        [&](std::int64_t number, bool data) {
          return std::vector<TrialValues>{
              CircumstancesOf(cases_[static_cast<std::size_t>(number)], 0, data)};
        },
        failing, passing);
    RootCauses found = evidence.Find();
    first_ = TextOf(found);
    const auto attempt = [&](const Case& problem) {
      ++attempts_;
      const double cost = CostOf(problem);
      for (double most = dearest_; cost > most && !dearest_.compare_exchange_weak(most, cost);) {
      }
      Verdict verdict;
      if (refused_(CircumstancesOf(problem, 0))) return verdict;
      verdict.evidence = clauses_;
      if (fault(CircumstancesOf(problem, 0))) {
        ++failed_trials_;
        verdict.kind = VerdictKind::kFailed;
        verdict.findings.push_back(
            {.clauses = clauses_, .kind = {}, .message = {}, .mismatch = {}});
      }
      return verdict;
    };
    TryRules(
        rules_, [&]() -> FreshAttempt { return attempt; }, jobs,
        [this] { return attempts_ >= most_attempts_; }, few_failures_, report, evidence, found);
    evidence.Close(found);
    return found;
  }
  static std::string TextOf(const RootCauses& found) {
    std::string text;
    for (const RootCause& cause : found.causes) text += RuleText(RuleOf(cause)) + "; ";
    return text;
  }

  std::string first_;  // what the run alone says
  bool few_failures_ = false;
  // Calls that must be refused, and are.
  std::function<bool(const TrialValues&)> refused_ = [](const TrialValues&) { return false; };
  std::atomic<int> failed_trials_{0};
  std::atomic<int> attempts_{0};
  int most_attempts_ = std::numeric_limits<int>::max();  // for which there is time
  std::function<std::string(const Values&)> signature_ = [](const Values&) { return ""; };
  std::atomic<double> dearest_{0};  // of the trials, by CostOf

 private:
  const ProfileRules rules_{Spec::Embedded(), Profile::kAtlasA2};
  const std::vector<std::string> clauses_ = {"MP3-B01"};
  std::vector<Case> cases_;
};

TEST_F(RuleTrials, ABorderThatNoCaseOfTheRunShowsIsFound) {
  for (std::int64_t width = 2; width < 60; ++width) See(2, width);
  for (std::int64_t width = 200; width < 260; ++width) See(2, width);
  const RootCauses found = Try([](const TrialValues& values) { return Of(values, "in_w") > 100; });
  EXPECT_NE(first_, "W > 100; ");
  EXPECT_EQ(TextOf(found), "W > 100; ");
  const RootCause& cause = found.causes.front();
  EXPECT_EQ(cause.failing, 60);
  EXPECT_EQ(cause.passing, 0);
  EXPECT_TRUE(IsConfirmed(cause));
  ASSERT_TRUE(cause.smallest && cause.nearest);
}

// From a case of odd extents no small step leads to a product without a remainder.
TEST_F(RuleTrials, ARemainderIsLeftByItsModulus) {
  for (std::int64_t height = 1; height < 14; height += 2) {
    for (std::int64_t width = 3; width < 60; ++width) See(height, width);
  }
  const RootCauses found =
      Try([](const TrialValues& values) { return Of(values, "elements_mod_16") != 0; });
  EXPECT_TRUE(IsConfirmed(found.causes.front())) << TextOf(found);
}

// Some new cases of each way of failing are judged before more of any, and those that were judged
// count.
TEST_F(RuleTrials, WhatTimeThereIsGoesToEachWayOfFailing) {
  for (std::int64_t width = 2; width < 60; ++width) {
    for (std::int64_t height = 1; height < 9; ++height) See(height, width);
  }
  signature_ = [](const Values& values) {
    return Of(values, "in_w") > 40 ? "A:wrong-sum:MP3-B01" : "A:refused:MP3-B01";
  };
  const auto fault = [](const Values& values) {
    return Of(values, "in_w") > 40 || Of(values, "in_h") == 7;
  };
  most_attempts_ = 12;
  const RootCauses found = Try(fault);
  ASSERT_GE(found.causes.size(), 2U) << TextOf(found);
  EXPECT_GE(found.causes[0].tested, 3) << TextOf(found);
  EXPECT_GE(found.causes[1].tested, 3) << TextOf(found);
  EXPECT_LE(found.causes[0].tested + found.causes[1].tested, 12);
}

TEST_F(RuleTrials, WhereFailuresAreDearFewerAreMadeThanWereSeen) {
  for (std::int64_t width = 2; width < 30; ++width) See(2, width);
  for (std::int64_t height = 3; height < 8; ++height) See(height, 17);
  few_failures_ = true;
  const RootCauses found = Try([](const TrialValues& values) { return Of(values, "in_w") == 17; });
  EXPECT_EQ(TextOf(found), "W = 17; ");
  EXPECT_EQ(found.causes.front().failing, 6);
  EXPECT_LE(failed_trials_, 4);
  EXPECT_GT(failed_trials_, 0);
  EXPECT_TRUE(IsConfirmed(found.causes.front()));
}

// Every failing call of the run is a tall one of another type: which of both it is, it cannot say.
TEST_F(RuleTrials, OfTwoRulesThatSayTheSameOfTheRunTheRightOneIsFound) {
  for (std::int64_t i = 2; i < 40; ++i) {
    See(2, i);
    See(9, i, "bf16");
  }
  EXPECT_EQ(TextOf(Try([](const TrialValues& values) { return Of(values, "in_h") > 8; })),
            "H > 8; ");
  EXPECT_EQ(TextOf(Try([](const TrialValues& values) {
              return Of(values, "values_16_bit") == 1 && Of(values, "in_h") > 1;
            })),
            TextOf(Try(
                [](const TrialValues& values) {
                  return Of(values, "values_16_bit") == 1 && Of(values, "in_h") > 1;
                },
                3)));
}

// One failing case among many that pass says next to nothing; what is beside it does.
TEST_F(RuleTrials, OneFailingCaseIsEnough) {
  for (std::int64_t i = 2; i < 9; ++i) {
    for (std::int64_t j = 2; j < 60; ++j) See(i, j);
  }
  See(9, 60, "bf16");
  const RootCauses found = Try([](const TrialValues& values) {
    return Of(values, "values_16_bit") == 1 && Of(values, "in_w") > 40;
  });
  EXPECT_EQ(first_, "");
  ASSERT_EQ(found.causes.size(), 1U);
  EXPECT_EQ(TextOf(found), "values have 16 bits and W > 40; ");
  EXPECT_TRUE(IsConfirmed(found.causes.front()));
}

TEST_F(RuleTrials, WhatIsRefusedIsNoNeighbourThatPasses) {
  for (std::int64_t i = 2; i < 9; ++i) {
    for (std::int64_t j = 2; j < 60; ++j) See(i, j);
  }
  See(9, 60, "bf16");
  refused_ = [](const TrialValues& values) { return Of(values, "indices_64_bit") == 1; };
  const RootCauses found = Try([](const TrialValues& values) {
    return Of(values, "values_16_bit") == 1 && Of(values, "in_w") > 40;
  });
  ASSERT_EQ(found.causes.size(), 1U);
  EXPECT_EQ(TextOf(found), "values have 16 bits and W > 40; ");
  ASSERT_TRUE(found.causes.front().nearest);
  EXPECT_FALSE(refused_(CircumstancesOf(*found.causes.front().nearest, 0)));
  EXPECT_TRUE(IsConfirmed(found.causes.front()));
}

// What hides a fault in a few cases is no condition of it.
TEST_F(RuleTrials, WhatNearlyAlwaysFailsFailsAlways) {
  for (std::int64_t i = 2; i < 12; ++i) {
    for (std::int64_t j = 2; j < 60; ++j) See(i, j);
  }
  Try([](const TrialValues& values) { return Of(values, "elements") != 5 * 7; });
  EXPECT_EQ(first_, "always; ");
  Try([](const TrialValues& values) { return Of(values, "in_h") > 3; });
  EXPECT_EQ(first_, "H > 3; ");
}

// Work that is done elsewhere than on its stream is seen only where it is done while somebody
// looks: little of it is done before, and that is no condition of the fault.
TEST_F(RuleTrials, WhatALookMissesIsNoConditionOfWhatItSees) {
  for (std::int64_t width = 2; width < 60; ++width) See(2, width);
  for (std::int64_t width = 3; width < 15; ++width) {
    See(2, width, "f32", "window", "|run:repeat=4;look=held");
  }
  const RootCauses found = Try([](const TrialValues& values) {
    return Of(values, "look") != 0 && Of(values, "elements") > 12;
  });
  EXPECT_EQ(TextOf(found), "the plan's look is held; ");
}

TEST_F(RuleTrials, DataThatAreTooManyForALookSpeakAgainstNoRule) {
  for (std::int64_t width = 4; width < 40; ++width) {
    See(1, width, "f32", "window");
    See(1, width, "f32", "first");
  }
  See(1000, 1000, "f32", "window");
  See(1000, 1001, "f32", "window");
  const auto coincide = [](const TrialValues& values) {
    return Of(values, "gradients_on_a_cell") > 1 || Of(values, "in_h") == 1000;
  };
  const RootCauses found = Try(coincide);
  EXPECT_EQ(found.causes.size(), 1U) << TextOf(found);
  EXPECT_EQ(TextOf(found), "the largest number of gradients on a cell > 1; ");
  EXPECT_EQ(found.unexplained, 0);
}

// Descriptors have axes of any length: nothing lists their windows.
// A step to a larger plane, of a call that is made by the thousand.
TEST_F(RuleTrials, CallsByTheThousandAreTriedOnSmallPlanesAlone) {
  for (std::int64_t width = 2; width < 60; ++width) See(2, width);
  See(2, 7, "f32", "first", "|run:growth=2000");
  const RootCauses found =
      Try([](const TrialValues& values) { return Of(values, "calls_made") > 512; });
  ASSERT_EQ(found.causes.size(), 1U);
  EXPECT_GT(found.causes.front().tested, 0);
  EXPECT_LE(dearest_, 2e7);
}

TEST_F(RuleTrials, AxesThatNoMemoryHoldsAreTriedAsDescriptors) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (std::int64_t i = 0; i < 8; ++i) {
    See(1, kMost + 1 + i, "f32", "zero", "|run:descriptors");
    See(1, kMost - i, "f32", "zero", "|run:descriptors");
    See(1, 5 + i, "f32", "zero", "|run:descriptors");
  }
  const RootCauses found =
      Try([](const TrialValues& values) { return Of(values, "plane") > kMost; });
  EXPECT_EQ(TextOf(found), "W > 2147483647; ");
  EXPECT_GT(found.causes.front().tested, 0);
  EXPECT_EQ(found.causes.front().agreed, found.causes.front().tested);
}

}  // namespace
}  // namespace poolproof
