// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/needless.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conformance/circumstance/rule.h"
#include "conformance/tally/root_causes.h"

namespace poolproof {
namespace {

Literal AtLeast(const char* name, std::int64_t value) {
  return {CircumstanceOf(name), LiteralTest::kAtLeast, value};
}

// Failing planes of the extents H and W, told by the rule.
FoundCause Cause(const Rule& rule, const std::vector<std::pair<std::int64_t, std::int64_t>>& planes,
                 bool refusal = false) {
  FoundCause found;
  found.cause = CauseOf(rule);
  found.way.refusal = refusal;
  for (const auto& [height, width] : planes) {
    CircumstanceValues values(AllCircumstances().size(), kNoValue);
    values[CircumstanceOf("in_h")] = height;
    values[CircumstanceOf("in_w")] = width;
    found.failing.push_back(values);
  }
  return found;
}

std::vector<std::string> TextsOf(const std::vector<FoundCause>& found) {
  std::vector<std::string> texts;
  for (const FoundCause& one : found) texts.push_back(RuleText(RuleOf(one.cause)));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(NeedlessCauses, WhatTwoOthersExplainBetweenThemIsNoCause) {
  std::vector<FoundCause> found = {
      Cause({AtLeast("in_h", 3), AtLeast("in_w", 3)}, {{9, 4}, {4, 9}}),
      Cause({AtLeast("in_h", 8)}, {{9, 4}}), Cause({AtLeast("in_w", 8)}, {{4, 9}})};
  DropNeedless(found);
  EXPECT_EQ(TextsOf(found), (Texts{"H > 7", "W > 7"}));
}

TEST(NeedlessCauses, OneThatExplainsMoreThanOthersStaysInTheirPlace) {
  std::vector<FoundCause> found = {
      Cause({AtLeast("in_h", 3), AtLeast("in_w", 3)}, {{9, 4}, {4, 9}, {4, 4}}),
      Cause({AtLeast("in_h", 8)}, {{9, 4}}), Cause({AtLeast("in_w", 8)}, {{4, 9}})};
  DropNeedless(found);
  EXPECT_EQ(TextsOf(found), (Texts{"H > 2 and W > 2"}));
}

TEST(NeedlessCauses, OfTwoThatSayTheSameOneStays) {
  std::vector<FoundCause> found = {Cause({AtLeast("in_h", 8), AtLeast("in_w", 2)}, {{9, 4}}),
                                   Cause({AtLeast("in_h", 8)}, {{9, 4}})};
  DropNeedless(found);
  EXPECT_EQ(TextsOf(found), (Texts{"H > 7"}));
}

// A search may end with a failing case beside its rule; the rule says nothing of it.
TEST(NeedlessCauses, WhatARuleDoesNotSayKeepsItNot) {
  std::vector<FoundCause> found = {Cause({AtLeast("in_h", 9)}, {{9, 4}, {2, 4}}),
                                   Cause({AtLeast("in_h", 8)}, {{8, 4}, {9, 4}})};
  DropNeedless(found);
  EXPECT_EQ(TextsOf(found), (Texts{"H > 7"}));
}

TEST(NeedlessCauses, RefusalsAreNotExplainedByWhatIsCarriedOut) {
  std::vector<FoundCause> found = {
      Cause({AtLeast("in_h", 8), AtLeast("in_w", 2)}, {{9, 4}}, /*refusal=*/true),
      Cause({AtLeast("in_h", 8)}, {{9, 4}})};
  DropNeedless(found);
  EXPECT_EQ(found.size(), 2U);
}

// What fails always would explain everything.
TEST(NeedlessCauses, WhatFailsAlwaysMakesNoOtherNeedless) {
  std::vector<FoundCause> found = {Cause({}, {{1, 1}}), Cause({AtLeast("in_h", 8)}, {{9, 4}})};
  DropNeedless(found);
  EXPECT_EQ(found.size(), 2U);
}

}  // namespace
}  // namespace poolproof
