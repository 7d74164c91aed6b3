// SPDX-License-Identifier: Apache-2.0
//
// The case line ("pp1:<operator>:..."): a whole case as one printable line. Print and parse are
// inverse. Its JSON form is in case_json.h.
#ifndef POOLPROOF_CONFORMANCE_CASE_CASE_TEXT_H_
#define POOLPROOF_CONFORMANCE_CASE_CASE_TEXT_H_

#include <string>
#include <string_view>

#include "conformance/case/case.h"
#include "core/status.h"

namespace poolproof {

// Grammar in docs/case-line.md. No spaces, quotes or shell metacharacters other than those that
// single quotes protect. errors: kInvalidArgument naming the field, its text and what was wanted,
// for a plan that cannot be carried out (CheckPlan), too.
std::string CaseLine(const Case& problem);
Result<Case> ParseCaseLine(std::string_view line);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_CASE_TEXT_H_
