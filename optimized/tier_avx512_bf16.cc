// SPDX-License-Identifier: Apache-2.0
//
// AVX-512 with the instruction that rounds to bf16: other types are stored by the kernels of
// kAvx512Tier.
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

void ScatterAddBf16(const BackwardJob& job, std::int64_t first, std::int64_t end,
                    const BackwardScratch& scratch) {
  if (job.storage != Storage::kBf16) return kAvx512Tier.scatter_add(job, first, end, scratch);
  RunScatterAddIndexed<Avx512Bf16, Storage::kBf16>(job, first, end, scratch);
}

void UnpoolBf16(const BackwardJob& job, std::int64_t first, std::int64_t end,
                const BackwardScratch& scratch) {
  if (job.storage != Storage::kBf16) return kAvx512Tier.unpool(job, first, end, scratch);
  RunUnpoolIndexed<Avx512Bf16, Storage::kBf16>(job, first, end, scratch);
}

void ScatterStoreBf16(const BackwardJob& job, std::int64_t first, std::int64_t end,
                      const BackwardScratch& scratch) {
  if (job.storage != Storage::kBf16) return kAvx512Tier.scatter_store(job, first, end, scratch);
  RunScatterStoreIndexed<Avx512Bf16, Storage::kBf16>(job, first, end, scratch);
}

void InPlace(const BackwardJob& job, std::int64_t first, std::int64_t end,
             const BackwardScratch& scratch) {
  kAvx512Tier.in_place(job, first, end, scratch);
}

void MaximaBf16(const ForwardJob& job, std::int64_t first, std::int64_t end,
                const ForwardScratch& scratch) {
  if (job.storage != Storage::kBf16) return kAvx512Tier.maxima(job, first, end, scratch);
  PoolRows<Avx512Bf16, Storage::kBf16>(job, first, end, scratch);
}

}  // namespace

extern const Tier kAvx512Bf16Tier = {"avx512-bf16",
                                     kCpuAvx2 | kCpuAvx512 | kCpuAvx512Bf16,
                                     true,
                                     {UnpoolStep<Avx512Bf16, Storage::kFp32>::kOutputs, 32},
                                     {UnpoolStep<Avx512Bf16, Storage::kBf16>::kOutputs, 32},
                                     &ScatterAddBf16,
                                     &UnpoolBf16,
                                     &ScatterStoreBf16,
                                     &InPlace,
                                     &MaximaBf16};

}  // namespace poolproof
