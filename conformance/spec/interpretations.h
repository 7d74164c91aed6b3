// SPDX-License-Identifier: Apache-2.0
//
// How the suite reads what the documents leave open or contradict: one entry for each of the
// registered discrepancies. Read by explain, reports and docs/discrepancies.md.
#ifndef POOLPROOF_CONFORMANCE_SPEC_INTERPRETATIONS_H_
#define POOLPROOF_CONFORMANCE_SPEC_INTERPRETATIONS_H_

#include <string_view>

namespace poolproof {

// The reading and the reason for it; empty for an unknown id.
std::string_view InterpretationOf(std::string_view discrepancy);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SPEC_INTERPRETATIONS_H_
