// SPDX-License-Identifier: Apache-2.0
//
// Vectors of AVX-512 (F, BW, DQ, VL). Included by the files of its tiers only.
#ifndef POOLPROOF_OPTIMIZED_TIER_AVX512_H_
#define POOLPROOF_OPTIMIZED_TIER_AVX512_H_

#include <immintrin.h>

#include "optimized/tier_body.h"

namespace poolproof {
namespace {

struct Avx512 : GnuVector<64> {
  static constexpr bool kRoundsFast = true;

  static __m512i Int(U x) { return reinterpret_cast<__m512i>(x); }
  static U Bits(__m512i x) { return reinterpret_cast<U>(x); }

  static bool Any(U mask) { return _mm512_test_epi32_mask(Int(mask), Int(mask)) != 0; }
  static U MostU(U a, U b) { return Bits(_mm512_max_epu32(Int(a), Int(b))); }
  static U LeastU(U a, U b) { return Bits(_mm512_min_epu32(Int(a), Int(b))); }
  static U Equal(U a, U b) {
    return Bits(_mm512_movm_epi32(_mm512_cmpeq_epi32_mask(Int(a), Int(b))));
  }
  static U GreaterEqual(U a, U b) {
    return Bits(_mm512_movm_epi32(_mm512_cmpge_epu32_mask(Int(a), Int(b))));
  }

  static U Choose(U mask, U yes, U no) {
    return Bits(_mm512_mask_blend_epi32(_mm512_movepi32_mask(Int(mask)), Int(no), Int(yes)));
  }
  static F ChooseF(U mask, F yes, F no) {
    return _mm512_mask_blend_ps(_mm512_movepi32_mask(Int(mask)), no, yes);
  }
  static U GreaterF(F a, F b) {
    return Bits(_mm512_movm_epi32(_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)));
  }
  static U EqualF(F a, F b) {
    return Bits(_mm512_movm_epi32(_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)));
  }
  static U IsNan(F x) { return Bits(_mm512_movm_epi32(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q))); }
  template <typename T>
  static T Even(T a, T b) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return reinterpret_cast<T>(_mm512_permutex2var_epi32(reinterpret_cast<__m512i>(a), even,
                                                         reinterpret_cast<__m512i>(b)));
  }

  static U LoadLow(const std::byte* data, U& high) {
    const auto a = LoadAs<__m512i>(data);
    const auto b = LoadAs<__m512i>(data + 64);
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    high = high | Bits(_mm512_permutex2var_epi32(a, odd, b));
    return Bits(_mm512_permutex2var_epi32(a, even, b));
  }

  using Tally = std::int64_t;
  static Tally NoTally() { return 0; }
  static std::int64_t Total(Tally tally) { return tally; }

  template <typename T>
  static T TwiceLow(T x) {
    const __m512i order = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    return reinterpret_cast<T>(_mm512_permutexvar_epi32(order, reinterpret_cast<__m512i>(x)));
  }
  template <typename T>
  static T TwiceHigh(T x) {
    const __m512i order =
        _mm512_setr_epi32(8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15);
    return reinterpret_cast<T>(_mm512_permutexvar_epi32(order, reinterpret_cast<__m512i>(x)));
  }

  template <Storage kStorage>
  static F Decode(const std::byte* data) {
    if constexpr (kStorage == Storage::kFp32) {
      return LoadAs<F>(data);
    } else if constexpr (kStorage == Storage::kBf16) {
      return reinterpret_cast<F>(
          _mm512_slli_epi32(_mm512_cvtepu16_epi32(LoadAs<__m256i>(data)), 16));
    } else {
      return _mm512_cvtph_ps(LoadAs<__m256i>(data));
    }
  }

  template <Storage kStorage>
  static F DecodeSome(const std::byte* data, std::int64_t count) {
    const auto some = static_cast<__mmask16>((1U << count) - 1);
    if constexpr (kStorage == Storage::kFp32) {
      return _mm512_maskz_loadu_ps(some, data);
    } else {
      const __m256i halves = _mm256_maskz_loadu_epi16(some, data);
      if constexpr (kStorage == Storage::kFp16) return _mm512_cvtph_ps(halves);
      return reinterpret_cast<F>(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
    }
  }

  // Sixteen 16-bit floats. Without optimization g++ 11 takes the conversion for a macro that casts.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
  template <Storage kStorage>
  static __m256i Encode(F x) {
    if constexpr (kStorage == Storage::kFp16) {
      return _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    } else {
      return _mm512_cvtepi32_epi16(Int(ToBf16(x)));
    }
  }
#pragma GCC diagnostic pop
  template <Storage kStorage>
  static __m512i EncodePair(F a, F b) {
    // A macro in clang: no commas of templates inside.
    const __m512i low = _mm512_castsi256_si512(Encode<kStorage>(a));
    const __m256i high = Encode<kStorage>(b);
    return _mm512_inserti64x4(low, high, 1);
  }

  static void StreamFloats(std::byte* to, F x) { Put<true>(to, reinterpret_cast<__m512i>(x)); }
  template <Storage kStorage>
  static auto Double(F x) {
    if constexpr (kStorage == Storage::kFp32) {
      return Pair<F>{TwiceLow(x), TwiceHigh(x)};
    } else {
      const __m512i bits = kStorage == Storage::kBf16
                               ? _mm512_srli_epi32(_mm512_castps_si512(x), 16)
                               : _mm512_cvtepu16_epi32(Encode<kStorage>(x));
      return _mm512_or_si512(bits, _mm512_slli_epi32(bits, 16));
    }
  }
  template <Storage kStorage, bool kStream, typename Values>
  static void PutEqual(std::byte* to, U low, U high, U row, const Values& values) {
    const __mmask16 here_low = _mm512_cmpeq_epi32_mask(Int(low), Int(row));
    const __mmask16 here_high = _mm512_cmpeq_epi32_mask(Int(high), Int(row));
    if constexpr (kStorage == Storage::kFp32) {
      Put<kStream>(to, _mm512_castps_si512(_mm512_maskz_mov_ps(here_low, values.low)));
      Put<kStream>(to + 64, _mm512_castps_si512(_mm512_maskz_mov_ps(here_high, values.high)));
    } else {
      Put<kStream>(to, _mm512_maskz_mov_epi16(_mm512_kunpackw(here_high, here_low), values));
    }
  }
  template <int kRows>
  static void CountRows(Tally& found, U first, U row_step) {
    __mmask16 here = _mm512_cmpeq_epi32_mask(Int(first), _mm512_setzero_si512());
    U row = row_step;
    for (int j = 1; j < kRows; ++j, row = row + row_step) {
      here = _kor_mask16(here, _mm512_cmpeq_epi32_mask(Int(first), Int(row)));
    }
    found += __builtin_popcount(_cvtmask16_u32(here));
  }

  // Lines that nothing is computed for move in halves, which Zen 4 stores sooner than wholes.
  static void ClearLine(float* line) {
    _mm256_store_ps(line, _mm256_setzero_ps());
    _mm256_store_ps(line + 8, _mm256_setzero_ps());
  }

  template <Storage kStorage, bool kStream>
  static void PutLine(std::byte* to, const float* from) {
    if constexpr (kStorage == Storage::kFp32) {
      PutHalf<kStream>(to, from);
      PutHalf<kStream>(to + 32, from + 8);
    } else {
      const auto a = LoadAs<F>(reinterpret_cast<const std::byte*>(from));
      Put<kStream>(
          to, EncodePair<kStorage>(a, LoadAs<F>(reinterpret_cast<const std::byte*>(from + 16))));
    }
  }

 protected:
  template <bool kStream>
  static void PutHalf(std::byte* to, const float* from) {
    const auto x = LoadAs<__m256i>(reinterpret_cast<const std::byte*>(from));
    if constexpr (kStream) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to), x);
    } else {
      _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), x);
    }
  }
  template <bool kStream>
  static void Put(std::byte* to, __m512i x) {
    if constexpr (kStream) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to), x);
    } else {
      _mm512_storeu_si512(to, x);
    }
  }
};

}  // namespace
}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_TIER_AVX512_H_
