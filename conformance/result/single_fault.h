// SPDX-License-Identifier: Apache-2.0
//
// Clauses of calls that must be refused: whether they mention one fault of the call or of several,
// of which one alone may be answered wrongly.
#ifndef POOLPROOF_CONFORMANCE_RESULT_SINGLE_FAULT_H_
#define POOLPROOF_CONFORMANCE_RESULT_SINGLE_FAULT_H_

#include <string>
#include <vector>

namespace poolproof {

// Whether the clauses represent one fault of a call: one clause, or one with those it contains (an
// INT64 or DOUBLE tensor breaches two rows at once) and that it was refused late (2P-08).
bool StandForOneFault(const std::vector<std::string>& clauses);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_SINGLE_FAULT_H_
