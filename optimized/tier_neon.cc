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

// Eight 16-bit outputs, whose elements are interleaved from those of even and of odd places.
template <Storage kStorage>
requires(kStorage != Storage::kFp32) class UnpoolStep<Neon, kStorage> {
  using U = Neon::U;

 public:
  static constexpr std::int64_t kOutputs = 8;

  using Row = uint16x8_t;
  static Row FirstRow() { return vdupq_n_u16(0); }
  static Row RowStep(std::int64_t elements) {
    return vdupq_n_u16(static_cast<std::uint16_t>(elements));
  }
  static Row Next(Row row, Row row_step) { return vaddq_u16(row, row_step); }

  using Mask = uint16x8_t;
  static Mask Before(std::int64_t first) {
    const Mask lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    return vcltq_u16(lanes, vdupq_n_u16(static_cast<std::uint16_t>(first)));
  }

  template <typename Index>
  static UnpoolStep Take(const std::byte* indices, const std::byte* gradients, U starts, U& high) {
    const U low = LoadIndices<Neon, Index>(indices, high) - starts;
    const U next = LoadIndices<Neon, Index>(indices + 4 * sizeof(Index), high) - starts;
    return {Pack(low, next - Neon::SetU(8)), AsSums(Load<uint16x8_t>(gradients))};
  }
  void Ignore(Mask ignored) { offset_ = vorrq_u16(offset_, ignored); }

  template <int kRows>
  void Count(Neon::Tally& found, Row row_step) const {
    const uint16x8_t first = vbicq_u16(offset_, vdupq_n_u16(1));
    uint16x8_t here = vceqzq_u16(first);
    Row row = row_step;
    for (int j = 1; j < kRows; ++j, row = Next(row, row_step)) {
      here = vorrq_u16(here, vceqq_u16(first, row));
    }
    found = Neon::Bits(vpadalq_u16(Neon::Int(found), vshrq_n_u16(here, 15)));
  }

  template <bool kStream>
  void Put(std::byte* to, Row row) const {
    const Row odd = vaddq_u16(row, vdupq_n_u16(1));
    const uint16x8_t first = vandq_u16(vceqq_u16(offset_, row), gradient_);
    const uint16x8_t second = vandq_u16(vceqq_u16(offset_, odd), gradient_);
    const uint16x8_t elements[] = {vzip1q_u16(first, second), vzip2q_u16(first, second)};
    __builtin_memcpy(to, elements, sizeof(elements));
  }

 private:
  UnpoolStep(uint16x8_t offset, uint16x8_t gradient) : offset_(offset), gradient_(gradient) {}

  // What has no room in 16 bits is in no row: see kMostUnpoolElements.
  static uint16x8_t Pack(U low, U high) {
    return vqmovn_high_u32(vqmovn_u32(Neon::Int(low)), Neon::Int(high));
  }
  // 0 + a gradient: -0 becomes 0, and a NaN a quiet one.
  static uint16x8_t AsSums(uint16x8_t gradients) {
    constexpr std::uint16_t kInfinity = kStorage == Storage::kFp16 ? 0x7c00 : 0x7f80;
    constexpr std::uint16_t kQuiet = kStorage == Storage::kFp16 ? 0x200 : 0x40;
    const uint16x8_t magnitude = vandq_u16(gradients, vdupq_n_u16(0x7fff));
    const uint16x8_t nan = vcgtq_u16(magnitude, vdupq_n_u16(kInfinity));
    const uint16x8_t sums = vandq_u16(gradients, vtstq_u16(magnitude, magnitude));
    return vorrq_u16(sums, vandq_u16(nan, vdupq_n_u16(kQuiet)));
  }

  uint16x8_t offset_;    // of the index from the first element of its window
  uint16x8_t gradient_;  // what is added
};

}  // namespace

extern const Tier kNeonTier = MakeTier<Neon>("neon", 0, true, 48, 16);

}  // namespace poolproof
