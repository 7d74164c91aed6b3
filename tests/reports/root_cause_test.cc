// SPDX-License-Identifier: Apache-2.0
//
// Root causes where they are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reports/diff.h"
#include "reports/html_parts.h"
#include "reports/phrases.h"
#include "reports/text.h"

namespace poolproof {
namespace {

RootCause Overlap() {
  RootCause cause;
  cause.rule = {{"overlap_d", "is", "true", "windows overlap along D"},
                {"in_w", "at-least", "129", "W > 128"}};
  cause.failing = 12;
  cause.compared = 30;
  cause.clauses = {"MP3-B02"};
  cause.tested = 20;
  cause.agreed = 19;
  return cause;
}

TEST(RootCauses, ARuleThatTellsNothingApartIsNotTold) {
  RootCause cause = Overlap();
  EXPECT_EQ(RuleSentence(cause), "fails when windows overlap along D and W > 128");
  cause.told_apart = false;
  cause.compared = 0;
  EXPECT_EQ(RuleSentence(cause), "fails in all 12 cases of its clauses");
  cause.failing = 1;
  EXPECT_EQ(RuleSentence(cause), "fails in the only case of its clauses");
  Report report;
  report.root_causes = {cause};
  EXPECT_EQ(
      RuleCounts(report, cause),
      "matches 1 of 1 failing case, no passing case to compare with; suspected: 19 of 20 new cases "
      "ended as the rule says");
}

TEST(RootCauses, AConfirmedRuleSaysWhatWasTestedAndWhatMayBeAnything) {
  RootCause cause = Overlap();
  cause.agreed = 20;
  cause.inside = 8;
  cause.nearest = Case();
  cause.nearest_difference = "W = 128";
  cause.free = {"N", "kernel D", "kernel H", "kernel W", "stride H", "the data type"};
  Report report;
  report.root_causes = {cause};
  EXPECT_EQ(
      RuleCounts(report, cause),
      "matches 12 of 12 failing cases and 0 of 30 passing cases; confirmed by new cases: 8 of 8 "
      "that match failed, 12 of 12 that do not match passed");
  EXPECT_EQ(PassesSentence(cause), "nearest passing case: W = 128");
  EXPECT_EQ(FreeSentence(cause), "any value of N, kernel, stride H, the data type");
  cause.free = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  EXPECT_EQ(FreeSentence(cause), "any value of a, b, c, d, e, f, g, h and 2 more");
  cause.agreed = 19;
  EXPECT_EQ(FreeSentence(cause), "") << "what is but suspected says nothing of the rest";
}

TEST(RootCauses, ARuleThatPassingCasesOfTheRunMatchIsButSuspected) {
  RootCause cause = Overlap();
  cause.agreed = 20;
  cause.inside = 8;
  cause.nearest = Case();
  cause.passing = 2;
  Report report;
  report.root_causes = {cause};
  EXPECT_EQ(RuleCounts(report, cause),
            "matches 12 of 12 failing cases and 2 of 30 passing cases; suspected: 20 of 20 new "
            "cases ended as the rule says");
  cause.failing = 32;  // a fault may hide in one case of sixteen
  EXPECT_TRUE(IsConfirmed(cause));
  cause.failing = 12;
  cause.runs = 100;  // what fails in some runs passes in others
  EXPECT_TRUE(IsConfirmed(cause));
}

TEST(RootCauses, ARuleThatNoNewCaseTestedIsButSeenSoFar) {
  RootCause cause = Overlap();
  cause.tested = cause.agreed = 0;
  EXPECT_EQ(RuleSentence(cause),
            "seen in the cases so far: fails when windows overlap along D and W > 128");
  Report report;
  report.root_causes = {cause};
  EXPECT_EQ(RuleCounts(report, cause),
            "matches 12 of 12 failing cases and 0 of 30 passing cases; not tested");
  cause.advisory = true;
  cause.rule.clear();
  EXPECT_EQ(RuleSentence(cause), "advisory: seen in the cases so far: fails always");
}

TEST(RootCauses, ThoseOfAdvisoryFailuresAreToldApart) {
  Report report;
  report.root_causes = {Overlap()};
  EXPECT_EQ(RootCausesSentence(report), "1 root cause explains 12 failing cases");
  report.root_causes.front().advisory = true;
  EXPECT_EQ(RootCausesSentence(report), "1 root cause of advisory failures in 12 failing cases");
  report.root_causes.insert(report.root_causes.begin(), Overlap());
  EXPECT_EQ(RootCausesSentence(report),
            "1 root cause explains 12 failing cases; 1 root cause of advisory failures in 12 "
            "failing cases");
  EXPECT_EQ(RuleSentence(report.root_causes.back()),
            "advisory: fails when windows overlap along D and W > 128");
}

TEST(RootCauses, ACaseOfTwoRootCausesIsOneFailingCase) {
  Report report;
  report.root_causes = {Overlap(), Overlap()};
  report.root_causes.back().failing = 5;
  report.root_causes.back().shared = 4;
  report.unexplained = 2;
  EXPECT_EQ(RootCausesSentence(report), "2 root causes explain 13 of 15 failing cases");
  EXPECT_EQ(RuleCounts(report, report.root_causes.back()),
            "matches 5 of 15 failing cases and 0 of 30 passing cases; suspected: "
            "19 of 20 new cases ended as the rule says");
}

TEST(RootCauses, SaysHowOftenACallFailsThatDoesNotFailEachTime) {
  Report report;
  report.root_causes = {Overlap()};
  RootCause& cause = report.root_causes.front();
  cause.runs = 100;
  cause.failed_runs = 13;
  EXPECT_THAT(RuleSentence(cause), testing::StartsWith("fails in some runs when "));
  EXPECT_THAT(RuleCounts(report, cause),
              testing::StartsWith("failed in 13 of 100 runs of the same call (8 to 21 %); "));
  cause.rule.clear();
  EXPECT_EQ(RuleSentence(cause), "fails in some runs");
}

TEST(RootCauses, WhatComesAndGoesIsSaidWhereNoneIsFound) {
  Report report;
  report.unexplained = 3;
  Failure failure;
  failure.message = "(flaky: it showed in 1 of 4 further runs) gradInput[0]: expected 1, got 0";
  failure.signature = "a";
  report.failures = {failure, failure};
  report.failures.back().signature = "b";
  report.failures.back().message = "refused";
  EXPECT_NE(ReportText(report, Spec::Embedded(), {})
                .find("no root cause found for 3 failing cases; 1 of 2 kinds of failure appears "
                      "only in some runs"),
            std::string::npos);
}

TEST(RootCauses, OfManyClausesTheFirstAreNamed) {
  Report report;
  report.root_causes = {Overlap()};
  for (int i = 10; i < 60; ++i)
    report.root_causes.front().clauses.push_back("MP3-S" + std::to_string(i));
  TextStyle style;
  style.width = 0;
  const std::string usual = ReportText(report, Spec::Embedded(), style);
  EXPECT_NE(usual.find("MP3-S16 and 43 more: "), std::string::npos) << usual;
  style.detail = Detail::kAll;
  EXPECT_NE(ReportText(report, Spec::Embedded(), style).find("MP3-S59: "), std::string::npos);
}

TEST(RootCauses, DiffTellsNewOnesGoneOnesAndThoseThatMoved) {
  Report before;
  before.clauses = {{"MP3-B02", Strength::kRequired, ClauseVerdict::kFailed, 1, 1, ""}};
  before.root_causes = {Overlap()};
  EXPECT_TRUE(DiffReports(before, before).causes.empty());
  Report after = before;
  after.root_causes.front().failing = 90;  // counts are no change
  EXPECT_TRUE(DiffReports(before, after).causes.empty());
  // The same one, with another border.
  after.root_causes.front().rule[1] = {"in_w", "at-least", "257", "W > 256"};
  ReportDiff diff = DiffReports(before, after);
  ASSERT_EQ(diff.causes.size(), 1U);
  EXPECT_EQ(diff.causes[0].change, Change::kChanged);
  EXPECT_EQ(diff.causes[0].before,
            "fails when windows overlap along D and W > 128 (12 failing cases)");
  EXPECT_FALSE(diff.Broke());
  EXPECT_NE(DiffText(diff, Spec::Embedded())
                .find("  changed fails when windows overlap along D and W > 256: fails when"),
            std::string::npos);
  // Another one.
  after.root_causes.front().rule[1] = {"in_w", "at-most", "3", "W <= 3"};
  diff = DiffReports(before, after);
  ASSERT_EQ(diff.causes.size(), 2U);
  EXPECT_EQ(diff.causes[0].change, Change::kBroken);
  EXPECT_EQ(diff.causes[1].change, Change::kFixed);
  after.clauses[0].verdict = ClauseVerdict::kNotRun;
  after.root_causes.clear();
  EXPECT_EQ(DiffReports(before, after).causes[0].change, Change::kGone);
}

TEST(RootCauses, TheBorderIsAGridThatIsReadWithoutColours) {
  CauseBorder border = {{"in_w", "W", {"1 to 128", "129 to 300"}},
                        {"overlap_d", "windows overlap along <D>", {"no", "yes"}},
                        {{0, 3001, false}, {0, 77, false}, {0, 1402, false}, {12, 1, true}}};
  const std::string html = BorderHtml(border);
  EXPECT_NE(
      html.find("<td class=\"passed\" title=\"W: 1 to 128; windows overlap along &lt;D&gt;: no; "
                "0 fail, 3,001 pass; the rule says that they pass\">&#10003;&nbsp;3,001</td>"),
      std::string::npos)
      << html;
  EXPECT_NE(html.find("&#10007;&nbsp;12<br>&#10003;&nbsp;1</td>"), std::string::npos) << html;
  EXPECT_NE(html.find("class=\"inconclusive predicted\""), std::string::npos) << html;
}

}  // namespace
}  // namespace poolproof
