// SPDX-License-Identifier: Apache-2.0
//
// PreparedCase: a case with everything that follows from it alone under a profile: its bytes, which
// clauses each call breaches, where its windows lie, what its data can prove. Made once, at one
// door, and read by judge, properties, blame, probes and the account of a replay.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_PREPARED_CASE_H_
#define POOLPROOF_CONFORMANCE_JUDGE_PREPARED_CASE_H_

#include <optional>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"
#include "conformance/judge/legality.h"
#include "conformance/judge/membership.h"
#include "conformance/judge/values.h"
#include "core/status.h"

namespace poolproof {

struct PreparedCall {
  Legality legality;
  std::optional<Membership> membership;  // nullopt: the operands do not fit together
  DataFacts facts;
  // NaN or infinities are among the inputs, of which the operator's pages do not speak.
  bool undocumented_values = false;
};

struct PreparedCase {
  Case problem;
  Materialized data;
  std::vector<PreparedCall> calls;  // one for each of the case's
};

// errors: as Materialize's.
Result<PreparedCase> Prepare(const ProfileRules& rules, Case problem);
// What the pages say of the call.
LegalityKind KindOf(const ProfileRules& rules, const Call& call, const CallPlan& plan);
// Whether the pages demand that the call succeeds.
bool IsValid(const ProfileRules& rules, const Call& call, const CallPlan& plan);
// Whether its first call is in order only by advisory clauses.
bool AllowedByAdvice(const ProfileRules& rules, const Case& problem);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_PREPARED_CASE_H_
