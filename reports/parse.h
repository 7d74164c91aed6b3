// SPDX-License-Identifier: Apache-2.0
//
// A report file back into a Report: the inverse of reports/json.h. Used by the verbs that read
// reports.
#ifndef POOLPROOF_REPORTS_PARSE_H_
#define POOLPROOF_REPORTS_PARSE_H_

#include <string_view>

#include "conformance/result/report.h"
#include "core/status.h"

namespace poolproof {

// Holds the text to the schema poolproof-report/1 and to what follows from other members (case
// lines, failures_omitted): ReportJsonText of the value gives the text back. Members that this
// version does not know are refused, since they would be lost.
// errors: kInvalidArgument, one line: where (a JSON pointer), what was found, what was expected.
Result<Report> ParseReport(std::string_view text);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_PARSE_H_
