// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/result/gate.h"

namespace poolproof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RootCause Cause(const std::string& name, const std::string& value,
                const std::vector<std::string>& clauses) {
  RootCause cause;
  cause.rule = {{name, "is", value, name + " is " + value}};
  cause.clauses = clauses;
  cause.failing = 1;
  return cause;
}

Failure Of(const std::string& signature, const std::vector<std::string>& clauses) {
  Failure failure;
  failure.signature = signature;
  failure.clauses = clauses;
  return failure;
}

// A fails, B passes, C has no answer.
Report Before() {
  Report report;
  report.verdict = RunVerdict::kNonconformant;
  report.summary.cases = 10;
  report.summary.passed = 9;
  report.summary.failed = 1;
  report.clauses = {{"A", Strength::kRequired, ClauseVerdict::kFailed, 1, 1, ""},
                    {"B", Strength::kRequired, ClauseVerdict::kPassed, 1, 0, ""},
                    {"C", Strength::kRequired, ClauseVerdict::kNotRun, 0, 0, "never"},
                    {"D", Strength::kAdvisory, ClauseVerdict::kPassed, 1, 0, ""}};
  report.failures = {Of("op:wrong-sum:A", {"A"})};
  report.root_causes = {Cause("dtype", "f16", {"A"})};
  return report;
}

Report Compared(Report report, const Report& before = Before()) {
  report.baseline = CompareWithBaseline(report, before, std::string(64, 'a'));
  return report;
}

TEST(Baseline, TheSameFailuresPassTheGate) {
  EXPECT_EQ(GateOf(Before()).exit_status, 1);
  const Report same = Compared(Before());
  EXPECT_FALSE(HasNewFailures(*same.baseline));
  EXPECT_EQ(GateOf(same).exit_status, 0);
  EXPECT_THAT(GateOf(same).reasons,
              ElementsAre("nothing failed that did not fail in the baseline"));
  EXPECT_TRUE(FailedBefore(same, "A"));
}

TEST(Baseline, ANewClauseFailsIt) {
  Report report = Before();
  report.clauses[1].verdict = ClauseVerdict::kFailed;
  report.clauses[1].failures = 1;
  report.failures.push_back(Of("op:wrong-sum:B", {"B"}));
  const Report compared = Compared(report);
  EXPECT_THAT(compared.baseline->clauses, ElementsAre("B"));
  EXPECT_THAT(compared.baseline->signatures, ElementsAre("op:wrong-sum:B"));
  EXPECT_EQ(GateOf(compared).exit_status, 1);
  EXPECT_TRUE(FailedBefore(compared, "A"));
  EXPECT_FALSE(FailedBefore(compared, "B"));

  // What is waived is not new, nor is what is advisory.
  report.clauses[1].waived = 1;
  report.failures.back().waived_by = {"W"};
  EXPECT_EQ(GateOf(Compared(report)).exit_status, 0);
  report = Before();
  report.clauses[3].verdict = ClauseVerdict::kFailed;
  report.failures.push_back(Of("op:wrong-sum:D", {"D"}));
  report.failures.back().advisory = true;
  EXPECT_EQ(GateOf(Compared(report)).exit_status, 0);
}

TEST(Baseline, ANewKindOfAKnownClauseFailsIt) {
  Report report = Before();
  report.failures.push_back(Of("op:crash:A", {"A"}));
  const Report compared = Compared(report);
  EXPECT_THAT(compared.baseline->clauses, IsEmpty());
  EXPECT_THAT(GateOf(compared).reasons, ElementsAre(HasSubstr("op:crash:A")));
  EXPECT_FALSE(FailedBefore(compared, "A"));
}

TEST(Baseline, AFaultThatGrewFailsIt) {
  Report report = Before();
  report.root_causes.front().rule.clear();  // always
  EXPECT_THAT(Compared(report).baseline->causes, ElementsAre(0));
  EXPECT_EQ(GateOf(Compared(report)).exit_status, 1);
  EXPECT_FALSE(FailedBefore(Compared(report), "A"));

  report = Before();
  report.root_causes.front().clauses = {"A", "B"};
  EXPECT_EQ(GateOf(Compared(report)).exit_status, 1);

  report = Before();
  report.unexplained = 3;
  Report before = Before();
  EXPECT_EQ(Compared(report, before).baseline->unexplained, 3);
  EXPECT_EQ(GateOf(Compared(report, before)).exit_status, 1);
  // What comes and goes fails in another number of cases each time.
  before.unexplained = 1;
  EXPECT_EQ(GateOf(Compared(report, before)).exit_status, 0);
}

// New cases did not confirm the rule: the next run of the same library may find another one. Its
// clauses and kinds of failure count as ever.
TEST(Baseline, ASuspectedCauseIsNotNew) {
  Report report = Before();
  RootCause& cause = report.root_causes.front();
  cause.rule.clear();
  cause.tested = 9;
  cause.agreed = 8;
  report.unexplained = 3;
  EXPECT_THAT(Compared(report).baseline->causes, IsEmpty());
  EXPECT_EQ(Compared(report).baseline->unexplained, 0);
  EXPECT_EQ(GateOf(Compared(report)).exit_status, 0);
  report.failures.push_back(Of("op:crash:A", {"A"}));
  EXPECT_EQ(GateOf(Compared(report)).exit_status, 1);
}

TEST(Baseline, CausesCountWhereBothRunsKnowThem) {
  Report report = Before();
  Report merged = Before();  // without the plan
  merged.root_causes.clear();
  EXPECT_EQ(GateOf(Compared(report, merged)).exit_status, 0);
  EXPECT_EQ(GateOf(Compared(merged, report)).exit_status, 0);
}

TEST(Baseline, WhatFailedAndPassesNowIsNoMatter) {
  Report report = Before();
  report.clauses[0].verdict = ClauseVerdict::kPassed;
  report.failures.clear();
  report.root_causes.clear();
  report.summary = {.cases = 10, .passed = 10};
  report.verdict = RunVerdict::kIncomplete;  // C
  EXPECT_EQ(GateOf(report).exit_status, 4);
  EXPECT_EQ(GateOf(Compared(report)).exit_status, 0) << "C had no answer before, either";
}

TEST(Baseline, ALostAnswerIsNoPass) {
  Report report = Before();
  report.clauses[1].verdict = ClauseVerdict::kNotRun;
  EXPECT_EQ(GateOf(Compared(report)).exit_status, 4);
  report = Before();
  report.run.stopped_by = StopReason::kDeadline;
  EXPECT_EQ(GateOf(Compared(report)).exit_status, 4) << "the rest may fail in a new way";
  report.run.is_shard = true;
  report.run.stopped_by = StopReason::kMissingShards;
  EXPECT_EQ(GateOf(Compared(report)).exit_status, 0) << "a shard judged what is its own";
}

TEST(Baseline, OfAnotherProfileKnowsNothing) {
  Report before = Before();
  before.profile = Profile::kAtlasA3;
  const Report compared = Compared(Before(), before);
  EXPECT_THAT(compared.baseline->clauses, ElementsAre("A"));
  EXPECT_EQ(GateOf(compared).exit_status, 1);
}

}  // namespace
}  // namespace poolproof
