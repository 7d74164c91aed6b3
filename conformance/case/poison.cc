// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"

namespace poolproof {

Poison PoisonOfRun(const CallPlan& plan, Poison first, int repetition) {
  if (!plan.vary_contents) return first;
  return static_cast<Poison>((static_cast<int>(first) + repetition % kPoisonCount) % kPoisonCount);
}

std::byte PoisonByte(Poison poison, std::size_t position) {
  constexpr std::size_t kMixedRun = 8;  // whole elements of every type
  switch (poison) {
    case Poison::kNan:
      return std::byte{0xff};
    case Poison::kFinite:
      return std::byte{0x3c};
    case Poison::kMixed:
      return position / kMixedRun % 2 == 0 ? std::byte{0} : std::byte{0x3c};
    case Poison::kZero:
      break;
  }
  return std::byte{0};
}

void FillWithPoison(Poison poison, std::span<std::byte> bytes) {
  if (poison != Poison::kMixed) {
    std::fill(bytes.begin(), bytes.end(), PoisonByte(poison, 0));
    return;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = PoisonByte(poison, i);
}

void FillOutput(const Dims& shape, const Dims& strides, std::int64_t offset, std::size_t width,
                Poison poison, std::span<std::byte> bytes) {
  const Dims steps = strides.empty() ? ContiguousStrides(shape) : strides;
  const auto numel = static_cast<std::size_t>(CheckedNumel(shape).value_or(0));
  if (numel * width == bytes.size() && offset == 0 && IsContiguous(shape, steps)) {
    return FillWithPoison(poison, bytes);
  }
  std::fill(bytes.begin(), bytes.end(), kGapByte);
  ForEachOffset(shape, steps, offset, [&](std::int64_t, std::int64_t at) {
    const std::size_t first = static_cast<std::size_t>(at) * width;
    if (at < 0 || first + width > bytes.size()) return;
    for (std::size_t k = first; k < first + width; ++k) bytes[k] = PoisonByte(poison, k);
  });
}

}  // namespace poolproof
