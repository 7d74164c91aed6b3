// SPDX-License-Identifier: Apache-2.0
//
// The renderers against reviewed files. POOLPROOF_UPDATE_GOLDEN=1 writes them again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "conformance/spec/spec.h"
#include "reports/charts/line_plot.h"
#include "reports/diff.h"
#include "reports/formats.h"
#include "reports/heat_map.h"
#include "reports/html.h"
#include "reports/in_toto.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/mismatch_text.h"
#include "reports/parse.h"
#include "reports/phrases.h"
#include "reports/picture.h"
#include "reports/text.h"
#include "tests/reports/register.h"

namespace poolproof {
namespace {

Case ProblemOf(Dims self) {
  Case problem;
  problem.calls.push_back(MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward,
                                            DataType::kFloat, DataType::kInt32, std::move(self),
                                            {1, 1, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false));
  return problem;
}

Report Sample() {
  Report report;
  report.verdict = RunVerdict::kNonconformant;
  report.tool_version = "0.0.0";
  report.spec_sha256 = std::string(64, 'a');
  report.environment = {"Linux 6.1", "Some CPU", "gcc 12.2.0", 4};
  report.implementation.name = "sample";
  report.implementation.libraries = {{"libsample.so", std::string(64, 'b')}, {"libdriver.so", ""}};
  report.implementation.declared = {{"indices", "any"}};
  report.implementation.probe.soc = "Ascend910B3";
  report.implementation.probe.devices = 1;
  report.implementation.probe.operators = {"MaxPool3dWithArgmaxBackward"};
  report.implementation.probe.optional_symbols = {"aclInit"};
  report.implementation.probe.host_memory = true;
  report.implementation.observed = {{"subnormals.MaxPool3dWithArgmaxBackward.f32", "kept"}};
  report.run.argv = {"poolproof", "run", "--json", "r.json", "--implementation", "libsample.so"};
  report.run.plan_sha256 = std::string(64, 'c');
  report.run.start = "2026-01-02T03:04:05Z";
  report.run.duration_s = 12.5;
  report.summary = {.cases = 12345,
                    .passed = 12339,
                    .failed = 3,
                    .crashed = 1,
                    .timed_out = 0,
                    .inconclusive = 1,
                    .unsupported = 1,
                    .not_run = 5,
                    .waived = 0,
                    .recorded = 2,
                    .advisory = 1};
  report.clauses = {
      {"MP3-B01", Strength::kRequired, ClauseVerdict::kPassed, 12000, 0, "", {"contiguous-only"}},
      {"MP3-B02", Strength::kRequired, ClauseVerdict::kFailed, 5000, 3, ""},
      {"MP3-B24", Strength::kRequired, ClauseVerdict::kNotApplicable, 0, 0,
       "outside profile atlas-a2"},
      {"AMP2-B01", Strength::kRequired, ClauseVerdict::kUnsupported, 0, 0,
       "aclnnAdaptiveMaxPool2dBackward is not offered"},
      {"2P-01", Strength::kRequired, ClauseVerdict::kInconclusive, 0, 0, "no answer"},
      {"SAF-08", Strength::kAdvisory, ClauseVerdict::kFailed, 9000, 1, ""}};
  report.clauses[1].not_looked_into = 2;
  report.clauses[3].edition = Edition::kNewest;
  report.clauses[0].proven_by = {"f16-i32-batched-contiguous", "f32-i32-batched-contiguous"};
  const auto asked = [](std::string name, Facet indices, Answer answer, std::string detail) {
    return AcceptedCall{"MaxPool3dWithArgmaxBackward/accepted/" + std::move(name),
                        Operator::kMaxPool3dWithArgmaxBackward, BitOf(indices), answer,
                        std::move(detail)};
  };
  report.acceptance = {
      asked("f32-i32-batched-contiguous", Facet::kInt32, Answer::kRight, ""),
      asked("f32-i64-batched-contiguous", Facet::kInt64, Answer::kRefused, "161002"),
      asked("f32-i64-unbatched-contiguous", Facet::kInt64, Answer::kEnded, "signal 11")};
  report.properties = {{Relation::kLinearity, ClauseVerdict::kPassed, 150, 0, 10, ""},
                       {Relation::kViewCopy, ClauseVerdict::kFailed, 160, 4, 0, ""},
                       {Relation::kDepthOne, ClauseVerdict::kInconclusive, 0, 0, 9,
                        "all of its cases were discarded"}};
  Failure sum;
  sum.clauses = {"MP3-B02"};
  sum.end = "returned";
  sum.message = "element 1 lost a contribution\xff";
  sum.case_number = 17;
  sum.path = "MaxPool3dWithArgmaxBackward/overlap/3";
  sum.problem = ProblemOf({1, 2, 3, 4, 5});
  sum.shrunk = ProblemOf({1, 1, 1, 1, 3});
  sum.first_mismatch = Mismatch{1, "40400000", "3f800000", 2};
  sum.mismatches = {Mismatch{1, "40400000", "3f800000", 2}};
  sum.shrunk_message = "element 1 lost a contribution";
  sum.signature = "MaxPool3dWithArgmaxBackward:contribution-lost:MP3-B02";
  Failure crash;
  crash.clauses = {"SAF-08"};
  crash.advisory = true;
  crash.end = "signal 11";
  crash.message = "the working directory changed";
  crash.output = "[INFO] on the way\n\x1b[31m[ERROR] <core> 3 & 4\xff of /opt/ours/lib.so";
  crash.crash = CrashSite{CrashCause::kNullPointer,
                          Access::kRead,
                          false,
                          16,
                          "lib<x>.so",
                          0x1a3f,
                          "Kernel<float>::Run",
                          47};
  crash.case_number = 40;
  crash.path = "MaxPool3dWithArgmaxBackward/protocol/SAF-08";
  crash.problem = ProblemOf({1, 1, 1, 1, 2});
  crash.signature = "MaxPool3dWithArgmaxBackward:process-changed:SAF-08";
  sum.alike = 3;
  crash.alike = 1;
  report.failures = {sum, crash};
  report.also_failed = {{19, sum.signature, ProblemOf({1, 1, 1, 1, 5})}};
  RootCause overlap;
  overlap.rule = {{"overlap_d", "is", "true", "windows overlap along D"},
                  {"in_w", "at-least", "129", "W > 128"}};
  overlap.failing = 2;
  overlap.compared = 4999;
  overlap.clauses = {"MP3-B02"};
  overlap.case_number = 17;
  overlap.smallest = ProblemOf({1, 1, 1, 1, 3});
  overlap.tested = overlap.agreed = 14;
  overlap.inside = 6;
  overlap.free = {"N", "C", "kernel D", "kernel H", "kernel W"};
  overlap.nearest = ProblemOf({1, 1, 1, 1, 4});
  overlap.nearest_difference = "W = 4 instead of 3";
  overlap.border = {{"in_w", "W", {"1 to 64", "65 to 128", "129 to 300"}},
                    {"overlap_d", "windows overlap along D", {"no", "yes"}},
                    {{0, 3001, false},
                     {0, 412, false},
                     {0, 77, false},
                     {0, 1402, false},
                     {0, 106, false},
                     {2, 1, true}}};
  report.root_causes = {overlap};
  report.unexplained = 1;
  report.coverage = {{*CoverageOf(sum.problem), 3, 1}};
  report.discrepancies = {{"DD-01", {"D1", "D4"}, "The window formula.", "Half open (MP3-B02)."}};
  return report;
}

// The sample with its failing cases waived, and waivers of every other kind.
Report Waived() {
  Report report = Sample();
  WaiverResult used;
  used.id = "KRN-7";
  used.owner = "kernels@example.org";
  used.reason = "The vector unit loses a window; fixed in the next driver.";
  used.link = "https://example.org/KRN-7";
  used.expires = "2026-06-30";
  used.signature = "*:contribution-lost:*";
  used.scope = {"sample*", std::string(64, 'b'), {Profile::kAtlasA2}, {"MP3-B02"}, "dtype == f32"};
  used.state = WaiverState::kUsed;
  used.waived = 3;
  WaiverResult stale = used;
  stale.id = "KRN-8";
  stale.scope = {"", "", {}, {"2P-01"}, ""};
  stale.state = WaiverState::kPassing;
  stale.waived = 0;
  stale.passed_fixed = 12;
  report.waivers = {used, stale};
  report.root_causes.clear();
  report.unexplained = 0;
  report.failures.front().waived_by = {"KRN-7"};
  report.clauses[1].waived = 3;
  report.properties[1].waived = 4;
  report.summary.waived = 3;
  const auto differ = [](DifferenceKind kind, Operator op, std::int64_t cases) {
    DifferenceRow row{kind, op, cases, ProblemOf({1, 1, 1, 1, cases + 2})};
    row.smallest.plan.descriptors_only = kind == DifferenceKind::kFails;  // "|" in its line
    return row;
  };
  report.differences = {
      {"other|<x>",
       9000,
       8600,
       100,
       {differ(DifferenceKind::kFails, Operator::kMaxPool3dWithArgmaxBackward, 2),
        differ(DifferenceKind::kValues, Operator::kMaxPool3dWithArgmaxBackward, 190),
        differ(DifferenceKind::kValues, Operator::kAdaptiveMaxPool3dBackward, 100),
        differ(DifferenceKind::kNan, Operator::kMaxPool3dWithArgmaxBackward, 8)}},
      {"same.so", 9000, 9000, 0, {}}};
  return report;
}

// Nothing of it fails, and its manifest leaves cases out.
Report Within() {
  Report report = Sample();
  report.verdict = RunVerdict::kConformant;
  report.implementation.declared = {{"accepts.MaxPool3dWithArgmaxBackward", "dtype != bf16"}};
  report.summary = {.cases = 2000, .passed = 500, .unsupported = 1500};
  report.left_out = {{Operator::kMaxPool3dWithArgmaxBackward, 1500}};
  std::erase_if(report.clauses, [](const ClauseResult& clause) {
    return clause.verdict == ClauseVerdict::kFailed ||
           clause.verdict == ClauseVerdict::kInconclusive;
  });
  report.properties.clear();
  report.failures.clear();
  report.also_failed.clear();
  report.root_causes.clear();
  report.unexplained = 0;
  report.coverage.clear();
  return report;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void ExpectGolden(const std::string& name, const std::string& text,
                  const std::string& folder = POOLPROOF_GOLDEN_FOLDER) {
  const std::string path = folder + "/" + name;
  if (std::getenv("POOLPROOF_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  EXPECT_EQ(ReadAll(path), text) << "differs from " << name;
}

// How often `part` is in `text`.
std::size_t Times(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++times;
  }
  return times;
}

// In each row of the table: a format without golden files fails here.
void ExpectGoldenFormats(const std::string& name, const Report& report) {
  for (const ReportFormat& format : kReportFormats) {
    ExpectGolden(name + "." + std::string(format.suffix),
                 format.render(report, Spec::Embedded(), std::nullopt));
  }
}

TEST(Formats, MatchGolden) {
  ExpectGoldenFormats("nonconformant", Sample());
  ASSERT_TRUE(EveryBreachIsWaived(Waived()));
  ExpectGoldenFormats("waived", Waived());
}

TEST(Formats, SayThatAVerdictHoldsWithinWhatIsDeclared) {
  const std::string words = "conformant within its declared capabilities";
  EXPECT_EQ(VerdictWords(Within()), words);
  Report whole = Within();
  whole.left_out.clear();
  EXPECT_EQ(VerdictWords(whole), "conformant");
  EXPECT_EQ(LeftOutSentence(whole), "");
  EXPECT_TRUE(ReportText(Within(), Spec::Embedded(), {})
                  .starts_with("CONFORMANT within its declared capabilities  sample on atlas-a2"));
  for (const ReportFormat& format : kReportFormats) {
    if (format.suffix == "in-toto.json" || format.suffix == "code-quality.json") continue;
    if (format.suffix == "github.txt") continue;  // failures alone
    const std::string text = format.render(Within(), Spec::Embedded(), std::nullopt);
    EXPECT_NE(text.find("within its declared capabilities"), std::string::npos) << format.suffix;
    EXPECT_EQ(format.render(whole, Spec::Embedded(), std::nullopt).find("within its declared"),
              std::string::npos)
        << format.suffix;
  }
}

TEST(Formats, SayWhatIsExportedAndNotJudged) {
  Report report = Within();
  report.left_out.clear();
  report.not_judged = {InfoOf(Operator::kMaxPool2dWithIndicesBackward).forward};
  const std::string words = "conformant, aclnnMaxPool2dWithIndices not judged";
  EXPECT_EQ(VerdictWords(report), words);
  const std::string text = ReportText(report, Spec::Embedded(), {});
  EXPECT_TRUE(text.starts_with("CONFORMANT, aclnnMaxPool2dWithIndices not judged  sample")) << text;
  for (const ReportFormat& format : kReportFormats) {
    const std::string_view suffix = format.suffix;
    if (suffix == "in-toto.json" || suffix == "code-quality.json" || suffix == "github.txt")
      continue;
    const std::string whole = format.render(report, Spec::Embedded(), std::nullopt);
    EXPECT_NE(whole.find("MaxPool2dWithIndices"), std::string::npos) << suffix;
  }
  report.not_judged.push_back(Operator::kAdaptiveMaxPool3dBackward);
  EXPECT_EQ(VerdictWords(report), "conformant, 2 operators not judged");
  EXPECT_NE(LeftOutSentence(report).find(
                "no clause of atlas-a2 is about them: aclnnMaxPool2dWithIndices, "
                "aclnnAdaptiveMaxPool3dBackward."),
            std::string::npos);
  const Result<Report> again = ParseReport(ReportToJson(report).dump());
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->not_judged, report.not_judged);
  Report failing = Sample();
  failing.not_judged = report.not_judged;
  EXPECT_TRUE(ReportText(failing, Spec::Embedded(), {})
                  .starts_with("NONCONFORMANT, 2 operators not judged  sample"));
}

TEST(Formats, SayWhyCasesAreInconclusiveAndHowManyWereNotRun) {
  Report report = Within();
  report.left_out.clear();
  report.summary = {.cases = 2000, .passed = 1813, .inconclusive = 187};
  report.summary.inconclusive_by = {{"no pages can be guarded", 180}, {"harness: no room", 7}};
  EXPECT_EQ(InconclusiveSentence(report),
            "Inconclusive: 180 cases: no pages can be guarded; 7 cases: harness: no room");
  EXPECT_EQ(ClauseCountsSentence(report).find("judged"), std::string::npos);
  report.summary.not_run = 8000;
  report.run.stopped_by = StopReason::kDeadline;
  EXPECT_NE(ClauseCountsSentence(report).find("judged 2,000 of 10,000 cases"), std::string::npos)
      << ClauseCountsSentence(report);
  const Result<Report> again = ParseReport(ReportToJson(report).dump());
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->summary, report.summary);
  for (const char* suffix : {"html", "md"}) {
    const auto* const format =
        std::find_if(std::begin(kReportFormats), std::end(kReportFormats),
                     [&](const ReportFormat& known) { return known.suffix == suffix; });
    ASSERT_NE(format, std::end(kReportFormats));
    const std::string text = format->render(report, Spec::Embedded(), std::nullopt);
    EXPECT_NE(text.find("180 cases: no pages can be guarded"), std::string::npos) << suffix;
  }
  EXPECT_NE(ReportText(report, Spec::Embedded(), {}).find("180 cases: no pages"),
            std::string::npos);
}

TEST(Formats, ASelectionThatPassesIsNotCalledConformant) {
  Report report = Within();
  report.left_out.clear();
  report.run.scope = RunScope::kSelected;
  EXPECT_EQ(VerdictWords(report), "passed (2,000 selected cases)");
  const std::string text = ReportText(report, Spec::Embedded(), {});
  EXPECT_TRUE(text.starts_with("PASSED (2,000 selected cases)  sample")) << text;
  EXPECT_NE(ReportHtml(report, Spec::Embedded()).find("<h1>Passed (2,000 selected cases)</h1>"),
            std::string::npos);
}

TEST(Formats, TheEndOfACampaignsTimeIsNotEarly) {
  Report report = Within();
  report.left_out.clear();
  report.run.scope = RunScope::kSelected;
  report.run.stopped_by = StopReason::kTime;
  const std::string text = ReportText(report, Spec::Embedded(), {});
  EXPECT_TRUE(text.starts_with("PASSED (2,000 cases of a campaign)")) << text;
  EXPECT_NE(text.find("\n  the time (--time) is over\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("set ci"), std::string::npos) << "a campaign has none";
}

TEST(Formats, SayInWhichFolderTheirCommandsRun) {
  const std::string note = "in the folder of libsample.so";
  for (const ReportFormat& format : kReportFormats) {
    if (format.suffix.ends_with("json") || format.suffix == "github.txt") continue;
    const std::string text = format.render(Sample(), Spec::Embedded(), std::nullopt);
    EXPECT_NE(text.find(note), std::string::npos) << format.suffix;
  }
  Report report = Sample();
  report.run.argv.back() = "reference";
  EXPECT_EQ(FolderNote(report), "");
}

TEST(Formats, DocumentNamesEveryOption) {
  const std::string text = ReadAll(std::string(POOLPROOF_SOURCE_FOLDER) + "/docs/reports.md");
  for (const ReportFormat& format : kReportFormats) {
    EXPECT_NE(text.find("`" + std::string(format.option) + " F`"), std::string::npos)
        << "docs/reports.md says nothing of " << format.option;
  }
}

// The words of files are in the schema too.
TEST(Formats, SchemaHasTheWordsOfTheTables) {
  const auto schema = nlohmann::json::parse(ReadAll(
      std::string(POOLPROOF_SOURCE_FOLDER) + "/reports/schema/poolproof-report-1.schema.json"));
  const auto words = [&](const char* place) {
    return schema.at(nlohmann::json::json_pointer(place)).at("enum").get<std::set<std::string>>();
  };
  const std::string run = "/properties/run/properties";
  EXPECT_EQ(words((run + "/set").c_str()),
            std::set<std::string>(kCaseSetNames.begin(), kCaseSetNames.end()));
  std::set<std::string> reasons;
  for (const StopReasonInfo& info : kStopReasons) reasons.emplace(info.word);
  EXPECT_EQ(words((run + "/stopped_by").c_str()), reasons);
  EXPECT_EQ(words("/$defs/shard_record/properties/stopped_by"), reasons);
  std::set<std::string> profiles;
  for (const ProfileInfo& info : AllProfiles()) profiles.emplace(info.name);
  EXPECT_EQ(words("/properties/profile"), profiles);
  std::set<std::string> scopes;
  for (const RunScope scope : {RunScope::kFull, RunScope::kSelected}) {
    scopes.emplace(RunScopeName(scope));
  }
  EXPECT_EQ(words((run + "/scope").c_str()), scopes);
}

TEST(Json, ErrorMatchesGolden) {
  Report report = Sample();
  report.verdict = RunVerdict::kError;
  report.error = "a worker did not start";
  report.failures.clear();
  report.also_failed.clear();
  report.summary = Summary();
  report.implementation.probe.devices.reset();
  ExpectGolden("error.json", ReportJsonText(report));
}

TEST(Waived, TextMatchesGolden) {
  ExpectGolden("waived.txt", ReportText(Waived(), Spec::Embedded(), TextStyle()));
}

TEST(Waived, NothingButTheStaleWaiverIsRed) {
  Report report = Waived();
  EXPECT_EQ(Times(ReportJUnit(report, Spec::Embedded()), "<failure"), 1U) << "KRN-8";
  report.waivers.pop_back();
  report.clauses[4].verdict = ClauseVerdict::kPassed;
  const std::string xml = ReportJUnit(report, Spec::Embedded());
  EXPECT_EQ(Times(xml, "<failure"), 0U);
  EXPECT_EQ(Times(xml, "<error"), 0U);
  EXPECT_NE(xml.find("<skipped message=\"waived (KRN-7 of kernels@example.org"), std::string::npos);
}

TEST(Json, CountsAreDisjointAndSum) {
  const nlohmann::ordered_json json = ReportToJson(Sample());
  std::int64_t sum = 0;
  for (const char* kind :
       {"passed", "failed", "crashed", "timed_out", "inconclusive", "unsupported"}) {
    sum += json["summary"][kind].get<std::int64_t>();
  }
  EXPECT_EQ(json["summary"]["cases"], sum);
  EXPECT_EQ(json["failures_omitted"], 2);
}

TEST(Text, MatchesGolden) {
  TextStyle style;
  style.implementation = "./lib sample.so";
  ExpectGolden("nonconformant.txt", ReportText(Sample(), Spec::Embedded(), style));
}

TEST(Text, CommandsCallTheProgramAsItWasCalled) {
  TextStyle style;
  style.program = "build/bin/poolproof";
  style.implementation = "../lib.so";
  EXPECT_NE(ReportText(Sample(), Spec::Embedded(), style)
                .find("    build/bin/poolproof replay --implementation ../lib.so "),
            std::string::npos);
}

TEST(Text, WhatTheLibraryPrintedIsShownOnRequest) {
  TextStyle style;
  EXPECT_EQ(ReportText(Sample(), Spec::Embedded(), style).find("printed"), std::string::npos);
  style.detail = Detail::kAll;
  EXPECT_NE(
      ReportText(Sample(), Spec::Embedded(), style)
          .find("    the library printed:\n      [INFO] on the way\n      ?[31m[ERROR] <core>"),
      std::string::npos);
}

TEST(KeptOutput, IsTheEndWithoutControlCharactersAndFolders) {
  EXPECT_EQ(KeptOutput(""), "");
  EXPECT_EQ(KeptOutput("\n \n"), "");
  EXPECT_EQ(KeptOutput("a\r\nb\tc\x1b[2J\x7f /home/u/l.so\n\n"), "a\nb c?[2J? l.so");
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "line " + std::to_string(i) + "\n";
  const std::string kept = KeptOutput(lines);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), 11);
  EXPECT_TRUE(kept.starts_with("line 88\n")) << kept;
  EXPECT_TRUE(kept.ends_with("\nline 99")) << kept;
  EXPECT_EQ(KeptOutput(std::string(5000, 'x')), std::string(1024, 'x'));
  EXPECT_EQ(KeptOutput(std::string(5000, 'x') + "\nlast"), "last");
  EXPECT_EQ(KeptOutput(kept), kept);
}

TEST(Text, ARunThatManyHangsEndedSaysHowToGoOn) {
  Report report = Sample();
  report.run.stopped_by = StopReason::kTimeouts;
  EXPECT_NE(
      ReportText(report, Spec::Embedded(), {}).find("calls that hung; to continue, fix these"),
      std::string::npos);
}

TEST(Json, KeepsHowOftenARareFailureShowed) {
  Report report = Sample();
  report.root_causes.front().runs = 100;
  report.root_causes.front().failed_runs = 20;
  const Result<Report> read = ParseReport(ReportJsonText(report));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->root_causes, report.root_causes);
}

TEST(Text, AdvisoryKindsTakeALineBesideRequiredOnes) {
  Report report = Sample();
  report.acceptance.clear();  // leaves room for it
  report.root_causes.clear();
  const std::string both = ReportText(report, Spec::Embedded(), {});
  EXPECT_NE(both.find("4 failing cases: 3 fail a required clause, 1 fails advisory clauses only"),
            std::string::npos);
  EXPECT_EQ(both.find("#2"), std::string::npos);
  report.failures.erase(report.failures.begin());
  const std::string alone = ReportText(report, Spec::Embedded(), {});
  EXPECT_NE(alone.find("  #1 SAF-08 (advisory), SIGSEGV (signal 11), case 40 "), std::string::npos)
      << alone;
}

TEST(Text, ManyClausesWithoutAnAnswerTakeALineBesideFailures) {
  Report report = Sample();
  report.acceptance.clear();
  report.root_causes.clear();
  for (int i = 0; i < 12; ++i) report.clauses.push_back(report.clauses[4]);
  const std::string line = "\n13 required clauses not decided: ";
  EXPECT_EQ(Times(ReportText(report, Spec::Embedded(), {}), line), 1U);
  report = Within();
  report.verdict = RunVerdict::kIncomplete;
  report.clauses.assign(13, Sample().clauses[4]);
  EXPECT_EQ(Times(ReportText(report, Spec::Embedded(), {}), "not decided beside"), 0U);
}

TEST(Text, VerdictComesFirstAndColoursOnlyOnRequest) {
  TextStyle style;
  EXPECT_TRUE(ReportText(Sample(), Spec::Embedded(), style).starts_with("NONCONFORMANT"));
  EXPECT_EQ(ReportText(Sample(), Spec::Embedded(), style).find('\033'), std::string::npos);
  style.colour = true;
  EXPECT_TRUE(ReportText(Sample(), Spec::Embedded(), style).starts_with("\033["));
}

Report Conformant() {
  Report report = Sample();
  report.verdict = RunVerdict::kConformant;
  report.failures.clear();
  report.also_failed.clear();
  report.root_causes.clear();
  report.unexplained = 0;
  report.clauses = {report.clauses.front()};
  report.properties = {report.properties.front()};
  report.summary = {.cases = 12, .passed = 12};
  return report;
}

// Histories of CI systems use the name: the statement may be reworded.
TEST(JUnit, NamesAreIdsAndStatementsAreProperties) {
  const std::string text = ReportJUnit(Sample(), Spec::Embedded());
  for (const ClauseResult& clause : Sample().clauses) {
    EXPECT_EQ(Times(text, "<testcase name=\"" + clause.id + "\" "), 1U) << clause.id;
  }
  EXPECT_EQ(Times(text, "<property name=\"statement\" value=\"gradients whose indices coincide"),
            1U);
  EXPECT_NE(text.find("<testcase name=\"run\" classname=\"poolproof.atlas-a2.run\" "
                      "time=\"12.500\">"),
            std::string::npos);
}

TEST(JUnit, IsRedWhereTheRunIsNotConformant) {
  const std::string good = ReportJUnit(Conformant(), Spec::Embedded());
  EXPECT_EQ(Times(good, "<failure"), 0U);
  EXPECT_EQ(Times(good, "<error"), 0U);
  Report incomplete = Conformant();
  incomplete.verdict = RunVerdict::kIncomplete;
  EXPECT_EQ(Times(ReportJUnit(incomplete, Spec::Embedded()), "<error"), 1U);
  Report crash = Sample();
  crash.failures.front().end = "signal 11";
  EXPECT_NE(ReportJUnit(crash, Spec::Embedded()).find("<error message=\"3 of 5,000 cases"),
            std::string::npos);
}

TEST(JUnit, AdvisoryBreachesAreSkippedWithTheReason) {
  const std::string text = ReportJUnit(Sample(), Spec::Embedded());
  EXPECT_NE(text.find("<skipped message=\"advisory, does not affect the verdict: 1 of 9,000 cases"),
            std::string::npos);
}

TEST(Markdown, KeepsToItsBudgetAndSaysWhatIsGone) {
  Report report = Sample();
  for (int i = 0; i < 2000; ++i) {
    report.failures.push_back(report.failures.front());
    report.failures.back().signature += std::to_string(i);
    report.failures.back().shrunk_message = std::string(500, '|');
  }
  const std::string text = ReportMarkdown(report, Spec::Embedded());
  EXPECT_LE(text.size(), kMarkdownBudget);
  EXPECT_GT(text.size(), kMarkdownBudget / 2);
  EXPECT_TRUE(text.starts_with("## :x: Nonconformant"));
  EXPECT_NE(text.find("parts left out"), std::string::npos);
  EXPECT_LE(ReportMarkdown(report, Spec::Embedded(), 2048).size(), 2048U);
}

TEST(Markdown, KindsBehindTheFirstThreeAreFolded) {
  Report report = Sample();
  const std::string before = ReportMarkdown(report, Spec::Embedded());
  for (int i = 0; i < 4; ++i) {
    report.failures.push_back(report.failures.front());
    report.failures.back().signature += std::to_string(i);
  }
  const std::string text = ReportMarkdown(report, Spec::Embedded());
  EXPECT_EQ(Times(text, "<details>"), Times(before, "<details>") + 3);
  EXPECT_EQ(Times(text, "<details>"), Times(text, "</details>"));
  EXPECT_NE(text.find("<summary>MP3-B02, 3 cases</summary>"), std::string::npos);
}

TEST(Markdown, TextOfALibraryIsNoMarkup) {
  Report report = Sample();
  report.implementation.name = "<img src=x>|`a`";
  const std::string text = ReportMarkdown(report, Spec::Embedded());
  EXPECT_EQ(text.find("<img"), std::string::npos);
  EXPECT_NE(text.find("&lt;img src=x&gt;\\|\\`a\\`"), std::string::npos);
}

TEST(InToto, ResultIsThatOfTheGate) {
  const auto result = [](const Report& report) {
    return nlohmann::json::parse(ReportInToto(report))["predicate"]["result"].get<std::string>();
  };
  EXPECT_EQ(result(Conformant()), "PASSED");
  EXPECT_EQ(result(Sample()), "FAILED");
  Report waived = Waived();
  waived.waivers.pop_back();
  EXPECT_EQ(result(waived), "FAILED") << "2P-01 has no answer";
  waived.clauses[4].verdict = ClauseVerdict::kPassed;
  EXPECT_EQ(result(waived), "WARNED");
}

TEST(Diff, MatchesGolden) {
  const ReportDiff diff = DiffReports(Conformant(), Sample());
  EXPECT_TRUE(diff.Broke());
  ExpectGolden("diff.txt", DiffText(diff, Spec::Embedded()));
  ExpectGolden("diff.md", DiffMarkdown(diff, Spec::Embedded()));
}

TEST(Diff, TellsTheFourChangesApart) {
  Report before = Conformant();
  before.clauses = {{"A", Strength::kRequired, ClauseVerdict::kPassed, 1, 0, ""},
                    {"B", Strength::kRequired, ClauseVerdict::kFailed, 1, 1, ""},
                    {"C", Strength::kRequired, ClauseVerdict::kNotRun, 0, 0, ""},
                    {"D", Strength::kRequired, ClauseVerdict::kPassed, 1, 0, ""},
                    {"E", Strength::kAdvisory, ClauseVerdict::kPassed, 1, 0, ""}};
  Report after = before;
  after.clauses[1].verdict = ClauseVerdict::kPassed;
  after.clauses[2].verdict = ClauseVerdict::kPassed;
  after.clauses[3].verdict = ClauseVerdict::kUnsupported;
  after.clauses[4].verdict = ClauseVerdict::kFailed;
  ReportDiff diff = DiffReports(before, after);
  ASSERT_EQ(diff.clauses.size(), 4U);
  EXPECT_FALSE(diff.Broke()) << "an advisory clause decides nothing";
  EXPECT_EQ(diff.clauses[0].change, Change::kBroken);
  EXPECT_EQ(diff.clauses[1].change, Change::kFixed);
  EXPECT_EQ(diff.clauses[2].change, Change::kNew);
  EXPECT_EQ(diff.clauses[3].change, Change::kGone);
  after.clauses[0].verdict = ClauseVerdict::kFailed;
  EXPECT_TRUE(DiffReports(before, after).Broke());
  EXPECT_FALSE(DiffReports(after, after).Broke());
}

TEST(Register, DocumentIsUpToDate) {
  ExpectGolden("discrepancies.md", RegisterMarkdown(Spec::Embedded()),
               std::string(POOLPROOF_SOURCE_FOLDER) + "/docs");
}

TEST(Html, MatchesGolden) {
  ExpectGolden("conformant.html", ReportHtml(Conformant(), Spec::Embedded()));
}

TEST(Html, WhatFailedAndWhereComesBeforeTheCases) {
  const std::string page = ReportHtml(Sample(), Spec::Embedded());
  std::size_t last = 0;
  for (const char* id : {"causes", "failures", "clauses", "coverage", "cases", "statements"}) {
    const std::size_t at = page.find("<h2 id=\"" + std::string(id) + "\">");
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_GT(at, last) << id;
    last = at;
  }
  EXPECT_EQ(Times(page, "<details class=\"card\""), 2U);
  EXPECT_EQ(Times(page, "<details class=\"card\" id=\"failure-1\" open>"), 1U)
      << "the others folded";
  EXPECT_NE(
      page.find("<a class=\"failed\" href=\"#failure-1\" title=\"MP3-B02, failed by 3 of 5,000 "
                "cases: gradients whose"),
      std::string::npos)
      << "a cell leads to its failure";
  EXPECT_EQ(Times(page, " more</summary>"), 0U);
  Report many = Sample();
  for (int i = 0; i < 5; ++i) {
    many.failures.push_back(many.failures.front());
    many.failures.back().signature += std::to_string(i);
  }
  EXPECT_EQ(Times(ReportHtml(many, Spec::Embedded()), "<summary>3 kinds more</summary>"), 1U);
  EXPECT_NE(page.find("1 of 2 are shown on a smaller case that Poolproof found"),
            std::string::npos);
  EXPECT_NE(page.find("<b>1 of 3</b><span>judged clauses passed"), std::string::npos);
  EXPECT_EQ(Times(page, "poolproof explain"), 1U);
}

TEST(Html, OneCaseIsDrawnOnceAndNothingWhereNothingIsWrong) {
  Report report = Sample();
  EXPECT_EQ(Times(ReportHtml(report, Spec::Embedded()), "<svg class=\"plane\""), 1U)
      << "the second failure has no wrong element";
  report.failures.push_back(report.failures.front());
  report.failures.back().signature += "+";
  const std::string page = ReportHtml(report, Spec::Embedded());
  EXPECT_EQ(Times(page, "<svg class=\"plane\""), 1U);
  EXPECT_NE(page.find("The same case as that of failure <a href=\"#failure-1\">1</a>"),
            std::string::npos);
}

// Whether it conforms, when it fails, why that is wrong and how to see it again, in this order and
// before anything that takes room.
TEST(Html, TheHeadAnswersFourQuestions) {
  const std::string page = ReportHtml(Sample(), Spec::Embedded());
  std::size_t last = 0;
  for (const char* words : {"<h1>Nonconformant</h1>", ">: fails when windows overlap along D",
                            "first failure</a>: ", "<p>Clause MP3-B02: gradients whose",
                            "To reproduce the first failure:", "<nav "}) {
    const std::size_t at = page.find(words);
    ASSERT_NE(at, std::string::npos) << words;
    EXPECT_GT(at, last) << words;
    last = at;
  }
}

TEST(Html, TheHeadSaysThatNoRootCauseWasFound) {
  Report report = Sample();
  report.root_causes.clear();
  report.unexplained = 3;
  const std::string page = ReportHtml(report, Spec::Embedded());
  EXPECT_LT(page.find("<p>No root cause found for 3 failing cases"), page.find("<nav "));
}

TEST(Html, TheHeadSaysThatThereAreOtherRootCauses) {
  Report report = Sample();
  EXPECT_EQ(Times(ReportHtml(report, Spec::Embedded()), "other root cause"), 0U);
  report.root_causes.push_back(report.root_causes.front());
  EXPECT_EQ(Times(ReportHtml(report, Spec::Embedded()),
                  "<a href=\"#cause-2\">1 other root cause</a></p>"),
            1U);
}

TEST(Html, RemarksHaveAColumnWhereThereAreAny) {
  EXPECT_EQ(Times(ReportHtml(Sample(), Spec::Embedded()), ">remark</th>"), 1U);
  EXPECT_EQ(Times(ReportHtml(Conformant(), Spec::Embedded()), ">remark</th>"), 0U);
}

TEST(Html, TextOfALibraryIsNoMarkup) {
  Report report = Sample();
  report.implementation.name = "<script>alert(1)</script>";
  report.failures.front().message = "<b onclick=\"x\">\x01\xff";
  report.failures.front().shrunk_message = report.failures.front().message;
  const std::string text = ReportHtml(report, Spec::Embedded());
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_EQ(text.find("<b onclick"), std::string::npos);
  EXPECT_EQ(text.find('\x01'), std::string::npos);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
}

TEST(Html, DrawsPerformanceWhereItIsGiven) {
  const std::string text =
      ReadAll(std::string(POOLPROOF_GOLDEN_FOLDER) + "/other-performance.json");
  const Result<Performance> performance = ParsePerformance(text);
  ASSERT_TRUE(performance.ok()) << performance.status().message();
  const std::string page = ReportHtml(Conformant(), Spec::Embedded(), *performance);
  EXPECT_EQ(Times(page, "<svg class=\"bars\""), 2U) << "one chart per setting";
  EXPECT_EQ(Times(page, "<rect class=\"ours\""), 6U);
  EXPECT_EQ(Times(page, "<rect class=\"peer\""), 18U);
  EXPECT_EQ(Times(page, "<line class=\"light\""), 2U);
  EXPECT_EQ(Times(ReportHtml(Conformant(), Spec::Embedded()), "class=\"bars\""), 0U);
  ExpectGolden("performance.html", page);
}

TEST(Html, DrawsWhatJudgingCosts) {
  const Result<Performance> performance =
      ParsePerformance(ReadAll(std::string(POOLPROOF_GOLDEN_FOLDER) + "/other-judging.json"));
  ASSERT_TRUE(performance.ok()) << performance.status().message();
  ASSERT_EQ(performance->judging.size(), 1U);
  const std::string page = ReportHtml(Conformant(), Spec::Embedded(), *performance);
  EXPECT_EQ(Times(page, "<svg class=\"plot\""), 2U);
  EXPECT_EQ(Times(page, "<polyline class=\"ideal\""), 2U) << "the line, and the one of its name";
  EXPECT_EQ(Times(page, "<circle"), 7U + 16U) << "a point per measurement";
  EXPECT_EQ(Times(page, "class=\"bars\""), 0U);
  EXPECT_EQ(Times(page, "Share of the limit"), 0U);
  EXPECT_NE(page.find("<title>--jobs of one process: 4 workers, 2,210 cases/s</title>"),
            std::string::npos);
  EXPECT_NE(
      page.find("<title>adaptive, uneven, f32: 1 Mi elements of self, 22.4 ms a case</title>"),
      std::string::npos);
  ExpectGolden("judging.html", page);
}

TEST(LinePlot, StaysInItsPlane) {
  LinePlot plot{"label", "x", "y", PlotScale::kLinear, {}};
  plot.series.push_back({"<one>", {{3, 7}}});
  plot.series.push_back({"all", {{3, 7}, {9, 4}}});
  plot.series.push_back({"above", {{3, 7}, {9, 700}}, /*measured=*/false});
  const std::string svg = DrawLinePlot(plot);
  EXPECT_EQ(svg.find("<one>"), std::string::npos) << "names are no markup";
  EXPECT_EQ(Times(svg, "<circle"), 3U);
  const auto number = [&](std::size_t at) { return std::stod(svg.substr(at)); };
  for (const std::string part : {"cx=\"", " x=\""}) {
    for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) {
      EXPECT_GE(number(at + part.size()), 0);
      EXPECT_LE(number(at + part.size()), 760);
    }
  }
  const std::size_t ideal = svg.find("class=\"ideal\" points=\"");
  ASSERT_NE(ideal, std::string::npos);
  EXPECT_GE(number(svg.rfind(',', svg.find("\"/>", ideal)) + 1), 0) << "cut at the top";
  for (const PlotScale scale : {PlotScale::kLinear, PlotScale::kLogarithmic}) {
    plot.series = {{"single", {{1, 0.003}}}};
    plot.scale = scale;
    EXPECT_EQ(DrawLinePlot(plot).find("nan"), std::string::npos);
    EXPECT_EQ(DrawLinePlot(plot).find("inf"), std::string::npos);
  }
}

TEST(Performance, HasRowsOrWhatJudgingCosts) {
  const auto message = [](const std::string& members) {
    return ParsePerformance(R"({"schema":"poolproof-performance/1")" + members + "}")
        .status()
        .message();
  };
  const std::string head = R"(,"judging":{"implementation":"x","cpus":1,)";
  EXPECT_NE(message("").find("rows"), std::string::npos);
  EXPECT_NE(message(head + R"("rates":[],"costs":[]})").find("/judging"), std::string::npos);
  EXPECT_NE(message(head + R"("costs":[],"rates":[{"by":"x"}]})").find("jobs or shards"),
            std::string::npos);
  EXPECT_NE(message(head + R"("rates":[],"costs":[{"kind":"k","elements":0,"case_ms":1}]})")
                .find("/judging/costs/0/elements"),
            std::string::npos);
  EXPECT_NE(message(head + R"("rates":[],"costs":[],"more":1})").find("unknown member"),
            std::string::npos);
}

TEST(Performance, RefusalsSayWhereWhatAndWhatWasWanted) {
  const auto message = [](const char* place, const nlohmann::json& value) {
    auto file = nlohmann::json::parse(
        ReadAll(std::string(POOLPROOF_GOLDEN_FOLDER) + "/other-performance.json"));
    file[nlohmann::json::json_pointer(place)] = value;
    return ParsePerformance(file.dump()).status().message();
  };
  EXPECT_EQ(message("/rows/0/ours_ms", 0), "/rows/0/ours_ms: 0 is not a number above 0");
  EXPECT_EQ(message("/rows/1/over_ours/onednn", "fast"),
            "/rows/1/over_ours/onednn: \"fast\" is not a number of at least 0");
  EXPECT_NE(message("/rows/0/speed", 1).find("/rows/0/speed: unknown member"), std::string::npos);
  EXPECT_NE(message("/rows", nlohmann::json::array()).find("1 to 20000 rows"), std::string::npos);
}

// A file of `poolproof bench` with a row: a time and its ratio to `optimized`, within so many
// shares.
Performance TimedOnce(double ms, double over_other, double share) {
  Performance performance;
  performance.implementation = "libx.so";
  PerformanceRow row;
  row.setting = {"backward", "m03_c3d_pool1", "f32", "i32", "1", "warm"};
  row.class_name = "k2s2 wide";
  row.bytes = 1e8;
  row.ours_ms = ms;
  row.ours_interval = Interval{ms * (1 - share), ms * (1 + share)};
  row.light_ms = 1;
  row.limit_ms = 2;
  row.device_ms = ms / 2;
  row.over_ours = {{"optimized", 1 / over_other}};
  row.over_ours_intervals = {
      {"optimized", {1 / (over_other * (1 + share)), 1 / (over_other * (1 - share))}}};
  performance.rows.push_back(row);
  return performance;
}

TEST(Performance, IsReadAsItWasWritten) {
  Performance performance = TimedOnce(5, 1.5, 0.01);
  performance.rows[0].over_limit = 2.5;
  performance.rows[0].over_limit_interval = Interval{2.25, 2.75};
  performance.rows[0].narrow = false;
  performance.not_timed.push_back({{"backward", "m05", "f32", "i32", "-", "cold"},
                                   "libx.so",
                                   "the deadline passed in phase two",
                                   true});
  const Result<Performance> read = ParsePerformance(PerformanceJson(performance));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(*read == performance);
  performance.rows.clear();
  EXPECT_TRUE(ParsePerformance(PerformanceJson(performance)).ok()) << "nothing could be timed";
}

TEST(Performance, BarsAreSharesOfTheLimit) {
  const std::string page = PerformancePage(TimedOnce(4, 1, 0.01), "1");
  EXPECT_NE(page.find("libx.so"), std::string::npos);
  EXPECT_NE(page.find("50 % of the limit"), std::string::npos)
      << "2 ms of additions, not 1 of light";
}

TEST(PerformanceDiff, NamesWhatBecameSlowerBeyondTheNoise) {
  const PerformanceDiff diff = DiffPerformance(TimedOnce(10, 1, 0.02), TimedOnce(12, 1.2, 0.02));
  ASSERT_EQ(diff.slower.size(), 1U);
  EXPECT_NE(PerformanceDiffText(diff).find("slower  m03_c3d_pool1, backward, f32, indices i32, 1 "
                                           "thread, warm: 12 ms, was 10 (+20 %)"),
            std::string::npos)
      << PerformanceDiffText(diff);
  EXPECT_EQ(DiffPerformance(TimedOnce(12, 1.2, 0.02), TimedOnce(10, 1, 0.02)).faster.size(), 1U);
}

TEST(PerformanceDiff, NoiseAndSlowerMachinesAreNoChange) {
  EXPECT_TRUE(DiffPerformance(TimedOnce(10, 1, 0.1), TimedOnce(12, 1.2, 0.1)).slower.empty());
  EXPECT_TRUE(DiffPerformance(TimedOnce(10, 1, 0.02), TimedOnce(20, 1, 0.02)).slower.empty())
      << "all are slower";
  EXPECT_TRUE(DiffPerformance(TimedOnce(10, 1, 0.02), TimedOnce(10, 1.2, 0.02)).slower.empty())
      << "the other became faster";
}

TEST(PerformanceDiff, TellsWhatCannotBeCompared) {
  const Performance before = TimedOnce(10, 1, 0.02);
  Performance after = before;
  after.rows[0].ours_interval.reset();
  EXPECT_EQ(DiffPerformance(before, after).compared, 0);
  EXPECT_EQ(DiffPerformance(before, after).unpaired, 1);
  after.not_timed.push_back({before.rows[0].setting, "libx.so", "the process exited with 3", true});
  after.rows.clear();
  const PerformanceDiff diff = DiffPerformance(before, after);
  ASSERT_EQ(diff.broken.size(), 1U);
  EXPECT_NE(PerformanceDiffMarkdown(diff).find("the process exited with 3"), std::string::npos);
}

TEST(MismatchText, HasCoordinatesAndDecimals) {
  Case problem;
  problem.calls = {MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kBf16,
                                     DataType::kInt32, {1, 2, 3, 4, 5}, {2}, {2}, {0}, {1}, false)};
  EXPECT_EQ(MismatchText(problem, {119, "4049", "zero", 2}),
            "element [0,1,2,3,4]: expected 3.140625 (4049), got 0 (zero), sum of 2 gradients");
  EXPECT_EQ(MismatchText(problem, {0, "3f80..4000 or overflow", "7fc0", 1}),
            "element [0,0,0,0,0]: expected 1 .. 2 or overflow (3f80..4000 or overflow), got NaN "
            "(7fc0), one gradient");
}

TEST(Picture, ShowsTheWrongElementInItsPlane) {
  const Report report = Sample();
  const PlanePictures pictures =
      DrawPlane(*report.failures.front().shrunk, report.failures.front().mismatches);
  ASSERT_EQ(pictures.slices.size(), 1U);
  EXPECT_EQ(Times(pictures.slices.front(), "class=\"cell wrong\""), 1U);
  EXPECT_EQ(Times(pictures.slices.front(), "class=\"window\""), 2U);
  EXPECT_NE(pictures.slices.front().find(">3</text>"), std::string::npos);
}

TEST(Picture, LargePlanesAreCutAroundTheFirstWrongElement) {
  const PlanePictures pictures =
      DrawPlane(ProblemOf({1, 1, 9, 40, 40}), {Mismatch{5 * 1600 + 20 * 40 + 30, "0", "1", 1}});
  EXPECT_EQ(pictures.slices.size(), 3U);
  std::size_t wrong = 0;
  for (const std::string& slice : pictures.slices) {
    EXPECT_EQ(Times(slice, "class=\"cell"), 120U);
    wrong += Times(slice, "class=\"cell wrong\"");
  }
  EXPECT_EQ(wrong, 1U);
  EXPECT_NE(pictures.caption.find("Only the part"), std::string::npos);
}

TEST(Picture, NumbersStandAboveOutlines) {
  const Report report = Sample();
  const std::string svg =
      DrawPlane(*report.failures.front().shrunk, report.failures.front().mismatches).slices.front();
  EXPECT_LT(svg.rfind("<rect"), svg.find("<text class=\"who\""));
  EXPECT_LT(svg.rfind("<rect"), svg.find("<text class=\"value\""));
}

TEST(Picture, NothingToDrawIsNoPicture) {
  Case problem = ProblemOf({1, 1, 1, 1, 3});
  EXPECT_TRUE(DrawPlane(problem, {}).slices.empty()) << "no element is wrong";
  const std::vector<Mismatch> wrong = {Mismatch{1, "40400000", "3f800000", 2}};
  EXPECT_FALSE(DrawPlane(problem, wrong).slices.empty());
  problem.plan.descriptors_only = true;
  EXPECT_TRUE(DrawPlane(problem, wrong).slices.empty());
  problem = ProblemOf({1, 1, 1, 4096, 4096});
  EXPECT_TRUE(DrawPlane(problem, wrong).slices.empty());
}

TEST(HeatMap, CountsCellsByOverlap) {
  const std::vector<HeatMap> maps =
      DrawCoverage(Operator::kMaxPool3dWithArgmaxBackward, Sample().coverage);
  ASSERT_EQ(maps.size(), 4U);
  std::size_t bad = 0;
  for (const HeatMap& map : maps) {
    EXPECT_EQ(Times(map.svg, "<rect"), 270U);
    bad += Times(map.svg, "class=\"b2\"");
    for (const char* other : {"class=\"b1\"", "class=\"b3\"", "class=\"b4\""}) {
      EXPECT_EQ(Times(map.svg, other), 0U) << "1 of 3 fails";
    }
  }
  EXPECT_EQ(bad, 1U);
  EXPECT_EQ(DrawCoverage(Operator::kAdaptiveMaxPool2dBackward, {}).size(), 3U);
}

TEST(HeatMap, CellsThatFailLeadToTheirFailures) {
  std::map<CoverageKey, std::string> targets;
  for (const CoverageCell& cell : Sample().coverage) targets[cell.key] = "failure-3";
  std::size_t links = 0;
  for (const HeatMap& map :
       DrawCoverage(Operator::kMaxPool3dWithArgmaxBackward, Sample().coverage, targets)) {
    links += Times(map.svg, "<a href=\"#failure-3\"><rect class=\"b");
    EXPECT_EQ(Times(map.svg, "<a href"), Times(map.svg, "<rect class=\"b"));
  }
  EXPECT_EQ(links, 1U) << "the others do not fail";
}

}  // namespace
}  // namespace poolproof
