// SPDX-License-Identifier: Apache-2.0
//
// Condition: what a clause is about, in one word that is the same for every operator, whatever the
// clause's number ("rank" is MP3-S32 and AMP3-S30). Judge, generators and blame ask for conditions;
// clauses.json joins each to its clause.
#ifndef POOLPROOF_CONFORMANCE_SPEC_CONDITION_H_
#define POOLPROOF_CONFORMANCE_SPEC_CONDITION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace poolproof {

enum class Condition : std::uint8_t {
  kNullSelf,
  kNullIndices,
  kNullGradOutput,
  kNullGradInput,
  kNullList,
  kGradientType,
  kIndexType,
  kIndexTypeInt64,
  kDoubleType,
  kEqualTypes,
  kPrivateFormat,
  kEqualFormats,
  kEqualIndicesFormat,
  kOutputShapes,
  kInputShapes,
  kRank,
  kDerivedShape,
  kKernelLength,
  kKernelValue,
  kStrideLength,
  kStrideValue,
  kPaddingLength,
  kPaddingNegative,
  kPaddingAboveHalf,
  kDilationLength,
  kDilationNotOne,
  kPlatform,
  kPlaneLimit,
  kEmpty,
  kScatter,
  kAccumulate,
  kZero,
  kInfinity,
  kNan,
  kSelfValues,
  kKernelForAllAxes,
  kStrideFromKernel,
  kStrideForAllAxes,
  kPaddingUpToHalf,
  kDilationOne,
  kCeilMode,
  kPaddingNeverWins,
  kUnbatched,
  kViews,
  kGradientTypes,
  kInt32Indices,
  kInt64Indices,
  kPlaneAboveLimit,
  kFormatNd,
  kFormatNcdhw,
  kDeterministic,
  kAdaptiveWindows,
  kSpecialValues,
  kGradInputType,
  kIndicesView,
  kNotDivisible,
  kDivisibleAboveLimit,
  kPhaseOne,
  kPhaseTwo,
  kVisibleAfterSynchronise,
  kRefusalWritesNothing,
  kNullOutPointer,
  kIndependentCalls,
  kOperandsAlone,
  kCheckedInPhaseOne,
  kPhaseTwoAlone,
  kErrorText,
  kWriteOutside,
  kInputsKept,
  kInvalidReturns,
  kIndexOutsidePlane,
  kWorkspaceOverrun,
  kGrowth,
  kReadOutside,
  kProcessState,
  kExample,
  kPaddingAboveKernel,
  kDilationValue,
  kDilationAboveOne,
  kFormatNchw,
  kNarrowGradientTypes,
  kForwardAnswers,
  kForwardMaximum,
  kForwardArgmax,
  kForwardViews,
  kForwardFormatNhwc,
  kFormatNhwc,
  kForwardInnerError,
};
inline constexpr std::size_t kConditionCount = 88;

// "null-self", "rank", ...
std::string_view ConditionName(Condition condition);
std::optional<Condition> ParseCondition(std::string_view name);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SPEC_CONDITION_H_
