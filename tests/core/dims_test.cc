// SPDX-License-Identifier: Apache-2.0
#include "core/dims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include "core/random.h"

namespace poolproof {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

TEST(Dims, HoldsWhatItIsMadeOf) {
  EXPECT_TRUE(Dims().empty());
  EXPECT_THAT(Dims({4, -1}), ElementsAre(4, -1));
  EXPECT_THAT(Dims(3, 7), ElementsAre(7, 7, 7));
  EXPECT_THAT(Dims(2), ElementsAre(0, 0));
  const std::list<std::int64_t> values = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(Dims(values.begin(), values.end()), ElementsAreArray(values));
}

TEST(Dims, TakesNoHeapForTheRanksOfTheOperators) {
  Dims dims = {1, 2, 3, 4, 5};
  EXPECT_EQ(dims.capacity(), Dims::kInline);
  dims.push_back(6);
  EXPECT_GT(dims.capacity(), Dims::kInline);
  EXPECT_THAT(dims, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Dims, CompareLikeVectors) {
  EXPECT_EQ(Dims({1, 2}), Dims({1, 2}));
  EXPECT_NE(Dims({1, 2}), Dims({1, 2, 0}));
  EXPECT_LT(Dims({1, 2}), Dims({1, 2, 0}));
  EXPECT_LT(Dims({1, -5}), Dims({1, 2}));
}

TEST(Dims, MovesLeaveTheSourceEmpty) {
  for (const std::size_t size : {std::size_t{2}, std::size_t{9}}) {
    Dims from(size, 3);
    Dims to = std::move(from);
    EXPECT_EQ(to, Dims(size, 3));
    EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move)
    from = {1};
    to = std::move(from);
    EXPECT_THAT(to, ElementsAre(1));
    Dims& same = to;
    to = same;
    EXPECT_THAT(to, ElementsAre(1));
  }
}

// A part of the list itself may be put into it.
TEST(Dims, InsertsItself) {
  Dims dims = {1, 2, 3, 4};
  dims.insert(dims.begin() + 1, dims.begin(), dims.end());
  EXPECT_THAT(dims, ElementsAre(1, 1, 2, 3, 4, 2, 3, 4));
}

// The same steps on a vector.
TEST(Dims, DoesWhatVectorsDo) {
  RandomStream random(7);
  const auto below = [&](std::uint64_t limit) { return random.Next() % limit; };
  for (int walk = 0; walk < 200; ++walk) {
    Dims dims;
    std::vector<std::int64_t> vector;
    for (int step = 0; step < 60; ++step) {
      const auto value = static_cast<std::int64_t>(below(100)) - 50;
      const auto at = static_cast<std::ptrdiff_t>(below(vector.size() + 1));
      switch (below(8)) {
        case 0:
          dims.push_back(value);
          vector.push_back(value);
          break;
        case 1:
          dims.insert(dims.begin() + at, value);
          vector.insert(vector.begin() + at, value);
          break;
        case 2: {
          const std::size_t count = below(4);
          dims.insert(dims.begin() + at, count, value);
          vector.insert(vector.begin() + at, count, value);
          break;
        }
        case 3: {
          const std::vector<std::int64_t> more(below(4), value);
          dims.insert(dims.begin() + at, more.begin(), more.end());
          vector.insert(vector.begin() + at, more.begin(), more.end());
          break;
        }
        case 4:
          dims.erase(dims.begin() + at, dims.end());
          vector.erase(vector.begin() + at, vector.end());
          break;
        case 5: {
          const std::size_t count = below(12);
          dims.resize(count, value);
          vector.resize(count, value);
          break;
        }
        case 6: {
          const Dims copy = dims;
          dims = copy;
          if (vector.empty()) break;
          dims.pop_back();
          vector.pop_back();
          break;
        }
        default:
          std::reverse(dims.begin(), dims.end());
          std::reverse(vector.begin(), vector.end());
      }
      ASSERT_THAT(dims, ElementsAreArray(vector));
      ASSERT_EQ(std::vector<std::int64_t>(dims.rbegin(), dims.rend()),
                std::vector<std::int64_t>(vector.rbegin(), vector.rend()));
    }
  }
}

}  // namespace
}  // namespace poolproof
