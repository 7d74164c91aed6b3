// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/sum_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/float_bits.h"
#include "core/random.h"

namespace poolproof {
namespace {

constexpr DataType kTypes[] = {DataType::kFloat, DataType::kFloat16, DataType::kBf16};

std::vector<std::uint32_t> Bits(std::initializer_list<double> values, DataType type) {
  std::vector<std::uint32_t> bits;
  for (const double value : values) bits.push_back(EncodeFloat(value, type));
  return bits;
}

bool Accepts(std::initializer_list<double> values, double got, DataType type) {
  return RuleFor(Bits(values, type), type).Accepts(EncodeFloat(got, type));
}

TEST(SumRule, NoContributionIsZeroOfEitherSign) {
  for (const DataType type : kTypes) {
    EXPECT_TRUE(Accepts({}, 0.0, type));
    EXPECT_TRUE(Accepts({}, -0.0, type));
    EXPECT_FALSE(Accepts({}, TraitsOf(type).min_subnormal, type));
    EXPECT_FALSE(Accepts({}, NAN, type));
  }
}

TEST(SumRule, OneContributionIsCopied) {
  for (const DataType type : kTypes) {
    const FloatTraits& traits = TraitsOf(type);
    for (const double value : {1.0, -3.0, traits.max_finite, traits.min_subnormal, HUGE_VAL}) {
      EXPECT_TRUE(Accepts({value}, value, type));
      EXPECT_EQ(Accepts({value}, 0.0, type), value == traits.min_subnormal);
      EXPECT_FALSE(Accepts({value}, -value, type));
    }
    EXPECT_TRUE(Accepts({-0.0}, 0.0, type));
    EXPECT_TRUE(Accepts({NAN}, NAN, type));
    EXPECT_FALSE(Accepts({NAN}, 1.0, type));
  }
}

// A flush takes subnormal terms, where they are added, and subnormal sums; nothing else.
TEST(SumRule, SubnormalsMayCountAsZero) {
  for (const DataType type : kTypes) {
    const FloatTraits& traits = TraitsOf(type);
    const double least = traits.min_normal;
    const double small = traits.min_normal - traits.min_subnormal;
    EXPECT_TRUE(Accepts({small}, small, type));
    EXPECT_TRUE(Accepts({small}, 0.0, type));
    EXPECT_TRUE(Accepts({small}, -0.0, type));
    EXPECT_FALSE(Accepts({small}, small / 2, type));
    EXPECT_FALSE(Accepts({small}, -small, type));
    EXPECT_FALSE(Accepts({least}, 0.0, type));
    EXPECT_FALSE(Accepts({1.0}, 0.0, type));
    EXPECT_TRUE(Accepts({16 * least, small}, 16 * least, type));
    EXPECT_TRUE(Accepts({small, small}, 0.0, type));
    EXPECT_TRUE(Accepts({small, small}, small, type));
    EXPECT_FALSE(Accepts({16 * least, small}, 15 * least, type));
    EXPECT_FALSE(Accepts({16 * least, least}, 16 * least, type));
    EXPECT_TRUE(Accepts({1.5 * least, -least}, 0.0, type));
    EXPECT_FALSE(Accepts({1.5 * least, least}, 0.0, type));
    EXPECT_FALSE(Accepts({1.5 * least, least}, least, type));
  }
}

// Normal terms of one sign have no subnormal among their sums, so that none of them may be missing;
// those of both signs may, and lose no more than they had.
TEST(SumRule, MoreThanTwoSubnormalsMayCountAsZero) {
  for (const DataType type : kTypes) {
    const double least = TraitsOf(type).min_normal;
    EXPECT_FALSE(Accepts({least, least, least}, 2 * least, type));
    EXPECT_FALSE(Accepts({1.5 * least, 1.5 * least, 1.5 * least}, 3 * least, type));
    EXPECT_TRUE(Accepts({1.5 * least, -least, 1.5 * least}, 1.5 * least, type));
    EXPECT_FALSE(Accepts({4 * least, -least / 2, 8 * least}, 4 * least, type));
    EXPECT_TRUE(Accepts({4 * least, least / 2, 8 * least}, 12 * least, type));
    EXPECT_FALSE(Accepts({4 * least, least / 2, 8 * least}, 13 * least, type));
    EXPECT_FALSE(Accepts({4 * least, least / 2, 8 * least}, 11 * least, type));
  }
}

TEST(SumRule, TellsWhatBecameOfSubnormals) {
  for (const DataType type : kTypes) {
    const double least = TraitsOf(type).min_normal;
    for (const double sign : {1.0, -1.0}) {
      EXPECT_TRUE(IsSubnormalBits(EncodeFloat(sign * TraitsOf(type).min_subnormal, type), type));
      EXPECT_FALSE(IsSubnormalBits(EncodeFloat(sign * least, type), type));
      EXPECT_FALSE(IsSubnormalBits(EncodeFloat(sign * 0.0, type), type));
    }
    const auto told = [&](std::initializer_list<double> values, double got) {
      return RuleFor(Bits(values, type), type).FlushingOf(EncodeFloat(got, type));
    };
    EXPECT_EQ(told({least / 2}, least / 2), Flushing::kKept);
    EXPECT_EQ(told({least / 2}, 0), Flushing::kFlushed);
    EXPECT_EQ(told({least}, least), Flushing::kUntold);
    EXPECT_EQ(told({1.0, least / 2}, 1.0), Flushing::kUntold) << "it leaves no trace";
    EXPECT_EQ(told({least, least / 2}, least), Flushing::kFlushed);
    EXPECT_EQ(told({least, least / 2}, 1.5 * least), Flushing::kKept);
    EXPECT_EQ(told({least / 2, -least / 2}, 0), Flushing::kUntold);
  }
}

TEST(SumRule, TwoContributionsRoundOnceToNearestEven) {
  EXPECT_TRUE(Accepts({2048, 1}, 2048, DataType::kFloat16));
  EXPECT_FALSE(Accepts({2048, 1}, 2050, DataType::kFloat16));
  EXPECT_TRUE(Accepts({60000, 60000}, HUGE_VAL, DataType::kFloat16));
  EXPECT_FALSE(Accepts({60000, 60000}, 65504, DataType::kFloat16));
  EXPECT_TRUE(Accepts({256, 3}, 260, DataType::kBf16));
  EXPECT_FALSE(Accepts({256, 3}, 258, DataType::kBf16));
}

TEST(SumRule, TwoContributionsRoundAlikeInStorageAndWiderTypes) {
  for (const DataType type : kTypes) {
    const std::uint32_t mask = type == DataType::kFloat ? 0xffffffffU : 0xffffU;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const auto a = static_cast<std::uint32_t>(RandomBits(1, i)) & mask;
      const auto b = static_cast<std::uint32_t>(RandomBits(2, i)) & mask;
      const auto wide =
          static_cast<float>(DecodeFloat(a, type)) + static_cast<float>(DecodeFloat(b, type));
      EXPECT_TRUE(RuleFor(std::vector{a, b}, type).Accepts(EncodeFloat(wide, type)))
          << HexBits(a, type) << " + " << HexBits(b, type);
    }
  }
}

TEST(SumRule, SumsWithinTheBudgetAreExact) {
  EXPECT_EQ(RuleFor(Bits({256, 1, 1}, DataType::kBf16), DataType::kBf16).kind, SumKind::kBounded);
  EXPECT_EQ(RuleFor(Bits({100, 50, 7}, DataType::kBf16), DataType::kBf16).kind, SumKind::kExact);
  EXPECT_TRUE(Accepts({100, 50, 7}, 157, DataType::kBf16));
  EXPECT_FALSE(Accepts({100, 50, 7}, 158, DataType::kBf16));
}

// Every order, tree and storage-or-wider accumulation of random terms lies within the bound.
TEST(SumRule, EverySummationWithinTheBoundIsAccepted) {
  for (const DataType type : kTypes) {
    const int stored = TraitsOf(type).precision - 1;
    for (std::uint64_t trial = 0; trial < 3000; ++trial) {
      RandomStream random(trial + 1000 * static_cast<std::uint64_t>(type));
      std::vector<std::uint32_t> terms;
      const auto n = static_cast<std::size_t>(random.Between(3, 24));
      const std::int64_t middle = TraitsOf(type).max_exponent;  // the biased exponent of 1
      for (std::size_t i = 0; i < n; ++i) {
        const auto exponent = static_cast<std::uint32_t>(random.Between(middle - 8, middle + 8));
        const auto fraction = static_cast<std::uint32_t>(random.Below(1ULL << stored));
        const std::uint32_t magnitude = (exponent << stored) | fraction;
        terms.push_back(random.OneIn(2) ? magnitude | EncodeFloat(-0.0, type) : magnitude);
      }
      const SumRule rule = RuleFor(terms, type);
      const auto store = [&](double x) { return DecodeFloat(EncodeFloat(x, type), type); };
      double storage = 0;
      double mixed = 0;
      double tile = 0;
      float wide = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double term = DecodeFloat(terms[i], type);
        storage = store(storage + term);
        wide += static_cast<float>(term);
        tile = static_cast<float>(tile + term);
        if (i % 4 == 3) {
          mixed = store(mixed + store(tile));
          tile = 0;
        }
      }
      mixed = store(mixed + store(tile));
      EXPECT_TRUE(rule.Accepts(EncodeFloat(storage, type))) << trial;
      EXPECT_TRUE(rule.Accepts(EncodeFloat(wide, type))) << trial;
      EXPECT_TRUE(rule.Accepts(EncodeFloat(mixed, type))) << trial;
    }
  }
}

// Every order and tree of terms around the smallest normal number, with any of its subnormals taken
// for zero.
TEST(SumRule, EverySummationThatFlushesSomewhereIsAccepted) {
  for (const DataType type : kTypes) {
    const int stored = TraitsOf(type).precision - 1;
    const double least = TraitsOf(type).min_normal;
    for (std::uint64_t trial = 0; trial < 20000; ++trial) {
      RandomStream random(trial + 100000 * static_cast<std::uint64_t>(type));
      std::vector<std::uint32_t> terms;
      std::vector<double> values;
      const auto n = static_cast<std::size_t>(random.Between(1, 9));
      const auto flush = [&](double x) {
        return std::fabs(x) < least && random.OneIn(2) ? 0.0 : x;
      };
      for (std::size_t i = 0; i < n; ++i) {
        const auto exponent = static_cast<std::uint32_t>(random.Between(0, 3));
        const auto fraction = static_cast<std::uint32_t>(random.Below(1ULL << stored));
        const std::uint32_t magnitude = (exponent << stored) | fraction;
        terms.push_back(random.OneIn(2) ? magnitude | EncodeFloat(-0.0, type) : magnitude);
        values.push_back(flush(DecodeFloat(terms.back(), type)));
      }
      const bool wide = random.OneIn(2);
      const auto store = [&](double x) { return DecodeFloat(EncodeFloat(x, type), type); };
      while (values.size() > 1) {
        const auto a = static_cast<std::size_t>(random.Below(values.size()));
        std::swap(values[a], values.back());
        const double taken = values.back();
        values.pop_back();
        double& other = values[static_cast<std::size_t>(random.Below(values.size()))];
        const double sum = other + taken;
        other = flush(wide ? static_cast<double>(static_cast<float>(sum)) : store(sum));
      }
      const std::uint32_t got = EncodeFloat(flush(store(values[0])), type);
      EXPECT_TRUE(RuleFor(terms, type).Accepts(got)) << DataTypeName(type) << " " << trial;
    }
  }
}

TEST(SumRule, LostTermsOfLikeSizeAreRejected) {
  for (const DataType type : kTypes) {
    EXPECT_FALSE(Accepts({1.0, 1.5, 0.75}, 2.5, type));
    EXPECT_FALSE(Accepts({1.0, 1.5, 0.75}, 1.75, type));
  }
}

TEST(SumRule, SpecialsArePositional) {
  const DataType type = DataType::kFloat16;
  EXPECT_TRUE(Accepts({HUGE_VAL, 1, 2}, HUGE_VAL, type));
  EXPECT_FALSE(Accepts({HUGE_VAL, 1, 2}, NAN, type));
  EXPECT_FALSE(Accepts({HUGE_VAL, 1, 2}, 65504, type));
  EXPECT_TRUE(Accepts({HUGE_VAL, -HUGE_VAL}, NAN, type));
  EXPECT_FALSE(Accepts({HUGE_VAL, -HUGE_VAL}, 0, type));
  // Two large finite terms may overflow to the other infinity in the storage type.
  EXPECT_TRUE(Accepts({-6e4, -6e4, HUGE_VAL}, NAN, type));
  EXPECT_TRUE(Accepts({-6e4, -6e4, HUGE_VAL}, HUGE_VAL, type));
  EXPECT_FALSE(Accepts({-6e4, -6e4, HUGE_VAL}, -HUGE_VAL, type));
}

}  // namespace
}  // namespace poolproof
