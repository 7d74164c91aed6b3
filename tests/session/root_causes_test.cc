// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/root_causes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/circumstance/circumstances.h"
#include "conformance/circumstance/rule.h"
#include "conformance/tally/readings.h"

namespace poolproof {
namespace {

using Values = CircumstanceValues;

const Blame kOutside = {FindingKind::kWroteOutside, {"SAF-01"}};
const Blame kSum = {FindingKind::kWrongSum, {"MP3-B05"}};
const Blame kRefused = {FindingKind::kRefused, {"MP3-B10"}};
const Blame kCrash = {FindingKind::kCrashed, {"2P-02"}};

// Calls with planes of 2 to 9 times 2 to 40 elements, and what a library gets wrong in them.
class CausesApart : public testing::Test {
 protected:
  RootCauses Learn(const std::function<Blames(std::int64_t h, std::int64_t w)>& wrong) {
    for (std::int64_t h = 2; h < 10; ++h) {
      for (std::int64_t w = 2; w < 41; ++w) {
        const std::string line = "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1," +
                                 std::to_string(h) + "," + std::to_string(w) +
                                 "];k=1,1,2;s=1,1,1;p=0,0,0;d=1,1,1;ix=~first";
        const Result<Case> problem = ParseCaseLine(line);
        if (!problem.ok()) ADD_FAILURE() << line;
        values_.push_back(CircumstancesOf(problem.value(), 0));
        values_.back()[CircumstanceOf("move_hidden")] = hidden_(h, w) ? 1 : 0;
        Judge(wrong(h, w));
      }
    }
    CauseEvidence evidence(
        [&](std::int64_t number, bool) {
          return std::vector<Values>{values_[static_cast<std::size_t>(number)]};
        },
        failing_, passing_);
    RootCauses found;
    evidence.FindRest(found);
    evidence.Close(found);
    return found;
  }
  std::function<bool(std::int64_t h, std::int64_t w)> hidden_ = [](auto, auto) { return false; };

  static std::string TextOf(const RootCauses& found) {
    std::string text;
    for (const RootCause& cause : found.causes) {
      text += RuleText(RuleOf(cause)) + ":";
      for (const std::string& id : cause.clauses) text += " " + id;
      text += "; ";
    }
    return text;
  }

 private:
  void Judge(const Blames& blames) {
    const auto number = std::ssize(values_) - 1;
    if (blames.empty()) {
      passing_.push_back({number, &all_});
      return;
    }
    blames_.push_back(blames);
    std::vector<std::string> breached;
    for (const Blame& blame : blames) {
      breached.insert(breached.end(), blame.clauses.begin(), blame.clauses.end());
    }
    std::vector<std::string> kept;
    for (const std::string& id : all_) {
      if (std::find(breached.begin(), breached.end(), id) == breached.end()) kept.push_back(id);
    }
    clauses_.push_back(breached);
    kept_.push_back(kept);
    failing_.push_back({number, &clauses_.back(), false, &blames_.back(), &kept_.back()});
  }

  const std::vector<std::string> all_ = {"2P-02", "MP3-B05", "MP3-B10", "SAF-01"};
  std::vector<Values> values_;
  std::deque<Blames> blames_;
  std::deque<std::vector<std::string>> clauses_;
  std::deque<std::vector<std::string>> kept_;
  std::vector<CauseCase> failing_;
  std::vector<CauseCase> passing_;
};

TEST_F(CausesApart, WhatGoesWrongInEveryCallHidesNoOtherFault) {
  const RootCauses found = Learn([](std::int64_t, std::int64_t w) {
    return w > 32 ? Blames{kOutside, kSum} : Blames{kOutside};
  });
  EXPECT_EQ(TextOf(found), "always: SAF-01; W > 32: MP3-B05; ");
  ASSERT_EQ(found.causes.size(), 2U);
  EXPECT_EQ(found.unexplained, 0);
  // The cases that breach both count for both, and once for the run.
  EXPECT_EQ(found.causes[0].failing, 8 * 39);
  EXPECT_EQ(found.causes[0].shared, 0);
  EXPECT_EQ(found.causes[1].failing, 8 * 8);
  EXPECT_EQ(found.causes[1].shared, 8 * 8);
  EXPECT_EQ(found.causes[1].compared, 8 * 31);
  EXPECT_EQ(found.causes[1].passing, 0);
}

TEST_F(CausesApart, WhereEveryResultIsWrongRefusedCallsAreExplainedApart) {
  const RootCauses found =
      Learn([](std::int64_t h, std::int64_t) { return h == 3 ? Blames{kRefused} : Blames{kSum}; });
  EXPECT_EQ(TextOf(found), "always: MP3-B05; H = 3: MP3-B10; ");
  ASSERT_EQ(found.causes.size(), 2U);
  EXPECT_EQ(found.causes[0].failing, 7 * 39);
  EXPECT_EQ(found.causes[1].failing, 39);
  EXPECT_EQ(found.causes[1].shared, 0);
}

TEST_F(CausesApart, AFaultWithTwoSymptomsIsOne) {
  const RootCauses found = Learn([](std::int64_t, std::int64_t w) {
    if (w <= 16) return Blames();
    return w % 3 == 0 ? Blames{kOutside} : Blames{kOutside, kSum};
  });
  EXPECT_EQ(TextOf(found), "W > 16: MP3-B05 SAF-01; ");
  EXPECT_EQ(found.causes.front().shared, 0);
}

// A call that would pass with its gradients astray says nothing for or against a rule.
TEST_F(CausesApart, WhatMayHideAFaultIsNotCompared) {
  hidden_ = [](std::int64_t, std::int64_t w) { return w > 30 && w % 2 == 0; };
  const RootCauses found = Learn([&](std::int64_t h, std::int64_t w) {
    return w > 20 && !hidden_(h, w) ? Blames{kSum} : Blames{};
  });
  EXPECT_EQ(TextOf(found), "W > 20: MP3-B05; ");
  EXPECT_EQ(found.causes.front().compared, 8 * 19);
  EXPECT_EQ(found.causes.front().passing, 0);
}

// Where all that passes may hide the fault nothing is compared, and yet not all cases fail.
TEST_F(CausesApart, WhatPassesAndMayHideAFaultIsNotCountedAsFailing) {
  hidden_ = [](std::int64_t, std::int64_t w) { return w <= 20; };
  const RootCauses found =
      Learn([](std::int64_t, std::int64_t w) { return w > 20 ? Blames{kSum} : Blames{}; });
  EXPECT_EQ(TextOf(found), "W > 20: MP3-B05; ");
  ASSERT_EQ(found.causes.size(), 1U);
  EXPECT_EQ(found.causes.front().compared, 0);
  EXPECT_TRUE(found.causes.front().told_apart);
}

// Where single calls fail alike and asking explained none of them, calls before are no reason.
TEST(RestOfCauses, SequencesFailLikeSingleCallsThatNothingExplains) {
  const std::vector<std::string> clauses = {"MP3-B05"};
  const Blames blames = {kSum};
  const std::vector<std::string> kept;
  const auto rules_of = [&](std::vector<std::size_t> calls_of, std::size_t passing_ones) {
    std::vector<CauseCase> failing;
    std::vector<CauseCase> passing;
    for (std::size_t i = 0; i < calls_of.size(); ++i) {
      const auto number = static_cast<std::int64_t>(i);
      if (i + passing_ones < calls_of.size()) {
        failing.push_back({number, &clauses, false, &blames, &kept});
      } else {
        passing.push_back({number, &clauses});
      }
    }
    const Result<Case> problem =
        ParseCaseLine("pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]");
    const CauseEvidence evidence(
        [&](std::int64_t number, bool) {
          return std::vector<Values>(calls_of[static_cast<std::size_t>(number)],
                                     CircumstancesOf(problem.value(), 0));
        },
        failing, passing);
    RootCauses found;
    found.asked = true;
    evidence.FindRest(found);
    return found.causes.size();
  };
  EXPECT_EQ(rules_of({2, 2}, 0), 1U);
  EXPECT_EQ(rules_of({1, 2, 2, 1}, 1), 0U);
  // A call that nothing can be compared with.
  EXPECT_EQ(rules_of({1}, 0), 1U);
}

// Any call of a sequence may be the one that fails: none of its calls is one that failed.
TEST(RestOfCauses, SequencesAreNoFailingCalls) {
  const std::vector<std::string> clauses = {"MP3-B05"};
  const Blames blames = {kSum};
  const std::vector<std::string> kept;
  const std::vector<CauseCase> failing = {{0, &clauses, false, &blames, &kept},
                                          {1, &clauses, false, &blames, &kept}};
  const Result<Case> problem =
      ParseCaseLine("pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]");
  const CauseEvidence evidence(
      [&](std::int64_t number, bool) {
        return std::vector<Values>(number == 0 ? 1 : 2, CircumstancesOf(problem.value(), 0));
      },
      failing, {});
  EXPECT_EQ(evidence.FailingIn({"MP3-B05"}, kAllAspects, /*refusal=*/false).size(), 1U);
}

// One call fails so, and wrong sums are scattered over the others.
template <FindingKind kKind>
Blames AmongScattered(std::int64_t h, std::int64_t w) {
  if (h == 2 && w == 2) return {{kKind, {"SAF-03"}}};
  const std::int64_t scattered = (h * 7919 + w * 104729) * (h + 3 * w) % 1009;
  return scattered % 2 == 0 ? Blames{kSum} : Blames{};
}

// Of a clause about which nothing passes each call fails, and no call of another clause for that.
TEST_F(CausesApart, WhatAlwaysFailsExplainsNothingThatPassesElsewhere) {
  const RootCauses found = Learn(AmongScattered<FindingKind::kWroteOutside>);
  EXPECT_EQ(TextOf(found), "");
  EXPECT_GT(found.unexplained, 8 * 10);
}

// What came back did not crash, whatever it was made for.
TEST_F(CausesApart, ACrashIsToldFromEveryCallThatCameBack) {
  const RootCauses found = Learn(AmongScattered<FindingKind::kCrashed>);
  EXPECT_EQ(TextOf(found), "the number of elements of a plane = 4: SAF-03; ");
}

// Of a call that is never answered nothing is known but that.
TEST_F(CausesApart, WhatHidesAllElseIsOneCause) {
  const RootCauses found = Learn(
      [](std::int64_t h, std::int64_t) { return h == 3 ? Blames{kCrash} : Blames{kRefused}; });
  EXPECT_EQ(TextOf(found), "always: 2P-02 MP3-B10; ");
}

}  // namespace
}  // namespace poolproof
