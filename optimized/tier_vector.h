// SPDX-License-Identifier: Apache-2.0
//
// Vectors of kBytes in the compiler's own notation: the vector type of the portable tier, and the
// base of the others, which replace what the compiler does not do well. Included by tier files
// only.
#ifndef POOLPROOF_OPTIMIZED_TIER_VECTOR_H_
#define POOLPROOF_OPTIMIZED_TIER_VECTOR_H_

#include <cstddef>
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "optimized/tier.h"

namespace poolproof {
namespace {

// Written out, since g++ takes a vector of dependent size for a scalar until it is instantiated.
template <int kBytes>
struct VectorTypes;
template <>
struct VectorTypes<16> {
  using F = float __attribute__((vector_size(16)));
  using U = std::uint32_t __attribute__((vector_size(16)));
  using S = std::int32_t __attribute__((vector_size(16)));
  using H = std::uint16_t __attribute__((vector_size(8)));
};
template <>
struct VectorTypes<32> {
  using F = float __attribute__((vector_size(32)));
  using U = std::uint32_t __attribute__((vector_size(32)));
  using S = std::int32_t __attribute__((vector_size(32)));
  using H = std::uint16_t __attribute__((vector_size(16)));
};
template <>
struct VectorTypes<64> {
  using F = float __attribute__((vector_size(64)));
  using U = std::uint32_t __attribute__((vector_size(64)));
  using S = std::int32_t __attribute__((vector_size(64)));
  using H = std::uint16_t __attribute__((vector_size(32)));
};

template <int kBytes>
struct GnuVector {
  static constexpr int kLanes = kBytes / 4;
  // Rounding to 16 bits costs less than a mispredicted branch.
  static constexpr bool kRoundsFast = false;
  using F = typename VectorTypes<kBytes>::F;
  using U = typename VectorTypes<kBytes>::U;
  using S = typename VectorTypes<kBytes>::S;
  using H = typename VectorTypes<kBytes>::H;

  static U Iota() {
    U lanes{};
    for (int i = 0; i < kLanes; ++i) lanes[i] = static_cast<std::uint32_t>(i);
    return lanes;
  }
  static U SetU(std::uint32_t x) { return U{} + x; }
  static F SetF(float x) { return F{} + x; }
  static U LoadU(const std::byte* data) { return LoadAs<U>(data); }
  static void StoreU(std::uint32_t* to, U x) { __builtin_memcpy(to, &x, sizeof(x)); }
  static void StoreF(float* to, F x) { __builtin_memcpy(to, &x, sizeof(x)); }

  // Low halves of kLanes 64-bit integers; the bits of the high ones are added to `high`.
  static U LoadLow(const std::byte* data, U& high) {
    U low;
    U top;
    for (int i = 0; i < kLanes; ++i) {
      std::uint64_t x;
      __builtin_memcpy(&x, data + i * 8, 8);
      low[i] = static_cast<std::uint32_t>(x);
      top[i] = static_cast<std::uint32_t>(x >> 32);
    }
    high = high | top;
    return low;
  }

  static bool Any(U mask) {
    std::uint64_t parts[sizeof(U) / 8];
    __builtin_memcpy(parts, &mask, sizeof(mask));
    std::uint64_t any = 0;
    for (const std::uint64_t part : parts) any |= part;
    return any != 0;
  }
  static U Mask(S condition) { return reinterpret_cast<U>(condition); }
  static U Choose(U mask, U yes, U no) { return (mask & yes) | (~mask & no); }
  static F ChooseF(U mask, F yes, F no) {
    return reinterpret_cast<F>(Choose(mask, reinterpret_cast<U>(yes), reinterpret_cast<U>(no)));
  }
  static U Equal(U a, U b) { return Mask(a == b); }
  static U GreaterEqual(U a, U b) { return Mask(a >= b); }
  static U Less(U a, U b) { return Mask(a < b); }
  static U GreaterF(F a, F b) { return Mask(a > b); }
  static U EqualF(F a, F b) { return Mask(a == b); }
  static U IsNan(F x) { return Mask(x != x); }
  static U MostU(U a, U b) { return Choose(Mask(a > b), a, b); }
  static U LeastU(U a, U b) { return Choose(Mask(a < b), a, b); }
  static F Keep(U mask, F x) { return reinterpret_cast<F>(mask & reinterpret_cast<U>(x)); }

  // How many lanes of masks were set.
  using Tally = U;
  static Tally NoTally() { return SetU(0); }
  static std::int64_t Total(Tally tally) {
    std::int64_t total = 0;
    for (int i = 0; i < kLanes; ++i) total += tally[i];
    return total;
  }

  // Lanes 0 0 1 1 2 2 ..., and those of the upper half.
  template <typename T>
  static T TwiceLow(T x) {
    T y;
    for (int i = 0; i < kLanes; ++i) y[i] = x[i / 2];
    return y;
  }
  template <typename T>
  static T TwiceHigh(T x) {
    T y;
    for (int i = 0; i < kLanes; ++i) y[i] = x[kLanes / 2 + i / 2];
    return y;
  }

  // Every second lane of two vectors, from lane 0 on.
  template <typename T>
  static T Even(T a, T b) {
    T y;
    for (int i = 0; i < kLanes / 2; ++i) {
      y[i] = a[2 * i];
      y[kLanes / 2 + i] = b[2 * i];
    }
    return y;
  }

  template <Storage kStorage>
  static F Decode(const std::byte* data) {
    if constexpr (kStorage == Storage::kFp32) {
      return LoadAs<F>(data);
    } else {
      const U bits = __builtin_convertvector(LoadAs<H>(data), U);
      return kStorage == Storage::kBf16 ? reinterpret_cast<F>(bits << 16) : FromHalf(bits);
    }
  }

  // Fewer than kLanes, and nothing behind them is read; zeros follow.
  template <Storage kStorage>
  static F DecodeSome(const std::byte* data, std::int64_t count) {
    return DecodePadded<GnuVector, kStorage>(data, count);
  }

  static F FromHalf(U bits) {
    const U sign = (bits & 0x8000U) << 16;
    const U magnitude = bits & 0x7fffU;
    const U special = Mask(magnitude >= 0x7c00U) & (112U << 23);
    const U normal = (magnitude << 13) + (112U << 23) + special;
    const F tiny = __builtin_convertvector(reinterpret_cast<S>(magnitude), F) * 0x1p-24F;
    return reinterpret_cast<F>(sign |
                               Choose(Mask(magnitude < 0x400U), reinterpret_cast<U>(tiny), normal));
  }

  // Bits of 16-bit floats in 32-bit lanes, rounded to nearest even. A NaN is taken to be a bf16
  // already, as those of sums of bf16 numbers are: a carry could make it a number.
  static U ToBf16(F x) {
    const U bits = reinterpret_cast<U>(x);
    return (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  }
  static U ToHalf(F x) {
    const U bits = reinterpret_cast<U>(x);
    const U sign = (bits >> 16) & 0x8000U;
    const U magnitude = bits & 0x7fffffffU;
    const U normal = (magnitude + 0xfffU + ((magnitude >> 13) & 1U) - 0x38000000U) >> 13;
    // The sum places the rounded bits of a subnormal in its low end.
    const F shifted = reinterpret_cast<F>(LeastU(magnitude, SetU(0x38800000U))) + 0.5F;
    const U tiny = reinterpret_cast<U>(shifted) - 0x3f000000U;
    U half = Choose(Mask(magnitude < 0x38800000U), tiny, normal);
    half = Choose(Mask(magnitude >= 0x477ff000U), SetU(0x7c00U), half);  // 65520 and more
    half = Choose(Mask(magnitude > 0x7f800000U), SetU(0x7e00U), half);
    return sign | half;
  }

  // 64 bytes of storage from floats; kStream stores non-temporally and wants an aligned `to`.
  template <Storage kStorage, bool kStream>
  static void PutLine(std::byte* to, const float* from) {
    if constexpr (kStorage == Storage::kFp32) {
      PutBytes<kStream>(to, reinterpret_cast<const std::byte*>(from));
    } else {
      alignas(64) std::byte line[64];
      for (int i = 0; i < 32; i += kLanes) {
        const F x = LoadAs<F>(reinterpret_cast<const std::byte*>(from + i));
        const U wide = kStorage == Storage::kBf16 ? ToBf16(x) : ToHalf(x);
        const H bits = __builtin_convertvector(wide, H);
        __builtin_memcpy(line + 2 * i, &bits, sizeof(bits));
      }
      PutBytes<kStream>(to, line);
    }
  }

  // 64 bytes.
  static void ClearLine(float* line) {
    for (int i = 0; i < 16; i += kLanes) StoreF(line + i, SetF(0));
  }

  static void StreamFloats(std::byte* to, F x) { Stream(to, x); }

  // Gradients, each for two elements: floats, or the bits of 16-bit ones.
  template <typename T>
  struct Pair {
    T low;
    T high;
  };
  // Of values that the storage can hold.
  template <Storage kStorage>
  static auto Double(F x) {
    if constexpr (kStorage == Storage::kFp32) {
      return Pair<F>{TwiceLow(x), TwiceHigh(x)};
    } else {
      const U bits = kStorage == Storage::kBf16 ? reinterpret_cast<U>(x) >> 16 : ToHalf(x);
      return Pair<U>{TwiceLow(bits), TwiceHigh(bits)};
    }
  }
  // 2 * kLanes elements: gradients where the offset is that of the row's element, else zeros.
  template <Storage kStorage, bool kStream, typename Values>
  static void PutEqual(std::byte* to, U low, U high, U row, const Values& values) {
    const U here_low = Equal(low, row);
    const U here_high = Equal(high, row);
    if constexpr (kStorage == Storage::kFp32) {
      const F parts[2] = {Keep(here_low, values.low), Keep(here_high, values.high)};
      PutVectors<kStream>(to, parts);
    } else {
      const H parts[2] = {__builtin_convertvector(here_low & values.low, H),
                          __builtin_convertvector(here_high & values.high, H)};
      PutVectors<kStream>(to, parts);
    }
  }
  // How many are the first of one of kRows rows.
  template <int kRows>
  static void CountRows(Tally& found, U first, U row_step) {
    U here = Equal(first, SetU(0));
    U row = row_step;
    for (int j = 1; j < kRows; ++j, row = row + row_step) here = here | Equal(first, row);
    found = found - here;
  }

  static void Fence() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }

 protected:
  template <typename V, Storage kStorage>
  static F DecodePadded(const std::byte* data, std::int64_t count) {
    alignas(64) std::byte padded[sizeof(F)] = {};
    constexpr std::int64_t kElementBytes = kStorage == Storage::kFp32 ? 4 : 2;
    __builtin_memcpy(padded, data, static_cast<std::size_t>(count * kElementBytes));
    return V::template Decode<kStorage>(padded);
  }

  template <typename T>
  static T LoadAs(const std::byte* data) {
    T x;
    __builtin_memcpy(&x, data, sizeof(x));
    return x;
  }

  template <typename T>
  static void Stream(std::byte* to, const T& x) {
#if defined(__SSE2__)
    __m128i parts[sizeof(T) / 16];
    __builtin_memcpy(parts, &x, sizeof(x));
    for (const __m128i& part : parts) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to), part);
      to += sizeof(part);
    }
#else
    __builtin_memcpy(to, &x, sizeof(x));
#endif
  }
  template <bool kStream, typename T>
  static void PutVectors(std::byte* to, const T (&parts)[2]) {
    if constexpr (kStream) {
      Stream(to, parts);
    } else {
      __builtin_memcpy(to, parts, sizeof(parts));
    }
  }

  template <bool kStream>
  static void PutBytes(std::byte* to, const std::byte* line) {
#if defined(__SSE2__)
    if constexpr (kStream) {
      for (int i = 0; i < 64; i += 16) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), LoadAs<__m128i>(line + i));
      }
      return;
    }
#endif
    __builtin_memcpy(to, line, 64);
  }
};

}  // namespace
}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_TIER_VECTOR_H_
