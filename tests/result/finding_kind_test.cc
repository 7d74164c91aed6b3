// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/finding_kind.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace poolproof {
namespace {

TEST(FindingKinds, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kFindingKindCount; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    EXPECT_EQ(InfoOf(kind).kind, kind);
    EXPECT_FALSE(FindingKindName(kind).empty());
    EXPECT_TRUE(names.insert(FindingKindName(kind)).second) << FindingKindName(kind);
  }
}

// Wrong numbers spoil a result, and so does that none came; what is done beside a result does not.
TEST(FindingKinds, SpoilAResultOrAreDoneBesideIt) {
  for (std::size_t i = 0; i < kFindingKindCount; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    EXPECT_FALSE(SpoilsResult(kind) && IsSideEffect(kind)) << FindingKindName(kind);
    EXPECT_FALSE(IsWrongNumber(kind) && !SpoilsResult(kind)) << FindingKindName(kind);
    EXPECT_FALSE(IsBadEnd(kind) && !SpoilsResult(kind)) << FindingKindName(kind);
  }
  EXPECT_TRUE(SpoilsResult(FindingKind::kWrongMaximum));
  EXPECT_FALSE(IsWrongNumber(FindingKind::kWrongMaximum));
  EXPECT_FALSE(SpoilsResult(FindingKind::kRelationBroken));
  EXPECT_TRUE(SpoilsResult(FindingKind::kRefused));
}

// Statuses, ends and what is read were there before anything could come late.
TEST(FindingKinds, OfMemoryThatChangesMayComeLate) {
  EXPECT_TRUE(MayComeOfLateWork(FindingKind::kNotRepeatable));
  EXPECT_TRUE(MayComeOfLateWork(FindingKind::kInputChanged));
  EXPECT_FALSE(MayComeOfLateWork(FindingKind::kReadOutside));
  EXPECT_FALSE(MayComeOfLateWork(FindingKind::kCrashed));
  EXPECT_FALSE(MayComeOfLateWork(FindingKind::kWrongStatus));
  EXPECT_FALSE(MayComeOfLateWork(FindingKind::kNotOnStream));
}

}  // namespace
}  // namespace poolproof
