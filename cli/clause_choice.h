// SPDX-License-Identifier: Apache-2.0
//
// --clause: the cases of a run that can show something of given clauses.
#ifndef POOLPROOF_CLI_CLAUSE_CHOICE_H_
#define POOLPROOF_CLI_CLAUSE_CHOICE_H_

#include <string>

#include "conformance/session/session.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

// Leaves of the sources of `parts` the cases that were made for one of the clauses of `text`
// ("MP3-B02,SAF-*") and, for clauses that any call may show (values, protocol, safety, support),
// all calls of their operators: a fault of theirs that a run of everything finds is found. `spec`
// must outlive the parts. errors: kInvalidArgument naming what matches no clause.
Status ChooseClauses(const Spec& spec, const std::string& text, SessionParts& parts);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_CLAUSE_CHOICE_H_
