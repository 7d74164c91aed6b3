// SPDX-License-Identifier: Apache-2.0
#include "tests/circumstance/trigger.h"

#include <gtest/gtest.h>

#include "conformance/case/case_text.h"

namespace poolproof {
namespace {

bool HoldsOf(const std::string& text, const std::string& line) {
  const Result<Trigger> trigger = Trigger::Parse(text);
  EXPECT_TRUE(trigger.ok()) << trigger.status().message();
  const Result<Case> problem = ParseCaseLine(line);
  EXPECT_TRUE(problem.ok()) << line;
  return trigger->Holds(CircumstancesOf(*problem, 0));
}

constexpr const char* kHalf =
    "pp1:MaxPool3dWithArgmaxBackward:self=f16[1,2,8,9,10];k=3,2,3;s=1,2,4;p=0,0,0;d=1,1,1";

TEST(Trigger, ComparesWhatCanBeSaidOfACall) {
  EXPECT_TRUE(HoldsOf("always", kHalf));
  EXPECT_TRUE(HoldsOf("overlap_d", kHalf));
  EXPECT_FALSE(HoldsOf("not overlap_d", kHalf));
  EXPECT_TRUE(HoldsOf("dtype == f16 and in_w >= 10 and in_w < 11", kHalf));
  EXPECT_FALSE(HoldsOf("dtype != f16 or in_w > 10", kHalf));
  EXPECT_TRUE(
      HoldsOf("not (overlap_h or overlap_w) and operator == MaxPool3dWithArgmaxBackward", kHalf));
}

TEST(Trigger, WhatACallDoesNotHaveIsFalse) {
  EXPECT_FALSE(HoldsOf("divides_h", kHalf));
  EXPECT_FALSE(HoldsOf("equal_indices_apart < 100000",
                       "pp1:AdaptiveMaxPool2dBackward:self=f32[1,2,6,7];go=[1,2,3,2];ix=~first"));
}

TEST(Trigger, SaysWhatItDoesNotUnderstand) {
  for (const char* text : {"", "no_such_name", "in_w", "in_w > many", "dtype == f17",
                           "overlap_d and", "(overlap_d", "overlap_d overlap_h"}) {
    EXPECT_FALSE(Trigger::Parse(text).ok()) << text;
  }
}

}  // namespace
}  // namespace poolproof
