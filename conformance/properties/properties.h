// SPDX-License-Identifier: Apache-2.0
//
// The table of metamorphic properties, and the judge that knows them. Used by the session, by blame
// (to shrink related cases) and by replay.
#ifndef POOLPROOF_CONFORMANCE_PROPERTIES_PROPERTIES_H_
#define POOLPROOF_CONFORMANCE_PROPERTIES_PROPERTIES_H_

#include <optional>
#include <span>

#include "conformance/judge/judge.h"
#include "conformance/properties/property.h"

namespace poolproof {

// All properties, in the order of Relation.
std::span<const Property> AllProperties();
// Requires a relation other than kNone.
const Property& PropertyOf(Relation relation);

// The base of a related case: its first call, with nothing to be related to.
Case BaseOf(const Case& problem);
// The related case that follows from `base`; nullopt where the precondition is out of reach.
std::optional<Case> DeriveRelated(Relation relation, const Case& base);

// What the comparison of a case's calls adds to the verdict on the calls by themselves. A broken
// relation is a finding of its own where they are right; where they are not, it follows from that.
// Requires a plan that names a relation.
void AddComparison(const JudgeContext& context, const PreparedCase& prepared,
                   const Comparison& comparison, Verdict& verdict);

// Judge, and the relation that the plan names.
Verdict JudgeWithProperties(const JudgeContext& context, const PreparedCase& prepared,
                            const Outcome& outcome);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PROPERTIES_PROPERTIES_H_
