// SPDX-License-Identifier: Apache-2.0
//
// Forms of reports that code hosts read.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "conformance/spec/spec.h"
#include "reports/github_annotations.h"
#include "reports/sarif.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

Report WithKinds(int kinds) {
  Report report;
  report.verdict = RunVerdict::kNonconformant;
  report.tool_version = "1.2.3";
  report.implementation.name = "sample";
  report.implementation.libraries = {{"lib \xc3\xa4.so", std::string(64, 'b')}};
  report.summary = {.cases = kinds, .failed = kinds};
  report.clauses = {{"MP3-B02", Strength::kRequired, ClauseVerdict::kFailed, 9, 9, ""}};
  for (int i = 0; i < kinds; ++i) {
    Failure failure;
    failure.clauses = {"MP3-B02"};
    failure.end = "returned";
    failure.message = "50% of\nall: wrong";
    failure.case_number = i + 1;
    failure.problem.calls.push_back(MakeFixedBackward(
        Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat, DataType::kInt32, {1, 1, 1, 1, 3},
        {1, 1, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false));
    failure.signature = "kind-" + std::to_string(i);
    report.failures.push_back(failure);
  }
  return report;
}

nlohmann::json RunOf(const Report& report) {
  return nlohmann::json::parse(ReportSarif(report, Spec::Embedded())).at("runs").at(0);
}

std::vector<std::string> FingerprintsOf(const Report& report) {
  std::vector<std::string> all;
  const nlohmann::json run = RunOf(report);
  for (const nlohmann::json& result : run.at("results")) {
    all.push_back(result.at("partialFingerprints").at("poolproofKind/v1").get<std::string>());
  }
  return all;
}

// Hosts open and close results by them: what is said of a kind may change, the kind stays the same.
TEST(Sarif, FingerprintsStayWhenWordsChange) {
  const Report report = WithKinds(3);
  Report later = report;
  for (Failure& failure : later.failures) {
    failure.message = "said in other words";
    failure.case_number += 1000;
  }
  later.run.seed = 99;
  const std::vector<std::string> prints = FingerprintsOf(report);
  EXPECT_EQ(FingerprintsOf(later), prints);
  EXPECT_EQ(std::set<std::string>(prints.begin(), prints.end()).size(), 3U);
  later.profile = Profile::kAscend950;
  EXPECT_NE(FingerprintsOf(later), prints);
}

TEST(Sarif, ResultsPointAtRulesAndAtTheLibrary) {
  Report report = WithKinds(2);
  report.failures[1].clauses.clear();
  report.failures[1].advisory = true;
  const nlohmann::json run = RunOf(report);
  const nlohmann::json& rules = run.at("tool").at("driver").at("rules");
  const nlohmann::json& results = run.at("results");
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].at("id"), "MP3-B02");
  EXPECT_NE(rules[0].at("help").at("text").get<std::string>().find("poolproof explain MP3-B02"),
            std::string::npos);
  EXPECT_EQ(results[0].at("level"), "error");
  EXPECT_EQ(results[1].at("level"), "note");
  EXPECT_EQ(results[1].at("ruleId"), rules[1].at("id"));
  EXPECT_EQ(results[0].at("locations")[0].at("physicalLocation").at("artifactLocation").at("uri"),
            "lib%20%C3%A4.so");
  EXPECT_NE(results[0].at("message").at("text").get<std::string>().find("Reproduce: poolproof"),
            std::string::npos);
}

TEST(Sarif, ARunThatWasNotCarriedOutSaysWhy) {
  Report report = WithKinds(0);
  report.verdict = RunVerdict::kError;
  report.error = "libx.so: no such file";
  const nlohmann::json run = RunOf(report);
  const nlohmann::json& invocation = run.at("invocations").at(0);
  EXPECT_EQ(invocation.at("executionSuccessful"), false);
  EXPECT_EQ(invocation.at("toolExecutionNotifications")[0].at("message").at("text"), report.error);
  EXPECT_TRUE(run.at("results").is_array());
  EXPECT_TRUE(run.at("results").empty());
}

TEST(GithubAnnotations, AreOneLineEachAndFew) {
  const std::string text = ReportGithubAnnotations(WithKinds(30));
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1, ++lines) {
    EXPECT_EQ(text.compare(at, 14, "::error title="), 0) << text.substr(at);
  }
  EXPECT_EQ(lines, 10U);
  EXPECT_NE(text.find("::50%25 of all: wrong"), std::string::npos) << text;
}

TEST(GithubAnnotations, AdvisoryAndWaivedKindsAreNotices) {
  Report report = WithKinds(2);
  report.failures[0].advisory = true;
  report.failures[1].waived_by = {"KRN-7"};
  const std::string text = ReportGithubAnnotations(report);
  EXPECT_EQ(text.find("::error"), std::string::npos) << text;
  EXPECT_NE(text.find("waived by KRN-7: "), std::string::npos) << text;
}

TEST(GithubAnnotations, AConformantRunHasNoneAndAnErrorHasOne) {
  Report report = WithKinds(0);
  report.verdict = RunVerdict::kConformant;
  EXPECT_EQ(ReportGithubAnnotations(report), "");
  report.verdict = RunVerdict::kError;
  report.error = "libx.so: no such file";
  EXPECT_EQ(ReportGithubAnnotations(report),
            "::error title=Poolproof%3A error::libx.so: no such file\n");
}

}  // namespace
}  // namespace poolproof
