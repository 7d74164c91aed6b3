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
  Case problem;          // the case that shows the failure alone; a sequence if it takes one
  Verdict verdict;       // with the final blame
  int attempts = 0;      // fresh runs spent
  bool complete = true;  // blame was settled before the limits were reached
  // Alone it passes, and what comes before it in its process is all there is to blame.
  bool behind_others = false;
};

// Fresh runs for the blame of a case, no matter where it is asked, so that the answer is the same,
// and for a smaller one.
inline constexpr int kBlameAttempts = 70;
inline constexpr int kShrinkAttempts = 150;
// Of these, those that may hang, each of which costs its deadline.
inline constexpr int kBlameHangs = 24;
inline constexpr int kShrinkHangs = 12;
// Fresh runs of calls that hang, where starts are slow too.
inline constexpr int kTimeoutAttempts = 2;

struct InvestigationLimits {
  int max_attempts = kBlameAttempts;
  double max_seconds = 60;  // a safety net; attempts are what normally ends an investigation
  int max_hangs = kBlameHangs;
  // Otherwise the earlier calls of a case that is `behind_others` are not looked for.
  bool search_earlier = true;
};

// A case that ran earlier in the same worker.
struct EarlierCase {
  Case problem;
  bool was_right;  // its answers; what it did to memory apart
};

// Requires: `verdict` failed on `problem`. `before` are those before it, oldest first; where the
// failure does not show in a fresh worker, the shortest sequence ending in `problem` that shows it
// is looked for among them. What is found for `problem` of the result, put in once more without a
// history, is the result again.
Investigation Investigate(const JudgeContext& context, const Case& problem, const Verdict& verdict,
                          const std::vector<EarlierCase>& before, const FreshAttempt& attempt,
                          const InvestigationLimits& limits);

// A simpler case that fails alike: an investigation of it blames the same clauses.
struct SmallerCase {
  Case problem;
  Verdict verdict;  // with its own blame
};

// Requires: an investigation ended in `problem` with `blamed`. nullopt: no simpler case was found.
std::optional<SmallerCase> MakeSmaller(const JudgeContext& context, const Case& problem,
                                       const Verdict& blamed, const FreshAttempt& attempt,
                                       const InvestigationLimits& limits);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_BLAME_BLAME_H_
