// SPDX-License-Identifier: Apache-2.0
//
// The JSON form of a case: schema poolproof-case/1, beside this file. Print and parse are inverse.
#ifndef POOLPROOF_CONFORMANCE_CASE_CASE_JSON_H_
#define POOLPROOF_CONFORMANCE_CASE_CASE_JSON_H_

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "conformance/case/case.h"
#include "conformance/json/json_reader.h"
#include "core/status.h"

namespace poolproof {

inline constexpr std::string_view kCaseSchema = "poolproof-case/1";

nlohmann::ordered_json CaseToJson(const Case& problem);

// The case of an object, which may be a case line in {"schema": ..., "case": ...}. Refused are also
// plans that cannot be carried out (CheckPlan). A case without calls where the reader has an error.
Case ReadCase(const JsonReader& at);
// A text that is a case line.
Case ReadCaseLine(const JsonReader& at);

// errors: kInvalidArgument with the place in the object.
Result<Case> CaseFromJson(const nlohmann::ordered_json& object);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_CASE_JSON_H_
