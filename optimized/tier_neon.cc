// SPDX-License-Identifier: Apache-2.0
//
// NEON, which every 64-bit ARM has.
#include <arm_neon.h>

#include "optimized/tier_body.h"
#include "optimized/tiers.h"

namespace poolproof {
namespace {

struct Neon : GnuVector<16> {
  static constexpr bool kRoundsFast = true;

  static uint32x4_t Int(U x) { return reinterpret_cast<uint32x4_t>(x); }
  static U Bits(uint32x4_t x) { return reinterpret_cast<U>(x); }

  static bool Any(U mask) { return vmaxvq_u32(Int(mask)) != 0; }
  static U MostU(U a, U b) { return Bits(vmaxq_u32(Int(a), Int(b))); }
  static U LeastU(U a, U b) { return Bits(vminq_u32(Int(a), Int(b))); }
  static U Choose(U mask, U yes, U no) { return Bits(vbslq_u32(Int(mask), Int(yes), Int(no))); }
  static F ChooseF(U mask, F yes, F no) {
    return reinterpret_cast<F>(Choose(mask, reinterpret_cast<U>(yes), reinterpret_cast<U>(no)));
  }

  template <typename T>
  static T Even(T a, T b) {
    return reinterpret_cast<T>(
        vuzp1q_u32(reinterpret_cast<uint32x4_t>(a), reinterpret_cast<uint32x4_t>(b)));
  }
  template <typename T>
  static T TwiceLow(T x) {
    const auto lanes = reinterpret_cast<uint32x4_t>(x);
    return reinterpret_cast<T>(vzip1q_u32(lanes, lanes));
  }
  template <typename T>
  static T TwiceHigh(T x) {
    const auto lanes = reinterpret_cast<uint32x4_t>(x);
    return reinterpret_cast<T>(vzip2q_u32(lanes, lanes));
  }

  static U LoadLow(const std::byte* data, U& high) {
    const auto a = LoadAs<uint32x4_t>(data);
    const auto b = LoadAs<uint32x4_t>(data + 16);
    high = high | Bits(vuzp2q_u32(a, b));
    return Bits(vuzp1q_u32(a, b));
  }

  template <Storage kStorage>
  static F Decode(const std::byte* data) {
    if constexpr (kStorage == Storage::kFp32) {
      return LoadAs<F>(data);
    } else if constexpr (kStorage == Storage::kBf16) {
      return reinterpret_cast<F>(vshll_n_u16(LoadAs<uint16x4_t>(data), 16));
    } else {
      return reinterpret_cast<F>(vcvt_f32_f16(LoadAs<float16x4_t>(data)));
    }
  }
  template <Storage kStorage>
  static F DecodeSome(const std::byte* data, std::int64_t count) {
    return DecodePadded<Neon, kStorage>(data, count);
  }

  template <Storage kStorage, bool kStream>
  static void PutLine(std::byte* to, const float* from) {
    if constexpr (kStorage == Storage::kFp32) {
      GnuVector<16>::PutLine<kStorage, kStream>(to, from);
    } else {
      for (int i = 0; i < 4; ++i) {
        const uint16x8_t bits = Encode<kStorage>(from + 8 * i);
        __builtin_memcpy(to + 16 * i, &bits, sizeof(bits));
      }
    }
  }

 private:
  // Eight 16-bit floats.
  template <Storage kStorage>
  static uint16x8_t Encode(const float* from) {
    const float32x4_t a = vld1q_f32(from);
    const float32x4_t b = vld1q_f32(from + 4);
    if constexpr (kStorage == Storage::kFp16) {
      return vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(a), b));
    } else {
      return vuzp1q_u16(reinterpret_cast<uint16x8_t>(ToBf16(reinterpret_cast<F>(a))),
                        reinterpret_cast<uint16x8_t>(ToBf16(reinterpret_cast<F>(b))));
    }
  }
};

}  // namespace

extern const Tier kNeonTier = MakeTier<Neon>("neon", 0, true, 48, 48);

}  // namespace poolproof
