// SPDX-License-Identifier: Apache-2.0
#include "optimized/tiers.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <cstdint>
#include <cstdlib>

namespace poolproof {
namespace {

#if defined(__x86_64__)
// Register state that the system saves.
std::uint64_t SavedState() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

unsigned ReadCpuFeatures() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned kNeeded = bit_OSXSAVE | bit_AVX | bit_F16C;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kNeeded) != kNeeded) return 0;
  const std::uint64_t saved = SavedState();
  if ((saved & 0x6) != 0x6) return 0;  // XMM and YMM
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & bit_AVX2) == 0) return 0;
  constexpr unsigned kWide = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  const bool wide = (saved & 0xe0) == 0xe0 && (b & kWide) == kWide;  // masks, ZMM
  if (!wide) return kCpuAvx2;
  constexpr unsigned kBf16 = 1U << 5;
  const bool bf16 = __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kBf16) != 0;
  return kCpuAvx2 | kCpuAvx512 | (bf16 ? kCpuAvx512Bf16 : 0U);
}
#else
unsigned ReadCpuFeatures() { return 0; }
#endif

constexpr std::array kTiers = {
#if defined(POOLPROOF_TIER_AVX512_BF16)
    &kAvx512Bf16Tier,
#endif
#if defined(POOLPROOF_TIER_AVX512)
    &kAvx512Tier,
#endif
#if defined(POOLPROOF_TIER_AVX2)
    &kAvx2Tier,
#endif
#if defined(POOLPROOF_TIER_NEON)
    &kNeonTier,
#endif
    &kPortableTier,   &kPortableWideTier};

}  // namespace

unsigned CpuFeatures() {
  static const unsigned features = ReadCpuFeatures();
  return features;
}

std::span<const Tier* const> Tiers() { return kTiers; }

const Tier& BestTier(unsigned features) {
  for (const Tier* tier : kTiers) {
    if (tier->automatic && (tier->needs & ~features) == 0) return *tier;
  }
  return kPortableTier;
}

const Tier* FindTier(std::string_view name, unsigned features) {
  for (const Tier* tier : kTiers) {
    if (tier->name == name && (tier->needs & ~features) == 0) return tier;
  }
  return nullptr;
}

const Tier& DefaultTier() {
  static const Tier& chosen = []() -> const Tier& {
    const char* name = std::getenv("POOLPROOF_TIER");
    const Tier* named = name == nullptr ? nullptr : FindTier(name, CpuFeatures());
    return named == nullptr ? BestTier(CpuFeatures()) : *named;
  }();
  return chosen;
}

}  // namespace poolproof
