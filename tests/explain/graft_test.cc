// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/graft.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/explain/donors.h"
#include "conformance/judge/legality.h"
#include "core/random.h"

namespace poolproof {
namespace {

Case Parse(const std::string& line) {
  Result<Case> problem = ParseCaseLine(line);
  EXPECT_TRUE(problem.ok()) << line;
  return std::move(problem).value();
}

bool Put(const std::string& name, Case& to, const Case& from) {
  const auto graft = std::find_if(Grafts().begin(), Grafts().end(),
                                  [&](const Graft& row) { return row.name == name; });
  EXPECT_NE(graft, Grafts().end()) << name;
  return graft != Grafts().end() && graft->put(to, from);
}

class GraftsTest : public testing::Test {
 protected:
  Case to_ = Parse(
      "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,2,4,6,8];k=2,2,2;s=2,2,2;p=0,0,0;d=1,1,1;ix=~"
      "first");
  const Case from_ = Parse(
      "pp1:MaxPool3dWithArgmaxBackward:self=f16[2,3,5,7,20]+4;k=2,3,4;s=1,2,3;p=0,0,1;d=1,1,1;ceil;"
      "ix=i64~last");
  const ProfileRules rules_{Spec::Embedded(), Profile::kAtlasA2};
};

TEST_F(GraftsTest, GiveOnePartAndWhatFollowsFromIt) {
  ASSERT_TRUE(Put("W", to_, from_));
  EXPECT_EQ(to_.calls[0].tensor(Role::kSelf).shape, (Dims{1, 2, 4, 6, 20}));
  EXPECT_EQ(to_.calls[0].tensor(Role::kGradOutput).shape, (Dims{1, 2, 2, 3, 10}));
  ASSERT_TRUE(Put("kernelSize along W", to_, from_));
  EXPECT_EQ(to_.calls[0].list(List::kKernelSize), (Dims{2, 2, 4}));
  EXPECT_EQ(to_.calls[0].tensor(Role::kIndices).shape, (Dims{1, 2, 2, 3, 9}));
  ASSERT_TRUE(Put("the types of values", to_, from_));
  EXPECT_EQ(to_.calls[0].tensor(Role::kGradInput).type, DataType::kFloat16);
  EXPECT_EQ(to_.calls[0].tensor(Role::kIndices).type, DataType::kInt32);
  ASSERT_TRUE(Put("the layout of self", to_, from_));
  EXPECT_EQ(to_.calls[0].tensor(Role::kSelf).offset, 4);
  EXPECT_EQ(Classify(rules_, to_.calls[0], to_.plan).kind, LegalityKind::kValid);
}

TEST_F(GraftsTest, AnotherTypeKeepsWhatTheDataAre) {
  Case special = Parse(
      "pp1:MaxPool3dWithArgmaxBackward:self=bf16[1,1,1,2,4]~exact.1!0=7fc0;k=1;s=1;p=0;d=1;go=~"
      "exact.2!0=7fc0!1=ff80!2=0001!3=8000!4=4000;ix=~first");
  Case plain =
      Parse("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,2,4];k=1;s=1;p=0;d=1;ix=~first");
  const auto bits_of = [](const Case& problem) {
    std::vector<std::uint64_t> bits;
    for (const Patch& patch : problem.calls[0].tensor(Role::kGradOutput).data.patches) {
      bits.push_back(patch.bits);
    }
    return bits;
  };
  const std::vector<std::uint64_t> wide = {0x7fc00000, 0xff800000, 1, 0x80000000, 0x40000000};
  Case wider = special;
  ASSERT_TRUE(Put("the types of values", wider, plain));
  EXPECT_EQ(bits_of(wider), wide);
  ASSERT_TRUE(Put("the data of gradOutput", plain, special));
  EXPECT_EQ(bits_of(plain), wide);
}

// A call that must be refused keeps what is wrong with it.
TEST_F(GraftsTest, GiveAnExtentToCallsThatDoNotFitTogether) {
  Case wrong = Parse(
      "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,2,4,6,8];k=2,2,2;s=2,2,2;p=9,0,0;d=1,1,1;go=[1,2,"
      "2,3,4];ix=~zero");
  ASSERT_TRUE(Put("W", wrong, from_));
  EXPECT_EQ(wrong.calls[0].tensor(Role::kSelf).shape, (Dims{1, 2, 4, 6, 20}));
  EXPECT_EQ(wrong.calls[0].tensor(Role::kGradInput).shape, (Dims{1, 2, 4, 6, 20}));
  EXPECT_EQ(wrong.calls[0].tensor(Role::kGradOutput).shape, (Dims{1, 2, 2, 3, 4}));
  EXPECT_EQ(Classify(rules_, wrong.calls[0], wrong.plan).kind, LegalityKind::kInvalid);
}

TEST_F(GraftsTest, LeaveACaseAsItIsThatLacksThePart) {
  const Case adaptive = Parse("pp1:AdaptiveMaxPool2dBackward:self=f32[2,6,8];go=[2,3,4];ix=~first");
  Case before = to_;
  EXPECT_FALSE(Put("kernelSize", to_, adaptive));
  EXPECT_EQ(to_, before);
  EXPECT_FALSE(Put("output W", to_, adaptive));
  EXPECT_EQ(to_, before);
}

TEST_F(GraftsTest, AnotherOperatorTakesTheCallOver) {
  to_.calls[0] = Parse(
                     "pp1:MaxPool2dWithIndicesBackward:self=f32[1,2,6,8];k=2,2;s=2,2;p=0,0;d=1,1;"
                     "ix=~first")
                     .calls[0];
  ASSERT_TRUE(Put("the operator", to_, from_));
  EXPECT_EQ(to_.calls[0].op, Operator::kMaxPool3dWithArgmaxBackward);
  EXPECT_EQ(to_.calls[0].tensor(Role::kSelf).shape, (Dims{1, 2, 1, 6, 8}));
  EXPECT_EQ(to_.calls[0].list(List::kKernelSize), (Dims{1, 2, 2}));
}

TEST_F(GraftsTest, AdaptiveWindowsBecomeFixedOnesWithTheSameOutputs) {
  to_.calls[0] =
      Parse("pp1:AdaptiveMaxPool3dBackward:self=f32[1,2,5,7,8];go=[1,2,2,3,8];ix=~first").calls[0];
  ASSERT_TRUE(Put("the operator", to_, from_));
  EXPECT_EQ(to_.calls[0].list(List::kKernelSize), (Dims{3, 3, 1}));
  EXPECT_EQ(to_.calls[0].list(List::kStride), (Dims{2, 2, 1}));
  EXPECT_TRUE(HasDerivedOutput(to_.calls[0]));
}

// Whatever parts are put together, the case can be written down and read again.
TEST_F(GraftsTest, MakeCasesThatAreCases) {
  const Donors donors(rules_);
  RandomStream random(7);
  const auto one_of = [&](const auto& list) -> const auto& {
    return list[static_cast<std::size_t>(random.Next() % list.size())];
  };
  for (const bool refused : {false, true}) {
    ASSERT_FALSE(donors.Of(refused).empty());
    int legal = 0;
    for (int i = 0; i < 4000; ++i) {
      Case made = one_of(donors.Of(refused)).problem;
      const Case& from = one_of(donors.Of(refused)).problem;
      for (const Graft& graft : Grafts()) {
        if (random.Next() % 3 == 0) graft.put(made, from);
      }
      const Result<Case> read = ParseCaseLine(CaseLine(made));
      ASSERT_TRUE(read.ok()) << CaseLine(made);
      EXPECT_EQ(CaseLine(read.value()), CaseLine(made));
      if (Classify(rules_, made.calls[0], made.plan).kind == LegalityKind::kValid) ++legal;
    }
    if (!refused) {
      EXPECT_GT(legal, 1000);
    }
  }
}

}  // namespace
}  // namespace poolproof
