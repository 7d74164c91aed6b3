// SPDX-License-Identifier: Apache-2.0
//
// Each property against kernels that are right, lawful in another way, or broken in the way that
// the property is there to see.
#include "conformance/properties/properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/case/case_text.h"
#include "core/float_bits.h"
#include "tests/judge/simulated.h"

namespace poolproof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

JudgeContext Context() { return {&Spec::Embedded(), Profile::kAtlasA2}; }

Case Parsed(const std::string& line) {
  const Result<Case> problem = ParseCaseLine(line);
  EXPECT_TRUE(problem.ok()) << problem.status().message();
  return problem.ok() ? *problem : Case();
}

// Bases that meet the precondition of each property, with windows that overlap where they can.
const char* BaseLine(Relation relation) {
  switch (relation) {
    case Relation::kViewCopy:
      return "pp1:MaxPool3dWithArgmaxBackward:self=f32[2,2,3,5,6];k=2,3,2;s=1,2,1;p=0,1,0;d=1;"
             "go={120,60,30,10,2}+3;ix={60,30,15,5,1}<200>";
    case Relation::kBatchAxis:
      return "pp1:MaxPool3dWithArgmaxBackward:self=f32[3,3,5,6];k=2,3,2;s=1,2,1;p=0,1,0;d=1";
    case Relation::kDepthOne:
      return "pp1:AdaptiveMaxPool2dBackward:self=f32[2,2,5,6];go=[2,2,7,4];ix=i64";
    case Relation::kAdaptiveFixed:
      return "pp1:AdaptiveMaxPool3dBackward:self=f32[2,2,5,6,9];go=[2,2,2,3,3]";
    case Relation::kIndexType:
      return "pp1:AdaptiveMaxPool2dBackward:self=f32[2,2,5,6];go=[2,2,7,4]";
    case Relation::kListLength:
      return "pp1:MaxPool3dWithArgmaxBackward:self=f32[2,2,3,5,6];k=3;s=1;p=1;d=1";
    default:
      return "pp1:MaxPool3dWithArgmaxBackward:self=f32[2,2,3,5,6];k=2,3,2;s=1,2,1;p=0,1,0;d=1";
  }
}

void SetType(Case& problem, DataType type) {
  for (const Role role : {Role::kGradOutput, Role::kSelf, Role::kGradInput}) {
    problem.calls.front().tensor(role).type = type;
  }
}

Case Related(Relation relation, DataType type, DataKind kind) {
  Case base = Parsed(BaseLine(relation));
  SetType(base, type);
  base.calls.front().tensor(Role::kGradOutput).data.kind = kind;
  base.calls.front().tensor(Role::kIndices).data.kind = DataKind::kShared;
  const std::optional<Case> related = DeriveRelated(relation, base);
  EXPECT_TRUE(related.has_value()) << RelationName(relation);
  return related.value_or(base);
}

Verdict JudgeRelated(const JudgeContext& context, const Case& problem, SimulatedFault fault) {
  const Result<PreparedCase> data = Prepare(context.rules(), problem);
  EXPECT_TRUE(data.ok()) << data.status().message();
  return JudgeWithProperties(context, *data, Simulate(*data, fault));
}

std::string Text(const Case& problem, const Verdict& verdict) {
  return CaseLine(problem) + "\n" + verdict.relation_note +
         (verdict.findings.empty() ? "" : verdict.findings.front().message);
}

class PropertyTest : public testing::TestWithParam<Relation> {};

TEST_P(PropertyTest, HoldsForConformingKernels) {
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    for (const DataKind kind : {DataKind::kExact, DataKind::kCoded, DataKind::kUniform,
                                DataKind::kWide, DataKind::kSubnormal}) {
      const Case problem = Related(GetParam(), type, kind);
      for (const SimulatedFault variant :
           {SimulatedFault::kNone, SimulatedFault::kReverseOrder, SimulatedFault::kStorageSums,
            SimulatedFault::kNegativeZero, SimulatedFault::kOtherOrders, SimulatedFault::kFlushes,
            SimulatedFault::kFlushesByPath}) {
        const Verdict verdict = JudgeRelated(Context(), problem, variant);
        // Subnormals may all count as zero: there is nothing to compare.
        EXPECT_EQ(verdict.relation,
                  kind == DataKind::kSubnormal ? RelationState::kDiscarded : RelationState::kHeld)
            << Text(problem, verdict);
        EXPECT_EQ(verdict.kind, VerdictKind::kPassed) << Text(problem, verdict);
      }
    }
  }
}

TEST_P(PropertyTest, BreaksForTheKernelItIsThereToSee) {
  const std::pair<Relation, SimulatedFault> rows[] = {
      {Relation::kLinearity, SimulatedFault::kDropsNegative},
      {Relation::kScaling, SimulatedFault::kDropsSmall},
      {Relation::kPlanePermutation, SimulatedFault::kFirstPlaneOnly},
      {Relation::kConservation, SimulatedFault::kDropLast},
      {Relation::kSelfIrrelevant, SimulatedFault::kSelfLeaks},
      {Relation::kViewCopy, SimulatedFault::kGradOutputPacked},
      {Relation::kBatchAxis, SimulatedFault::kLowRankDropsLast},
      {Relation::kDepthOne, SimulatedFault::kTwoDimensionsDropLast},
      {Relation::kAdaptiveFixed, SimulatedFault::kAdaptiveDropsLast},
      {Relation::kListLength, SimulatedFault::kShortListsDropLast},
      {Relation::kIndexType, SimulatedFault::kWideIndicesDropLast},
  };
  for (const auto& [relation, fault] : rows) {
    if (relation != GetParam()) continue;
    for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
      for (const DataKind kind : {DataKind::kUniform, DataKind::kExact}) {
        const Case problem = Related(relation, type, kind);
        const Verdict verdict = JudgeRelated(Context(), problem, fault);
        if (fault == SimulatedFault::kDropsSmall && kind == DataKind::kExact) continue;
        EXPECT_EQ(verdict.relation, RelationState::kBroken) << Text(problem, verdict);
        EXPECT_EQ(verdict.kind, VerdictKind::kFailed) << Text(problem, verdict);
      }
    }
  }
}

TEST_P(PropertyTest, DerivesTheSameAgainFromItsFirstCall) {
  const Case problem = Related(GetParam(), DataType::kFloat, DataKind::kExact);
  EXPECT_EQ(DeriveRelated(GetParam(), BaseOf(problem)), problem);
  const Result<Case> parsed = ParseCaseLine(CaseLine(problem));
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(*parsed, problem);
}

TEST_P(PropertyTest, DiscardsCallsThatAreNotRelated) {
  // A call more than the relation has.
  Case problem = Related(GetParam(), DataType::kFloat, DataKind::kExact);
  problem.calls.push_back(problem.calls.front());
  Verdict verdict = JudgeRelated(Context(), problem, SimulatedFault::kNone);
  EXPECT_EQ(verdict.relation, RelationState::kDiscarded);
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed);
  EXPECT_NE(verdict.relation_note, "");
  if (PropertyOf(GetParam()).calls == 1) return;
  // Other gradients in the last call.
  problem = Related(GetParam(), DataType::kFloat, DataKind::kExact);
  Data& gradients = problem.calls.back().tensor(Role::kGradOutput).data;
  gradients.patches = {{0, EncodeFloat(0.375, DataType::kFloat)}};
  verdict = JudgeRelated(Context(), problem, SimulatedFault::kNone);
  EXPECT_EQ(verdict.relation, RelationState::kDiscarded) << Text(problem, verdict);
}

TEST_P(PropertyTest, DiscardsWhatTellsNothing) {
  const Case problem = Related(GetParam(), DataType::kFloat, DataKind::kExact);
  Case zeros = BaseOf(problem);
  zeros.calls.front().tensor(Role::kGradOutput).data = {};
  const std::optional<Case> related = DeriveRelated(GetParam(), zeros);
  if (!related.has_value()) return;
  const Verdict verdict = JudgeRelated(Context(), *related, SimulatedFault::kNone);
  EXPECT_EQ(verdict.relation, RelationState::kDiscarded) << Text(*related, verdict);
}

INSTANTIATE_TEST_SUITE_P(All, PropertyTest, testing::ValuesIn([] {
                           std::vector<Relation> relations;
                           for (const Property& property : AllProperties()) {
                             relations.push_back(property.relation);
                           }
                           return relations;
                         }()),
                         [](const testing::TestParamInfo<Relation>& row) {
                           std::string name(RelationName(row.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST(Properties, TableIsInTheOrderOfRelation) {
  for (std::size_t i = 0; i < AllProperties().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(AllProperties()[i].relation), i + 1);
  }
}

TEST(Properties, BrokenRelationIsAFindingWhereTheCallsAreRight) {
  const Case problem = Related(Relation::kListLength, DataType::kFloat, DataKind::kExact);
  Verdict verdict = JudgeRelated(Context(), problem, SimulatedFault::kNone);
  const Comparison broken{RelationState::kBroken, "3f800000 and 40000000",
                          Mismatch{7, "3f800000", "40000000", 1}};
  AddComparison(Context(), *Prepare(Context().rules(), problem), broken, verdict);
  EXPECT_EQ(verdict.kind, VerdictKind::kFailed);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].kind, FindingKind::kRelationBroken);
  EXPECT_THAT(verdict.findings[0].clauses, ElementsAre("MP3-B10", "MP3-B12", "MP3-B13", "MP3-B14"));
  EXPECT_THAT(verdict.findings[0].message, HasSubstr("3f800000 and 40000000"));
  EXPECT_EQ(verdict.findings[0].mismatch, broken.mismatch);
  EXPECT_TRUE(verdict.evidence.empty());
}

TEST(Properties, BrokenRelationFollowsFromWrongCalls) {
  const Case problem = Related(Relation::kBatchAxis, DataType::kFloat, DataKind::kExact);
  const Verdict verdict = JudgeRelated(Context(), problem, SimulatedFault::kLowRankDropsLast);
  EXPECT_EQ(verdict.relation, RelationState::kBroken);
  for (const Finding& finding : verdict.findings) {
    EXPECT_NE(finding.kind, FindingKind::kRelationBroken);
  }
}

TEST(Properties, RoundingOutOfBoundBreaksExactRelations) {
  // One gradient per destination: to truncate is to alter nothing, to alter is seen.
  const Case problem = Related(Relation::kScaling, DataType::kFloat16, DataKind::kUniform);
  EXPECT_EQ(JudgeRelated(Context(), problem, SimulatedFault::kTruncates).kind,
            VerdictKind::kFailed);
}

TEST(Properties, AdvisoryClausesAnswerForWhatTheyAllow) {
  Case base = Parsed(
      "pp1:AdaptiveMaxPool3dBackward:self=f32[2,2,5,6,9];go=[2,2,2,3,3];ix={72,36,18,6,2}+1");
  const std::optional<Case> related = DeriveRelated(Relation::kViewCopy, base);
  ASSERT_TRUE(related.has_value());
  JudgeContext older = Context();
  older.spec = &Spec::Embedded(Edition::kSeeds);
  const Verdict verdict = JudgeRelated(older, *related, SimulatedFault::kIndicesPacked);
  EXPECT_EQ(verdict.relation, RelationState::kBroken);
  for (const Finding& finding : verdict.findings) {
    EXPECT_THAT(finding.clauses, ElementsAre("AMP3-B25"));
  }
}

TEST(Properties, OutOfReach) {
  const Case one_plane =
      Parsed("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,2,4,4];k=2,2,2;s=2,2,2;p=0,0,0;d=1,1,1");
  EXPECT_FALSE(DeriveRelated(Relation::kPlanePermutation, one_plane).has_value());
  EXPECT_FALSE(DeriveRelated(Relation::kViewCopy, one_plane).has_value());
  EXPECT_FALSE(DeriveRelated(Relation::kBatchAxis, one_plane).has_value());
  EXPECT_FALSE(DeriveRelated(Relation::kDepthOne, one_plane).has_value());
  EXPECT_FALSE(DeriveRelated(Relation::kAdaptiveFixed, one_plane).has_value());
  EXPECT_FALSE(DeriveRelated(Relation::kListLength, one_plane).has_value());
  Case descriptors = one_plane;
  descriptors.plan.descriptors_only = true;
  for (const Property& property : AllProperties()) {
    EXPECT_FALSE(DeriveRelated(property.relation, descriptors).has_value());
  }
}

// Broadcast operands share elements; their copies hold what the views showed.
TEST(Properties, BroadcastViewsAndTheirCopies) {
  const Case base = Parsed(
      "pp1:MaxPool3dWithArgmaxBackward:self=f32[2,2,3,5,6]{0,90,30,6,1};k=2,3,2;s=1,2,1;p=0,1,0;"
      "d=1;go={0,30,15,5,1}");
  const std::optional<Case> related = DeriveRelated(Relation::kViewCopy, base);
  ASSERT_TRUE(related.has_value());
  const Verdict verdict = JudgeRelated(Context(), *related, SimulatedFault::kNone);
  EXPECT_EQ(verdict.relation, RelationState::kHeld) << Text(*related, verdict);
  EXPECT_EQ(JudgeRelated(Context(), *related, SimulatedFault::kGradOutputPacked).relation,
            RelationState::kBroken);
}

TEST(DepthOne, SpellsOutListsOfTwoAxesForThree) {
  const Case base =
      Parsed("pp1:MaxPool2dWithIndicesBackward:self=f32[1,2,5,7];k=3;s=2,1;p=1;d=1,1");
  const std::optional<Case> related = DeriveRelated(Relation::kDepthOne, base);
  ASSERT_TRUE(related.has_value());
  const Call& deep = related->calls.back();
  EXPECT_EQ(deep.op, Operator::kMaxPool3dWithArgmaxBackward);
  EXPECT_EQ(deep.list(List::kKernelSize), (Dims{1, 3, 3}));
  EXPECT_EQ(deep.list(List::kStride), (Dims{1, 2, 1}));
  EXPECT_EQ(deep.list(List::kPadding), (Dims{0, 1, 1}));
  EXPECT_EQ(JudgeRelated(Context(), *related, SimulatedFault::kNone).relation,
            RelationState::kHeld);
}

// What NaN does is for some operators' pages alone to say.
TEST(DepthOne, ValuesOfWhichAPageIsSilentAreNotCompared) {
  const Case base = Parsed(
      "pp1:MaxPool2dWithIndicesBackward:self=f32[1,2,5,7];k=3;s=2,1;p=1;d=1,1;go=!0=7fc00000");
  const std::optional<Case> related = DeriveRelated(Relation::kDepthOne, base);
  ASSERT_TRUE(related.has_value());
  const Verdict verdict = JudgeRelated(Context(), *related, SimulatedFault::kDropLast);
  EXPECT_EQ(verdict.relation, RelationState::kDiscarded);
  for (const Finding& finding : verdict.findings) {
    for (const std::string& id : finding.clauses) EXPECT_FALSE(id.starts_with("MP2-")) << id;
  }
}

}  // namespace
}  // namespace poolproof
