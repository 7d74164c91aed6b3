// SPDX-License-Identifier: Apache-2.0
//
// What fails in a run and did not fail in an earlier one. Used by the program for `--gate new`.
#ifndef POOLPROOF_CONFORMANCE_RESULT_BASELINE_H_
#define POOLPROOF_CONFORMANCE_RESULT_BASELINE_H_

#include <string>

#include "conformance/result/report.h"

namespace poolproof {

// `sha256` is that of the baseline's file. A baseline of another profile says nothing about this
// one: all failures are new then. Root causes are compared where both runs looked for them.
BaselineComparison CompareWithBaseline(const Report& report, const Report& baseline,
                                       const std::string& sha256);

// Whether anything fails that the baseline has not; what only lost its answer is none.
bool HasNewFailures(const BaselineComparison& baseline);

// Whether the clause, which failed, did so before and nothing new is charged to it. Requires
// report.baseline.
bool FailedBefore(const Report& report, const std::string& clause);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_BASELINE_H_
