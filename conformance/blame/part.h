// SPDX-License-Identifier: Apache-2.0
//
// What of a verdict an investigation is about, and what sort of failure it is. Private to
// blame.
#ifndef POOLPROOF_CONFORMANCE_BLAME_PART_H_
#define POOLPROOF_CONFORMANCE_BLAME_PART_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "conformance/blame/contrast.h"
#include "conformance/result/verdict.h"

namespace poolproof {

inline bool Failed(const Verdict& verdict) { return verdict.kind == VerdictKind::kFailed; }

// Kinds of a verdict's findings, wrong numbers of all sorts taken as one.
std::set<FindingKind> SortsOf(const Verdict& verdict);

// What a contrast may explain of the verdict; nullopt: nothing.
std::optional<FailureSort> SortOf(const Verdict& verdict);

// What of a verdict is investigated. A fault that shows in every call, at memory or at coordinates
// that no index names, must not hide what else is wrong.
enum class Part : std::uint8_t {
  kSideEffects,  // there are no wrong answers
  kZeros,        // coordinates that no index names
  kAcceptance,   // a valid call is refused
  kAnswers,      // all other answers
};

// Whether a finding is of the part, or leaves open what happens to it.
bool Concerns(Part part, FindingKind kind);

Part PartOf(const Verdict& verdict);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_BLAME_PART_H_
