// SPDX-License-Identifier: Apache-2.0
//
// What the terminal shows of a run in which much fails.
#include "reports/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "conformance/spec/spec.h"
#include "core/shell_text.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

Case ProblemOf(std::int64_t width) {
  Case problem;
  problem.calls.push_back(MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward,
                                            DataType::kFloat, DataType::kInt32, {1, 1, 1, 1, width},
                                            {1, 1, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false));
  return problem;
}

// Everything fails, in many ways, for many reasons, and whatever is said of it is long.
Report Disaster() {
  Report report;
  report.verdict = RunVerdict::kNonconformant;
  report.implementation.name = "disaster";
  report.summary = {.cases = 5000, .failed = 4000, .crashed = 1000, .not_run = 3, .advisory = 7};
  const std::string words = "of all that went wrong here and there in each and every call of it";
  int number = 0;
  for (const Clause& clause : Spec::Embedded().clauses()) {
    const bool open = ++number % 3 == 0;
    report.clauses.push_back({clause.id, clause.strength,
                              open ? ClauseVerdict::kInconclusive : ClauseVerdict::kFailed, 400,
                              open ? 0 : 30, open ? words : ""});
    Failure failure;
    failure.clauses = {clause.id};
    failure.advisory = clause.strength == Strength::kAdvisory;
    failure.end = "signal 11";
    failure.message = "the process died " + words + " " + words + " " + words;
    failure.case_number = number;
    failure.path = "MaxPool3dWithArgmaxBackward/" + std::string(90, 'x');
    failure.problem = ProblemOf(number + 2);
    failure.signature = "kind-" + clause.id;
    report.failures.push_back(failure);
    RootCause cause;
    cause.rule = {{"in_w", "at-least", "7", "W > 6 " + words}, {"in_h", "is", "5", words}};
    cause.failing = cause.compared = 40;
    cause.clauses = {clause.id, "SAF-01"};
    cause.smallest = cause.nearest = ProblemOf(number + 2);
    cause.nearest_difference = words;
    report.root_causes.push_back(cause);
    report.acceptance.push_back({"X/accepted/" + clause.id, static_cast<Operator>(number % 8),
                                 BitOf(Facet::kInt32), Answer::kEnded, "signal 11"});
  }
  return report;
}

TEST(TextRoom, ADisasterFitsOnAScreen) {
  TextStyle style;
  style.implementation = "libdisaster.so";
  style.has_next = true;
  const std::string text = ReportText(Disaster(), Spec::Embedded(), style);
  std::istringstream lines(text);
  std::ptrdiff_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(line.size(), style.width) << line;
  }
  EXPECT_LE(count, kUsualLines) << text;
  EXPECT_NE(text.find("fails when W > 6"), std::string::npos) << text;
  EXPECT_NE(text.find("#1 "), std::string::npos) << text;
}

// Each section, and two root causes, of which one is confirmed.
TEST(TextRoom, TwoFaultsFitOnAScreen) {
  Report report = Disaster();
  report.root_causes.resize(2);
  RootCause& first = report.root_causes.front();
  first.tested = first.agreed = 237;
  first.inside = 140;
  first.told_apart = true;
  TextStyle style;
  style.implementation = "libtwo.so";
  style.has_next = true;
  const std::string text = ReportText(report, Spec::Embedded(), style);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), kUsualLines) << text;
  EXPECT_NE(text.find("and one more: "), std::string::npos) << text;
}

TEST(TextRoom, VerboseLeavesNothingOut) {
  TextStyle style;
  style.width = 0;
  style.detail = Detail::kAll;
  const Report report = Disaster();
  const std::string text = ReportText(report, Spec::Embedded(), style);
  EXPECT_EQ(text.find("..."), std::string::npos);
  for (const ClauseResult& clause : report.clauses) {
    EXPECT_NE(text.find(clause.id), std::string::npos) << clause.id;
  }
  const std::string last = "#" + std::to_string(report.failures.size()) + " ";
  EXPECT_NE(text.find(last), std::string::npos);
}

// A sentence is wrapped between words, and a long word is left whole.
TEST(TextRoom, WrapsBetweenWords) {
  Report report = Disaster();
  report.error = "libx.so: " + std::string(120, 'y') + " and more";
  const std::string text = ReportText(report, Spec::Embedded(), TextStyle());
  EXPECT_NE(text.find(std::string(120, 'y') + "\n    and more\n"), std::string::npos) << text;
}

TEST(Phrases, CleanTextIsUtf8WithoutControls) {
  EXPECT_EQ(CleanText("a\nb\tc"), "a b c");
  EXPECT_EQ(CleanText("\xc3\xa9"), "\xc3\xa9");
  for (const char* bad : {"\xff", "\x1b", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_TRUE(CleanText(bad).starts_with("\xef\xbf\xbd")) << bad;
  }
  EXPECT_EQ(CutText("abc\xc3\xa9", 4), "abc...");
}

TEST(Phrases, ShellQuoting) {
  EXPECT_EQ(ShellQuoted("reference"), "reference");
  EXPECT_EQ(ShellQuoted("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellQuoted(""), "''");
}

}  // namespace
}  // namespace poolproof
