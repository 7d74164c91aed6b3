// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/cause_border.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace poolproof {
namespace {

Literal AtLeast(const char* name, std::int64_t value) {
  return {CircumstanceOf(name), LiteralTest::kAtLeast, value};
}
Literal Yes(const char* name) { return {CircumstanceOf(name), LiteralTest::kIs, 1}; }

class Border : public testing::Test {
 protected:
  // A case of the width, with or without overlap, that fails or passes.
  void See(std::int64_t width, bool overlaps, bool fails, int times = 1, bool ceil_mode = true) {
    Example example;
    example.values.assign(AllCircumstances().size(), kNoValue);
    example.values[CircumstanceOf("in_w")] = width;
    example.values[CircumstanceOf("overlap_d")] = overlaps ? 1 : 0;
    example.values[CircumstanceOf("ceil_mode")] = ceil_mode ? 1 : 0;
    example.label = fails ? Label::kFails : Label::kPasses;
    examples_.insert(examples_.end(), static_cast<std::size_t>(times), example);
  }
  std::vector<Example> examples_;
};

TEST_F(Border, CountsWhatFailsAndWhatPassesOnBothSidesOfTwoConditions) {
  See(64, true, false, 5);
  See(128, true, false, 2);
  See(129, true, true, 7);
  See(300, true, true, 3);
  See(129, false, false, 4);
  See(129, true, false, 9, false);
  const auto border =
      BorderOf({AtLeast("in_w", 129), Yes("overlap_d"), Yes("ceil_mode")}, examples_);
  ASSERT_TRUE(border);
  // Of the condition that keeps most passing cases out: ceilMode; then the width.
  EXPECT_EQ(border->across.name, "ceil_mode");
  EXPECT_EQ(border->across.values, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(border->down.text, "W");
  EXPECT_EQ(border->down.values, (std::vector<std::string>{"64", "128", "129", "300"}));
  const auto cell = [&](std::size_t row, std::size_t column) {
    return border->cells[row * 2 + column];
  };
  EXPECT_EQ(cell(0, 1), (CauseBorder::Cell{0, 5, false}));
  EXPECT_EQ(cell(1, 1), (CauseBorder::Cell{0, 2, false}));
  EXPECT_EQ(cell(2, 0), (CauseBorder::Cell{0, 9, false}));
  EXPECT_EQ(cell(2, 1), (CauseBorder::Cell{7, 0, true}));  // and none without overlap
  EXPECT_EQ(cell(3, 1), (CauseBorder::Cell{3, 0, true}));
}

TEST_F(Border, ARangeEndsWhereTheRuleDoes) {
  for (std::int64_t width = 1; width <= 200; ++width) See(width, true, width > 128);
  See(129, false, false);
  const auto border = BorderOf({AtLeast("in_w", 129), Yes("overlap_d")}, examples_);
  ASSERT_TRUE(border);
  EXPECT_EQ(border->across.text, "W");
  ASSERT_LE(border->across.values.size(), 6U);
  std::int64_t failing = 0;
  for (const CauseBorder::Cell& cell : border->cells) {
    EXPECT_TRUE(cell.failing == 0 || cell.passing == 0);
    EXPECT_TRUE(cell.foretold || cell.failing == 0);
    failing += cell.failing;
  }
  EXPECT_EQ(failing, 72);
}

TEST_F(Border, WhatNothingPassesBesideHasNone) {
  See(1, true, true);
  See(2, true, true);
  EXPECT_FALSE(BorderOf({Yes("overlap_d")}, examples_));
  See(2, false, false);
  EXPECT_TRUE(BorderOf({Yes("overlap_d")}, examples_));
  EXPECT_FALSE(BorderOf({}, examples_));
}

}  // namespace
}  // namespace poolproof
