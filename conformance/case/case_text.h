// SPDX-License-Identifier: Apache-2.0
//
// The two written forms of a case: the case line ("pp1:<operator>:...", one printable line) and its
// JSON object (schema poolproof-case/1). Print and parse are inverse.
#ifndef POOLPROOF_CONFORMANCE_CASE_CASE_TEXT_H_
#define POOLPROOF_CONFORMANCE_CASE_CASE_TEXT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "core/status.h"

namespace poolproof {

// Grammar in docs/case-line.md. No spaces, quotes or shell metacharacters other than those that
// single quotes protect. errors: kInvalidArgument naming the field, its text and what was wanted.
std::string CaseLine(const Case& problem);
Result<Case> ParseCaseLine(std::string_view line);

nlohmann::ordered_json CaseToJson(const Case& problem);
Result<Case> CaseFromJson(const nlohmann::json& object);

// A case line or a JSON object, told apart by the first character.
Result<Case> ParseCase(std::string_view text);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_CASE_TEXT_H_
