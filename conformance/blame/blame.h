// SPDX-License-Identifier: Apache-2.0
//
// Blame by contrast: a failing case is run again with one feature removed at a time, to name the
// clauses that the failure breaches and no others; and shrinking, which keeps the signature.
#ifndef POOLPROOF_CONFORMANCE_BLAME_BLAME_H_
#define POOLPROOF_CONFORMANCE_BLAME_BLAME_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/judge/judge.h"
#include "conformance/result/verdict.h"

namespace poolproof {

// Runs a case in a fresh worker process and judges it.
using FreshAttempt = std::function<Verdict(const Case&)>;

struct Investigation {
  Case problem;     // the case that shows the failure alone; a sequence if it takes one
  Verdict verdict;  // with the final blame
  std::optional<Case> shrunk;
  Verdict shrunk_verdict;  // the judge's own reading of `shrunk`, where there is one
  int attempts = 0;        // fresh runs spent
  bool complete = true;    // blame was settled before the limits were reached
};

struct InvestigationLimits {
  int max_attempts = 200;    // fresh runs
  double max_seconds = 5.0;  // a safety net; attempts are what normally ends an investigation
  bool shrink = true;        // look for a simpler case that fails alike
};

// Requires: `verdict` failed on `problem`. `before` are the cases that ran earlier in the same
// worker, oldest first; where the failure does not show in a fresh worker, the shortest sequence
// ending in `problem` that shows it is looked for among them.
Investigation Investigate(const JudgeContext& context, const Case& problem, const Verdict& verdict,
                          const std::vector<Case>& before, const FreshAttempt& attempt,
                          const InvestigationLimits& limits);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_BLAME_BLAME_H_
