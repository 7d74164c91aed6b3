// SPDX-License-Identifier: Apache-2.0
//
// AVX2 and F16C.
#include <immintrin.h>

#include "optimized/tier_body.h"
#include "optimized/tiers.h"

namespace poolproof {
namespace {

struct Avx2 : GnuVector<32> {
  static constexpr bool kRoundsFast = true;

  static __m256i Int(U x) { return reinterpret_cast<__m256i>(x); }
  static U Bits(__m256i x) { return reinterpret_cast<U>(x); }

  static bool Any(U mask) { return _mm256_testz_si256(Int(mask), Int(mask)) == 0; }
  static U MostU(U a, U b) { return Bits(_mm256_max_epu32(Int(a), Int(b))); }
  static U LeastU(U a, U b) { return Bits(_mm256_min_epu32(Int(a), Int(b))); }

  static U Choose(U mask, U yes, U no) {
    return Bits(_mm256_blendv_epi8(Int(no), Int(yes), Int(mask)));
  }
  static F ChooseF(U mask, F yes, F no) {
    return _mm256_blendv_ps(no, yes, reinterpret_cast<__m256>(mask));
  }
  template <typename T>
  static T Even(T a, T b) {
    const __m256 mixed =
        _mm256_shuffle_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), 0x88);
    return reinterpret_cast<T>(_mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8));
  }

  static U LoadLow(const std::byte* data, U& high) {
    const auto a = LoadAs<__m256>(data);
    const auto b = LoadAs<__m256>(data + 32);
    high = high | reinterpret_cast<U>(_mm256_shuffle_ps(a, b, 0xdd));
    const __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
    return Bits(_mm256_permute4x64_epi64(low, 0xd8));
  }

  template <typename T>
  static T TwiceLow(T x) {
    const __m256i order = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
    return reinterpret_cast<T>(_mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(x), order));
  }
  template <typename T>
  static T TwiceHigh(T x) {
    const __m256i order = _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7);
    return reinterpret_cast<T>(_mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(x), order));
  }

  template <Storage kStorage>
  static F Decode(const std::byte* data) {
    if constexpr (kStorage == Storage::kFp32) {
      return LoadAs<F>(data);
    } else if constexpr (kStorage == Storage::kBf16) {
      return reinterpret_cast<F>(
          _mm256_slli_epi32(_mm256_cvtepu16_epi32(LoadAs<__m128i>(data)), 16));
    } else {
      return _mm256_cvtph_ps(LoadAs<__m128i>(data));
    }
  }

  template <Storage kStorage>
  static F DecodeSome(const std::byte* data, std::int64_t count) {
    return DecodePadded<Avx2, kStorage>(data, count);
  }

  template <bool kStream>
  static void Put(std::byte* to, __m256i x) {
    if constexpr (kStream) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to), x);
    } else {
      _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), x);
    }
  }
  static __m256i LoadBytes(const std::byte* data) { return LoadAs<__m256i>(data); }

  template <Storage kStorage, bool kStream, typename Values>
  static void PutEqual(std::byte* to, U low, U high, U row, const Values& values) {
    static_assert(kStorage == Storage::kFp32);
    Put<kStream>(to, reinterpret_cast<__m256i>(Keep(Equal(low, row), values.low)));
    Put<kStream>(to + 32, reinterpret_cast<__m256i>(Keep(Equal(high, row), values.high)));
  }

  template <Storage kStorage, bool kStream>
  static void PutLine(std::byte* to, const float* from) {
    if constexpr (kStorage == Storage::kFp32) {
      Put<kStream>(to, LoadAs<__m256i>(reinterpret_cast<const std::byte*>(from)));
      Put<kStream>(to + 32, LoadAs<__m256i>(reinterpret_cast<const std::byte*>(from + 8)));
    } else {
      Put<kStream>(to, Encode<kStorage>(from));
      Put<kStream>(to + 32, Encode<kStorage>(from + 16));
    }
  }

 private:
  // Sixteen 16-bit floats.
  template <Storage kStorage>
  static __m256i Encode(const float* from) {
    const F a = LoadAs<F>(reinterpret_cast<const std::byte*>(from));
    const F b = LoadAs<F>(reinterpret_cast<const std::byte*>(from + 8));
    if constexpr (kStorage == Storage::kFp16) {
      return _mm256_set_m128i(_mm256_cvtps_ph(b, _MM_FROUND_TO_NEAREST_INT),
                              _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
    } else {
      const __m256i packed = _mm256_packus_epi32(Int(ToBf16(a)), Int(ToBf16(b)));
      return _mm256_permute4x64_epi64(packed, 0xd8);
    }
  }
};

// Sixteen 16-bit outputs. What is packed from two vectors comes in the order in which two packed
// vectors are interleaved, so that elements come out in theirs.
template <Storage kStorage>
requires(kStorage != Storage::kFp32) class UnpoolStep<Avx2, kStorage> {
  using U = Avx2::U;

 public:
  static constexpr std::int64_t kOutputs = 16;

  using Row = __m256i;  // 16-bit lanes
  static Row FirstRow() { return _mm256_setzero_si256(); }
  static Row RowStep(std::int64_t elements) {
    return _mm256_set1_epi16(static_cast<std::int16_t>(elements));
  }
  static Row Next(Row row, Row row_step) { return _mm256_add_epi16(row, row_step); }

  using Mask = __m256i;
  static Mask Before(std::int64_t first) {
    const U from = Avx2::SetU(static_cast<std::uint32_t>(first));
    return Pack(Avx2::Less(Avx2::Iota(), from), Avx2::Less(Avx2::Iota() + Avx2::SetU(8), from));
  }

  template <typename Index>
  static UnpoolStep Take(const std::byte* indices, const std::byte* gradients, U starts, U& high) {
    const U low = LoadIndices<Avx2, Index>(indices, high) - starts;
    const U next = LoadIndices<Avx2, Index>(indices + 8 * sizeof(Index), high) - starts;
    return {Pack(low, next - Avx2::SetU(16)), AsSums(Avx2::LoadBytes(gradients))};
  }
  void Ignore(Mask ignored) { offset_ = _mm256_or_si256(offset_, ignored); }

  template <int kRows>
  void Count(Avx2::Tally& found, Row row_step) const {
    const __m256i first = _mm256_and_si256(offset_, _mm256_set1_epi16(~1));
    __m256i here = _mm256_cmpeq_epi16(first, FirstRow());
    Row row = row_step;
    for (int j = 1; j < kRows; ++j, row = Next(row, row_step)) {
      here = _mm256_or_si256(here, _mm256_cmpeq_epi16(first, row));
    }
    found = found + Avx2::Bits(_mm256_madd_epi16(here, here));  // -1 * -1 for each
  }

  template <bool kStream>
  void Put(std::byte* to, Row row) const {
    const Row odd = _mm256_add_epi16(row, _mm256_set1_epi16(1));
    const __m256i first = _mm256_and_si256(_mm256_cmpeq_epi16(offset_, row), gradient_);
    const __m256i second = _mm256_and_si256(_mm256_cmpeq_epi16(offset_, odd), gradient_);
    Avx2::Put<kStream>(to, _mm256_unpacklo_epi16(first, second));
    Avx2::Put<kStream>(to + 32, _mm256_unpackhi_epi16(first, second));
  }

 private:
  UnpoolStep(__m256i offset, __m256i gradient) : offset_(offset), gradient_(gradient) {}

  // What has no room in 16 bits is in no row: see kMostUnpoolElements.
  static __m256i Pack(U low, U high) { return _mm256_packs_epi32(Avx2::Int(low), Avx2::Int(high)); }
  // 0 + a gradient: -0 becomes 0, and a NaN a quiet one.
  static __m256i AsSums(__m256i bits) {
    constexpr int kInfinity = kStorage == Storage::kFp16 ? 0x7c00 : 0x7f80;
    constexpr int kQuiet = kStorage == Storage::kFp16 ? 0x200 : 0x40;
    const __m256i gradients = _mm256_permute4x64_epi64(bits, 0xd8);
    const __m256i magnitude = _mm256_and_si256(gradients, _mm256_set1_epi16(0x7fff));
    const __m256i nan = _mm256_cmpgt_epi16(magnitude, _mm256_set1_epi16(kInfinity));
    const __m256i sums =
        _mm256_and_si256(gradients, _mm256_cmpgt_epi16(magnitude, _mm256_setzero_si256()));
    return _mm256_or_si256(sums, _mm256_and_si256(nan, _mm256_set1_epi16(kQuiet)));
  }

  __m256i offset_;    // of the index from the first element of its window
  __m256i gradient_;  // what is added
};

}  // namespace

extern const Tier kAvx2Tier = MakeTier<Avx2>("avx2", kCpuAvx2, true, 48, 24);

}  // namespace poolproof
