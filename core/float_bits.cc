// SPDX-License-Identifier: Apache-2.0
#include "core/float_bits.h"

#include <algorithm>
#include <cmath>

namespace poolproof {
namespace {

constexpr FloatTraits kFloatTraits{24, -126, 127, 0x1.fffffep+127, 0x1p-126, 0x1p-149, 0x1p-24};
constexpr FloatTraits kHalfTraits{11, -14, 15, 65504.0, 0x1p-14, 0x1p-24, 0x1p-11};
constexpr FloatTraits kBf16Traits{8, -126, 127, 0x1.fep+127, 0x1p-126, 0x1p-133, 0x1p-8};

// Rounds a double once to a 16-bit type with `traits`. A 16-bit format with p significand bits
// stores p-1 of them; the bits of a finite magnitude are its multiple of the spacing, so a carry
// out of the significand runs into the exponent field by itself.
std::uint16_t NarrowTo16(double value, const FloatTraits& traits) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 48) & 0x8000U);
  const int stored = traits.precision - 1;
  const int bias = traits.max_exponent;
  const auto infinity = static_cast<std::uint16_t>((2 * bias + 1) << stored);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | (1U << (stored - 1)));
  const int exponent = static_cast<int>((bits >> 52) & 0x7ffU) - 1023;
  if (exponent > bias) return static_cast<std::uint16_t>(sign | infinity);
  if (exponent >= traits.min_exponent) {
    // Exponent field and fraction are one number: half a spacing, less where that would make an odd
    // one of a tie, is added, and what lies below the spacing goes.
    const int dropped = 52 - stored;
    const std::uint64_t magnitude = bits & ~(1ULL << 63);
    const std::uint64_t half = (1ULL << (dropped - 1)) - 1 + ((magnitude >> dropped) & 1U);
    const std::uint64_t narrowed =
        ((magnitude + half) >> dropped) - (static_cast<std::uint64_t>(1023 - bias) << stored);
    return static_cast<std::uint16_t>(sign | std::min<std::uint64_t>(narrowed, infinity));
  }
  // Of a subnormal number the significand with the hidden bit, an integer of 53 bits, is rounded at
  // the type's smallest spacing. A subnormal double is far under half of it.
  const int dropped = 52 - stored + traits.min_exponent - exponent;
  if (dropped > 54) return sign;
  const std::uint64_t significand = (bits & ((1ULL << 52) - 1)) | (1ULL << 52);
  const std::uint64_t half = (1ULL << (dropped - 1)) - 1 + ((significand >> dropped) & 1U);
  return static_cast<std::uint16_t>(sign | ((significand + half) >> dropped));
}

}  // namespace

float HalfToFloat(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fU;
  const std::uint32_t fraction = bits & 0x3ffU;
  if (exponent == 0x1fU) return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (fraction << 13));
}

std::uint16_t FloatToHalf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);  // >= 65520
  if (magnitude < 0x38800000U) {  // below 2^-14: the sum places the rounded bits in its low end
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U));
  }
  const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

const FloatTraits& TraitsOf(DataType type) {
  switch (type) {
    case DataType::kFloat16:
      return kHalfTraits;
    case DataType::kBf16:
      return kBf16Traits;
    default:
      return kFloatTraits;
  }
}

std::uint32_t EncodeFloat(double value, DataType type) {
  switch (type) {
    case DataType::kFloat16:
      return NarrowTo16(value, kHalfTraits);
    case DataType::kBf16:
      return NarrowTo16(value, kBf16Traits);
    default:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

}  // namespace poolproof
