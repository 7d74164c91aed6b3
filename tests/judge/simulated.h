// SPDX-License-Identifier: Apache-2.0
//
// An implementation under test without a process: carries a case out by the definition, with one
// fault of choice. Judge and blame are tested against it.
#ifndef POOLPROOF_TESTS_JUDGE_SIMULATED_H_
#define POOLPROOF_TESTS_JUDGE_SIMULATED_H_

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"
#include "conformance/judge/judge.h"
#include "conformance/result/outcome.h"
#include "conformance/result/verdict.h"

namespace poolproof {

enum class SimulatedFault {
  kNone,
  kReverseOrder,    // legal: another order of summation
  kStorageSums,     // legal: every partial sum rounded to the storage type
  kNegativeZero,    // legal: -0 where nothing is named
  kFlushes,         // legal: subnormal terms and results are zero
  kFlushesByPath,   // legal: so in every second block of 8 elements of a plane alone
  kFlushesNormals,  // normal numbers below twice the smallest count as zero, too
  kOtherOrders,     // legal: storage-type sums, in another order in every second call
  kUncleared,       // adds to what gradInput held
  kTailUncleared,   // does not clear the last element
  kClearSkipped,    // does not clear planes whose first cell is zero already
  kAssign,          // last writer wins
  kDropLast,        // the last gradient of each plane is dropped
  kShifted,         // index + 1
  kFirstPlaneOnly,
  kTruncates,      // rounds towards zero
  kTiesAway,       // rounds ties away from zero
  kNanEverywhere,  // a NaN gradient reaches the whole plane
  kInfinityClamped,
  kOppositesCancel,   // +Inf and -Inf on one cell give zero
  kGradOutputPacked,  // gradOutput's strides ignored
  kIndicesPacked,
  kRefusesLowRank,
  kRefusesHalf,
  kRefusesEmptyStride,
  kRefusesHalfPadding,  // padding == kernel/2
  kAcceptsEverything,   // no validation at all
  kWrongNullCode,
  kRefusesLate,
  kRefusedCallWrites,
  kWritesGap,
  kAddsToGap,
  kWritesGuard,
  kChangesInput,
  kPhaseOneWrites,
  kLeavesExecutor,
  kSecondCallWrong,  // right in the first call of a sequence only
  // Each drops the last gradient where its plan asks for the thing, and is right elsewhere.
  kWrongWhenFilledLate,
  kWrongWhenRunAgain,
  kWrongOnOtherStreams,
  kWrongAmongOthers,  // while other executors live
  kNotRepeatable,
  kGrows,
  kCrashesOnHalf,
  kDropsNegative,  // negative gradients are taken for nothing
  kDropsSmall,     // gradients below 2^-6 are taken for nothing
  kSelfLeaks,      // a NaN in self reaches the same place of gradInput
  // The last gradient of each plane is dropped, but only where a call has the feature.
  kLowRankDropsLast,
  kTwoDimensionsDropLast,
  kAdaptiveDropsLast,
  kShortListsDropLast,
  kWideIndicesDropLast,
};

Outcome Simulate(const PreparedCase& prepared, SimulatedFault fault);

// Prepare, Simulate and Judge.
Verdict JudgeSimulated(const JudgeContext& context, const Case& problem, SimulatedFault fault);

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_JUDGE_SIMULATED_H_
