// SPDX-License-Identifier: Apache-2.0
//
// ReportCodeQuality: kinds of failure as a Code Quality report of GitLab, which shows in a merge
// request what came and what went. A pure renderer.
#ifndef POOLPROOF_REPORTS_CODE_QUALITY_H_
#define POOLPROOF_REPORTS_CODE_QUALITY_H_

#include <string>

#include "conformance/result/report.h"

namespace poolproof {

// An array with an entry for each kind of failure that is not waived. Its fingerprint is made of
// profile and signature: the same kind in a later run is the same entry.
std::string ReportCodeQuality(const Report& report);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_CODE_QUALITY_H_
