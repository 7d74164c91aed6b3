// SPDX-License-Identifier: Apache-2.0
//
// Legality: which clauses' conditions a call breaches under a profile, from its descriptors and
// plan alone, and what answer follows. Used by the judge, by generators (to know that a neighbour
// is legal) and by `explain`.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_LEGALITY_H_
#define POOLPROOF_CONFORMANCE_JUDGE_LEGALITY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/spec/profile_rules.h"
#include "conformance/spec/spec.h"

namespace poolproof {

enum class LegalityKind : std::uint8_t {
  kValid,    // must succeed, with the right numbers
  kInvalid,  // must be refused
  kOpen,     // the documents give no answer
};

struct Legality {
  LegalityKind kind = LegalityKind::kValid;
  std::vector<const Clause*> breached;  // kInvalid: required ones first
  std::string open_reason;              // kOpen: why
  // kOpen: clauses that mention such calls without naming an answer (MP3-S51, AMP2-C01). To come
  // back without harm is all that they ask.
  std::vector<const Clause*> left_open_by;
  // kValid: advisory support clauses (MP3-B27, AMP3-B25) without which the call would be open. A
  // refusal, or other numbers than without the feature, breaches these alone.
  std::vector<const Clause*> by_advice;
  // kInvalid: statuses that phase one may answer with besides those of the breached clauses,
  // because the call raises another question to which the documents give that answer.
  std::vector<std::int32_t> also_allowed;
  // The plan ends after phase one, whose status decides alone.
  bool phase_one_only = false;

  // kInvalid: the breached clauses whose expectation counts: the required ones, or, where none is,
  // all. Advisory clauses never widen what a required one expects, except for null out-pointers.
  [[nodiscard]] std::vector<const Clause*> Governing() const;
  // kInvalid: whether phase one may answer with `status`. Never true for 0: a late refusal is asked
  // for on its own.
  [[nodiscard]] bool AllowsPhaseOne(std::int32_t status) const;
  // kInvalid: whether phase one may accept the call and a later phase refuse it with any error.
  [[nodiscard]] bool AllowsLateRefusal() const;
  [[nodiscard]] bool HasRequired() const;
  // A required row of a status table is breached.
  [[nodiscard]] bool OfStatusTable() const;
  // Whether an out-pointer is null beside what breaches a required clause: no row of the tables
  // says what that is answered with, and a library may look at it first.
  [[nodiscard]] bool LacksOutPointerToo() const;
  // "161001 or 161002", "any error".
  [[nodiscard]] std::string ExpectedText() const;
};

// What a call that breaches `clause` must answer; 2P-05 names its status in words only. Requires a
// clause that names one.
ExpectedStatus ExpectationOf(const Clause& clause);

// Forwards are kValid where everything about them is plainly in order and kOpen otherwise: none of
// the documents gives their statuses. Contents (indices outside the plane) play no part.
Legality Classify(const ProfileRules& rules, const Call& call, const CallPlan& plan);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_LEGALITY_H_
