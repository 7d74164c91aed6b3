// SPDX-License-Identifier: Apache-2.0
#ifndef POOLPROOF_CONFORMANCE_BLAME_TWIN_H_
#define POOLPROOF_CONFORMANCE_BLAME_TWIN_H_

#include <optional>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/judge/legality.h"

namespace poolproof {

// The legal call that is most like an illegal one: its types, self's shape and attributes where
// they are legal, made by whole phases on contiguous operands. nullopt where the case has several
// calls.
std::optional<Case> LegalTwin(const ProfileRules& rules, const Case& problem);

// The calls that differ from an illegal one in a null, a type, a format or a list that is put in
// order: of several faults some are left. None where the case has several calls.
std::vector<Case> WithAFaultMended(const Case& problem);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_BLAME_TWIN_H_
