// SPDX-License-Identifier: Apache-2.0
//
// Verdict: what an outcome means for the clauses. Made by the judge, refined by blame.
#ifndef POOLPROOF_CONFORMANCE_RESULT_VERDICT_H_
#define POOLPROOF_CONFORMANCE_RESULT_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace poolproof {

enum class VerdictKind : std::uint8_t {
  kPassed,
  kFailed,        // at least one finding
  kInconclusive,  // ran, but could not be judged
  kUnsupported,   // the implementation does not offer the operator or the declared capability
  kRecorded,      // no clause covers the call: what happened is noted, nobody is judged
};

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
  kWrongShape,  // forwards: a legal output shape refused or an illegal one accepted
  kWrongIndex,  // forwards: an index outside its window
};

struct Mismatch {
  std::int64_t position = 0;  // row-major element number in the output
  std::string expected;       // hex word, or a range of hex words where a bound applies
  std::string got;            // hex word
  int contributions = 0;      // number of gradients whose index names the position
  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

struct Finding {
  std::vector<std::string> clauses;  // ids blamed, required and advisory
  FindingKind kind = FindingKind::kWrongStatus;
  std::string message;  // one sentence for a person
  std::optional<Mismatch> mismatch;
  friend bool operator==(const Finding&, const Finding&) = default;
};

struct Verdict {
  VerdictKind kind = VerdictKind::kPassed;
  std::vector<Finding> findings;
  // Clauses for which this case is evidence of conformance. Empty for a failed case, except for
  // clauses that the failure does not touch.
  std::vector<std::string> evidence;
  std::string note;  // kInconclusive, kUnsupported: the reason; kRecorded: what happened
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// Whether a finding is of wrong numbers in an output, whatever their shape.
bool IsWrongNumber(FindingKind kind);

// Stable words for reports and signatures: "wrong-status", "unnamed-not-zero", ...
std::string_view FindingKindName(FindingKind kind);

// Failures with one signature have one root cause, as far as can be told: operator, kinds and
// clauses. "MaxPool3dWithArgmaxBackward:wrong-sum:MP3-B02".
std::string SignatureOf(std::string_view operator_name, const Verdict& verdict);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_VERDICT_H_
