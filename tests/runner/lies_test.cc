// SPDX-License-Identifier: Apache-2.0
//
// Runs with a worker that lies (lying_worker.cc): whatever it says, the run ends with a report, and
// the lie is charged to one case.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "conformance/result/ending.h"
#include "conformance/session/attempt.h"
#include "conformance/session/process_worker.h"
#include "conformance/session/session.h"
#include "reports/json.h"
#include "reports/parse.h"

namespace poolproof {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr std::int64_t kCases = 4;
constexpr std::int64_t kArmed = 1;

// One call of three windows; the lies are about those in ceilMode.
NamedCase SmallCase(std::int64_t number, bool armed) {
  NamedCase named{"lies", std::to_string(number), {}};
  named.problem.calls.push_back(MakeFixedBackward(
      Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat, DataType::kInt32,
      {1, 1, 1, 1, 4 + number}, {1, 1, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, armed));
  return named;
}

// `variable` is the one of the environment that names the fault.
Result<Report> RunFaulty(const std::string& program, const char* variable, const std::string& fault,
                         void (*set)(Case&) = nullptr, double case_s = 120) {
  Implementation implementation;
  implementation.name = "liar";
  implementation.libraries = {std::string(FAKES_FOLDER) + "/libfake_minimal.so"};
  implementation.environment["*"][variable] = fault;
  implementation.limits.case_s = case_s;
  SessionOptions options;
  options.case_file_cases.emplace();
  for (std::int64_t i = 0; i < kCases; ++i) {
    options.case_file_cases->push_back(SmallCase(i, i == kArmed));
    if (i == kArmed && set != nullptr) set(options.case_file_cases->back().problem);
  }
  SessionParts parts = PartsFor(Spec::Embedded(), options);
  parts.investigate = [](const JudgeContext&, const Case& problem, const Verdict& verdict,
                         const std::vector<EarlierCase>&, const FreshAttempt&,
                         const InvestigationLimits&) {
    return Investigation{problem, verdict};
  };
  parts.make_smaller = [](const JudgeContext&, const Case&, const Verdict&, const FreshAttempt&,
                          const InvestigationLimits&) { return std::optional<SmallerCase>(); };
  parts.explain = nullptr;  // new cases by the dozen, each in a worker of its own
  SessionProgress progress;
  const std::atomic<bool> stop{false};
  return RunSession(Spec::Embedded(), MakeSubject(implementation, program), options, parts,
                    progress, stop);
}

struct Lie {
  std::string name;
  std::string end;      // of the failing case
  std::string clause;   // that it breaches
  std::string message;  // part of it
  void (*set)(Case&) = nullptr;
  std::int64_t case_number = kArmed;
};

void Guarded(Case& problem) { problem.plan.guard = Guard::kAfter; }
void NoSize(Case& problem) { problem.plan.null_workspace_size = true; }
void NoExecutor(Case& problem) { problem.plan.null_executor_out = true; }
void Invalid(Case& problem) { problem.calls.front().tensor(Role::kSelf).null = true; }

class Lies : public testing::TestWithParam<Lie> {};

TEST_P(Lies, EndWithAReport) {
  const Lie& lie = GetParam();
  const double case_s = EndOfText(lie.end) == End::kTimedOut ? 1 : 120;
  const Result<Report> report = RunFaulty(LYING_WORKER, "POOLPROOF_LIE", lie.name, lie.set, case_s);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->error, "");
  EXPECT_EQ(report->summary.cases, kCases);
  EXPECT_EQ(report->summary.passed, kCases - 1);
  ASSERT_EQ(report->failures.size(), 1U);
  const Failure& failure = report->failures.front();
  EXPECT_EQ(failure.case_number, lie.case_number);
  EXPECT_EQ(failure.end, lie.end);
  EXPECT_THAT(failure.clauses, Contains(lie.clause));
  EXPECT_THAT(failure.message, HasSubstr(lie.message));
  EXPECT_TRUE(ParseReport(ReportJsonText(*report)).ok());
}

Lie Misfit(const std::string& name, const std::string& message, void (*set)(Case&) = nullptr) {
  return {name, "corrupted", "2P-02", message, set, kArmed};
}

const std::vector<Lie> kLies = {
    Misfit("no-phase-one", "phase one: nothing"),
    Misfit("no-phase-two", "phase two: nothing, after phase one: 0"),
    Misfit("no-synchronise", "synchronise: nothing, after phase two: 0"),
    Misfit("refused-and-went-on", "phase two: 0, after phase one: 161002"),
    Misfit("not-done", "did not come to its end"),
    Misfit("size-not-set", "phase two: 0"),
    Misfit("executor-not-set", "phase two: 0"),
    {"executor-unasked", "corrupted", "2P-05", "an executor, which was not asked for", &NoExecutor},
    {"size-unasked", "corrupted", "2P-05", "workspaceSize, which was not asked for", &NoSize},
    {"size-of-nothing", "corrupted", "SAF-03", "workspaceSize that was not set", &Invalid},
    Misfit("reused-at-once", "run again"),
    Misfit("wrote-to-nobody", "an operand that the call does not have"),
    Misfit("wrote-to-a-stranger", "an operand that the call does not have"),
    Misfit("wrote-and-did-not", "an operand that the call does not have"),
    Misfit("guarded-unasked", "guard pages, which were not asked for"),
    Misfit("no-workspace-overrun", "workspace that the call did not have"),
    Misfit("workspace-touched", "workspace that the call did not have"),
    Misfit("message-of-nothing", "a message, and no status but 0"),
    Misfit("message-too-long", "a message of too many bytes"),
    Misfit("no-result", "gradInput: 0 bytes read back, expected 20"),
    Misfit("short-result", "gradInput: 19 bytes read back, expected 20"),
    Misfit("long-result", "gradInput: 1024 bytes read back, expected 20"),
    Misfit("input-read-back", "gradOutput: 20 bytes read back, expected 0"),
    Misfit("no-calls", "0 calls, expected 1"),
    Misfit("more-calls", "2 calls, expected 1"),
    Misfit("memory-of-nobody", "out: facts about memory"),
    Misfit("result-changed", "carried out counts as changed"),
    Misfit("changed-in-front", "byte -1 changed, of 16"),
    Misfit("changed-behind", "byte 16 changed, of 16"),
    Misfit("damage-to-intact-guards", "damage to a guard zone that is intact"),
    Misfit("touch-unasked", "a touch of guard pages"),
    Misfit("touch-afar", "-9223372036854775808 bytes away", &Guarded),
    Misfit("signalled", "an end that only the runner can report"),
    Misfit("timed-out", "an end that only the runner can report"),
    Misfit("corrupted", "an end that only the runner can report"),
    Misfit("exit-status", "a process that did not end"),
    Misfit("output-of-the-living", "a process that did not end"),
    Misfit("ended-and-did-not", "an end at call 1 of 1"),
    Misfit("threw-afar", "an end at call 18446744073709551615 of 1"),
    Misfit("threw-at-length", "a detail of too many bytes"),
    Misfit("detail-of-nothing", "a detail of calls that all returned"),
    Misfit("growth-unasked", "memory gained"),
    Misfit("heap-gain-unasked", "memory gained"),
    Misfit("resident-gain-unasked", "memory gained"),
    Misfit("spent-for-nothing", "ended without a reason"),
    Misfit("edges-descending", "edges"),
    Misfit("edges-twice", "edges"),
    Misfit("edge-too-far", "edges"),
    Misfit("edges-too-many", "are not such a message"),
    // Lies that agree with themselves are judged as what they say.
    {"refused", "returned", "2P-01", "161002"},
    {"wrong-numbers", "returned", "MP3-B01", "gradInput"},
    {"input-changed", "returned", "SAF-02", "byte 15"},
    {"threw", "threw", "2P-01", "an exception"},
    // In the bytes of the answer.
    Misfit("empty", "not the number of the request"),
    Misfit("few-bytes", "not the number of the request"),
    Misfit("other-number", "not the number of the request"),
    Misfit("cut-off", "are not such a message"),
    Misfit("bytes-behind", "are not such a message"),
    Misfit("other-message", "are not such a message"),
    Misfit("unknown-end", "are not such a message"),
    Misfit("countless-calls", "are not such a message"),
    // On the stream.
    Misfit("answer-before", "not the number of the request"),
    Misfit("endless-answers", "not the number of the request"),
    {"twice", "corrupted", "2P-02", "not the number of the request", nullptr, kArmed + 1},
    Misfit("noise", "are not the start of a frame"),
    Misfit("endless-noise", "are not the start of a frame"),
    Misfit("length-of-everything", "length 18446744073709551615 exceeds"),
    Misfit("length-beyond-the-request", "length 16777216 exceeds"),
    {"part-and-exit", "exit 5", "2P-02", "exited with 5"},
    {"part-and-no-more", "timed out", "2P-02", "deadline"},
    {"endless-output", "timed out", "2P-02", "deadline"},
    {"closed-and-alive", "timed out", "2P-02", "deadline"},
    {"nowhere-and-dead", "signal 10", "2P-02", "in the end"},
    {"page-taken-away", "signal 10", "2P-02", "in phase two"},
};

INSTANTIATE_TEST_SUITE_P(All, Lies, testing::ValuesIn(kLies), [](const auto& row) {
  std::string name = row.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(LiesOfOurOwnFaults, AreNoVerdict) {
  const Result<Report> report = RunFaulty(LYING_WORKER, "POOLPROOF_LIE", "harness");
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->summary.inconclusive, 1);
  EXPECT_EQ(report->summary.passed, kCases - 1);
}

TEST(LiesAtTheOpening, MakeTheImplementationUnusable) {
  for (const char* lie :
       {"open-empty", "open-cut-off", "open-noise", "open-too-long", "open-no-operators"}) {
    EXPECT_EQ(RunFaulty(LYING_WORKER, "POOLPROOF_LIE", lie).status().code(),
              StatusCode::kUnavailable)
        << lie;
  }
}

TEST(LiesAtTheOpening, AboutNamesAreReportedAsTheyAre) {
  const Result<Report> report = RunFaulty(LYING_WORKER, "POOLPROOF_LIE", "open-odd-names");
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->summary.passed, kCases);
  EXPECT_TRUE(ParseReport(ReportJsonText(*report)).ok());
}

// A device that refuses all work after a fault.
TEST(StickyFaults, CostOneCase) {
  const Result<Report> report = RunFaulty(WORKER_PROGRAM, "POOLPROOF_FAKE", "sticky");
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->summary.passed, kCases - 1);
  ASSERT_EQ(report->failures.size(), 1U);
  EXPECT_EQ(report->failures.front().case_number, kArmed);
  EXPECT_THAT(report->failures.front().message, HasSubstr("synchronise returned 507015"));
}

}  // namespace
}  // namespace poolproof
