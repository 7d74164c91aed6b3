// SPDX-License-Identifier: Apache-2.0

#include "element.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace mutants {
namespace {

// Returns how much to add to a cut mantissa: 1 where the cut-off bits ask for rounding up.
uint32_t RoundUp(Rounding rounding, uint32_t kept, uint32_t rest, uint32_t half) {
  if (rounding == Rounding::kTowardZero) return 0;
  if (rest != half) return rest > half ? 1 : 0;
  return rounding == Rounding::kHalfAway ? 1 : (kept & 1);
}

// Keeps `bits` bits behind the leading one, nearest even; fp32 subnormals and specials stay.
float RoundMantissa(float value, int bits) {
  const auto word = std::bit_cast<uint32_t>(value);
  const uint32_t exponent = (word >> 23) & 0xFF;
  if (exponent == 0 || exponent == 0xFF) return value;
  const int cut = 23 - bits;
  const uint32_t kept = word >> cut;
  const uint32_t rest = word & ((1U << cut) - 1);
  const uint32_t up = RoundUp(Rounding::kNearestEven, kept, rest, 1U << (cut - 1));
  return std::bit_cast<float>((kept + up) << cut);
}

uint16_t ToBfloat16(float value, Rounding rounding) {
  if (rounding == Rounding::kTwice) value = RoundMantissa(value, 9);
  const auto word = std::bit_cast<uint32_t>(value);
  const uint32_t kept = word >> 16;
  if (std::isnan(value)) return static_cast<uint16_t>(kept | 0x40);
  return static_cast<uint16_t>(kept + RoundUp(rounding, kept, word & 0xFFFF, 0x8000));
}

float FromBfloat16(uint16_t half) {
  return std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
}

uint16_t ToFloat16(float value, Rounding rounding) {
  if (rounding == Rounding::kTwice) value = RoundMantissa(value, 12);
  const auto word = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (word >> 16) & 0x8000;
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7E00 | ((word >> 13) & 0x3FF));
  if (std::isinf(value)) return static_cast<uint16_t>(sign | 0x7C00);
  const int exponent = static_cast<int>((word >> 23) & 0xFF) - 127;
  const uint32_t fraction = word & 0x7FFFFF;
  if (exponent > 15) {
    const uint32_t over = rounding == Rounding::kTowardZero ? 0x7BFF : 0x7C00;
    return static_cast<uint16_t>(sign | over);
  }
  if (exponent >= -14) {
    const uint32_t kept = (static_cast<uint32_t>(exponent + 15) << 10) | (fraction >> 13);
    // A carry out of the mantissa goes into the exponent, up to infinity: that is right.
    return static_cast<uint16_t>(sign |
                                 (kept + RoundUp(rounding, kept, fraction & 0x1FFF, 0x1000)));
  }
  if (exponent < -25) return static_cast<uint16_t>(sign);  // below half of the smallest subnormal
  const uint32_t mantissa = fraction | 0x800000;
  const int shift = -1 - exponent;  // 14 to 24
  const uint32_t kept = mantissa >> shift;
  const uint32_t rest = mantissa & ((1U << shift) - 1);
  return static_cast<uint16_t>(sign | (kept + RoundUp(rounding, kept, rest, 1U << (shift - 1))));
}

float FromFloat16(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 0x1F;
  const uint32_t fraction = half & 0x3FF;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000 | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | fraction << 13);
  const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
  return sign != 0 ? -magnitude : magnitude;
}

}  // namespace

std::size_t ElementSize(aclDataType dtype) {
  switch (dtype) {
    case kFloat:
    case kInt32:
    case kUint32:
      return 4;
    case kFloat16:
    case kBfloat16:
      return 2;
    case kInt64:
    case kDouble:
      return 8;
    default:
      return 0;
  }
}

bool IsComputable(aclDataType dtype) {
  return dtype == kFloat || dtype == kFloat16 || dtype == kBfloat16 || dtype == kDouble;
}

float LoadElement(aclDataType dtype, const unsigned char* address) {
  if (dtype == kFloat) {
    float value = 0;
    std::memcpy(&value, address, sizeof value);
    return value;
  }
  if (dtype == kDouble) {
    double value = 0;
    std::memcpy(&value, address, sizeof value);
    return static_cast<float>(value);
  }
  uint16_t half = 0;
  std::memcpy(&half, address, sizeof half);
  return dtype == kFloat16 ? FromFloat16(half) : FromBfloat16(half);
}

void StoreElement(aclDataType dtype, Rounding rounding, float value, unsigned char* address) {
  if (dtype == kFloat) {
    std::memcpy(address, &value, sizeof value);
    return;
  }
  if (dtype == kDouble) {
    const double wide = static_cast<double>(value);
    std::memcpy(address, &wide, sizeof wide);
    return;
  }
  const uint16_t half =
      dtype == kFloat16 ? ToFloat16(value, rounding) : ToBfloat16(value, rounding);
  std::memcpy(address, &half, sizeof half);
}

float RoundToType(aclDataType dtype, Rounding rounding, float value) {
  if (dtype == kFloat16) return FromFloat16(ToFloat16(value, rounding));
  if (dtype == kBfloat16) return FromBfloat16(ToBfloat16(value, rounding));
  return value;
}

float LargestFinite(aclDataType dtype) {
  if (dtype == kFloat16) return 65504.0F;
  return std::bit_cast<float>(dtype == kBfloat16 ? 0x7F7F0000U : 0x7F7FFFFFU);
}

float SmallestNormal(aclDataType dtype) { return std::ldexp(1.0F, dtype == kFloat16 ? -14 : -126); }

}  // namespace mutants
