// SPDX-License-Identifier: Apache-2.0
//
// The report as one self-contained HTML page: no scripts, nothing loaded from elsewhere. A pure
// renderer.
#ifndef POOLPROOF_REPORTS_HTML_H_
#define POOLPROOF_REPORTS_HTML_H_

#include <optional>
#include <string>

#include "conformance/result/report.h"
#include "conformance/spec/spec.h"
#include "reports/charts/performance.h"

namespace poolproof {

std::string ReportHtml(const Report& report, const Spec& spec,
                       const std::optional<Performance>& performance = std::nullopt);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_HTML_H_
