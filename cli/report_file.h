// SPDX-License-Identifier: Apache-2.0
//
// A report named on the command line. Used by the verbs that read reports.
#ifndef POOLPROOF_CLI_REPORT_FILE_H_
#define POOLPROOF_CLI_REPORT_FILE_H_

#include <string>

#include "conformance/result/report.h"
#include "core/status.h"

namespace poolproof {

// errors: as ReadFile and ParseReport, with verb and path in front.
Result<Report> ReadReportFile(const std::string& verb, const std::string& path);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_REPORT_FILE_H_
