// SPDX-License-Identifier: Apache-2.0
//
// AVX-512 with the instruction that rounds to bf16.
#include "optimized/tier_avx512.h"
#include "optimized/tiers.h"

namespace poolproof {
namespace {

struct Avx512Bf16 : Avx512 {
  template <Storage kStorage, bool kStream>
  static void PutLine(std::byte* to, const float* from) {
    if constexpr (kStorage == Storage::kBf16) {
      const auto a = LoadAs<F>(reinterpret_cast<const std::byte*>(from));
      const auto b = LoadAs<F>(reinterpret_cast<const std::byte*>(from + 16));
      // It takes subnormals for zero, so that they are left to integers.
      constexpr int kSubnormal = 0x20;
      const __mmask16 first = _mm512_fpclass_ps_mask(a, kSubnormal);
      const __mmask16 second = _mm512_fpclass_ps_mask(b, kSubnormal);
      if (_kortestz_mask16_u8(first, second) != 0) {
        Put<kStream>(to, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(b, a)));
        return;
      }
    }
    Avx512::PutLine<kStorage, kStream>(to, from);
  }
};

}  // namespace

extern const Tier kAvx512Bf16Tier =
    MakeTier<Avx512Bf16>("avx512-bf16", kCpuAvx2 | kCpuAvx512 | kCpuAvx512Bf16, true, 32, 32);

}  // namespace poolproof
