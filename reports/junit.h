// SPDX-License-Identifier: Apache-2.0
//
// The report as JUnit XML: one test case per clause and property. A pure renderer.
#ifndef POOLPROOF_REPORTS_JUNIT_H_
#define POOLPROOF_REPORTS_JUNIT_H_

#include <string>

#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// A document is red where the exit status is not 0: failures of required clauses are `failure`, or
// `error` where the library did not come back; clauses without an answer in a full run are `error`;
// what was waived, is advisory, unsupported or not applicable is `skipped` with the reason.
std::string ReportJUnit(const Report& report, const Spec& spec);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_JUNIT_H_
