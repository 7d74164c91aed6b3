// SPDX-License-Identifier: Apache-2.0
//
// ProposeCapabilities: what a manifest could declare, by the plain calls that an implementation
// accepts.
#ifndef POOLPROOF_CONFORMANCE_SESSION_MANIFEST_PROPOSAL_H_
#define POOLPROOF_CONFORMANCE_SESSION_MANIFEST_PROPOSAL_H_

#include <vector>

#include "conformance/case/case.h"
#include "conformance/result/acceptance.h"
#include "conformance/result/capabilities.h"

namespace poolproof {

// For each operator of the table the shortest predicate found that holds for the calls that were
// accepted and for no other call of the table: by data type, index type, rank, format and layout.
// `operators` lists the others where one accepts nothing. Of calls that differ in none of these,
// all must be accepted; calls on descriptors alone play no part. `answers` may lack calls of the
// table: they count as not accepted.
DeclaredCapabilities ProposeCapabilities(const std::vector<NamedCase>& table,
                                         const std::vector<AcceptedCall>& answers);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_MANIFEST_PROPOSAL_H_
