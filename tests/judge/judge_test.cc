// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
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

JudgeContext Context(Profile profile = Profile::kAtlasA2) { return {&Spec::Embedded(), profile}; }

Case Single(Call call) {
  Case problem;
  problem.calls = {std::move(call)};
  return problem;
}

Call Overlapping(DataType type = DataType::kFloat) {
  return MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, type, DataType::kInt32,
                           {2, 2, 3, 5, 6}, {2, 3, 2}, {1, 2, 1}, {0, 1, 0}, {1}, false);
}

// Enough coinciding gradients for every way to add and to round to show.
Call Crowded(DataType type) {
  return MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, type, DataType::kInt32,
                           {2, 8, 3, 9, 9}, {3}, {1}, {1}, {1}, false);
}

Call Apart(DataType type = DataType::kFloat) {
  return MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, type, DataType::kInt32,
                           {1, 3, 4, 5, 6}, {2}, {}, {0}, {1}, false);
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

TEST(Judge, PassesEverySummationWithinTheBound) {
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

// Ordinary data of two gradients or more tell other roundings from the law's.
TEST(Judge, FailsRoundingOtherThanToNearestEven) {
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    for (const SimulatedFault rounding : {SimulatedFault::kTruncates, SimulatedFault::kTiesAway}) {
      Case problem = Single(Crowded(type));
      problem.calls[0].tensor(Role::kGradOutput).data.kind = DataKind::kUniform;
      problem.calls[0].tensor(Role::kIndices).data.kind = DataKind::kWindow;
      const Verdict verdict = JudgeSimulated(Context(), problem, rounding);
      EXPECT_EQ(verdict.kind, VerdictKind::kFailed)
          << DataTypeName(type) << " " << static_cast<int>(rounding);
      EXPECT_THAT(Blamed(verdict), ElementsAre("MP3-B02"))
          << DataTypeName(type) << " " << static_cast<int>(rounding);
    }
  }
}

TEST(Judge, SetsSumsBesideStricterStandards) {
  const auto sums = [](DataType type, SimulatedFault variant) {
    Case problem = Single(Crowded(type));
    problem.calls[0].tensor(Role::kGradOutput).data.kind = DataKind::kUniform;
    problem.calls[0].tensor(Role::kIndices).data.kind = DataKind::kWindow;
    const Verdict verdict = JudgeSimulated(Context(), problem, variant);
    EXPECT_EQ(verdict.kind, VerdictKind::kPassed);
    EXPECT_EQ(verdict.sums.size(), 1U);
    EXPECT_EQ(verdict.sums[0].type, type);
    EXPECT_GT(verdict.sums[0].sums, 0);
    EXPECT_EQ(verdict.sums[0].out_of_bound, 0);
    EXPECT_EQ(verdict.sums[0].results, 1);
    return verdict.sums[0];
  };
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    EXPECT_EQ(sums(type, SimulatedFault::kNone).misrounded, 0);
    EXPECT_EQ(sums(type, SimulatedFault::kNone).beyond_acc32, 0);
    EXPECT_GT(sums(type, SimulatedFault::kStorageSums).misrounded, 0);
  }
  EXPECT_EQ(sums(DataType::kFloat, SimulatedFault::kStorageSums).beyond_acc32, 0);
  EXPECT_GT(sums(DataType::kFloat16, SimulatedFault::kStorageSums).beyond_acc32, 0);
  EXPECT_GT(sums(DataType::kBf16, SimulatedFault::kStorageSums).beyond_acc32, 0);
  EXPECT_EQ(sums(DataType::kFloat, SimulatedFault::kNone).ecosystem, 1);
}

TEST(Judge, SaysWhatItsEvidenceWasMadeOf) {
  Case problem = Single(Apart());
  Verdict verdict = JudgeSimulated(Context(), problem, SimulatedFault::kNone);
  EXPECT_EQ(verdict.traits, kTraitFloat | kTraitPlanes);
  problem = Single(Overlapping(DataType::kBf16));
  problem.calls[0].tensor(Role::kGradOutput).data.kind = DataKind::kUniform;
  problem.calls[0].tensor(Role::kGradOutput).strides = {360, 180, 30, 6, 1};
  problem.calls[0].tensor(Role::kIndices).data.kind = DataKind::kShared;
  verdict = JudgeSimulated(Context(), problem, SimulatedFault::kNone);
  EXPECT_EQ(verdict.traits, kTraitBfloat | kTraitPlanes | kTraitMerge | kTraitInexact | kTraitView);
}

// Windows apart from one another, each gradient the same: an element holds what any other does.
TEST(Judge, EqualSumsEverywhereAreNoEvidenceOfTheirPlaces) {
  Case problem =
      Single(MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat,
                               DataType::kInt32, {1, 1, 2, 3, 4}, {1}, {1}, {0}, {1}, false));
  problem.calls[0].tensor(Role::kGradOutput).strides = {24, 24, 1, 2, 6};
  problem.calls[0].tensor(Role::kGradOutput).data.kind = DataKind::kCoded;
  const Verdict alike = JudgeSimulated(Context(), problem, SimulatedFault::kNone);
  EXPECT_EQ(alike.kind, VerdictKind::kPassed);
  EXPECT_THAT(alike.evidence, Not(Contains("MP3-B01")));
  EXPECT_THAT(alike.evidence, Not(Contains("MP3-B21"))) << "in any order";
  EXPECT_THAT(alike.evidence, Contains("MP3-B22"));
  problem.calls[0].tensor(Role::kGradOutput).data.kind = DataKind::kExact;
  const Verdict told = JudgeSimulated(Context(), problem, SimulatedFault::kNone);
  EXPECT_THAT(told.evidence, Contains("MP3-B01"));
  EXPECT_THAT(told.evidence, Contains("MP3-B21"));
}

// Every run agrees on exact data, whatever the order of summation.
TEST(Judge, ExactDataAreNoEvidenceOfDeterminism) {
  Case problem = Single(Overlapping());
  problem.plan.deterministic = true;
  problem.plan.repeat = 2;
  problem.calls[0].tensor(Role::kIndices).data.kind = DataKind::kShared;
  EXPECT_THAT(JudgeSimulated(Context(), problem, SimulatedFault::kNone).evidence,
              Not(Contains("MP3-B30")));
  problem.calls[0].tensor(Role::kGradOutput).data = {DataKind::kUniform, 3, {}, {}};
  EXPECT_THAT(JudgeSimulated(Context(), problem, SimulatedFault::kNone).evidence,
              Contains("MP3-B30"));
}

// Sums of three on a cell, rounded; the largest gradient alone makes the bits, in any order.
TEST(Judge, AGradientThatDwarfsTheOthersIsNoEvidenceOfDeterminism) {
  Case problem = Single(MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat,
                                          DataType::kInt32, {1, 1, 1, 1, 5}, {1, 1, 3}, {1, 1, 1},
                                          {0, 0, 0}, {1, 1, 1}, false));
  problem.plan.deterministic = true;
  problem.plan.repeat = 2;
  TensorSpec& gradients = problem.calls[0].tensor(Role::kGradOutput);
  problem.calls[0].tensor(Role::kIndices).data = {DataKind::kConstant, 0, {2}, {}};
  gradients.data = {DataKind::kLiteral, 0, {0x7e800000, 0x3f800001, 0x3f800003}, {}};
  EXPECT_THAT(JudgeSimulated(Context(), problem, SimulatedFault::kNone).evidence,
              Not(Contains("MP3-B30")));
  gradients.data.literal = {0x3f800000, 0x33800000, 0x33800000};  // 1 and 2^-24 twice
  EXPECT_THAT(JudgeSimulated(Context(), problem, SimulatedFault::kNone).evidence,
              Contains("MP3-B30"));
}

// Gradients around the smallest normal number, of both signs.
Case Near(Call call, DataType type) {
  Case problem = Single(std::move(call));
  const double least = TraitsOf(type).min_normal;
  const double steps[] = {1, -1.5, 0.5, 1.75, -0.25, 3, -1, 2};
  Data& data = problem.calls[0].tensor(Role::kGradOutput).data;
  data = Data();
  data.kind = DataKind::kLiteral;
  const std::int64_t count = *CheckedNumel(problem.calls[0].tensor(Role::kGradOutput).shape);
  for (std::int64_t i = 0; i < count; ++i) {
    data.literal.push_back(EncodeFloat(least * steps[i % 8], type));
  }
  return problem;
}

// Each element for itself: whether a library flushes may depend on its path.
TEST(Judge, SubnormalsMayCountAsZeroAnywhere) {
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    for (const Call& call : {Apart(type), Overlapping(type), Crowded(type)}) {
      Case subnormals = Single(call);
      subnormals.calls[0].tensor(Role::kGradOutput).data.kind = DataKind::kSubnormal;
      for (const Case& problem : {subnormals, Near(call, type)}) {
        for (const SimulatedFault legal :
             {SimulatedFault::kNone, SimulatedFault::kFlushes, SimulatedFault::kFlushesByPath}) {
          const Verdict verdict = JudgeSimulated(Context(), problem, legal);
          EXPECT_EQ(verdict.kind, VerdictKind::kPassed)
              << DataTypeName(type)
              << (verdict.findings.empty() ? verdict.note : verdict.findings[0].message);
        }
      }
    }
    EXPECT_EQ(
        JudgeSimulated(Context(), Near(Apart(type), type), SimulatedFault::kFlushesNormals).kind,
        VerdictKind::kFailed);
  }
}

TEST(Judge, TellsWhereSubnormalsAreKept) {
  const auto counts = [](Call call, SimulatedFault variant) {
    Case problem = Single(std::move(call));
    problem.calls[0].tensor(Role::kGradOutput).data.kind = DataKind::kSubnormal;
    return JudgeSimulated(Context(), problem, variant).sums.at(0);
  };
  const auto at = [](const SumFacts& facts, SubnormalPlace place) {
    return facts.subnormals[static_cast<std::size_t>(place)];
  };
  SumFacts facts = counts(Apart(), SimulatedFault::kNone);
  EXPECT_GT(at(facts, SubnormalPlace::kApart).kept, 0);
  EXPECT_EQ(at(facts, SubnormalPlace::kApart).flushed, 0);
  facts = counts(Overlapping(), SimulatedFault::kFlushes);
  EXPECT_EQ(at(facts, SubnormalPlace::kApart), FlushCount());
  EXPECT_GT(at(facts, SubnormalPlace::kAlone).flushed, 0);
  EXPECT_EQ(at(facts, SubnormalPlace::kAlone).kept, 0);
  EXPECT_EQ(facts.both, 0);
  facts = counts(Overlapping(), SimulatedFault::kFlushesByPath);
  EXPECT_GT(at(facts, SubnormalPlace::kAlone).flushed, 0);
  EXPECT_GT(at(facts, SubnormalPlace::kAlone).kept, 0);
  EXPECT_EQ(facts.both, 1);
}

// Zeros everywhere would be as right.
TEST(Judge, SubnormalsAloneProveNoScatter) {
  Case problem = Single(Apart());
  problem.calls[0].tensor(Role::kGradOutput).data.kind = DataKind::kSubnormal;
  const Verdict verdict = JudgeSimulated(Context(), problem, SimulatedFault::kNone);
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed);
  for (const char* id : {"MP3-B01", "MP3-B02", "MP3-B03"}) {
    EXPECT_THAT(verdict.evidence, Not(Contains(id)));
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

TEST(Judge, MixedContentsShowWhatIsClearedOnlyWhereNotZero) {
  Case problem = Single(Overlapping());
  EXPECT_EQ(JudgeSimulated(Context(), problem, SimulatedFault::kClearSkipped).kind,
            VerdictKind::kPassed);
  problem.plan.output = Poison::kMixed;
  const Verdict verdict = JudgeSimulated(Context(), problem, SimulatedFault::kClearSkipped);
  EXPECT_THAT(Blamed(verdict), Contains("MP3-B03"));
  const Verdict right = JudgeSimulated(Context(), problem, SimulatedFault::kNone);
  EXPECT_EQ(right.kind, VerdictKind::kPassed);
  EXPECT_THAT(right.evidence, Not(Contains("MP3-B03")));
}

TEST(Judge, KnowsWhatEachRepetitionFound) {
  Case problem = Single(Overlapping());
  problem.calls[0].tensor(Role::kGradInput).strides = {240, 120, 40, 7, 1};
  problem.plan.repeat = 5;
  problem.plan.vary_contents = true;
  EXPECT_EQ(JudgeSimulated(Context(), problem, SimulatedFault::kNone).kind, VerdictKind::kPassed);
  // Of the four contents only the mixed ones show this fault.
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), problem, SimulatedFault::kClearSkipped)),
              Contains("MP3-B03"));
}

Verdict JudgeTouch(const GuardTouch& touch, bool guarded = true) {
  Case problem = Single(Overlapping());
  problem.plan.guard = Guard::kAfter;
  const JudgeContext context = Context();
  const PreparedCase prepared = Prepare(context.rules(), problem).value();
  Outcome outcome = Simulate(prepared, SimulatedFault::kNone);
  outcome.calls[0].guarded = guarded;
  if (guarded) {
    outcome.calls[0].memory[static_cast<std::size_t>(Role::kIndices)].guard_touch = touch;
  }
  return Judge(context, prepared, outcome);
}

TEST(Judge, ReadsOutsideAreAdvisoryAndWritesAreNot) {
  const Verdict read = JudgeTouch({96, Access::kRead});
  EXPECT_THAT(Blamed(read), ElementsAre("SAF-07"));
  EXPECT_THAT(read.findings[0].message,
              HasSubstr("96 bytes past the end of the storage of indices"));
  EXPECT_THAT(read.evidence, Contains("MP3-B01"));
  EXPECT_THAT(Blamed(JudgeTouch({-1, Access::kUnknown})), ElementsAre("SAF-07"));
  EXPECT_THAT(Blamed(JudgeTouch({-1, Access::kWrite})), ElementsAre("SAF-01"));
}

TEST(Judge, WithoutPagesNothingIsSaidOfReads) {
  const Verdict verdict = JudgeTouch({}, false);
  EXPECT_EQ(verdict.kind, VerdictKind::kInconclusive);
  EXPECT_THAT(verdict.note, HasSubstr("cannot be guarded"));
  Case problem = Single(Overlapping());
  EXPECT_THAT(JudgeSimulated(Context(), problem, SimulatedFault::kNone).evidence,
              Not(Contains("SAF-07")));
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
  Verdict verdict = JudgeSimulated(Context(), Single(call), SimulatedFault::kWritesGap);
  EXPECT_THAT(Blamed(verdict), ElementsAre("SAF-01"));
  // A sum with what is there shows whatever outputs hold before the call.
  for (const Poison poison : {Poison::kNan, Poison::kFinite, Poison::kMixed, Poison::kZero}) {
    Case problem = Single(call);
    problem.plan.output = poison;
    verdict = JudgeSimulated(Context(), problem, SimulatedFault::kAddsToGap);
    EXPECT_THAT(Blamed(verdict), ElementsAre("SAF-01")) << static_cast<int>(poison);
  }
  Case varied = Single(call);
  varied.plan.repeat = 3;
  varied.plan.vary_contents = true;
  verdict = JudgeSimulated(Context(), varied, SimulatedFault::kNone);
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed);
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
  EXPECT_THAT(verdict.by_refusal, Contains("MP3-S01"));
  EXPECT_THAT(verdict.evidence, ::testing::IsEmpty());
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), null_self, SimulatedFault::kWrongNullCode)),
              ElementsAre("MP3-S01"));
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), null_self, SimulatedFault::kAcceptsEverything)),
              ElementsAre("MP3-S01"));
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), null_self, SimulatedFault::kRefusesLate)),
              ElementsAre("2P-08", "MP3-S01"))
      << "the row wants its code from phase one";
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), null_self, SimulatedFault::kRefusedCallWrites)),
              ElementsAre("2P-04"));
}

TEST(Judge, AnyErrorMayComeLate) {
  Call call = Apart();
  for (const Role role : InfoOf(call.op).tensors) call.tensor(role).shape = {2, 2, 2};
  call.tensor(Role::kIndices).data = {};
  const Verdict verdict = JudgeSimulated(Context(), Single(call), SimulatedFault::kRefusesLate);
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed);
  EXPECT_THAT(verdict.by_refusal, Contains("MP3-S32"));
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

TEST(Judge, ARefusalOfForeignIndicesMayBeToldToAnotherCall) {
  Case problem = Single(Apart());
  problem.calls.push_back(problem.calls.front());
  problem.calls.back().tensor(Role::kIndices).data.patches = {{0, static_cast<std::uint64_t>(-1)}};
  for (const Order order : {Order::kInTurn, Order::kFifo}) {
    problem.plan.order = order;
    const Result<PreparedCase> data = Prepare(Context().rules(), problem);
    ASSERT_TRUE(data.ok());
    Outcome outcome = Simulate(*data, SimulatedFault::kNone);
    outcome.calls.front().synchronise = 507015;
    const Verdict verdict = Judge(Context(), *data, outcome);
    EXPECT_EQ(verdict.kind,
              order == Order::kInTurn ? VerdictKind::kFailed : VerdictKind::kRecorded);
  }
}

TEST(Judge, CrashesBreachTheProtocolByPhase) {
  const Case problem = Single(Apart(DataType::kFloat16));
  const Verdict verdict = JudgeSimulated(Context(), problem, SimulatedFault::kCrashesOnHalf);
  EXPECT_THAT(Blamed(verdict), ElementsAre("2P-02"));
  EXPECT_THAT(verdict.findings[0].message, HasSubstr("SIGSEGV (signal 11)"));
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

TEST(Judge, CountsCallsFromOne) {
  Case problem = Single(Apart());
  problem.calls.push_back(problem.calls.front());
  const PreparedCase prepared = *Prepare(Context().rules(), problem);
  Outcome outcome = Simulate(prepared, SimulatedFault::kNone);
  outcome.calls[1].synchronise = 507015;
  const Verdict verdict = Judge(Context(), prepared, outcome);
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_THAT(verdict.findings.front().message, testing::StartsWith("call 2: "));
}

// Found by fuzzing: what is outside the documents fails no clause.
TEST(Judge, RepeatsOfRefusedIndicesNeedNotAgree) {
  Case problem = Single(Apart());
  problem.plan.repeat = 2;
  problem.plan.deterministic = true;
  Outcome outcome = Simulate(*Prepare(Context().rules(), problem), SimulatedFault::kNone);
  for (CallOutcome& call : outcome.calls) call.synchronise = 507015;
  std::vector<std::byte>& result =
      outcome.calls[1].outputs[static_cast<std::size_t>(Role::kGradInput)];
  ASSERT_FALSE(result.empty());
  result[0] ^= std::byte{1};
  problem.calls[0].tensor(Role::kIndices).data.patches = {{0, 1'000'000}};
  EXPECT_EQ(Judge(Context(), *Prepare(Context().rules(), problem), outcome).kind,
            VerdictKind::kRecorded);
}

TEST(Judge, GrowthIsHeldAgainstItsAllowance) {
  Case problem = Single(Apart());
  problem.plan.growth_calls = 500;
  EXPECT_THAT(JudgeSimulated(Context(), problem, SimulatedFault::kNone).evidence,
              Contains("SAF-06"));
  EXPECT_THAT(Blamed(JudgeSimulated(Context(), problem, SimulatedFault::kGrows)),
              ElementsAre("SAF-06"));
}

// A leak gains in every part of the calls, slack in some.
TEST(Judge, SlowGrowthIsTold) {
  Case problem = Single(Apart());
  problem.plan.growth_calls = 2000;
  const auto judged = [&](std::int64_t heap, std::int64_t resident, std::int64_t device = 0) {
    Outcome outcome = Simulate(*Prepare(Context().rules(), problem), SimulatedFault::kNone);
    outcome.process.heap_gain = {heap + 4000, heap, heap + 4000, heap};
    outcome.process.resident_gain = {resident, resident, resident + 200'000, resident};
    outcome.process.device_gain = {device, device, device + 200'000, device};
    return Judge(Context(), *Prepare(Context().rules(), problem), outcome);
  };
  EXPECT_EQ(judged(0, 0).kind, VerdictKind::kPassed);
  EXPECT_EQ(judged(-4096, 60 << 10).kind, VerdictKind::kPassed);
  EXPECT_EQ(judged(64 * 500, 0).kind, VerdictKind::kPassed);
  const Verdict heap = judged(256 * 500, 0);
  EXPECT_THAT(Blamed(heap), ElementsAre("SAF-06"));
  EXPECT_THAT(heap.findings[0].message,
              AllOf(HasSubstr("the memory of the process goes on growing"),
                    HasSubstr("256 bytes a call"), Not(HasSubstr("device"))));
  EXPECT_THAT(Blamed(judged(0, 256 * 500)), ElementsAre("SAF-06"));
  // Whose memory it is.
  const Verdict device = judged(0, 0, 500 << 20);
  EXPECT_THAT(Blamed(device), ElementsAre("SAF-06"));
  EXPECT_THAT(device.findings[0].message,
              AllOf(HasSubstr("the memory of the device"), HasSubstr("aclrtGetMemInfo"),
                    HasSubstr("1048576 bytes a call"), Not(HasSubstr("process"))));
  EXPECT_THAT(judged(256 * 500, 0, 500 << 20).findings[0].message,
              AllOf(HasSubstr("the memory of the device"), HasSubstr("1048576 bytes a call"),
                    HasSubstr("the memory of the process"), HasSubstr("256 bytes a call")));
  // So it is of calls that are refused.
  problem.calls[0].tensor(Role::kSelf).null = true;
  Outcome outcome;
  outcome.calls.resize(1);
  outcome.calls[0].reached = Phase::kDone;
  outcome.calls[0].phase_one = 161001;
  outcome.process.heap_gain.fill(256 * 500);
  EXPECT_THAT(Blamed(Judge(Context(), *Prepare(Context().rules(), problem), outcome)),
              ElementsAre("SAF-06"));
}

// A pool that grows and stops gains nothing in the end, however much it gained; what others take of
// a device comes and goes.
TEST(Judge, WhatFillsUpIsNoGrowth) {
  Case problem = Single(Apart());
  problem.plan.growth_calls = 2000;
  Outcome outcome = Simulate(*Prepare(Context().rules(), problem), SimulatedFault::kNone);
  const PreparedCase prepared = *Prepare(Context().rules(), problem);
  ProcessFacts& process = outcome.process;
  process.resident_gain = {64 << 20, 64 << 20, 8 << 20, 0};
  EXPECT_EQ(Judge(Context(), prepared, outcome).kind, VerdictKind::kPassed);
  // Blocks that are taken now and then, and again in the end.
  process.resident_gain = {8 << 20, 0, 8 << 20, 0};
  const Verdict blocks = Judge(Context(), prepared, outcome);
  EXPECT_THAT(Blamed(blocks), ElementsAre("SAF-06"));
  EXPECT_THAT(blocks.findings[0].message, HasSubstr("by 16777216 bytes over 2000 further runs"));
  process.resident_gain = {};
  for (const ProcessFacts::Gains& gains :
       {ProcessFacts::Gains{512 << 20, 256 << 20, 0, 0},
        ProcessFacts::Gains{48 << 20, 16 << 20, 20 << 20, 40 << 20},
        ProcessFacts::Gains{48 << 20, 48 << 20, -(96 << 20), 48 << 20}}) {
    process.device_gain = gains;
    EXPECT_EQ(Judge(Context(), prepared, outcome).kind, VerdictKind::kPassed);
  }
}

// What phase one made and phase two never got is not given back; so it is no leak.
TEST(Judge, ExecutorsThatCannotBeRunAreNoGrowth) {
  Case problem = Single(Apart());
  problem.plan.growth_calls = 2000;
  Outcome outcome = Simulate(*Prepare(Context().rules(), problem), SimulatedFault::kNone);
  CallOutcome& call = outcome.calls.front();
  call.reached = Phase::kPhaseOne;
  call.workspace_size_set = false;
  call.phase_two.reset();
  call.synchronise.reset();
  outcome.process.heap_gain.fill(1024 * 500);
  const Verdict verdict = Judge(Context(), *Prepare(Context().rules(), problem), outcome);
  EXPECT_THAT(Blamed(verdict), Not(Contains("SAF-06")));
  EXPECT_THAT(Blamed(verdict), Contains("2P-01"));
  EXPECT_THAT(verdict.evidence, Not(Contains("SAF-06")));
}

TEST(Judge, AWorkspaceThatNoProgramCanHaveIsNone) {
  const PreparedCase prepared = *Prepare(Context().rules(), Single(Apart()));
  Outcome outcome = Simulate(prepared, SimulatedFault::kNone);
  CallOutcome& call = outcome.calls.front();
  call.reached = Phase::kPhaseOne;
  call.workspace_size = ~std::uint64_t{0} - 39;
  call.phase_two.reset();
  call.synchronise.reset();
  const Verdict verdict = Judge(Context(), prepared, outcome);
  EXPECT_THAT(Blamed(verdict), ElementsAre("2P-01"));
  EXPECT_THAT(verdict.findings[0].message, HasSubstr("workspaceSize 18446744073709551576"));
  EXPECT_TRUE(verdict.evidence.empty());
}

// Calls that are answered otherwise after a while say nothing of memory.
TEST(Judge, FurtherRunsAreAnsweredAsTheFirst) {
  Case problem = Single(Apart());
  problem.plan.growth_calls = 2000;
  Outcome outcome = Simulate(*Prepare(Context().rules(), problem), SimulatedFault::kNone);
  outcome.process.runs_otherwise = 1001;
  const Verdict verdict = Judge(Context(), *Prepare(Context().rules(), problem), outcome);
  EXPECT_THAT(Blamed(verdict), ElementsAre("2P-07"));
  EXPECT_THAT(verdict.findings[0].message, HasSubstr("in 1001 of 2000 further runs"));
  EXPECT_THAT(verdict.evidence, Not(Contains("SAF-06")));
}

TEST(Judge, WorkOutsideItsStreamIsTold) {
  Case problem = Single(Apart());
  problem.plan.look = Look::kHeld;
  const PreparedCase prepared = *Prepare(Context().rules(), problem);
  Outcome outcome = Simulate(prepared, SimulatedFault::kNone);
  // Copies that are done at once hold nothing up.
  const Verdict unknown = Judge(Context(), prepared, outcome);
  EXPECT_EQ(unknown.kind, VerdictKind::kInconclusive);
  EXPECT_THAT(unknown.note, HasSubstr("could not be kept busy"));
  EXPECT_TRUE(unknown.evidence.empty());
  outcome.calls[0].held_looks = 8;
  const Verdict kept = Judge(Context(), prepared, outcome);
  EXPECT_EQ(kept.kind, VerdictKind::kPassed);
  EXPECT_THAT(kept.evidence, Contains("2P-03"));
  outcome.calls[0].written_early = Role::kGradInput;
  const Verdict early = Judge(Context(), prepared, outcome);
  EXPECT_THAT(Blamed(early), ElementsAre("2P-03"));
  EXPECT_TRUE(HasFinding(early, FindingKind::kNotOnStream));
  // The result is still right.
  EXPECT_THAT(early.evidence, Contains("MP3-B01"));

  problem.plan.look = Look::kAfter;
  outcome.calls[0].held_looks = 0;
  outcome.calls[0].written_early.reset();
  outcome.calls[0].written_late = Role::kGradInput;
  EXPECT_THAT(Blamed(Judge(Context(), *Prepare(Context().rules(), problem), outcome)),
              ElementsAre("2P-03"));
}

// Of a library that is known to work on other streams: what may come of that is charged to no
// clause, and leaves open those that it would be charged to.
TEST(Judge, WhatMayComeOfLateWorkIsLeftOpen) {
  JudgeContext context = Context();
  context.keeps_to_stream = false;
  const PreparedCase prepared = *Prepare(Context().rules(), Single(Apart()));
  Outcome outcome = Simulate(prepared, SimulatedFault::kNone);
  const auto judged = [&](const JudgeContext& by) {
    Verdict verdict = Judge(by, prepared, outcome);
    LeaveOpenLateWork(by, verdict);
    return verdict;
  };
  EXPECT_EQ(judged(context).kind, VerdictKind::kPassed);
  outcome.calls[0].phase_one_wrote = true;
  outcome.calls[0].phase_one_wrote_to = "gradInput";
  EXPECT_THAT(Blamed(judged(Context())), ElementsAre("2P-01"));
  const Verdict open = judged(context);
  EXPECT_EQ(open.kind, VerdictKind::kInconclusive);
  EXPECT_THAT(open.note, HasSubstr("2P-03"));
  EXPECT_THAT(open.withheld, ElementsAre("2P-01"));
  EXPECT_TRUE(open.evidence.empty());
  // A refusal is no matter of streams.
  outcome.calls[0].phase_one = 161002;
  outcome.calls[0].phase_two.reset();
  outcome.calls[0].synchronise.reset();
  EXPECT_THAT(Blamed(judged(context)), ElementsAre("2P-01"));
}

TEST(Judge, HarnessFaultsAreInconclusive) {
  const Case problem = Single(Apart());
  Outcome outcome;
  outcome.end = End::kHarness;
  outcome.detail = "no worker";
  const Result<PreparedCase> data = Prepare(Context().rules(), problem);
  ASSERT_TRUE(data.ok());
  const Verdict verdict = Judge(Context(), *data, outcome);
  EXPECT_EQ(verdict.kind, VerdictKind::kInconclusive);
  EXPECT_EQ(verdict.note, "no worker");
}

// A crash is neither the status that the fault's clause demands; of two faults no one knows which.
TEST(Judge, ACrashOnAnInvalidCallNamesItsOneFault) {
  Case problem = Single(Apart());
  problem.calls[0].tensor(Role::kIndices).null = true;
  Outcome outcome;
  outcome.end = End::kSignalled;
  outcome.signal = 11;
  outcome.ended_in = Phase::kPhaseOne;
  const Result<PreparedCase> data = Prepare(Context().rules(), problem);
  ASSERT_TRUE(data.ok());
  EXPECT_THAT(Blamed(Judge(Context(), *data, outcome)), ElementsAre("MP3-S02", "SAF-03"));
  problem.calls[0].tensor(Role::kSelf).format = Format::kFractalNz;
  const Result<PreparedCase> both = Prepare(Context().rules(), problem);
  ASSERT_TRUE(both.ok());
  EXPECT_THAT(Blamed(Judge(Context(), *both, outcome)), ElementsAre("SAF-03"));
  // The pointer that phase one writes through may be what it died of.
  problem.calls[0].tensor(Role::kSelf).format = Format::kNd;
  problem.plan.null_executor_out = true;
  const Result<PreparedCase> nowhere = Prepare(Context().rules(), problem);
  ASSERT_TRUE(nowhere.ok());
  EXPECT_THAT(Blamed(Judge(Context(), *nowhere, outcome)), ElementsAre("SAF-03"));
}

// Whatever call it was: of one that advisory clauses forbid or alone allow, or that they leave
// open, a refusal is an answer, and to crash or to hang is none. What indices outside the plane do
// is undocumented, except for memory of others.
TEST(Judge, ACrashBreachesARequiredClause) {
  const auto ends = [](const Call& call, End end = End::kSignalled) {
    Outcome outcome;
    outcome.end = end;
    outcome.signal = SIGSEGV;
    outcome.ended_in = Phase::kPhaseTwo;
    const Result<PreparedCase> data = Prepare(Context().rules(), Single(call));
    EXPECT_TRUE(data.ok());
    return Blamed(Judge(Context(), *data, outcome));
  };
  Call larger_batch = Apart();
  for (const Role role : {Role::kGradOutput, Role::kIndices}) {
    larger_batch.tensor(role).shape[0] += 1;
  }
  EXPECT_THAT(ends(larger_batch), ElementsAre("MP3-S33", "SAF-03"));
  EXPECT_THAT(ends(larger_batch, End::kTimedOut), ElementsAre("MP3-S33", "SAF-03"));
  EXPECT_THAT(ends(larger_batch, End::kThrew), ElementsAre("MP3-S33", "SAF-03"));
  Call by_advice = Apart();
  for (const Role role : BackwardRoles()) by_advice.tensor(role).format = Format::kNcdhw;
  EXPECT_THAT(ends(by_advice), ElementsAre("MP3-B27", "SAF-03"));
  Call empty = Apart();
  for (const Role role : BackwardRoles()) empty.tensor(role).shape[0] = 0;
  EXPECT_THAT(ends(empty), ElementsAre("MP3-S51", "SAF-03"));
  Call outside = Apart();
  outside.tensor(Role::kIndices).data.patches = {{0, 1000000}};
  EXPECT_THAT(ends(outside), ElementsAre("SAF-04"));
}

// The clause says that it is refused; where it is not, the numbers are those of dilated windows.
TEST(Judge, AcceptedDilationHasTheNumbersOfDilatedWindows) {
  const Case problem =
      Single(MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat,
                               DataType::kInt32, {1, 2, 3, 7, 7}, {2}, {2}, {0}, {2}, false));
  const PreparedCase prepared = Prepare(Context().rules(), problem).value();
  ASSERT_EQ(prepared.calls[0].legality.kind, LegalityKind::kInvalid);
  PreparedCase accepted = prepared;
  accepted.calls[0].legality = {};
  const Verdict right = Judge(Context(), prepared, Simulate(accepted, SimulatedFault::kNone));
  ASSERT_EQ(right.findings.size(), 1U);
  EXPECT_EQ(right.findings[0].kind, FindingKind::kAccepted);
  const Verdict wrong = Judge(Context(), prepared, Simulate(accepted, SimulatedFault::kDropLast));
  ASSERT_EQ(wrong.findings.size(), 2U);
  EXPECT_EQ(wrong.findings[1].kind, FindingKind::kWrongSum);
  EXPECT_THAT(wrong.findings[1].message, HasSubstr("not those of such windows: gradInput"));
  EXPECT_THAT(Blamed(wrong), ElementsAre("MP3-S48"));
}

// Who ignores dilation passes where each index lies in the window as it were without.
TEST(Judge, DilationIsProvenByNumbersThatDependOnIt) {
  const auto evidence_of = [](DataKind indices) {
    Case problem =
        Single(MakeFixedBackward(Operator::kMaxPool2dWithIndicesBackward, DataType::kFloat,
                                 DataType::kInt32, {1, 2, 9, 9}, {2}, {2}, {0}, {3}, false));
    problem.calls[0].tensor(Role::kIndices).data.kind = indices;
    const Verdict verdict =
        JudgeSimulated(Context(Profile::kAscend950), problem, SimulatedFault::kNone);
    EXPECT_EQ(verdict.kind, VerdictKind::kPassed);
    EXPECT_THAT(verdict.evidence, Contains("MP2-B01"));
    return verdict.evidence;
  };
  EXPECT_THAT(evidence_of(DataKind::kFirst), Not(Contains("MP2-B17")));
  EXPECT_THAT(evidence_of(DataKind::kLast), Contains("MP2-B17"));
}

// A text may be that of the call before, which a single call has not.
TEST(Judge, TextsOfRefusalsAreOfTheirCalls) {
  Case problem = Single(Apart());
  problem.calls[0].tensor(Role::kSelf).null = true;
  const auto judged = [&](int calls, bool asked, const std::string& text) {
    Case sequence = problem;
    sequence.calls.resize(static_cast<std::size_t>(calls), problem.calls[0]);
    const PreparedCase prepared = Prepare(Context().rules(), sequence).value();
    Outcome outcome = Simulate(prepared, SimulatedFault::kNone);
    outcome.calls.back().message_asked = asked;
    outcome.calls.back().message = text;
    return Judge(Context(), prepared, outcome);
  };
  for (const std::string text : {"", "AdaptiveMaxPool3dBackward: self is null", "no"}) {
    const Verdict verdict = judged(2, true, text);
    EXPECT_THAT(Blamed(verdict), ElementsAre("2P-10")) << text;
    EXPECT_THAT(verdict.by_refusal, Contains("MP3-S01")) << text;
    EXPECT_THAT(Blamed(judged(1, true, text)), ElementsAre()) << text;
    EXPECT_THAT(Blamed(judged(2, false, text)), ElementsAre()) << text;
  }
  const Verdict right = judged(2, true, "self is null");
  EXPECT_THAT(Blamed(right), ElementsAre());
  EXPECT_THAT(right.by_refusal, Contains("2P-10"));
}

TEST(Judge, SaysWhichTypesWereRefused) {
  Call call = Apart();
  for (const Role role : GradientRoles()) call.tensor(role).type = DataType::kFloat16;
  const Verdict verdict = JudgeSimulated(Context(), Single(call), SimulatedFault::kRefusesHalf);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_THAT(verdict.findings[0].message,
              testing::HasSubstr("refused a valid call of f16 values and i32 indices with 161002"));
}

}  // namespace
}  // namespace poolproof
