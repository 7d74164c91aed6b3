// SPDX-License-Identifier: Apache-2.0
//
// The report as JSON, schema poolproof-report/1 (reports/schema). A pure renderer.
#ifndef POOLPROOF_REPORTS_JSON_H_
#define POOLPROOF_REPORTS_JSON_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "conformance/result/report.h"

namespace poolproof {

nlohmann::ordered_json ReportToJson(const Report& report);

// The bytes of a report file: indented, with a line end. Bytes in messages that are no UTF-8 are
// replaced.
std::string ReportJsonText(const Report& report);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_JSON_H_
