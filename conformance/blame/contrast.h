// SPDX-License-Identifier: Apache-2.0
//
// Contrasts: for each feature of a valid call that a clause mentions, the same call without it.
#ifndef POOLPROOF_CONFORMANCE_BLAME_CONTRAST_H_
#define POOLPROOF_CONFORMANCE_BLAME_CONTRAST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/judge/judge.h"

namespace poolproof {

// What sort of failure a contrast can explain.
enum class FailureSort : std::uint8_t {
  kValue,    // carried out, with wrong numbers
  kRefusal,  // a valid call was refused
  kEnd,      // the process did not survive
};

// How much a contrast leaves as it was: one says something only where none that leaves more
// explains the failure.
enum class Keeps : std::uint8_t {
  kNumbers,  // the same numbers in another layout, rank, list or plan
  kValues,   // in another type of indices, or on planes of another size
  kLittle,   // other numbers: without NaN, in another type
  kLeast,    // other windows, or less of what the others take away
};

struct Contrast {
  std::string clause;              // breached if the failure goes away with the feature
  Case without;                    // the case without the feature
  std::vector<Case> also_without;  // taken away in other ways: the failure must go with each
  Keeps keeps = Keeps::kNumbers;
};

// The case with a pause before its results are read: what is read before it is there is wrong at
// that moment alone.
Case Settled(Case problem);

// Contrasts for a case of one call, those first that keep most. Data stay as they are where
// numbers are compared.
std::vector<Contrast> ContrastsFor(const JudgeContext& context, const Case& problem,
                                   FailureSort sort);

// The case on contiguous operands of format ND, without NaN and infinities: where it fails too,
// none of these has part in the fault. nullopt where it cannot be written down or is the same.
std::optional<Case> WithoutFeatures(const Case& problem);

// The case with all indices apart: what fails here too is no fault of merging. nullopt where the
// case cannot be written down or the windows leave no room.
std::optional<Case> SpreadApart(const Case& problem);

// The case with all that its operands are but windows, which have one cell each, and with clean
// memory: what else is wrong does not show there. nullopt where that is no other case.
std::optional<Case> OnWindowsOfOneCell(const Case& problem);

// The case's gradients in windows of one cell each: another way to set them apart, where the
// windows leave no room. nullopt where the case cannot be written down.
std::optional<Case> WindowsOfOneCell(const Case& problem);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_BLAME_CONTRAST_H_
