// SPDX-License-Identifier: Apache-2.0
//
// The failing cases of a report as arguments: `report.json#3`, --failed, --case-file.
#ifndef POOLPROOF_CLI_REPORT_CASES_H_
#define POOLPROOF_CLI_REPORT_CASES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/result/report.h"
#include "core/status.h"

namespace poolproof {

// Whether the text is that of a report, right or wrong.
bool LooksLikeReport(std::string_view text);

// The case of a failure object of a report, which another tool has cut out; nullopt for other
// texts. The shrunk one shows it best.
std::optional<std::string> CaseOfFailureObject(std::string_view text);

// What `report.json#3` names; nullopt where the text has no such form.
struct FailureName {
  std::string path;
  std::optional<std::int64_t> number;
};
std::optional<FailureName> ParseFailureName(const std::string& text);

// The kinds of failure with the numbers that the page of --html gives them, one in a line.
std::string FailureList(const Report& report);

// The case that shows the kind of that number, counted from 1. errors: kInvalidArgument.
Result<Case> CaseOfKind(const Report& report, std::int64_t number);

// All failing cases that the report lists, each once. errors: kInvalidArgument where there is none.
Result<std::vector<NamedCase>> FailedCases(const Report& report);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_REPORT_CASES_H_
