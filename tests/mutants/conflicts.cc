// SPDX-License-Identifier: Apache-2.0

#include "conflicts.h"

namespace mutants {
namespace {

using enum Fault;

constexpr Conflict kTable[] = {
    // ---- validation
    {"null indices either crash or are answered", {kNullIndicesCrashes, kNullIndicesIsInvalid}},
    {"a stride of zero has one fate",
     {kStrideZeroDivides, kStrideZeroHangs, kStrideZeroUncheckedOnW}},
    {"the plane's size is compared once",
     {kPlaneLimitUnchecked, kPlaneLimitOffByOne, kPlaneLimitWraps}},
    {"the pooled extent is rounded in one way", {kCeilModeIgnored, kCeilModeKeepsOutsideWindow}},
    {"a refused empty stride has no meaning",
     {kStrideEmptyRefused},
     {kStrideEmptyTakesFirstKernel, kMaxPool2dStrideEmptyMeansOne}},
    {"shapes that nothing compares are not refused late or with another code",
     {kShapesRefusedInPhaseTwo, kShapeMismatchIsInferError},
     {kIndicesShapeUnchecked, kGradInputShapeUnchecked}},
    {"an unchecked kind of index type is not refused",
     {kRefusesInt64Indices2d},
     {kInt64IndicesHighWord, kInt64IndicesAtInt32Pitch}},

    // ---- phases
    {"every phase two has the null executor that it dies of",
     {kExecutorLeftNull},
     {kNullExecutorCrashes, kOnePlanAtATime, kExecutorKeepsAddresses}},
    {"no workspace is null or without a size where each call wants one",
     {kNullWorkspaceRefused, kWorkspaceSizeUnwritten},
     {kExactWorkspaceRefused, kWritesPastWorkspace, kWorkspaceAssumedZero}},
    {"what is cleared beforehand needs no clearing",
     {kPhaseOneClearsOutput, kSpanCleared},
     {kOutputNotCleared, kUnnamedCellsUntouched, kZeroFillTailMissing, kClearsByMultiplying,
      kClearSkippedWhenFirstCellZero, kMaxPool2dLastRowNotCleared}},

    {"work that is dropped takes no memory",
     {kQueueOfEight},
     {kLeaksMemory, kLeaksSlowly, kLeaksDeviceMemory, kLeaksUntouchedMemory}},

    // ---- sums
    {"a plane is summed in one way",
     {kLastWriterWins, kFirstWriterWins, kDuplicatesLostInVector, kAdjacentDuplicatesLost,
      kContributionsAbove255Lost, kCrossCoreUpdateLost, kStorageSumTruncates,
      kStreamsShareScratch}},
    {"the shared accumulator knows no other sum",
     {kStreamsShareScratch, kLastWriterWins},
     {kOverlapJudgedByDepth, kOverlapJudgedByWidth, kAdaptiveOverlapJudgedByHeight,
      kUpsamplingTakenAsDivisible, kMaxPool2dOverlapJudgedByWidth, kOppositeInfinitiesCancel}},
    {"the shared accumulator is cleared and lies where it lies",
     {kStreamsShareScratch},
     {kScratchDirtyAfterBiggerCall, kWorkspaceAssumedZero, kTileNotClearedBetweenPlanes,
      kSpecialsSpread}},
    {"the accumulator lies in one place", {kScratchDirtyAfterBiggerCall, kWorkspaceAssumedZero}},
    {"infinities that meet are not added",
     {kOppositeInfinitiesCancel},
     {kFirstWriterWins, kDuplicatesLostInVector, kCrossCoreUpdateLost, kStorageSumTruncates,
      kInfinityClamped}},
    {"overlap is judged by one axis", {kOverlapJudgedByDepth, kOverlapJudgedByWidth}},
    {"what is not cleared is not cleared in a wrong way, too",
     {kOutputNotCleared, kClearsByMultiplying, kClearSkippedWhenFirstCellZero}},
    {"sums are shuffled after they were put in order",
     {kOrderByAddress},
     {kUnorderedUnderDeterministic}},

    // ---- rounding
    {"a BFLOAT16 is rounded once",
     {kBfloat16Truncates, kRoundsHalfAway, kRoundsTwice, kStorageSumTruncates}},
    {"a FLOAT16 is rounded once",
     {kFloat16Truncates, kRoundsHalfAway, kRoundsTwice, kStorageSumTruncates}},
    {"sums that are cut never overflow",
     {kFloat16OverflowSaturates},
     {kFloat16Truncates, kStorageSumTruncates}},

    // ---- addresses
    {"gradOutput is read with one set of strides",
     {kGradOutputStridesIgnored},
     {kStrideZeroReadAsOne, kSizeOneStrideUsed, kDensePermutationTakenAsPacked}},
    {"the offset of gradOutput is taken once",
     {kGradOutputOffsetIgnored},
     {kOddOffsetRoundedDown, kHalfOffsetIgnoredWithCeilAndPadding}},
    {"indices are read with one set of strides",
     {kIndicesStridesIgnored, kIndicesUseGradOutputStrides}},
    {"gradInput is written with one set of strides",
     {kGradInputStridesIgnored, kGradInputUsesSelfStrides}},
    {"INT64 indices are read in one way", {kInt64IndicesHighWord, kInt64IndicesAtInt32Pitch}},
    {"indices that are not read cannot be read wrongly",
     {kArgmaxRecomputed},
     {kIndexBatchPitchWithoutDepth}},

    // ---- what is dropped cannot go wrong, too
    {"the planes in question receive nothing",
     {kOnlyFirstPlane},
     {kSecondPlaneOfWorkerDropped, kPlanesAbove65535Dropped, kBatchPitchWithoutChannels,
      kBatchCutTo8Bits, kChannelCutTo8Bits, kIndexBatchPitchWithoutDepth,
      kGradPlanePitchWithoutDepth, kMaxPool2dChannelsAsVolume}},
    {"the planes in question receive nothing",
     {kSecondPlaneOfWorkerDropped},
     {kPlanesAbove65535Dropped, kBatchCutTo8Bits, kChannelCutTo8Bits}},
    {"the indices in question are dropped",
     {kSecondTileDropped},
     {kIndexCutTo16Bits, kIndexSignExtendedFrom16Bits, kIndexThroughFloat,
      kLargeOddWidePlaneDropped, kWidthCutTo12Bits}},
    {"the indices in question are dropped or cut",
     {kIndexSignExtendedFrom16Bits, kIndexCutTo16Bits},
     {kIndexThroughFloat}},
    {"the indices in question are dropped",
     {kIndexSignExtendedFrom16Bits},
     {kIndexCutTo16Bits, kLargeOddWidePlaneDropped}},
    {"the last window is gone already", {kLastWindowDropped, kSecondCallDiffers}},
    {"index 0 is gone already", {kIndexZeroDropped, kDeterministicLosesIndexZero}},
    {"adaptive windows are placed in one way",
     {kAdaptiveUniformWindows, kAdaptiveWindowEndByFloor}},

    // ---- ends of the process
    {"a self of 5 by 7 is 7 wide", {kCrashesOnSomeShape, kHangsOnSomeShape}},
    {"a heap is damaged once", {kDamagesHeapOnSomeShape, kWritesAfterFreeOnSomeShape}},
};

constexpr Together kTogether[] = {
    {"valid lists are refused late",
     {kListsRefusedInPhaseTwo},
     {kMaxPool2dKernelWidthFirst, kPaddingBoundTooNarrow, kPaddingBoundFromFirstAxis,
      kKernelLengthOneRefused, kStrideEmptyRefused, kDilationLengthOneRefused},
     "2P-02"},
    {"windows that lie anywhere are searched for their maxima",
     {kArgmaxRecomputed},
     {kPaddingNegativeUnchecked, kKernelNegativeUncheckedOnW, kKernelZeroUnchecked,
      kStrideZeroUncheckedOnW, kPaddingLengthUnchecked, kKernelLengthUnchecked,
      kStrideLengthUnchecked, kDilationLengthUnchecked, kMaxPool2dListsOfThree,
      kMaxPool2dDilationUncheckedOnA2},
     "SAF-03"},
};

}  // namespace

std::span<const Conflict> Conflicts() { return kTable; }
std::span<const Together> AllTogether() { return kTogether; }

}  // namespace mutants
