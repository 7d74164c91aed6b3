// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/float_bits.h"
#include "tests/judge/simulated.h"

namespace poolproof {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

JudgeContext Context(Profile profile = Profile::kAtlasA2) {
  return {&Spec::Embedded(), profile, false};
}

Case Single(Call call) {
  Case problem;
  problem.calls = {std::move(call)};
  return problem;
}

Call Overlapping(DataType type = DataType::kFloat) {
  return MakeFixedBackward(type, DataType::kInt32, {2, 2, 3, 5, 6}, {2, 3, 2}, {1, 2, 1}, {0, 1, 0},
                           {1}, false);
}

Call Apart(DataType type = DataType::kFloat) {
  return MakeFixedBackward(type, DataType::kInt32, {1, 3, 4, 5, 6}, {2}, {}, {0}, {1}, false);
}

std::vector<std::string> Blamed(const Verdict& verdict) {
  std::vector<std::string> ids;
  for (const Finding& finding : verdict.findings) {
    ids.insert(ids.end(), finding.clauses.begin(), finding.clauses.end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

TEST(Judge, PassesTheDefinitionAndNamesItsEvidence) {
  const Verdict verdict = JudgeSimulated(Context(), Single(Overlapping()), SimulatedFault::kNone);
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed);
  for (const char* id :
       {"MP3-B01", "MP3-B02", "MP3-B03", "MP3-B22", "MP3-B23", "2P-01", "SAF-01"}) {
    EXPECT_THAT(verdict.evidence, Contains(std::string(id)));
  }
  EXPECT_THAT(verdict.evidence, Not(Contains("MP3-B20")));
  EXPECT_THAT(verdict.evidence, Not(Contains("MP3-B21")));
}

TEST(Judge, PassesLawfulSummationsOnAllData) {
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    for (const DataKind kind : {DataKind::kExact, DataKind::kCoded, DataKind::kUniform,
                                DataKind::kWide, DataKind::kSubnormal}) {
      for (const SimulatedFault variant :
           {SimulatedFault::kReverseOrder, SimulatedFault::kStorageSums,
            SimulatedFault::kNegativeZero}) {
        Case problem = Single(Overlapping(type));
        problem.calls[0].tensor(Role::kGradOutput).data.kind = kind;
        problem.calls[0].tensor(Role::kIndices).data.kind = DataKind::kShared;
        const Verdict verdict = JudgeSimulated(Context(), problem, variant);
        EXPECT_EQ(verdict.kind, VerdictKind::kPassed)
            << DataTypeName(type) << " " << static_cast<int>(kind) << ": "
            << (verdict.findings.empty() ? "" : verdict.findings[0].message);
      }
    }
  }
}

struct FaultRow {
  SimulatedFault fault;
  bool overlap;
  std::vector<std::string> clauses;
};

TEST(Judge, NamesTheClauseOfAWrongNumber) {
  const FaultRow rows[] = {
      {SimulatedFault::kAssign, true, {"MP3-B02"}},
      {SimulatedFault::kDropLast, false, {"MP3-B01"}},
      {SimulatedFault::kShifted, false, {"MP3-B01"}},
      {SimulatedFault::kFirstPlaneOnly, false, {"MP3-B01"}},
      {SimulatedFault::kWritesGuard, false, {"SAF-01"}},
      {SimulatedFault::kChangesInput, false, {"SAF-02"}},
      {SimulatedFault::kPhaseOneWrites, false, {"2P-01"}},
      {SimulatedFault::kLeavesExecutor, false, {"2P-01"}},
  };
  for (const FaultRow& row : rows) {
    const Verdict verdict =
        JudgeSimulated(Context(), Single(row.overlap ? Overlapping() : Apart()), row.fault);
    EXPECT_EQ(verdict.kind, VerdictKind::kFailed) << static_cast<int>(row.fault);
    EXPECT_EQ(Blamed(verdict), row.clauses) << static_cast<int>(row.fault);
  }
}

TEST(Judge, SeesPoisonThatStayed) {
  for (const Poison poison : {Poison::kNan, Poison::kFinite}) {
    Case problem = Single(Apart());
    problem.plan.output = poison;
    const Verdict verdict = JudgeSimulated(Context(), problem, SimulatedFault::kTailUncleared);
    EXPECT_THAT(Blamed(verdict), Contains("MP3-B03"));
  }
  Case clean = Single(Apart());
  clean.plan.output = Poison::kZero;
  const Verdict verdict = JudgeSimulated(Context(), clean, SimulatedFault::kNone);
  EXPECT_THAT(verdict.evidence, Not(Contains("MP3-B03"))) << "zeros that were zero prove nothing";
}

TEST(Judge, SeesGapsOfAViewOverwritten) {
  Call call = Apart();
  call.tensor(Role::kGradInput).strides = {720, 240, 60, 12, 2};
  const Verdict verdict = JudgeSimulated(Context(), Single(call), SimulatedFault::kWritesGap);
  EXPECT_THAT(Blamed(verdict), ElementsAre("SAF-01"));
}

TEST(Judge, HoldsSpecialValuesByPosition) {
  Call call = Apart();
  Data& gradients = call.tensor(Role::kGradOutput).data;
  gradients.patches = {{2, EncodeFloat(HUGE_VAL, DataType::kFloat)}};
  Verdict verdict = JudgeSimulated(Context(), Single(call), SimulatedFault::kNone);
  EXPECT_THAT(verdict.evidence, Contains("MP3-B04"));
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), Single(call), SimulatedFault::kInfinityClamped)),
              ElementsAre("MP3-B04"));
  gradients.patches = {{2, EncodeFloat(NAN, DataType::kFloat)}};
  verdict = JudgeSimulated(Context(), Single(call), SimulatedFault::kNone);
  EXPECT_THAT(verdict.evidence, Contains("MP3-B05"));
  Case problem = Single(call);
  problem.plan.output = Poison::kFinite;
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), problem, SimulatedFault::kNanEverywhere)),
              Contains("MP3-B05"));
}

TEST(Judge, AllZeroGradientsProveNoScatter) {
  Call call = Apart();
  call.tensor(Role::kGradOutput).data = {};
  const Verdict verdict = JudgeSimulated(Context(), Single(call), SimulatedFault::kNone);
  EXPECT_THAT(verdict.evidence, Not(Contains("MP3-B01")));
  EXPECT_THAT(verdict.evidence, Not(Contains("MP3-B02")));
}

TEST(Judge, HoldsRefusalsAgainstTheStatusTable) {
  Call call = Apart();
  call.tensor(Role::kSelf).null = true;
  const Case null_self = Single(call);
  Verdict verdict = JudgeSimulated(Context(), null_self, SimulatedFault::kNone);
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed);
  EXPECT_THAT(verdict.evidence, Contains("MP3-S01"));
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), null_self, SimulatedFault::kWrongNullCode)),
              ElementsAre("MP3-S01"));
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), null_self, SimulatedFault::kAcceptsEverything)),
              ElementsAre("MP3-S01"));
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), null_self, SimulatedFault::kRefusesLate)),
              ElementsAre("2P-08"));
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), null_self, SimulatedFault::kRefusedCallWrites)),
              ElementsAre("2P-04"));
}

TEST(Judge, AnyErrorMayComeLate) {
  Call call = Apart();
  for (const Role role : InfoOf(call.op).tensors) call.tensor(role).shape = {2, 2, 2};
  call.tensor(Role::kIndices).data = {};
  const Verdict verdict = JudgeSimulated(Context(), Single(call), SimulatedFault::kRefusesLate);
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed);
  EXPECT_THAT(verdict.evidence, Contains("MP3-S32"));
}

TEST(Judge, ForeignIndicesAreRecordedOnly) {
  Call call = Apart();
  call.tensor(Role::kIndices).data.patches = {{0, static_cast<std::uint64_t>(-1)}};
  Verdict verdict = JudgeSimulated(Context(), Single(call), SimulatedFault::kDropLast);
  EXPECT_EQ(verdict.kind, VerdictKind::kRecorded);
  EXPECT_THAT(verdict.note, HasSubstr("outside the plane"));
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), Single(call), SimulatedFault::kWritesGuard)),
              ElementsAre("SAF-04"));
}

TEST(Judge, CrashesBreachTheProtocolByPhase) {
  const Case problem = Single(Apart(DataType::kFloat16));
  const Verdict verdict = JudgeSimulated(Context(), problem, SimulatedFault::kCrashesOnHalf);
  EXPECT_THAT(Blamed(verdict), ElementsAre("2P-02"));
  EXPECT_THAT(verdict.findings[0].message, HasSubstr("signal 11"));
}

TEST(Judge, RepeatsMustAgreeUnderTheDeterministicOptionOnly) {
  Case problem = Single(Overlapping(DataType::kFloat16));
  problem.calls[0].tensor(Role::kGradOutput).data.kind = DataKind::kUniform;
  problem.calls[0].tensor(Role::kIndices).data.kind = DataKind::kShared;
  problem.plan.repeat = 2;
  EXPECT_EQ(JudgeSimulated(Context(), problem, SimulatedFault::kNotRepeatable).kind,
            VerdictKind::kPassed);
  problem.plan.deterministic = true;
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), problem, SimulatedFault::kNotRepeatable)),
              ElementsAre("MP3-B30"));
}

TEST(Judge, GrowthIsHeldAgainstItsAllowance) {
  Case problem = Single(Apart());
  problem.plan.growth_calls = 500;
  EXPECT_THAT(JudgeSimulated(Context(), problem, SimulatedFault::kNone).evidence,
              Contains("SAF-06"));
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), problem, SimulatedFault::kGrows)),
              ElementsAre("SAF-06"));
}

TEST(Judge, HarnessFaultsAreInconclusive) {
  const Case problem = Single(Apart());
  Outcome outcome;
  outcome.end = End::kHarness;
  outcome.detail = "no worker";
  const Result<Materialized> data = Materialize(problem);
  ASSERT_TRUE(data.ok());
  const Verdict verdict = Judge(Context(), problem, *data, outcome);
  EXPECT_EQ(verdict.kind, VerdictKind::kInconclusive);
  EXPECT_EQ(verdict.note, "no worker");
}

}  // namespace
}  // namespace poolproof
