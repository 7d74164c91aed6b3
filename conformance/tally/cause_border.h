// SPDX-License-Identifier: Apache-2.0
//
// BorderOf: where a rule's cases end and others begin, as a grid over the two of its circumstances
// that tell most cases apart.
#ifndef POOLPROOF_CONFORMANCE_TALLY_CAUSE_BORDER_H_
#define POOLPROOF_CONFORMANCE_TALLY_CAUSE_BORDER_H_

#include <optional>
#include <vector>

#include "conformance/circumstance/rule.h"
#include "conformance/result/report.h"

namespace poolproof {

// Counts the examples of which all other conditions of the rule hold. nullopt where none of them
// fails or none passes, and of a rule without conditions.
std::optional<CauseBorder> BorderOf(const Rule& rule, const std::vector<Example>& examples);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TALLY_CAUSE_BORDER_H_
