// SPDX-License-Identifier: Apache-2.0
//
// The renderers against reviewed files. POOLPROOF_UPDATE_GOLDEN=1 writes them anew.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "conformance/spec/spec.h"
#include "reports/json.h"
#include "reports/text.h"
#include "reports/write_file.h"

namespace poolproof {
namespace {

Case ProblemOf(Dims self) {
  Case problem;
  problem.calls.push_back(MakeFixedBackward(DataType::kFloat, DataType::kInt32, std::move(self),
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
  report.profile = "atlas-a2";
  report.run.argv = {"poolproof", "run", "--implementation", "libsample.so"};
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
                    .recorded = 2};
  report.clauses = {
      {"MP3-B01", "required", ClauseVerdict::kPassed, 12000, 0, ""},
      {"MP3-B02", "required", ClauseVerdict::kFailed, 5000, 3, ""},
      {"MP3-B24", "required", ClauseVerdict::kNotApplicable, 0, 0, "outside profile atlas-a2"},
      {"AMP2-B01", "required", ClauseVerdict::kUnsupported, 0, 0,
       "aclnnAdaptiveMaxPool2dBackward is not offered"},
      {"2P-01", "required", ClauseVerdict::kInconclusive, 0, 0, "no answer"},
      {"SAF-08", "advisory", ClauseVerdict::kFailed, 9000, 1, ""}};
  Failure sum;
  sum.clauses = {"MP3-B02"};
  sum.end = "returned";
  sum.message = "element 1 lost a contribution\xff";
  sum.case_number = 17;
  sum.path = "MaxPool3dWithArgmaxBackward/overlap/3";
  sum.problem = ProblemOf({1, 2, 3, 4, 5});
  sum.shrunk = ProblemOf({1, 1, 1, 1, 3});
  sum.first_mismatch = Mismatch{1, "f32:40400000", "f32:3f800000", 2};
  sum.signature = "MaxPool3dWithArgmaxBackward:contribution-lost:MP3-B02";
  Failure crash;
  crash.clauses = {"SAF-08"};
  crash.advisory = true;
  crash.end = "signal 11";
  crash.message = "the working directory changed";
  crash.case_number = 40;
  crash.path = "MaxPool3dWithArgmaxBackward/protocol/SAF-08";
  crash.problem = ProblemOf({1, 1, 1, 1, 2});
  crash.signature = "MaxPool3dWithArgmaxBackward:process-changed:SAF-08";
  report.failures = {sum, crash};
  report.discrepancies = {{"DD-01", {"D1", "D4"}, "The window formula."}};
  return report;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(POOLPROOF_GOLDEN_FOLDER) + "/" + name;
  if (std::getenv("POOLPROOF_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  EXPECT_EQ(ReadAll(path), text) << "differs from " << name;
}

TEST(Json, MatchesGolden) { ExpectGolden("nonconformant.json", ReportJsonText(Sample())); }

TEST(Json, ErrorMatchesGolden) {
  Report report = Sample();
  report.verdict = RunVerdict::kError;
  report.error = "a worker did not start";
  report.failures.clear();
  report.summary = Summary();
  report.implementation.probe.devices.reset();
  ExpectGolden("error.json", ReportJsonText(report));
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

TEST(Text, VerdictComesFirstAndColoursOnlyOnRequest) {
  TextStyle style;
  EXPECT_TRUE(ReportText(Sample(), Spec::Embedded(), style).starts_with("NONCONFORMANT"));
  EXPECT_EQ(ReportText(Sample(), Spec::Embedded(), style).find('\033'), std::string::npos);
  style.colour = true;
  EXPECT_TRUE(ReportText(Sample(), Spec::Embedded(), style).starts_with("\033["));
}

TEST(Text, ShellQuoting) {
  EXPECT_EQ(ShellQuoted("reference"), "reference");
  EXPECT_EQ(ShellQuoted("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellQuoted(""), "''");
}

class WriteFile : public testing::Test {
 protected:
  WriteFile() : folder_(std::filesystem::temp_directory_path() / "poolproof_write_XXXXXX") {
    std::string name = folder_.string();
    folder_ = mkdtemp(name.data());
  }
  ~WriteFile() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t Files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::filesystem::path folder_;
};

TEST_F(WriteFile, ReplacesAndLeavesNothingElse) {
  ASSERT_TRUE(WriteFileAtomically(Path("r.json"), "old").ok());
  ASSERT_TRUE(WriteFileAtomically(Path("r.json"), "new").ok());
  EXPECT_EQ(ReadAll(Path("r.json")), "new");
  EXPECT_EQ(Files(), 1U);
}

TEST_F(WriteFile, CheckSaysWhatIsWrongAndLeavesNothing) {
  EXPECT_TRUE(CheckWritable(Path("r.json")).ok());
  EXPECT_EQ(CheckWritable(folder_.string()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckWritable(Path("none/r.json")).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckWritable("").code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(CheckWritable("/dev/null").ok());
  EXPECT_EQ(Files(), 0U);
}

TEST_F(WriteFile, FailureLeavesNothing) {
  EXPECT_EQ(WriteFileAtomically(Path("none/r.json"), "text").code(), StatusCode::kUnavailable);
  EXPECT_EQ(Files(), 0U);
}

}  // namespace
}  // namespace poolproof
