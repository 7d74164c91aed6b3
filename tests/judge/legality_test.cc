// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/legality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/case/passed_axes.h"

namespace poolproof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Legality Of(const Call& call, Profile profile = Profile::kAtlasA2, const CallPlan& plan = {}) {
  return Classify({Spec::Embedded(), profile}, call, plan);
}

// By the five source documents.
Legality AsPrinted(const Call& call, Profile profile = Profile::kAtlasA2) {
  return Classify({Spec::Embedded(Edition::kSeeds), profile}, call, {});
}

std::vector<std::string> Ids(const Legality& legality) {
  std::vector<std::string> ids;
  for (const Clause* clause : legality.breached) ids.push_back(clause->id);
  return ids;
}

Call Fixed() {
  return MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat,
                           DataType::kInt32, {1, 2, 5, 6, 7}, {3, 2, 4}, {2, 2, 3}, {1, 1, 2}, {1},
                           false);
}
Call Adaptive3d() {
  return MakeAdaptiveBackward(Operator::kAdaptiveMaxPool3dBackward, DataType::kFloat16,
                              DataType::kInt32, {2, 5, 6, 4}, {3, 4, 2});
}
Call LegalAdaptive2d() {
  return MakeAdaptiveBackward(Operator::kAdaptiveMaxPool2dBackward, DataType::kBf16,
                              DataType::kInt64, {1, 2, 5, 6}, {3, 4});
}

TEST(Legality, PlainCallsAreValid) {
  for (const Call& call : {Fixed(), Adaptive3d(), LegalAdaptive2d()}) {
    EXPECT_EQ(Of(call).kind, LegalityKind::kValid);
    EXPECT_EQ(Of(call, Profile::kAtlasA3).kind, LegalityKind::kValid);
    EXPECT_EQ(Of(call, Profile::kAscend950).kind, LegalityKind::kValid);
    EXPECT_EQ(AsPrinted(call).kind, LegalityKind::kValid);
    EXPECT_EQ(Of(call).ExpectedText(), "0");
  }
  EXPECT_EQ(AsPrinted(Fixed(), Profile::kAscend950).kind, LegalityKind::kValid);
}

TEST(Legality, RequiredStatusGoverns) {
  Call call = Fixed();
  call.tensor(Role::kSelf).null = true;
  call.tensor(Role::kGradInput).null = true;  // MP3-S04, advisory, the same code
  call.list(List::kDilation) = Dims{2};       // MP3-S48, advisory, any error
  const Legality legality = Of(call);
  EXPECT_EQ(legality.kind, LegalityKind::kInvalid);
  EXPECT_THAT(Ids(legality), ElementsAre("MP3-S01", "MP3-S04", "MP3-S48"));
  EXPECT_TRUE(legality.AllowsPhaseOne(161001));
  EXPECT_FALSE(legality.AllowsPhaseOne(161002));
  EXPECT_FALSE(legality.AllowsPhaseOne(0));
  EXPECT_FALSE(legality.AllowsLateRefusal());
  EXPECT_TRUE(legality.HasRequired());
  EXPECT_EQ(legality.ExpectedText(), "161001");
}

TEST(Legality, TwoFaultsAllowEitherCode) {
  Call call = Fixed();
  call.tensor(Role::kIndices).null = true;
  call.list(List::kKernelSize) = Dims{2, 2};
  const Legality legality = Of(call);
  EXPECT_THAT(Ids(legality), ElementsAre("MP3-S02", "MP3-S40"));
  EXPECT_TRUE(legality.AllowsPhaseOne(161001));
  EXPECT_TRUE(legality.AllowsPhaseOne(161002));
  EXPECT_FALSE(legality.AllowsPhaseOne(561002));
  EXPECT_EQ(legality.ExpectedText(), "161001 or 161002");
}

TEST(Legality, AnyErrorMayComeLate) {
  Call call = Fixed();
  call.list(List::kDilation) = Dims{2};
  call.list(List::kKernelSize) = Dims{1};
  call.list(List::kPadding) = Dims{0};
  call.tensor(Role::kGradOutput).shape = *DerivedOutputShape(call);
  call.tensor(Role::kIndices).shape = call.tensor(Role::kGradOutput).shape;
  const Legality legality = Of(call);
  EXPECT_THAT(Ids(legality), ElementsAre("MP3-S48"));
  EXPECT_FALSE(legality.HasRequired());
  EXPECT_TRUE(legality.AllowsPhaseOne(561103));
  EXPECT_TRUE(legality.AllowsLateRefusal());
  EXPECT_EQ(legality.ExpectedText(), "any error");
  // On descriptors alone the refusal cannot be waited for.
  EXPECT_EQ(Of(call, Profile::kAtlasA2, CallPlan{.descriptors_only = true}).kind,
            LegalityKind::kOpen);
}

TEST(Legality, RequiredAnyErrorOnDescriptorsIsPhaseOnes) {
  const Call call = MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat,
                                      DataType::kInt32, {1, 1, 1, 1, std::int64_t{1} << 31}, {1},
                                      {1, 1, std::int64_t{1} << 31}, {0}, {1}, false);
  const Legality legality = Of(call, Profile::kAtlasA2, CallPlan{.descriptors_only = true});
  EXPECT_THAT(Ids(legality), ElementsAre("MP3-S50"));
  EXPECT_TRUE(legality.AllowsPhaseOne(1));
  EXPECT_FALSE(legality.AllowsLateRefusal());
  // MP3-B25 mentions INT64 indices on Ascend 950; with INT32 ones no clause answers.
  EXPECT_EQ(Of(call, Profile::kAscend950).kind, LegalityKind::kOpen);
  Call wide = call;
  wide.tensor(Role::kIndices).type = DataType::kInt64;
  EXPECT_EQ(Of(wide, Profile::kAscend950).kind, LegalityKind::kValid);
  EXPECT_THAT(Ids(Of(wide)), ElementsAre("MP3-S11", "MP3-S12", "MP3-S50"));
}

TEST(Legality, TypesThatSeveralClausesName) {
  Call call = Fixed();
  call.tensor(Role::kSelf).type = DataType::kDouble;
  EXPECT_THAT(Ids(Of(call)), ElementsAre("MP3-S10", "MP3-S13"));
  call = Fixed();
  call.tensor(Role::kIndices).type = DataType::kDouble;
  EXPECT_THAT(Ids(Of(call)), ElementsAre("MP3-S11", "MP3-S13"));
  call = LegalAdaptive2d();
  call.tensor(Role::kSelf).type = DataType::kFloat;
  EXPECT_THAT(Ids(Of(call)), ElementsAre("AMP2-S14"));
  call = LegalAdaptive2d();
  call.tensor(Role::kGradInput).type = DataType::kFloat;
  EXPECT_THAT(Ids(Of(call)), ElementsAre("AMP2-S15"));
}

TEST(Legality, PaddingIsHeldAgainstItsOwnAxis) {
  Call call =
      MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat, DataType::kInt32,
                        {1, 6, 6, 6}, {2, 4, 4}, {2}, {1, 2, 2}, {1}, false);
  EXPECT_EQ(Of(call).kind, LegalityKind::kValid);
  call.list(List::kPadding) = Dims{2, 1, 1};
  EXPECT_THAT(Ids(Of(call)), ElementsAre("MP3-S46"));
  call.list(List::kPadding) = Dims{2};
  EXPECT_THAT(Ids(Of(call)), ElementsAre("MP3-S46"));
  call = MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat,
                           DataType::kInt32, {1, 6, 6, 6}, {3}, {2}, {1}, {1}, false);
  EXPECT_EQ(Of(call).kind, LegalityKind::kValid);
}

TEST(Legality, UnsupportedPlatformsHaveOneClause) {
  for (const Profile profile :
       {Profile::kAtlas200i500A2, Profile::kAtlasInference, Profile::kAtlasTraining}) {
    EXPECT_THAT(Ids(Of(Fixed(), profile)), ElementsAre("MP3-S49"));
    EXPECT_THAT(Ids(Of(Adaptive3d(), profile)), ElementsAre("AMP3-S49"));
    EXPECT_THAT(Ids(Of(LegalAdaptive2d(), profile)), ElementsAre("AMP2-S49"));
  }
  EXPECT_THAT(Ids(AsPrinted(LegalAdaptive2d(), Profile::kAscend950)), ElementsAre("AMP2-S49"));
  const Legality open = AsPrinted(Adaptive3d(), Profile::kAscend950);
  EXPECT_EQ(open.kind, LegalityKind::kOpen);
  EXPECT_THAT(open.open_reason, HasSubstr("ascend-950"));
  // The null row is bound to no platform, the others are the same code anyway.
  Call call = Fixed();
  EXPECT_FALSE(Of(call, Profile::kAtlasTraining).AllowsPhaseOne(161001));
  call.tensor(Role::kSelf).null = true;
  EXPECT_TRUE(Of(call, Profile::kAtlasTraining).AllowsPhaseOne(161001));
  EXPECT_TRUE(Of(call, Profile::kAtlasTraining).AllowsPhaseOne(161002));
}

TEST(Legality, PublicFormats) {
  Call call = Fixed();
  for (const Role role : InfoOf(call.op).tensors) call.tensor(role).format = Format::kNcdhw;
  const Legality ncdhw = Of(call);
  EXPECT_EQ(ncdhw.kind, LegalityKind::kValid);
  ASSERT_EQ(ncdhw.by_advice.size(), 1U);
  EXPECT_EQ(ncdhw.by_advice.front()->id, "MP3-B27");
  for (const Role role : InfoOf(call.op).tensors) call.tensor(role).format = Format::kNdhwc;
  EXPECT_EQ(Of(call).kind, LegalityKind::kOpen);
  // The open question is one more reason for 161002.
  call.tensor(Role::kSelf).null = true;
  EXPECT_TRUE(Of(call).AllowsPhaseOne(161001));
  EXPECT_TRUE(Of(call).AllowsPhaseOne(161002));
  call = Fixed();
  call.tensor(Role::kSelf).format = static_cast<Format>(99);
  EXPECT_EQ(Of(call).kind, LegalityKind::kOpen);
  call.tensor(Role::kSelf).format = Format::kFractalZ3d;
  EXPECT_THAT(Ids(Of(call)), ElementsAre("MP3-S20"));
}

TEST(Legality, MemoryThatNoPageDescribesIsOpen) {
  Call call = Fixed();
  call.tensor(Role::kGradOutput).storage = {3};
  EXPECT_THAT(Of(call).open_reason, HasSubstr("gradOutput leaves its storage"));
  call = Fixed();
  call.tensor(Role::kSelf).offset = -1;
  EXPECT_EQ(Of(call).kind, LegalityKind::kOpen);
  call = Fixed();
  call.tensor(Role::kGradInput).strides = {0, 0, 0, 0, 0};
  EXPECT_THAT(Of(call).open_reason, HasSubstr("gradInput overlaps itself"));
  // Rows that lie between one another, elements that do not.
  call = Fixed();
  Dims& strides = call.tensor(Role::kGradInput).strides;
  strides = {2000, 500, 60, 7, 2};
  EXPECT_EQ(Of(call).kind, LegalityKind::kValid);
  strides = {2000, 500, 60, 4, 2};
  EXPECT_EQ(Of(call).kind, LegalityKind::kOpen);
  call = Fixed();
  call.tensor(Role::kGradOutput).strides = {0, 0, 0, 0, 0};
  EXPECT_EQ(Of(call).kind, LegalityKind::kValid);
  // An advisory refusal would be one answer among many; a required one stays.
  call = Fixed();
  call.tensor(Role::kSelf).offset = -1;
  call.list(List::kStride).reset();
  EXPECT_EQ(Of(call).kind, LegalityKind::kOpen);
  call.list(List::kKernelSize) = Dims{0};
  EXPECT_EQ(Of(call).kind, LegalityKind::kInvalid);
}

TEST(Legality, NonContiguousIndicesOf3dAdaptiveAreByAdviceOfTheOlderEdition) {
  Call call = Adaptive3d();
  call.tensor(Role::kIndices).strides = {1, 32, 8, 2};
  ASSERT_EQ(AsPrinted(call).kind, LegalityKind::kValid);
  ASSERT_EQ(AsPrinted(call).by_advice.size(), 1U);
  EXPECT_EQ(AsPrinted(call).by_advice.front()->id, "AMP3-B25");
  EXPECT_EQ(Of(call).kind, LegalityKind::kValid);
  EXPECT_THAT(Of(call).by_advice, IsEmpty());
}

TEST(Legality, TypesOf3dAdaptiveFollowTheEdition) {
  Call call = Adaptive3d();
  call.tensor(Role::kSelf).type = DataType::kFloat;
  EXPECT_THAT(Ids(Of(call)), ElementsAre("AMP3-S14"));
  EXPECT_EQ(Of(call).ExpectedText(), "161002");
  EXPECT_FALSE(Of(call).AllowsPhaseOne(0));
  EXPECT_THAT(Ids(AsPrinted(call)), ElementsAre("AMP3-S14"));
  EXPECT_TRUE(AsPrinted(call).AllowsPhaseOne(161002));
  call = Adaptive3d();
  call.tensor(Role::kGradInput).type = DataType::kFloat;
  EXPECT_THAT(Ids(Of(call)), ElementsAre("AMP3-S15"));
  EXPECT_THAT(Ids(AsPrinted(call)), ElementsAre("AMP3-S14"));
  call = Adaptive3d();
  call.tensor(Role::kIndices).type = DataType::kInt64;
  EXPECT_EQ(Of(call, Profile::kAscend950).kind, LegalityKind::kValid);
  EXPECT_EQ(Of(call).kind, LegalityKind::kInvalid);
}

// AMP3-C01 and AMP3-C02: the limit is that of extents that do not divide.
TEST(Legality, LargePlanesOf3dAdaptiveFollowTheEdition) {
  const Call divides = MakeAdaptiveBackward(Operator::kAdaptiveMaxPool3dBackward, DataType::kFloat,
                                            DataType::kInt32, {1, 1, 4, 2048, 4096}, {1, 2, 2});
  EXPECT_EQ(Of(divides).kind, LegalityKind::kValid);
  const Call uneven = MakeAdaptiveBackward(Operator::kAdaptiveMaxPool3dBackward, DataType::kFloat,
                                           DataType::kInt32, {1, 1, 5, 2048, 4096}, {2, 2, 2});
  EXPECT_EQ(Of(uneven).kind, LegalityKind::kOpen);
  EXPECT_THAT(Of(uneven).open_reason, HasSubstr("AMP3-C01"));
  EXPECT_EQ(Of(uneven, Profile::kAscend950).kind, LegalityKind::kValid);
  EXPECT_EQ(AsPrinted(uneven).kind, LegalityKind::kValid);
}

TEST(Legality, ChannelsLastIsForThePagesThatListIt) {
  const auto nhwc = [](const Call& made) {
    Call call = made;
    SetFormats(call, Format::kNhwc);
    return call;
  };
  EXPECT_EQ(Of(nhwc(MakeForward(LegalAdaptive2d()))).kind, LegalityKind::kValid);
  const Call fixed = MakeFixedBackward(Operator::kMaxPool2dWithIndicesBackward, DataType::kFloat,
                                       DataType::kInt32, {1, 2, 4, 6}, {2}, {2}, {0}, {1}, false);
  EXPECT_EQ(Of(nhwc(fixed), Profile::kAscend950).kind, LegalityKind::kValid);
  EXPECT_EQ(Of(nhwc(MakeForward(fixed)), Profile::kAscend950).kind, LegalityKind::kValid);
  EXPECT_NE(AsPrinted(nhwc(fixed), Profile::kAscend950).kind, LegalityKind::kInvalid);
  EXPECT_EQ(Of(nhwc(fixed)).kind, LegalityKind::kOpen);
}

TEST(Legality, EmptyOperandsAreOpen) {
  Call call = Fixed();
  for (const Role role : InfoOf(call.op).tensors) call.tensor(role).shape[0] = 0;
  EXPECT_EQ(Of(call).kind, LegalityKind::kOpen);
  EXPECT_EQ(Of(call).ExpectedText(), "any answer");
  call = LegalAdaptive2d();
  call.tensor(Role::kGradOutput).shape[3] = 0;
  call.tensor(Role::kIndices).shape[3] = 0;
  EXPECT_EQ(Of(call).kind, LegalityKind::kOpen);
}

TEST(Legality, NonDivisibleLimitHoldsInEveryReading) {
  const auto of = [](const Dims& self, const Dims& output) {
    return Of(MakeAdaptiveBackward(Operator::kAdaptiveMaxPool2dBackward, DataType::kFloat,
                                   DataType::kInt32, self, output))
        .kind;
  };
  EXPECT_EQ(of({1, 4096, 4096}, {3, 4096}), LegalityKind::kValid);
  EXPECT_EQ(of({1, 4097, 4096}, {2, 4096}), LegalityKind::kOpen);
  EXPECT_EQ(of({1, 4098, 4096}, {2, 4096}), LegalityKind::kValid);  // divides
  EXPECT_EQ(of({300, 256, 256}, {3, 3}), LegalityKind::kOpen);      // all elements
  EXPECT_EQ(of({1, 3, 3}, {5000, 5000}), LegalityKind::kOpen);      // of gradOutput
  // D1 has no such limit.
  EXPECT_EQ(AsPrinted(MakeAdaptiveBackward(Operator::kAdaptiveMaxPool3dBackward, DataType::kFloat,
                                           DataType::kInt32, {1, 5, 4097, 4096}, {2, 2, 2}))
                .kind,
            LegalityKind::kValid);
}

TEST(Legality, OutPointersAndPhaseTwoAlone) {
  const Legality out = Of(Fixed(), Profile::kAtlasA2, CallPlan{.null_executor_out = true});
  EXPECT_THAT(Ids(out), ElementsAre("2P-05"));
  EXPECT_TRUE(out.AllowsPhaseOne(161001));
  EXPECT_FALSE(out.AllowsPhaseOne(161002));
  Call call = Fixed();
  call.tensor(Role::kSelf).null = true;
  // Which of the two null pointers is looked at first, nothing says, nor what the other is answered
  // with.
  const Legality both = Of(call, Profile::kAtlasA2, CallPlan{.null_executor_out = true});
  EXPECT_TRUE(both.AllowsPhaseOne(161001));
  EXPECT_TRUE(both.AllowsPhaseOne(161002));
  EXPECT_FALSE(both.AllowsPhaseOne(0));
  EXPECT_FALSE(Of(call).AllowsPhaseOne(161002));
  const Legality alone = Of(call, Profile::kAtlasTraining, CallPlan{.phase_two_alone = true});
  EXPECT_THAT(Ids(alone), ElementsAre("2P-09"));
  EXPECT_EQ(alone.ExpectedText(), "any error");
}

TEST(Legality, ForwardsAreValidOrOpen) {
  for (const Call& backward : {Fixed(), Adaptive3d(), LegalAdaptive2d()}) {
    Call forward = MakeForward(backward);
    EXPECT_EQ(Of(forward).kind, LegalityKind::kValid);
    EXPECT_EQ(Of(forward, Profile::kAscend950).kind, LegalityKind::kValid);
    EXPECT_EQ(Of(forward, Profile::kAtlasTraining).kind, LegalityKind::kOpen);
    ++forward.tensor(Role::kOut).shape.back();
    EXPECT_EQ(Of(forward).kind, LegalityKind::kOpen);
    forward.tensor(Role::kSelf).null = true;
    EXPECT_EQ(Of(forward).kind, LegalityKind::kOpen);
    EXPECT_THAT(Of(forward).breached, IsEmpty());
  }
  EXPECT_EQ(AsPrinted(MakeForward(Adaptive3d()), Profile::kAscend950).kind, LegalityKind::kOpen);
}

}  // namespace
}  // namespace poolproof
