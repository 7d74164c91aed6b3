// SPDX-License-Identifier: Apache-2.0
#include "core/float_bits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/random.h"

namespace poolproof {
namespace {

struct Layout {
  DataType type;
  int exponent_bits;
  int fraction_bits;
};
constexpr Layout kHalf{DataType::kFloat16, 5, 10};
constexpr Layout kBf16{DataType::kBf16, 8, 7};

// The value of 16 bits by IEEE 754's definition, in double.
double Defined(std::uint32_t bits, const Layout& layout) {
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const auto exponent_mask = (1U << layout.exponent_bits) - 1U;
  const auto exponent = (bits >> layout.fraction_bits) & exponent_mask;
  const auto fraction = bits & ((1U << layout.fraction_bits) - 1U);
  const int bias = (1 << (layout.exponent_bits - 1)) - 1;
  if (exponent == exponent_mask) {
    if (fraction != 0) return std::numeric_limits<double>::quiet_NaN();
    return sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - layout.fraction_bits);
  return sign * std::ldexp(fraction + (1U << layout.fraction_bits),
                           static_cast<int>(exponent) - bias - layout.fraction_bits);
}

std::uint16_t NarrowFloat(float value, const Layout& layout) {
  return layout.type == DataType::kFloat16 ? FloatToHalf(value) : FloatToBf16(value);
}

float Widen(std::uint16_t bits, const Layout& layout) {
  return layout.type == DataType::kFloat16 ? HalfToFloat(bits) : Bf16ToFloat(bits);
}

class SixteenBits : public testing::TestWithParam<Layout> {};

TEST_P(SixteenBits, WidenToTheDefinedValue) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const double defined = Defined(bits, GetParam());
    const float widened = Widen(static_cast<std::uint16_t>(bits), GetParam());
    const double decoded = DecodeFloat(bits, GetParam().type);
    if (std::isnan(defined)) {
      EXPECT_TRUE(std::isnan(widened)) << bits;
      EXPECT_TRUE(std::isnan(decoded)) << bits;
    } else {
      ASSERT_EQ(widened, static_cast<float>(defined)) << bits;
      ASSERT_EQ(decoded, defined) << bits;
      ASSERT_EQ(std::signbit(widened), (bits & 0x8000U) != 0) << bits;
    }
  }
}

TEST_P(SixteenBits, RoundTripKeepsTheBits) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = Widen(half, GetParam());
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(Widen(NarrowFloat(value, GetParam()), GetParam()))) << bits;
      EXPECT_TRUE(std::isnan(DecodeFloat(EncodeFloat(value, GetParam().type), GetParam().type)));
    } else {
      ASSERT_EQ(NarrowFloat(value, GetParam()), half);
      ASSERT_EQ(EncodeFloat(value, GetParam().type), bits);
    }
  }
}

// Between two neighbours the nearer wins, and in the middle the one whose last bit is 0; above the
// largest finite value its would-be successor takes the neighbour's part and means infinity.
TEST_P(SixteenBits, NarrowingRoundsToNearestEven) {
  const Layout& layout = GetParam();
  const auto infinity = ((1U << layout.exponent_bits) - 1U) << layout.fraction_bits;
  const auto check = [&](double value, std::uint32_t expected) {
    for (const std::uint32_t sign : {0U, 0x8000U}) {
      const double input = sign != 0 ? -value : value;
      ASSERT_EQ(EncodeFloat(input, layout.type), sign | expected) << value;
      if (static_cast<double>(static_cast<float>(input)) == input) {
        ASSERT_EQ(NarrowFloat(static_cast<float>(input), layout), sign | expected) << value;
      }
    }
  };
  for (std::uint32_t bits = 0; bits < infinity; ++bits) {
    const double low = Defined(bits, layout);
    const double high =
        bits + 1 == infinity ? 2 * low - Defined(bits - 1, layout) : Defined(bits + 1, layout);
    const double middle = low + (high - low) / 2;
    check(low, bits);
    check(middle, bits % 2 == 0 ? bits : bits + 1);
    check(std::nextafter(middle, 0.0), bits);
    check(std::nextafter(middle, high), bits + 1);
    check(low + (high - low) / 4, bits);
    check(low + (high - low) * 3 / 4, bits + 1);
  }
  check(std::numeric_limits<double>::infinity(), infinity);
  check(std::numeric_limits<double>::max(), infinity);
  check(std::numeric_limits<double>::denorm_min(), 0);
}

// Float and double narrowing agree on every kind of float.
TEST_P(SixteenBits, NarrowingFromFloatAndDoubleAgree) {
  for (std::uint64_t i = 0; i < 500000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(RandomBits(7, i)));
    const std::uint16_t narrow = NarrowFloat(value, GetParam());
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(Widen(narrow, GetParam())));
    } else {
      ASSERT_EQ(narrow, EncodeFloat(value, GetParam().type)) << value;
    }
  }
}

TEST_P(SixteenBits, TraitsDescribeTheLayout) {
  const FloatTraits& traits = TraitsOf(GetParam().type);
  const auto infinity = ((1U << GetParam().exponent_bits) - 1U) << GetParam().fraction_bits;
  EXPECT_EQ(traits.precision, GetParam().fraction_bits + 1);
  EXPECT_EQ(traits.max_finite, Defined(infinity - 1, GetParam()));
  EXPECT_EQ(traits.min_normal, Defined(1U << GetParam().fraction_bits, GetParam()));
  EXPECT_EQ(traits.min_subnormal, Defined(1, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(, SixteenBits, testing::Values(kHalf, kBf16), [](const auto& test) {
  return test.param.type == DataType::kFloat16 ? "Fp16" : "Bf16";
});

TEST(Float32, EncodesWithOneRounding) {
  EXPECT_EQ(EncodeFloat(0.1, DataType::kFloat), 0x3dcccccdU);
  EXPECT_EQ(EncodeFloat(1.0 + 0x1p-24, DataType::kFloat), 0x3f800000U);
  EXPECT_EQ(EncodeFloat(1.0 + 0x1p-24 + 0x1p-50, DataType::kFloat), 0x3f800001U);
  EXPECT_EQ(DecodeFloat(0xc0000000U, DataType::kFloat), -2.0);
}

}  // namespace
}  // namespace poolproof
