// SPDX-License-Identifier: Apache-2.0
//
// ReportGithubAnnotations: workflow commands, which a job of GitHub Actions prints to have its
// failures shown on the page of the run. A pure renderer.
#ifndef POOLPROOF_REPORTS_GITHUB_ANNOTATIONS_H_
#define POOLPROOF_REPORTS_GITHUB_ANNOTATIONS_H_

#include <string>

#include "conformance/result/report.h"

namespace poolproof {

// A line for each kind of failure: an error where a required clause failed, a notice where an
// advisory one did or where it is waived. Ten of each at most, as GitHub shows no more of a step.
// Empty for a run without failures that came to its end.
std::string ReportGithubAnnotations(const Report& report);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_GITHUB_ANNOTATIONS_H_
