// SPDX-License-Identifier: Apache-2.0
//
// The acceptance table: a small plain legal call for each thing that an implementation may not be
// able to do at all. What it does with these says which part of the documents it covers. Used by
// `probe --write-manifest` and by runs.
#ifndef POOLPROOF_CONFORMANCE_GEN_ACCEPTANCE_CASES_H_
#define POOLPROOF_CONFORMANCE_GEN_ACCEPTANCE_CASES_H_

#include <vector>

#include "conformance/case/case.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// One call for each combination of operator (forwards too), value type, index type, rank, format
// and layout of all operands (contiguous, channels-last, gaps) that the operator's page takes under
// the profile; nothing for operators that it does not cover. All are legal. Family "accepted",
// named "f32-i32-batched-contiguous"; formats after the page's first one follow the rank:
// "f32-i32-batched-ncdhw-contiguous".
std::vector<NamedCase> AcceptanceCases(const Spec& spec, Profile profile);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_GEN_ACCEPTANCE_CASES_H_
