// SPDX-License-Identifier: Apache-2.0
#include "core/random.h"

#include <gtest/gtest.h>

#include <array>

namespace poolproof {
namespace {

// The numbers are part of every stored case line: they may never change.
TEST(RandomBits, AreFixed) {
  static_assert(RandomBits(1, 0) != RandomBits(1, 1));
  EXPECT_EQ(RandomBits(1, 0), RandomBits(1, 0));
  EXPECT_EQ(Scramble(0), 0U);
  EXPECT_EQ(Scramble(1), 0x5692161d100b05e5ULL);
  RandomStream stream(9);
  EXPECT_EQ(stream.Next(), RandomBits(9, 0));
  EXPECT_EQ(stream.Next(), RandomBits(9, 1));
}

TEST(RandomBelow, StaysBelowAndReachesAll) {
  std::array<int, 7> seen = {};
  for (std::uint64_t i = 0; i < 7000; ++i) {
    const std::uint64_t value = RandomBelow(5, i, seen.size());
    ASSERT_LT(value, seen.size());
    ++seen[value];
  }
  for (const int count : seen) EXPECT_NEAR(count, 1000, 200);
}

TEST(RandomStream, BetweenIncludesBothEnds) {
  RandomStream stream(2);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t value = stream.Between(-2, 2);
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 2);
    low = low || value == -2;
    high = high || value == 2;
  }
  EXPECT_TRUE(low);
  EXPECT_TRUE(high);
}

}  // namespace
}  // namespace poolproof
