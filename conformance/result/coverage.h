// SPDX-License-Identifier: Apache-2.0
//
// Coverage: how the judged cases of a run spread over the parameter space of the backward
// operators. Counted by the session, drawn by reports, named by waivers.
#ifndef POOLPROOF_CONFORMANCE_RESULT_COVERAGE_H_
#define POOLPROOF_CONFORMANCE_RESULT_COVERAGE_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "conformance/case/case.h"

namespace poolproof {

enum class CoverageAxis : std::uint8_t { kType, kLayout, kOverlap, kRounding, kPadding, kTail };
inline constexpr std::size_t kCoverageAxisCount = 6;

// "dtype", "layout", "overlap", "ceil", "padding", "tail".
std::string_view CoverageAxisName(CoverageAxis axis);
// The classes of an axis, by number.
std::span<const std::string_view> CoverageClasses(CoverageAxis axis);

// One cell of the space.
struct CoverageKey {
  Operator op{};
  std::array<std::uint8_t, kCoverageAxisCount> at{};  // class numbers, by axis

  [[nodiscard]] std::size_t ClassOn(CoverageAxis axis) const {
    return at[static_cast<std::size_t>(axis)];
  }
  // clang-tidy 14 takes the 0 that the compiler compares with for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const CoverageKey&, const CoverageKey&) = default;
};

// "f32/contiguous/disjoint/floor/none/whole", and back; nullopt for another text.
std::string CoverageKeyText(const CoverageKey& key);
std::optional<CoverageKey> ParseCoverageKey(Operator op, std::string_view text);

// Where the first call of a case lies. nullopt where it has no place: forwards, descriptors
// without data, operands that do not fit together, more than 2^22 outputs along an axis.
std::optional<CoverageKey> CoverageOf(const Case& problem);
std::optional<CoverageKey> CoverageOf(const Call& call, const CallPlan& plan);
// The class of CoverageAxis::kLayout: the least ordinary one among the operands, those that are
// null apart. Of any call; nullopt where a tensor has not one stride for each extent.
std::optional<std::size_t> LayoutClassOf(const Call& call);

struct CoverageCell {
  CoverageKey key;
  std::int64_t cases = 0;
  std::int64_t failures = 0;  // of them
  friend bool operator==(const CoverageCell&, const CoverageCell&) = default;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_COVERAGE_H_
