// SPDX-License-Identifier: Apache-2.0
//
// The report as an in-toto statement, predicate test-result v0.1, for submissions that are signed:
// which libraries were tested, by which plan and spec, and which clauses passed. A pure renderer.
#ifndef POOLPROOF_REPORTS_IN_TOTO_H_
#define POOLPROOF_REPORTS_IN_TOTO_H_

#include <string>

#include "conformance/result/report.h"

namespace poolproof {

// Libraries that were opened by soname have no hash and are no subject.
std::string ReportInToto(const Report& report);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_IN_TOTO_H_
