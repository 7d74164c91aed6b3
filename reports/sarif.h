// SPDX-License-Identifier: Apache-2.0
//
// ReportSarif: a report as SARIF 2.1.0, which code hosts and editors show beside the sources and
// follow from run to run. A pure renderer.
#ifndef POOLPROOF_REPORTS_SARIF_H_
#define POOLPROOF_REPORTS_SARIF_H_

#include <string>

#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// A rule for each clause of the report and a result for each kind of failure, in that order of
// kinds which `replay report.json#N` counts. Waived kinds are suppressed results. Fingerprints are
// made of profile and signature: the same kind in a later run is the same result.
std::string ReportSarif(const Report& report, const Spec& spec);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_SARIF_H_
