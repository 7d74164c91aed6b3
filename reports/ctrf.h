// SPDX-License-Identifier: Apache-2.0
//
// The report in the Common Test Report Format: one test per clause, property and waiver. A pure
// renderer.
#ifndef POOLPROOF_REPORTS_CTRF_H_
#define POOLPROOF_REPORTS_CTRF_H_

#include <string>

#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

std::string ReportCtrf(const Report& report, const Spec& spec);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_CTRF_H_
