// SPDX-License-Identifier: Apache-2.0
//
// FindingKind: the kinds of misbehaviour, and the one table of what can be said of each. Who sorts
// findings asks the table; a new kind is a row of it.
#ifndef POOLPROOF_CONFORMANCE_RESULT_FINDING_KIND_H_
#define POOLPROOF_CONFORMANCE_RESULT_FINDING_KIND_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace poolproof {

// What kind of misbehaviour a finding is; part of the failure signature.
enum class FindingKind : std::uint8_t {
  kWrongStatus,        // another status than the documents give
  kAccepted,           // a call that must be refused was carried out
  kRefused,            // a valid call was refused
  kLateRefusal,        // refused in phase two what phase one must refuse
  kUnnamedNotZero,     // a coordinate that no index names is not zero
  kContributionLost,   // a gradient did not arrive
  kContributionMoved,  // a gradient arrived elsewhere
  kContributionDoubled,
  kWrongSum,       // coinciding gradients merged wrongly
  kWrongSpecial,   // NaN or infinity by position
  kNotRepeatable,  // equal runs gave different bits where they must not
  kWroteOutside,   // guard zone or gap overwritten
  kInputChanged,
  kWorkspaceOverrun,
  kPhaseOneSideEffect,
  kRefusedCallWrote,  // a rejected call changed an output
  kOutParameter,      // workspaceSize or executor not delivered
  kCrashed,
  kTimedOut,
  kOutOfMemory,
  kThrew,
  kGrowth,
  kProcessChanged,
  kWrongMaximum,    // forwards: an output that is not the maximum of its window
  kWrongIndex,      // forwards: an index outside its window, or of no maximum
  kRelationBroken,  // the calls are right by themselves and not beside one another
  kReadOutside,
  kStreamFailed,  // both phases accepted a valid call, and the stream did not carry it out
  kErrorText,     // the message of a refusal is not about the call
  kNotOnStream,   // the work is not done where the stream of phase two has it
};
inline constexpr std::size_t kFindingKindCount = 30;

// What of a call goes wrong. A call with a wrong result was answered, and one that does harm beside
// a right result got all else right.
enum class Aspect : std::uint8_t {
  kAnswer,      // how it is answered
  kEnd,         // the process or the stream did not survive it, or it did not return
  kResult,      // what it puts out
  kSideEffect,  // something beside answers that may still be right
};

// Where a finding is seen.
enum class Field : std::uint8_t { kStatuses, kNumbers, kMemory, kProcess };

// What the document mentions that the finding contradicts.
enum class Duty : std::uint8_t {
  kRefusal,  // how a call that must be refused is answered
  kValid,    // that a valid call is carried out
  kOther,
};

struct FindingKindInfo {
  FindingKind kind;
  std::string_view name;  // stable word of reports and signatures
  Aspect aspect;
  Field field;
  Duty duty = Duty::kOther;
};

const FindingKindInfo& InfoOf(FindingKind kind);

// "wrong-status", "unnamed-not-zero", ...
inline std::string_view FindingKindName(FindingKind kind) { return InfoOf(kind).name; }

inline bool IsSideEffect(FindingKind kind) { return InfoOf(kind).aspect == Aspect::kSideEffect; }
// Whether the process or the stream did not survive the call, or it did not return.
inline bool IsBadEnd(FindingKind kind) { return InfoOf(kind).aspect == Aspect::kEnd; }
// Whether a finding is of how a call that must be refused was answered.
inline bool IsRefusalKind(FindingKind kind) { return InfoOf(kind).duty == Duty::kRefusal; }

// Whether a finding is of a wrong output of one call, forwards' among them.
inline bool IsWrongOutput(FindingKind kind) {
  return InfoOf(kind).aspect == Aspect::kResult && kind != FindingKind::kRelationBroken;
}
// Whether it is of wrong numbers of a gradient.
inline bool IsWrongNumber(FindingKind kind) {
  return IsWrongOutput(kind) && kind != FindingKind::kWrongMaximum &&
         kind != FindingKind::kWrongIndex;
}
// What a feature that a call does not support does to it: no result, or a wrong one.
inline bool SpoilsResult(FindingKind kind) {
  return IsWrongOutput(kind) || IsBadEnd(kind) || kind == FindingKind::kRefused;
}
// Whether a finding may come of work that a library still does when another call is made, or a
// result is read: any memory may change at any time.
inline bool MayComeOfLateWork(FindingKind kind) {
  const Field field = InfoOf(kind).field;
  return field == Field::kNumbers || (field == Field::kMemory && kind != FindingKind::kReadOutside);
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_FINDING_KIND_H_
