// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/case/cost.h"
#include "conformance/explain/ask.h"
#include "core/random.h"

namespace poolproof {
namespace {

using Values = CircumstanceValues;

std::int64_t Of(const Values& values, const char* name) { return values[CircumstanceOf(name)]; }

// A library that fails where `fault` says so, and what a run saw of it.
class Explaining : public testing::Test {
 protected:
  const ProfileRules rules_{Spec::Embedded(), Profile::kAtlasA2};

  void See(std::int64_t height, std::int64_t width, const std::string& type = "f32",
           const std::string& indices = "first", const std::string& plan = "") {
    SeeLine("pp1:MaxPool3dWithArgmaxBackward:self=" + type + "[1,1,1," + std::to_string(height) +
            "," + std::to_string(width) + "];k=1,1,2;s=1,1,1;p=0,0,0;d=1,1,1;ix=~" + indices +
            plan);
  }
  void SeeLine(const std::string& line) {
    Result<Case> problem = ParseCaseLine(line);
    ASSERT_TRUE(problem.ok()) << line;
    cases_.push_back(std::move(problem).value());
  }
  void SeePlanes() {
    for (std::int64_t i = 2; i < 9; ++i) {
      for (std::int64_t j = 2; j < 60; ++j) See(i, j);
    }
  }

  // What is known of the library in the end.
  RootCauses Explain(const std::function<bool(const Values&)>& fault, int jobs = 1) {
    Report report;
    std::vector<CauseCase> failing;
    std::vector<CauseCase> passing;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const auto number = static_cast<std::int64_t>(i);
      if (fault(CircumstancesOf(cases_[i], 0))) {
        failing.push_back({number, &clauses_, false});
        Failure failure;
        failure.problem = cases_[i];
        failure.clauses = clauses_;
        report.failures.push_back(failure);
      } else {
        passing.push_back({number, &clauses_, false});
      }
    }
    const CauseEvidence evidence(
        [&](std::int64_t number, bool data) {
          return std::vector<Values>{
              CircumstancesOf(cases_[static_cast<std::size_t>(number)], 0, data)};
        },
        failing, passing);
    const auto ask = [&](const Case& problem) {
      ++asked_;
      const double cost = CostOf(problem);
      for (double most = dearest_; cost > most && !dearest_.compare_exchange_weak(most, cost);) {
      }
      Verdict verdict;
      verdict.evidence = speaks_for_(CircumstancesOf(problem, 0));
      if (verdict.evidence.empty()) verdict.kind = VerdictKind::kRecorded;
      if (!fault(CircumstancesOf(problem, 0)) || comes_and_goes_(asked_)) return verdict;
      ++failed_;
      verdict.kind = VerdictKind::kFailed;
      verdict.findings.push_back({.clauses = read_as_(CircumstancesOf(problem, 0)),
                                  .kind = FindingKind::kWrongSum,
                                  .message = {},
                                  .mismatch = {}});
      return verdict;
    };
    RootCauses found = ExplainFailures(
        rules_, [&]() -> FreshAttempt { return ask; }, jobs,
        [this] { return asked_ >= most_asked_; }, few_failures_, report, evidence);
    evidence.FindRest(found);
    evidence.Close(found);
    return found;
  }
  static std::string TextOf(const RootCauses& found) {
    std::string text;
    for (const RootCause& cause : found.causes) text += RuleText(RuleOf(cause)) + "; ";
    return text;
  }
  static std::vector<std::string> LinesOf(const RootCauses& found) {
    std::vector<std::string> lines;
    for (const RootCause& cause : found.causes) {
      lines.push_back(RuleText(RuleOf(cause)) + " " + std::to_string(cause.agreed) + " of " +
                      std::to_string(cause.tested) +
                      (cause.nearest ? " " + CaseLine(*cause.nearest) : ""));
    }
    return lines;
  }

  bool few_failures_ = false;
  // The clauses that a case is evidence for.
  std::function<std::vector<std::string>(const Values&)> speaks_for_ = [this](const Values&) {
    return clauses_;
  };
  // The clauses that the judge reads a failure as.
  std::function<std::vector<std::string>(const Values&)> read_as_ = [this](const Values&) {
    return clauses_;
  };
  std::function<bool(int)> comes_and_goes_ = [](int) { return false; };
  std::atomic<int> failed_{0};
  std::atomic<int> asked_{0};
  int most_asked_ = std::numeric_limits<int>::max();  // for which there is time
  std::atomic<double> dearest_{0};                    // of the questions, by CostOf
  std::vector<Case> cases_;
  const std::vector<std::string> clauses_ = {"MP3-B01"};
};

TEST_F(Explaining, ARightLibraryIsAskedNothing) {
  SeePlanes();
  EXPECT_TRUE(Explain([](const Values&) { return false; }).causes.empty());
  EXPECT_EQ(asked_, 0);
}

TEST_F(Explaining, ABorderThatNoCaseOfTheRunShowsIsFound) {
  for (std::int64_t width = 2; width < 60; ++width) See(2, width);
  for (std::int64_t width = 200; width < 260; ++width) See(2, width);
  const RootCauses found = Explain([](const Values& values) { return Of(values, "in_w") > 100; });
  EXPECT_EQ(TextOf(found), "W > 100; ");
  const RootCause& cause = found.causes.front();
  EXPECT_EQ(cause.failing, 60);
  EXPECT_EQ(cause.passing, 0);
  EXPECT_TRUE(IsConfirmed(cause));
  EXPECT_GE(cause.tested, 32);
  ASSERT_TRUE(cause.smallest && cause.nearest);
}

TEST_F(Explaining, ABorderAmongOffsetsIsFound) {
  SeePlanes();
  cases_.push_back(ParseCaseLine("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,9,60];k=1,1,2;"
                                 "s=1,1,1;p=0,0,0;d=1,1,1;ix=~first;gi={540,540,540,60,1}+30")
                       .value());
  const RootCauses found =
      Explain([](const Values& values) { return Of(values, "grad_input_offset") >= 11; });
  EXPECT_EQ(TextOf(found), "the offset of gradInput > 10; ");
}

TEST_F(Explaining, TheBorderOfAProductIsFoundAtAPrimeNumber) {
  for (const char* batch : {"1", "2", "3", "4", "6", "8"}) {
    for (const char* channels : {"1", "2", "3", "4", "5", "6", "9"}) {
      SeeLine("pp1:MaxPool3dWithArgmaxBackward:self=f32[" + std::string(batch) + "," + channels +
              ",1,2,4];k=1,1,2;s=1,1,1;p=0,0,0;d=1,1,1;ix=~first");
    }
  }
  const RootCauses found = Explain([](const Values& values) { return Of(values, "planes") > 16; });
  EXPECT_EQ(TextOf(found), "N * C > 16; ");
}

TEST_F(Explaining, AFeatureThatSomeCallsFailWithoutIsNotNeeded) {
  const auto id_of = [&](Condition condition) {
    return rules_.IdOf(Operator::kMaxPool3dWithArgmaxBackward, condition);
  };
  SeePlanes();
  const RootCauses wide = Explain([](const Values& values) { return Of(values, "in_w") > 40; });
  ASSERT_EQ(TextOf(wide), "W > 40; ");
  EXPECT_TRUE(wide.without.front().contains(id_of(Condition::kUnbatched)));
  EXPECT_TRUE(wide.without.front().contains(id_of(Condition::kViews)));
  cases_.push_back(ParseCaseLine("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,9,60];k=1,1,2;"
                                 "s=1,1,1;p=0,0,0;d=1,1,1;ix=~first")
                       .value());
  const RootCauses unbatched = Explain(
      [](const Values& values) { return Of(values, "unbatched") == 1 && Of(values, "in_w") > 40; });
  ASSERT_EQ(unbatched.causes.size(), 1U);
  EXPECT_FALSE(unbatched.without.front().contains(id_of(Condition::kUnbatched)));
  EXPECT_TRUE(unbatched.without.front().contains(id_of(Condition::kViews)));
}

// A page may have the views of one operand in a clause of its own, where others have one for all.
TEST_F(Explaining, CallsOfAnotherOperatorLackNoFeatureThatItsPageNamesOtherwise) {
  for (std::int64_t i = 2; i < 40; ++i) See(3, i);
  cases_.push_back(ParseCaseLine("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,3,60];k=1,1,2;"
                                 "s=1,1,1;p=0,0,0;d=1,1,1;ix={354,354,354,118,2}~first")
                       .value());
  const RootCauses found = Explain([](const Values& values) {
    return Of(values, "indices_strided") == 1 || Of(values, "grad_output_strided") == 1;
  });
  ASSERT_FALSE(found.causes.empty());
  for (const std::set<std::string>& without : found.without) {
    for (const Operator op :
         {Operator::kMaxPool3dWithArgmaxBackward, Operator::kMaxPool2dWithIndicesBackward}) {
      EXPECT_FALSE(without.contains(rules_.IdOf(op, Condition::kViews)));
    }
  }
}

bool IsOfFixedPlanes(const Values& values) {
  return Of(values, "operator") ==
         static_cast<std::int64_t>(Operator::kMaxPool2dWithIndicesBackward);
}

// Few of its calls are about the clause, and those tell.
TEST_F(Explaining, AnOperatorWhosePageHasTheClauseIsAskedUntilItSpeaks) {
  for (std::int64_t width = 1; width < 20; ++width) {
    SeeLine("pp1:AdaptiveMaxPool2dBackward:self=f32[2,3,8];go=[2,2," + std::to_string(width) +
            "];ix=~first");
  }
  const auto is_wide = [](const Values& values) {
    return Of(values, "unbatched") == 1 && Of(values, "out_w") > Of(values, "out_h");
  };
  speaks_for_ = [&](const Values& values) {
    return std::vector<std::string>{is_wide(values) ? "MP2-B20" : "SAF-01"};
  };
  read_as_ = [](const Values&) { return std::vector<std::string>{"AMP2-B20"}; };
  const RootCauses found =
      Explain([&](const Values& values) { return is_wide(values) && !IsOfFixedPlanes(values); });
  ASSERT_EQ(found.causes.size(), 1U) << TextOf(found);
  EXPECT_NE(TextOf(found).find("the operator is not MaxPool2dWithIndicesBackward"),
            std::string::npos)
      << TextOf(found);
}

// Its calls with NaN are carried out, and nothing is said of them.
TEST_F(Explaining, WhereAPageDoesNotMentionTheValuesTheRuleNamesTheOperator) {
  for (std::int64_t width = 4; width < 24; ++width) {
    SeeLine("pp1:AdaptiveMaxPool2dBackward:self=f32[1,2,3,8];go=[1,2,2," + std::to_string(width) +
            "]~exact.1" + (width % 4 == 0 ? "!1=7fc00000" : "") + ";ix=~first");
  }
  const auto nans = [](const Values& values) { return Of(values, "nans"); };
  speaks_for_ = [&](const Values& values) {
    return IsOfFixedPlanes(values) && nans(values) > 0 ? std::vector<std::string>{} : clauses_;
  };
  const RootCauses found =
      Explain([&](const Values& values) { return nans(values) == 1 && !IsOfFixedPlanes(values); });
  ASSERT_EQ(found.causes.size(), 1U) << TextOf(found);
  EXPECT_NE(TextOf(found).find("the operator is not MaxPool2dWithIndicesBackward"),
            std::string::npos)
      << TextOf(found);
}

TEST_F(Explaining, OneFailingCaseIsEnough) {
  SeePlanes();
  See(9, 60, "bf16");
  const RootCauses found = Explain([](const Values& values) {
    return Of(values, "values_16_bit") == 1 && Of(values, "in_w") > 40;
  });
  EXPECT_EQ(TextOf(found), "values have 16 bits and W > 40; ");
  EXPECT_TRUE(IsConfirmed(found.causes.front()));
}

TEST_F(Explaining, ExtentsAreComparedAndMultipliedAndHaveRemainders) {
  SeePlanes();
  EXPECT_EQ(
      TextOf(Explain([](const Values& values) { return Of(values, "in_w") < Of(values, "in_h"); })),
      "H > W; ");
  EXPECT_EQ(TextOf(Explain([](const Values& values) { return Of(values, "in_w") % 5 == 3; })),
            "W mod 5 = 3; ");
  EXPECT_EQ(TextOf(Explain([](const Values& values) {
              return IsValue(Of(values, "in_hw")) && Of(values, "in_hw") >= 90;
            })),
            "H * W > 89; ");
}

// dilation D is 1 in all of them: that W is larger says W > 1, and no more.
TEST_F(Explaining, ANumberThatIsTheSameEverywhereIsComparedWithNothing) {
  for (std::int64_t i = 0; i < 9; ++i) {
    for (std::int64_t j = 2; j < 30; ++j) See(i + 1, j);
  }
  const RootCauses found =
      Explain([](const Values& values) { return Of(values, "in_w") > Of(values, "dilation_d"); });
  ASSERT_EQ(found.causes.size(), 1U) << TextOf(found);
  EXPECT_EQ(TextOf(found).find("dilation"), std::string::npos) << TextOf(found);
}

TEST_F(Explaining, TwoFaultsAreTwoCauses) {
  SeePlanes();
  See(3, 17, "bf16");
  See(3, 18, "f16");
  const RootCauses found = Explain([](const Values& values) {
    return Of(values, "in_h") == 7 || Of(values, "values_16_bit") == 1;
  });
  ASSERT_EQ(found.causes.size(), 2U) << TextOf(found);
  EXPECT_NE(TextOf(found).find("H = 7; "), std::string::npos) << TextOf(found);
  EXPECT_NE(TextOf(found).find("values have 16 bits; "), std::string::npos) << TextOf(found);
}

TEST_F(Explaining, WhatFailsAlwaysIsToldSo) {
  SeePlanes();
  const RootCauses found = Explain([](const Values&) { return true; });
  EXPECT_EQ(TextOf(found), "always; ");
}

// A wrong sum is one by whatever clause it is read.
TEST_F(Explaining, WhatIsReadByAnAdvisoryClauseSpeaksAgainstNoRule) {
  SeePlanes();
  read_as_ = [this](const Values& values) {
    return Of(values, "format_named") == 1 ? std::vector<std::string>{"MP3-B27"} : clauses_;
  };
  const RootCauses found = Explain([](const Values& values) { return Of(values, "in_w") > 18; });
  EXPECT_EQ(TextOf(found), "W > 18; ");
  ASSERT_EQ(found.causes.size(), 1U);
  const RootCause& cause = found.causes.front();
  EXPECT_TRUE(IsConfirmed(cause));
  EXPECT_GE(cause.inside, 16);
  EXPECT_GE(cause.tested - cause.inside, 16);
  const auto is_free = [&](const std::string& text) {
    return std::find(cause.free.begin(), cause.free.end(), text) != cause.free.end();
  };
  EXPECT_TRUE(is_free("H") && is_free("N") && is_free("kernel W") && is_free("the data type"));
  EXPECT_FALSE(is_free("W"));
}

// All calls that a clause mentions fail: those that it does not mention tell which they are.
TEST_F(Explaining, WhatFailsWhereverItsClauseSpeaksIsNotSaidToFailAlways) {
  const auto is_wide = [](const Values& values) { return Of(values, "in_w") > 18; };
  for (std::int64_t width = 20; width < 60; ++width) See(3, width);
  speaks_for_ = [&](const Values& values) {
    return is_wide(values) ? clauses_ : std::vector<std::string>{"MP3-B30"};
  };
  const RootCauses found = Explain(is_wide);
  EXPECT_EQ(TextOf(found), "W > 18; ");
}

// A call that passes where the rule says that it fails speaks against it, whatever clause it is
// about: what is stored in place of being added is right where no two gradients meet.
TEST_F(Explaining, ACallThatPassesInsideTheRuleSpeaksThoughItsClauseIsAnother) {
  for (std::int64_t width = 20; width < 60; ++width) See(6, width);
  speaks_for_ = [&](const Values& values) {
    return Of(values, "in_h") > 1 ? clauses_ : std::vector<std::string>{"MP3-B30"};
  };
  const RootCauses found = Explain(
      [](const Values& values) { return Of(values, "in_w") > 30 && Of(values, "in_h") > 1; });
  EXPECT_EQ(TextOf(found), "H > 1 and W > 30; ");
}

TEST_F(Explaining, WhatSomeRunsOfACallShowGetsARuleAndARate) {
  SeePlanes();
  // One in three shows, at no steady distance: what is asked in rounds of 24 would never meet it.
  comes_and_goes_ = [](int asked) {
    const auto number = static_cast<std::uint64_t>(asked);
    return RandomBelow(1, number / 3, 3) != number % 3;
  };
  const RootCauses found = Explain([](const Values& values) { return Of(values, "in_w") > 30; });
  EXPECT_EQ(TextOf(found), "W > 30; ");
  ASSERT_EQ(found.causes.size(), 1U);
  EXPECT_EQ(found.causes.front().runs, 100);
  EXPECT_NEAR(static_cast<double>(found.causes.front().failed_runs), 33, 1);
  EXPECT_TRUE(IsConfirmed(found.causes.front()));
}

TEST_F(Explaining, WhatHardlyARunShowsGetsNoRule) {
  SeePlanes();
  comes_and_goes_ = [](int asked) { return asked % 50 != 0; };
  const RootCauses found = Explain([](const Values& values) { return Of(values, "in_w") > 30; });
  EXPECT_TRUE(found.causes.empty()) << TextOf(found);
  EXPECT_GT(found.unexplained, 0);
}

// Each run draws its own order of answers where threads ask at once; what is asked next must not
// follow from it.
TEST_F(Explaining, SaysTheSameForAnyNumberOfJobsAndOrderOfFailures) {
  SeePlanes();
  const auto fault = [](const Values& values) {
    return Of(values, "in_w") % 4 == 1 && Of(values, "in_h") > 4;
  };
  const std::vector<std::string> one = LinesOf(Explain(fault));
  EXPECT_EQ(LinesOf(Explain(fault, 3)), one);
}

TEST_F(Explaining, WhereFailuresAreDearFewAreMade) {
  for (std::int64_t width = 2; width < 30; ++width) See(2, width);
  for (std::int64_t height = 3; height < 8; ++height) See(height, 17);
  few_failures_ = true;
  Explain([](const Values& values) { return Of(values, "in_w") == 17; });
  EXPECT_LE(failed_, 24);
  EXPECT_GT(failed_, 0);
}

TEST_F(Explaining, EndsWhenThereIsNoMoreTime) {
  SeePlanes();
  most_asked_ = 40;
  const RootCauses found = Explain([](const Values& values) { return Of(values, "in_w") > 30; });
  EXPECT_LE(asked_, 48);
  for (const RootCause& cause : found.causes) EXPECT_LE(cause.tested, 48);
}

// Work that is done elsewhere than on its stream is seen only where it is done while somebody
// looks: that little of it is done before is no condition of the fault.
TEST_F(Explaining, WhatALookMissesIsNoConditionOfWhatItSees) {
  for (std::int64_t width = 2; width < 60; ++width) See(2, width);
  for (std::int64_t width = 3; width < 15; ++width) {
    See(2, width, "f32", "window", "|run:repeat=4;look=held");
  }
  const RootCauses found = Explain(
      [](const Values& values) { return Of(values, "look") != 0 && Of(values, "elements") > 12; });
  ASSERT_EQ(found.causes.size(), 1U) << TextOf(found);
  EXPECT_EQ(TextOf(found).find("elements"), std::string::npos) << TextOf(found);
}

// Of more data than are looked at nobody says whether they meet a condition.
TEST_F(Explaining, DataThatAreTooManyForALookSpeakAgainstNoRule) {
  for (std::int64_t width = 4; width < 40; ++width) {
    See(1, width, "f32", "window");
    See(1, width, "f32", "first");
  }
  See(1000, 1000, "f32", "window");
  See(1000, 1001, "f32", "window");
  const RootCauses found = Explain([](const Values& values) {
    return Of(values, "gradients_on_a_cell") > 1 || Of(values, "in_h") == 1000;
  });
  EXPECT_EQ(found.unexplained, 0) << TextOf(found);
  EXPECT_EQ(TextOf(found), "the largest number of gradients for one element > 1; ");
}

// A step to a larger plane, of a call that is made by the thousand.
TEST_F(Explaining, CallsByTheThousandAreAskedOnSmallPlanesAlone) {
  for (std::int64_t width = 2; width < 60; ++width) See(2, width);
  See(2, 7, "f32", "first", "|run:growth=2000");
  const RootCauses found =
      Explain([](const Values& values) { return Of(values, "calls_made") > 512; });
  ASSERT_EQ(found.causes.size(), 1U);
  EXPECT_GT(found.causes.front().tested, 0);
  EXPECT_LE(dearest_, 2e7);
}

TEST_F(Explaining, AxesThatNoMemoryHoldsAreAskedAsDescriptors) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (std::int64_t i = 0; i < 8; ++i) {
    See(1, kMost + 1 + i, "f32", "zero", "|run:descriptors");
    See(1, kMost - i, "f32", "zero", "|run:descriptors");
    See(1, 5 + i, "f32", "zero", "|run:descriptors");
  }
  const RootCauses found =
      Explain([](const Values& values) { return Of(values, "plane") > kMost; });
  ASSERT_EQ(found.causes.size(), 1U) << TextOf(found);
  EXPECT_GT(found.causes.front().tested, 0);
}

// No page mentions NaN in calls of some operators; that they come back still counts.
TEST(FailsInAWay, ACallOfUndocumentedValuesThatCameBackDidNotEndBadly) {
  const Spec& spec = Spec::Embedded();
  Verdict died;
  died.kind = VerdictKind::kFailed;
  died.findings.push_back(
      {.clauses = {"2P-02"}, .kind = FindingKind::kCrashed, .message = {}, .mismatch = {}});
  Question question;
  question.verdict.kind = VerdictKind::kRecorded;
  EXPECT_EQ(FailsIn(spec, WayOf(spec, died, 0), question), std::nullopt);
  question.verdict.came_back = true;
  EXPECT_EQ(FailsIn(spec, WayOf(spec, died, 0), question), std::optional(false));
  died.findings[0].kind = FindingKind::kWrongSum;
  EXPECT_EQ(FailsIn(spec, WayOf(spec, died, 0), question), std::nullopt) << "its numbers are open";
}

// Descriptors alone are accepted or refused; of numbers they say nothing.
TEST(FailsInAWay, AnAcceptanceWithoutNumbersIsNoRefusal) {
  const Spec& spec = Spec::Embedded();
  Verdict refused;
  refused.kind = VerdictKind::kFailed;
  refused.findings.push_back(
      {.clauses = {"2P-01"}, .kind = FindingKind::kRefused, .message = {}, .mismatch = {}});
  Question question;
  question.verdict.kind = VerdictKind::kPassed;
  EXPECT_EQ(FailsIn(spec, WayOf(spec, refused, 0), question), std::nullopt);
  question.verdict.by_acceptance = {"MP3-B01"};
  EXPECT_EQ(FailsIn(spec, WayOf(spec, refused, 0), question), std::optional(false));
  refused.findings[0].kind = FindingKind::kWrongSum;
  EXPECT_EQ(FailsIn(spec, WayOf(spec, refused, 0), question), std::nullopt);
}

// Where any error will do, another status shows nothing.
TEST(FailsInAWay, AStatusThatIsNotOwedIsNeverWrong) {
  const Spec& spec = Spec::Embedded();
  Verdict wrong;
  wrong.kind = VerdictKind::kFailed;
  wrong.findings.push_back(
      {.clauses = {"MP3-S46"}, .kind = FindingKind::kWrongStatus, .message = {}, .mismatch = {}});
  const Way way = WayOf(spec, wrong, 0);
  const auto fails = [&](const Way& in, const char* shown) {
    Question question;
    question.verdict.kind = VerdictKind::kPassed;
    question.verdict.by_refusal = {shown};
    return FailsIn(spec, in, question);
  };
  EXPECT_EQ(fails(way, "MP3-S46"), std::optional(false));
  EXPECT_EQ(fails(way, "MP3-S32"), std::nullopt) << "any error";
  wrong.findings[0].kind = FindingKind::kAccepted;
  EXPECT_EQ(fails(WayOf(spec, wrong, 0), "MP3-S32"), std::optional(false)) << "it was refused";
}

}  // namespace
}  // namespace poolproof
