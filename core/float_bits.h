// SPDX-License-Identifier: Apache-2.0
//
// fp16 and bf16 as bits: exact widening and round-to-nearest-even narrowing, from float and from
// double (one rounding). NaN stays NaN, infinities stay, subnormals are kept.
// Used by the kernels, the judge and the case data.
#ifndef POOLPROOF_CORE_FLOAT_BITS_H_
#define POOLPROOF_CORE_FLOAT_BITS_H_

#include <bit>
#include <cstdint>

#include "core/data_type.h"

namespace poolproof {

inline float Bf16ToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline std::uint16_t FloatToBf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x0040U);
  const std::uint32_t round = 0x7fffU + ((bits >> 16) & 1U);
  return static_cast<std::uint16_t>((bits + round) >> 16);
}

float HalfToFloat(std::uint16_t bits);
std::uint16_t FloatToHalf(float value);

// The parameters of a binary floating-point type of this project.
struct FloatTraits {
  int precision;     // significand bits with the hidden one: 24, 11, 8
  int min_exponent;  // exponent of the smallest normal number: -126, -14, -126
  int max_exponent;  // exponent of the largest finite number: 127, 15, 127
  double max_finite;
  double min_normal;
  double min_subnormal;
  double unit_roundoff;  // greatest relative error of one rounding: 2^-precision
};

// Requires IsGradientType(type).
const FloatTraits& TraitsOf(DataType type);

// Value of the element whose storage bits are `bits` (low bits used). Requires
// IsGradientType(type).
inline double DecodeFloat(std::uint32_t bits, DataType type) {
  switch (type) {
    case DataType::kFloat16:
      return HalfToFloat(static_cast<std::uint16_t>(bits));
    case DataType::kBf16:
      return Bf16ToFloat(static_cast<std::uint16_t>(bits));
    default:
      return std::bit_cast<float>(bits);
  }
}

// Storage bits of `value`, rounded once to nearest even. Requires IsGradientType(type).
std::uint32_t EncodeFloat(double value, DataType type);

}  // namespace poolproof

#endif  // POOLPROOF_CORE_FLOAT_BITS_H_
