// SPDX-License-Identifier: Apache-2.0
//
// --clause: the cases of a run that can show something of given clauses.
#ifndef POOLPROOF_CLI_CLAUSE_CHOICE_H_
#define POOLPROOF_CLI_CLAUSE_CHOICE_H_

#include <set>
#include <string>

#include "conformance/plan/test_plan.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

// The ids of "MP3-B02,SAF-*". errors: kInvalidArgument naming what matches no clause.
Result<std::set<std::string>> ParseClauses(const Spec& spec, const std::string& text);

// Leaves the cases that were made for one of the clauses and, for clauses that any call may show
// (values, protocol, safety, support), all calls of their operators: a fault of theirs that a run
// of everything finds is found.
CaseSources CasesOfClauses(const Spec& spec, const std::set<std::string>& ids, CaseSources sources);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_CLAUSE_CHOICE_H_
