// SPDX-License-Identifier: Apache-2.0
#include "conformance/blame/step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "conformance/case/case_text.h"
#include "core/shape.h"

namespace poolproof {
namespace {

Case CaseOf(const std::string& line) {
  Result<Case> problem = ParseCaseLine(line);
  EXPECT_TRUE(problem.ok()) << line;
  return std::move(problem).value();
}

const Step* Find(const std::vector<Step>& steps, const std::string& difference) {
  const auto place = std::find_if(steps.begin(), steps.end(),
                                  [&](const Step& step) { return step.difference == difference; });
  return place == steps.end() ? nullptr : &*place;
}

TEST(Steps, ChangeOneThingAndWhatFollowsFromIt) {
  const Case problem =
      CaseOf("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,4,5,6];k=2,1,1;s=1,1,1;p=0,0,0;d=1,1,1");
  const std::vector<Step> steps = StepsFrom(problem, {128});
  std::set<std::string> lines;
  for (const Step& step : steps) {
    EXPECT_NE(step.problem, problem) << step.difference;
    EXPECT_FALSE(step.difference.empty());
    ASSERT_EQ(step.problem.calls.size(), 1U);
    EXPECT_TRUE(HasDerivedOutput(step.problem.calls.front())) << step.difference;
    lines.insert(CaseLine(step.problem));
  }
  EXPECT_GT(lines.size(), 50U);
  const Step* stride = Find(steps, "stride D = 2 instead of 1");  // the kernel: no overlap
  ASSERT_NE(stride, nullptr);
  EXPECT_EQ(*stride->problem.calls.front().list(List::kStride), (Dims{2, 1, 1}));
  EXPECT_EQ(stride->problem.calls.front().tensor(Role::kGradOutput).shape, (Dims{1, 1, 2, 5, 6}));
  // Both sides of a border.
  for (const char* width :
       {"W = 127 instead of 6", "W = 128 instead of 6", "W = 129 instead of 6"}) {
    EXPECT_NE(Find(steps, width), nullptr) << width;
  }
  for (const char* other :
       {"type f16", "i64 indices", "no batch axis", "self transposed", "ceilMode on"}) {
    EXPECT_NE(Find(steps, other), nullptr) << other;
  }
}

TEST(Steps, KeepWindowsLegal) {
  const Case problem =
      CaseOf("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,4,5,2];k=2,1,4;s=1,1,1;p=0,0,2;d=1,1,1");
  const std::vector<Step> steps = StepsFrom(problem, {});
  const auto lists_of = [](const Step& step, List list) {
    return step.problem.calls.front().list(list);
  };
  const Step* padding = Find(steps, "padding H = 1 instead of 0 and kernel H = 2 instead of 1");
  ASSERT_NE(padding, nullptr);
  EXPECT_EQ(lists_of(*padding, List::kKernelSize), (Dims{2, 2, 4}));
  const Step* kernel = Find(steps, "kernel W = 3 instead of 4 and padding W = 1 instead of 2");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(lists_of(*kernel, List::kPadding), (Dims{0, 0, 1}));
  const Step* longer = Find(steps, "kernel W = 8 instead of 4 and W = 4 instead of 2");
  ASSERT_NE(longer, nullptr);
  EXPECT_EQ(longer->problem.calls.front().tensor(Role::kSelf).shape, (Dims{1, 1, 4, 5, 4}));
}

TEST(Steps, OfViewsGoToBothSidesOfABorder) {
  const Case problem = CaseOf(
      "pp1:AdaptiveMaxPool2dBackward:self=f32[1,4,9];go=[1,2,4];gi={36,9,1}+16;ix={24,12,3}");
  const std::vector<Step> steps = StepsFrom(problem, {}, {11});
  const Step* offset = Find(steps, "the offset of gradInput = 10 instead of 16");
  ASSERT_NE(offset, nullptr);
  EXPECT_EQ(offset->problem.calls.front().tensor(Role::kGradInput).offset, 10);
  const Step* apart = Find(steps, "the innermost stride of indices = 12 instead of 3");
  ASSERT_NE(apart, nullptr);
  EXPECT_EQ(apart->problem.calls.front().tensor(Role::kIndices).strides, (Dims{96, 48, 12}));
  EXPECT_NE(Find(steps, "the offset of self = 12 instead of 0"), nullptr);
  EXPECT_EQ(Find(StepsFrom(problem, {11}), "the offset of self = 12 instead of 0"), nullptr);
}

TEST(Steps, OfCountsComeToAnyNumber) {
  const Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[2,8,4,9];go=[2,8,2,4]");
  std::set<Dims> shapes;
  for (const Step& step : StepsFrom(problem, {}, {17})) {
    shapes.insert(step.problem.calls.front().tensor(Role::kSelf).shape);
  }
  for (const Dims& shape : {Dims{17, 1, 1, 1}, Dims{1, 17, 1, 1}, Dims{1, 1, 1, 17}}) {
    EXPECT_TRUE(shapes.contains(shape)) << DimsText(shape);
  }
}

// Windows that no plane has room for take no part.
TEST(Steps, OfCountsKeepOutOfHugeWindows) {
  const Case problem = CaseOf(
      "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,2,4];k=1,1,9223372036854775807;s=1;p=0;"
      "d=9223372036854775807;go=[1,1,1,1]");
  for (const Step& step : StepsFrom(problem, {}, {17})) EXPECT_NE(step.difference, "");
}

// What a list says in one value it may say in all, wrong values too.
TEST(Steps, SayTheSameInLongerAndShorterLists) {
  const Case problem = CaseOf(
      "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,4,5,6];k=0;s=1,1,1;p=0,0,1;d=1;"
      "go=[1,1,4,5,6]");
  const std::vector<Step> steps = StepsFrom(problem, {});
  const Step* longer = Find(steps, "the length of kernelSize = 3 instead of 1");
  ASSERT_NE(longer, nullptr);
  EXPECT_EQ(*longer->problem.calls.front().list(List::kKernelSize), (Dims{0, 0, 0}));
  const Step* shorter = Find(steps, "the length of stride = 1 instead of 3");
  ASSERT_NE(shorter, nullptr);
  EXPECT_EQ(*shorter->problem.calls.front().list(List::kStride), (Dims{1}));
  EXPECT_EQ(Find(steps, "the length of padding = 1 instead of 3"), nullptr);
}

TEST(Steps, GoFromOneNullTensorToOthers) {
  const Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,4,9];go=[1,2,4];ix=null");
  const std::vector<Step> steps = StepsFrom(problem, {});
  const Step* instead = Find(steps, "gradOutput null instead of indices");
  ASSERT_NE(instead, nullptr);
  EXPECT_TRUE(instead->problem.calls.front().tensor(Role::kGradOutput).null);
  EXPECT_FALSE(instead->problem.calls.front().tensor(Role::kIndices).null);
  EXPECT_NE(Find(steps, "indices not null"), nullptr);
  EXPECT_NE(Find(steps, "self null"), nullptr);
}

// A special value among others does not hide what happens to these.
TEST(Steps, PutASpecialValueAmongTheGradients) {
  const Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f16[1,4,9];go=[1,2,4]");
  const std::vector<Step> steps = StepsFrom(problem, {});
  const std::pair<const char*, std::uint32_t> wanted[] = {
      {"the first gradient is NaN", 0x7e00},
      {"the first gradient is infinite", 0x7c00},
      {"the first gradient is -0", 0x8000},
      {"the first gradient is subnormal", 0x0200}};
  for (const auto& [difference, bits] : wanted) {
    const Step* step = Find(steps, difference);
    ASSERT_NE(step, nullptr) << difference;
    const std::vector<Patch> patches = {{0, bits}};
    EXPECT_EQ(step->problem.calls.front().tensor(Role::kGradOutput).data.patches, patches);
  }
  const Step* several = Find(steps, "every second gradient is NaN");
  ASSERT_NE(several, nullptr);
  EXPECT_EQ(several->problem.calls.front().tensor(Role::kGradOutput).data.patches.size(), 4U);
}

TEST(Steps, OfAdaptiveWindowsReachTheWholeExtent) {
  const Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,4,9];go=[1,2,4]");
  const std::vector<Step> steps = StepsFrom(problem, {});
  const Step* whole = Find(steps, "output W = 9 instead of 4");
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(whole->problem.calls.front().tensor(Role::kIndices).shape, (Dims{1, 2, 9}));
  EXPECT_EQ(Find(steps, "kernel W = 2 instead of 1"), nullptr);
}

TEST(Steps, AreNotTooLarge) {
  const Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,4,9];go=[1,2,4]");
  for (const Step& step : StepsFrom(problem, {std::int64_t{1} << 40})) {
    for (const TensorSpec& tensor : step.problem.calls.front().tensors) {
      EXPECT_LE(StorageElements(tensor).value_or(0), std::int64_t{1} << 20) << step.difference;
    }
  }
}

}  // namespace
}  // namespace poolproof
