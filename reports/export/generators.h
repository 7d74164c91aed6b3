// SPDX-License-Identifier: Apache-2.0
//
// Helpers that exported programs make their data with, each printed only into programs that call
// it. Private to the export.
#ifndef POOLPROOF_REPORTS_EXPORT_GENERATORS_H_
#define POOLPROOF_REPORTS_EXPORT_GENERATORS_H_

#include <string_view>

namespace poolproof {

// Bytes of listed elements.
inline constexpr std::string_view kListHelper = R"(
template <typename T, size_t n>
Bytes Listed(const T (&elements)[n]) {
  Bytes bytes(sizeof elements);
  std::memcpy(bytes.data(), elements, sizeof elements);
  return bytes;
}
)";

// Bytes of elements in arithmetic progressions.
inline constexpr std::string_view kRunHelper = R"(
struct Run {
  uint64_t count, first, step;
};
template <typename T, size_t n>
Bytes Progressions(const Run (&runs)[n]) {
  Bytes bytes;
  for (const Run& run : runs) {
    const size_t at = bytes.size();
    bytes.resize(at + run.count * sizeof(T));
    for (uint64_t i = 0; i < run.count; ++i) {
      const T element = static_cast<T>(run.first + i * run.step);
      std::memcpy(bytes.data() + at + i * sizeof(T), &element, sizeof element);
    }
  }
  return bytes;
}
)";

// Random elements: the same numbers on every machine, compared with a checksum.
inline constexpr std::string_view kRandomHelper = R"(
uint64_t Scramble(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}
uint64_t RandomBits(uint64_t seed, uint64_t i) {
  const uint64_t step = 0x9e3779b97f4a7c15ULL;
  return Scramble(Scramble(seed + step) + (i + 1) * step);
}
uint64_t RandomBelow(uint64_t seed, uint64_t i, uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(RandomBits(seed, i)) * bound) >> 64);
}

struct FloatType {
  int width, precision, min_exponent, max_exponent;
};
// Bits of a value, rounded once to nearest even.
uint32_t Encode(double value, const FloatType& type) {
  const uint32_t sign = std::signbit(value) ? 1U << (type.width * 8 - 1) : 0U;
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int least = type.min_exponent - type.precision + 1;
  int unit = exponent - type.precision;
  if (unit < least) unit = least;
  const auto significand = static_cast<uint32_t>(std::nearbyint(std::ldexp(std::fabs(value), -unit)));
  return sign | ((static_cast<uint32_t>(unit - least) << (type.precision - 1)) + significand);
}

enum class Kind { kUniform, kWide, kSubnormal, kTies };
Bytes Random(Kind kind, const FloatType& type, uint64_t seed, uint64_t count, uint64_t checksum) {
  const auto width = static_cast<size_t>(type.width);
  const uint32_t stored_bits = (1U << (type.precision - 1)) - 1U;
  Bytes bytes(count * width);
  uint64_t sum = 0xcbf29ce484222325ULL;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t random = RandomBits(seed, i);
    uint32_t bits = static_cast<uint32_t>(random >> 63) << (width * 8 - 1);
    const uint32_t fraction = static_cast<uint32_t>(random) & stored_bits;
    if (kind == Kind::kUniform) {
      bits = Encode(static_cast<double>(random >> 11) * 0x1p-52 - 1.0, type);
    } else if (kind == Kind::kTies) {
      bits = Encode(static_cast<double>(random % 3) - 1.0, type);
    } else if (kind == Kind::kSubnormal) {
      bits |= fraction == 0 ? 1U : fraction;
    } else {
      const auto exponents = static_cast<uint64_t>(type.max_exponent - type.min_exponent - 5);
      const auto exponent = static_cast<uint32_t>(1 + RandomBelow(seed, ~i, exponents));
      bits |= (exponent << (type.precision - 1)) | fraction;
    }
    std::memcpy(bytes.data() + i * width, &bits, width);
    sum = (sum ^ bits) * 0x100000001b3ULL;
  }
  if (sum != checksum) {
    std::puts("NOT CARRIED OUT: the random data differ from those of the case");
    std::exit(3);
  }
  return bytes;
}
)";

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_EXPORT_GENERATORS_H_
