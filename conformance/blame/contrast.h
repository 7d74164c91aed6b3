// SPDX-License-Identifier: Apache-2.0
//
// Contrasts: for each feature of a valid call that a clause speaks of, the same call without it.
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

struct Contrast {
  std::string clause;        // breached if the failure goes away with the feature
  Case without;              // the case without the feature
  bool beside_base = false;  // the failure's own clauses stay blamed beside `clause`
  bool last_resort = false;  // says something only where no other contrast explains the failure
};

// Contrasts for a case of one call. Data stay as they are wherever numbers are compared.
std::vector<Contrast> ContrastsFor(const JudgeContext& context, const Case& problem,
                                   FailureSort sort);

// The case on contiguous operands of format ND, without NaN and infinities: where it fails too,
// none of these has part in the fault. nullopt where it cannot be written down or is the same.
std::optional<Case> WithoutFeatures(const Case& problem);

// The case with all indices apart: what fails here too is no fault of merging. nullopt where the
// case cannot be written down or the windows leave no room.
std::optional<Case> SpreadApart(const Case& problem);

// The case's gradients in windows of one cell each: another way to set them apart, where the
// windows leave no room. nullopt where the case cannot be written down.
std::optional<Case> WindowsOfOneCell(const Case& problem);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_BLAME_CONTRAST_H_
