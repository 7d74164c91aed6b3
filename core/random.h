// SPDX-License-Identifier: Apache-2.0
//
// Counter-based pseudo-random numbers: value = f(seed, index). Equal on every machine, for any
// number of threads and in any order of evaluation. Used for case data and case choice.
#ifndef POOLPROOF_CORE_RANDOM_H_
#define POOLPROOF_CORE_RANDOM_H_

#include <cstdint>

#include "core/wide_int.h"

namespace poolproof {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection with full avalanche.
constexpr std::uint64_t Scramble(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr std::uint64_t RandomBits(std::uint64_t seed, std::uint64_t index) {
  return Scramble(Scramble(seed + 0x9e3779b97f4a7c15ULL) + (index + 1) * 0x9e3779b97f4a7c15ULL);
}

// Uniform in [0, bound). Requires bound >= 1. (Multiply-shift; the bias is below 2^-32 for the
// bounds in use.)
constexpr std::uint64_t RandomBelow(std::uint64_t seed, std::uint64_t index, std::uint64_t bound) {
  return static_cast<std::uint64_t>((static_cast<WideUint>(RandomBits(seed, index)) * bound) >> 64);
}

// A sequential reader of the same numbers, for code that draws many in a row.
class RandomStream {
 public:
  explicit constexpr RandomStream(std::uint64_t seed) : seed_(seed) {}
  constexpr std::uint64_t Next() { return RandomBits(seed_, index_++); }
  constexpr std::uint64_t Below(std::uint64_t bound) { return RandomBelow(seed_, index_++, bound); }
  // Uniform in [low, high]. Requires low <= high.
  constexpr std::int64_t Between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(Below(static_cast<std::uint64_t>(high - low) + 1));
  }
  constexpr bool OneIn(std::uint64_t n) { return Below(n) == 0; }

 private:
  std::uint64_t seed_;
  std::uint64_t index_ = 0;
};

}  // namespace poolproof

#endif  // POOLPROOF_CORE_RANDOM_H_
