// SPDX-License-Identifier: Apache-2.0
//
// The zoo's single faults and its lawful oddities: names, categories, what they do and which
// clauses they breach. Read by the library (selection), by mutants_table (mutants.json) and by
// nobody else.

#ifndef POOLPROOF_TESTS_MUTANTS_FAULT_TABLE_H_
#define POOLPROOF_TESTS_MUTANTS_FAULT_TABLE_H_

#include <array>
#include <span>
#include <string_view>

namespace mutants {

enum class Fault : int {
  kNone = 0,

  // validation
  kNullSelfIsInvalid,
  kNullIndicesIsInvalid,
  kNullGradOutputIsInvalid,
  kNullGradInputIsInvalid,
  kNullListIsInvalid,
  kNullStrideMeansKernel,
  kNullIndicesCrashes,
  kSecondNullCrashes,
  kListLengthIn16Bits,
  kStrideCheckedIn32Bits,
  kPlaneLimitUncheckedOfNone,
  kInterleavedRefused,
  kPaddingIn8Bits,
  kAcceptsDouble,
  kSelfDtypeUnchecked,
  kGradInputDtypeUnchecked,
  kSelfDtypeMayDiffer2d,
  kAcceptsUint32Indices,
  kAcceptsInt64IndicesOnA2,
  kRefusesInt64IndicesOn950,
  kRefusesInt64Indices2d,
  kRefusesInt32Indices2d,
  kRefusesFloat16,
  kRefusesBfloat16In2d,
  kRefusesUnbatched,
  kRefusesNdIn3dAdaptive,
  kAcceptsPrivateFormats,
  kAcceptsFractalZ3d,
  kAcceptsFractalNz,
  kIndicesFormatUnchecked,
  kLowRankUnchecked,
  kHighRankUnchecked,
  kIndicesShapeUnchecked,
  kIndicesShapeByCount,
  kGradInputShapeUnchecked,
  kGradInputBatchUnchecked,
  kShapeMismatchIsInferError,
  kKernelLengthUnchecked,
  kKernelZeroUnchecked,
  kKernelNegativeUncheckedOnW,
  kStrideLengthUnchecked,
  kStrideLengthTakenAsItIs,
  kStrideZeroUncheckedOnW,
  kStrideZeroDivides,
  kStrideZeroHangs,
  kPaddingLengthUnchecked,
  kPaddingNegativeUnchecked,
  kPaddingBoundTooWide,
  kPaddingBoundTooNarrow,
  kPaddingBoundFromFirstAxis,
  kPaddingAboveHalfIsTilingError,
  kDilationLengthUnchecked,
  kListLengthThrows,
  kKernelLengthOneRefused,
  kStrideEmptyRefused,
  kStrideOtherThanKernelRefused,
  kStrideEmptyTakesFirstKernel,
  kStrideLengthOneFirstAxisOnly,
  kPaddingLengthOneFirstAxisOnly,
  kDilationLengthOneRefused,
  kCeilModeIgnored,
  kCeilModeKeepsOutsideWindow,
  kPlatformUnchecked,
  kPlatformUncheckedAdaptive2d,
  kPlaneLimitUnchecked,
  kPlaneLimitOffByOne,
  kPlaneLimitWraps,
  kPlaneLimitOn950,
  kRefusesLargeDivisiblePlanes,
  kAdaptivePlanesUnchecked,
  kRefusesUpsampling,
  kKernelCutTo8Bits,
  kStrideCutTo8Bits,

  // phases
  kShapesRefusedInPhaseTwo,
  kListsRefusedInPhaseTwo,
  kRejectionScribbles,
  kPhaseOneClearsOutput,
  kExecutorLeftNull,
  kWorkspaceSizeUnwritten,
  kExactWorkspaceRefused,
  kNullWorkspaceRefused,
  kSynchronizeDoesNotWait,
  kWorksOnDefaultStream,
  kWorksOnOwnStream,
  kCopiesDoNotWait,
  kNullOutPointerCrashes,
  kNullExecutorCrashes,
  kMessageOfAnotherOperator,

  // scatter
  kLastWriterWins,
  kFirstWriterWins,
  kOutputNotCleared,
  kUnnamedCellsUntouched,
  kZeroFillTailMissing,
  kClearsByMultiplying,
  kClearSkippedWhenFirstCellZero,
  kLastWindowDropped,
  kIndexOffByOne,
  kOnlyFirstPlane,
  kSecondPlaneOfWorkerDropped,
  kGradPlanePitchWithoutDepth,
  kIndexZeroDropped,
  kInt64IndicesHighWord,
  kInt64IndicesAtInt32Pitch,
  kDuplicatesLostInVector,
  kAdjacentDuplicatesLost,

  // precision
  kBfloat16Truncates,
  kFloat16Truncates,
  kRoundsHalfAway,
  kRoundsTwice,
  kStorageSumTruncates,
  kFloatThroughTf32,
  kSmallNormalsFlushed,
  kLargeSumsLostInBlocks,
  kNanGradientIgnored,
  kSpecialsSpread,
  kInfinityClamped,
  kFloat16OverflowSaturates,
  kOppositeInfinitiesCancel,
  kSelfNanLeaks,

  // strides
  kGradOutputStridesIgnored,
  kIndicesStridesIgnored,
  kGradInputStridesIgnored,
  kGradOutputOffsetIgnored,
  kIndicesOffsetIgnored,
  kGradInputOffsetIgnored,
  kOddOffsetRoundedDown,
  kStrideZeroReadAsOne,
  kSizeOneStrideUsed,
  kRefusesStridedSelf,
  kSpanCleared,
  kGradInputUsesSelfStrides,
  kIndicesUseGradOutputStrides,
  kDensePermutationTakenAsPacked,
  kHalfOffsetIgnoredWithCeilAndPadding,

  // tiles
  kCrossCoreUpdateLost,
  kVectorTailShifted,
  kSecondTileDropped,
  kPlanesAbove65535Dropped,
  kLargeOddWidePlaneDropped,
  kIndexCutTo16Bits,
  kIndexSignExtendedFrom16Bits,
  kIndexThroughFloat,
  kTileNotClearedBetweenPlanes,
  kBatchPitchWithoutChannels,
  kContributionsAbove255Lost,
  kWindowsAbove65535Dropped,
  kWindowsAbove2To20Dropped,
  kWideRowsCut,
  kLargeResultsOfLaterPlanesLost,
  kLongNarrowTilesLost,
  kBatchCutTo8Bits,
  kChannelCutTo8Bits,
  kDepthCutTo8Bits,
  kHeightCutTo8Bits,
  kWidthCutTo12Bits,

  // geometry
  kOverlapJudgedByDepth,
  kOverlapJudgedByWidth,
  kAdaptiveOverlapJudgedByHeight,
  kUpsamplingTakenAsDivisible,
  kHeightWidthSwapped,
  kIndexBatchPitchWithoutDepth,
  kAdaptiveUniformWindows,
  kAdaptiveFloatWindows,
  kAdaptiveWindowEndByFloor,
  kWindowsIgnorePadding,
  kFirstStrideOnEveryAxis,
  kCeilWindowDropped,
  kArgmaxRecomputed,

  // lifecycle
  kShapeCacheWithoutDtype,
  kIndicesCachedByPointer,
  kScratchDirtyAfterBiggerCall,
  kSecondCallDiffers,
  kWorkspaceAssumedZero,
  kWritesPastWorkspace,
  kWritesBeforeGradInput,
  kWritesPastGradInput,
  kAddsZeroPastGradInput,
  kReadsPastIndices,
  kReadsBeforeGradOutput,
  kModifiesGradOutput,
  kModifiesIndices,
  kModifiesSelf,
  kOutOfPlaneIndexWrites,
  kOutOfPlaneIndexWritesInLargeWindows,
  kPlansFromContents,
  kOnePlanAtATime,
  kExecutorKeepsAddresses,
  kOrderByAddress,
  kLeaksMemory,
  kLeaksDeviceMemory,
  kLeaksUntouchedMemory,
  kLeaksSlowly,
  kLeaksWhenRefused,
  kPacksStridesInPlace,
  kQueueOfEight,
  kLeaksFileDescriptor,
  kClosesStdin,
  kChangesRoundingMode,
  kChangesDirectory,
  kInstallsSignalHandler,
  kCrashesOnSomeShape,
  kCrashesInPhaseOne,
  kLargerBatchCrashes,
  kHangsOnSomeShape,
  kExitsOnSomeShape,
  kThrowsOnSomeShape,
  kDamagesHeapOnSomeShape,
  kWritesAfterFreeOnSomeShape,
  kUnorderedUnderDeterministic,
  kStreamsShareScratch,
  kRankOfLastCall,
  kDeterministicLosesIndexZero,
  kRejectionSticks,
  kFailsAfter1000Calls,

  // max_pool2d
  kMaxPool2dDilationUncheckedOnA2,
  kMaxPool2dDilationIgnored,
  kMaxPool2dAcceptsNarrowTypesOnA2,
  kMaxPool2dAcceptsInt64IndicesOnA2,
  kMaxPool2dListsOfThree,
  kMaxPool2dKernelWidthFirst,
  kMaxPool2dStrideEmptyMeansOne,
  kMaxPool2dChannelsAsVolume,
  kMaxPool2dCeilRowDropped,
  kMaxPool2dOverlapJudgedByWidth,
  kMaxPool2dLastRowNotCleared,

  // forward
  kForwardIndexAsBfloat16,
  kForwardIndexAsFloat,
  kForwardLastWins,
  kForwardMinimum,
  kForwardCrashes,
  kForwardRefusesUnbatched,
  kForwardWithoutOutputSize,
  kForwardWideRowsWithoutIndices,
  kForwardViewsTransposed,
  kForwardWindowByFloats,
  kForwardWindowByInt32,
  kForwardShortKernelFails,
  kForwardPaddedMaximum,
  kForwardWritesPastIndices,
  kForwardKeepsChannelsFirst,

  // legal
  kLegalReverseOrder,
  kLegalTreeSum,
  kLegalStorageSum,
  kLegalMixedPartialSums,
  kLegalUsesWorkspace,
  kLegalAsynchronous,
  kLegalOwnStream,
  kLegalPoolThatFills,
  kLegalUnordered,
  kLegalEmptyRefused,
  kLegalEmptyIgnored,
  kLegalWindowGather,
  kLegalStoreWhereDisjoint,
  kLegalMinusZeroKept,
  kLegalShapeRefusedLate,
  kLegalAdvisoryChecksAbsent,
  kLegalFlushToZero,
  kLegalFlushInBlocks,
  kLegalNoisyStdout,
  kLegalMovesBreak,
  kLegalNcdhwRefused,
  kLegalDilationAccepted,
  kLegalNoMessages,
  kLegalDirtyMemory,
  kLegalOutOfPlaneIgnored,
  kLegalReadsPadding,
  kLegalNotRepeatable,
  kLegalMinimalSymbols,
  kLegalForwardLastTie,
  kLegalForwardSkipsNan,

  kCount,
};

// One row of the table. The clause lists are groups of clause ids that are separated by one blank.
struct Descriptor {
  Fault fault;
  std::string_view name;
  std::string_view category;
  std::string_view description;
  // Every clause here is breached, and has to be named by a suite that is run over everything.
  std::array<std::string_view, 4> clauses = {};
  // Clauses that the fault touches as well, so that a suite may name them. For a legal variant:
  // advisory clauses that it does not hold.
  std::array<std::string_view, 12> may_also = {};
  // The profile to run under: the fault shows nothing under another one.
  std::string_view profile = "atlas-a2";
  std::string_view library = "poolproof_mutants";
};

inline constexpr std::string_view kCategoryLegal = "legal";

// Returns all rows, in the order of the enumeration, without kNone.
std::span<const Descriptor> Table();

// Returns the row of that name, or nullptr.
const Descriptor* FindDescriptor(std::string_view name);

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_FAULT_TABLE_H_
