// SPDX-License-Identifier: Apache-2.0
#include "core/shape.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "core/random.h"
#include "core/tensor_view.h"

namespace poolproof {
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 62;
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(CheckedNumel, MultipliesOrSaysNo) {
  EXPECT_EQ(CheckedNumel(Dims{}), 1);
  EXPECT_EQ(CheckedNumel(Dims{2, 3, 4}), 24);
  EXPECT_EQ(CheckedNumel(Dims{kHuge, kHuge, 0}), 0);
  EXPECT_EQ(CheckedNumel(Dims{kMax}), kMax);
  EXPECT_FALSE(CheckedNumel(Dims{kHuge, 2}).has_value());
  EXPECT_FALSE(CheckedNumel(Dims{kHuge, kHuge, kHuge}).has_value());
  EXPECT_FALSE(CheckedNumel(Dims{2, -1}).has_value());
  EXPECT_FALSE(CheckedNumel(Dims{-1, 0}).has_value());
}

TEST(ContiguousStrides, AreRowMajor) {
  EXPECT_EQ(ContiguousStrides(Dims{2, 3, 4}), (Dims{12, 4, 1}));
  EXPECT_EQ(ContiguousStrides(Dims{}), Dims{});
  EXPECT_EQ(ContiguousStrides(Dims{2, 0, 4}).size(), 3U);
  EXPECT_EQ(ContiguousStrides(Dims{0, kHuge, kHuge}).size(), 3U);  // no overflow in UBSan's eyes
}

TEST(IsContiguous, IgnoresAxesOfExtentOne) {
  EXPECT_TRUE(IsContiguous(Dims{2, 3}, Dims{3, 1}));
  EXPECT_TRUE(IsContiguous(Dims{2, 1, 3}, Dims{3, 77, 1}));
  EXPECT_TRUE(IsContiguous(Dims{1, 1}, Dims{-5, 9}));
  EXPECT_TRUE(IsContiguous(Dims{0, 3}, Dims{7, 7}));
  EXPECT_FALSE(IsContiguous(Dims{2, 3}, Dims{1, 2}));
  EXPECT_FALSE(IsContiguous(Dims{2, 3}, Dims{4, 1}));
  EXPECT_FALSE(IsContiguous(Dims{2, 3}, Dims{0, 1}));
  EXPECT_FALSE(IsContiguous(Dims{2, kHuge, 4}, Dims{0, 4, 1}));
  EXPECT_TRUE(IsContiguous(Dims{1, kHuge, 4}, Dims{0, 4, 1}));
}

TEST(ViewReach, SpansTheElements) {
  const auto reach = ViewReach(Dims{6, 5}, Dims{10, 1}, 22);
  ASSERT_TRUE(reach.has_value());
  EXPECT_EQ(reach->first, 22);
  EXPECT_EQ(reach->last, 76);
  const auto backwards = ViewReach(Dims{3, 2}, Dims{-4, 1}, 8);
  ASSERT_TRUE(backwards.has_value());
  EXPECT_EQ(backwards->first, 0);
  EXPECT_EQ(backwards->last, 9);
  EXPECT_FALSE(ViewReach(Dims{0, 2}, Dims{1, 1}, 0).has_value());
  EXPECT_FALSE(ViewReach(Dims{2}, Dims{1, 1}, 0).has_value());
  EXPECT_FALSE(ViewReach(Dims{kHuge, 2}, Dims{4, 1}, 0).has_value());
  EXPECT_FALSE(ViewReach(Dims{3}, Dims{kMin}, 0).has_value());
  EXPECT_FALSE(ViewReach(Dims{2}, Dims{1}, kMax).has_value());
}

TEST(IsInjective, IsNeverWronglyTrue) {
  RandomStream random(3);
  int injective = 0;
  for (int round = 0; round < 20000; ++round) {
    Dims shape;
    Dims strides;
    const std::int64_t rank = random.Between(1, 4);
    for (std::int64_t axis = 0; axis < rank; ++axis) {
      shape.push_back(random.Between(1, 4));
      strides.push_back(random.Between(-20, 20));
    }
    const std::int64_t numel = CheckedNumel(shape).value();
    std::set<std::int64_t> elements;
    for (std::int64_t i = 0; i < numel; ++i) elements.insert(ElementOffset(shape, strides, 0, i));
    if (IsInjective(shape, strides)) {
      ++injective;
      ASSERT_EQ(std::ssize(elements), numel) << DimsText(shape) << DimsText(strides);
    }
  }
  EXPECT_GT(injective, 1000);
}

TEST(IsInjective, KnowsCommonLayouts) {
  EXPECT_TRUE(IsInjective(Dims{2, 3, 4}, Dims{12, 4, 1}));
  EXPECT_TRUE(IsInjective(Dims{4, 3, 2}, Dims{1, 4, 12}));
  EXPECT_TRUE(IsInjective(Dims{2, 3}, Dims{-10, 2}));
  EXPECT_FALSE(IsInjective(Dims{2, 3}, Dims{0, 1}));
  EXPECT_FALSE(IsInjective(Dims{2, 3}, Dims{2, 1}));
  EXPECT_TRUE(IsInjective(Dims{2, 2}, Dims{kMin, 1}));
  EXPECT_FALSE(IsInjective(Dims{kMax, kMax, kMax}, Dims{kMax, kMax, 1}));
}

TEST(ToNcdhw, PutsOnesWhereAxesAreMissing) {
  EXPECT_EQ(NcdhwShape({2, 3, 4, 5, 6}, 3), (Dims{2, 3, 4, 5, 6}));
  EXPECT_EQ(NcdhwShape({3, 4, 5, 6}, 3), (Dims{1, 3, 4, 5, 6}));
  EXPECT_EQ(NcdhwShape({2, 3, 5, 6}, 2), (Dims{2, 3, 1, 5, 6}));
  EXPECT_EQ(NcdhwShape({3, 5, 6}, 2), (Dims{1, 3, 1, 5, 6}));
  EXPECT_EQ(NcdhwStrides({90, 30, 5, 1}, 2), (Dims{90, 30, 0, 5, 1}));
  EXPECT_EQ(NcdhwStrides({30, 5, 1}, 2), (Dims{0, 30, 0, 5, 1}));
}

TEST(DimsText, PrintsAList) {
  EXPECT_EQ(DimsText(Dims{}), "[]");
  EXPECT_EQ(DimsText(Dims{2, -1}), "[2,-1]");
}

}  // namespace
}  // namespace poolproof
