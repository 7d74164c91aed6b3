// SPDX-License-Identifier: Apache-2.0
//
// ProposeCapabilities: what a manifest could declare, by the plain calls that an implementation
// accepts.
#ifndef POOLPROOF_CONFORMANCE_SESSION_MANIFEST_PROPOSAL_H_
#define POOLPROOF_CONFORMANCE_SESSION_MANIFEST_PROPOSAL_H_

#include <cstddef>
#include <map>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/result/acceptance.h"
#include "conformance/result/capabilities.h"

namespace poolproof {

struct ProposedCapabilities {
  DeclaredCapabilities declared;
  // Operators that are left out, and how many calls of each were refused, all that were asked.
  std::map<Operator, std::size_t> left_out;
};

// A data type, an index type, a rank, a format or a layout of an operator is declared away where
// all of its calls in `cases` (AcceptanceCases and SpreadCases) that were asked are refused; an
// operator is left out where all of its calls are. What one call accepts is accepted, and a call
// that ends the process is no refusal. Calls on descriptors alone play no part.
ProposedCapabilities ProposeCapabilities(const std::vector<NamedCase>& cases,
                                         const std::vector<AcceptedCall>& answers);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_MANIFEST_PROPOSAL_H_
