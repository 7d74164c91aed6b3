// SPDX-License-Identifier: Apache-2.0
//
// Judge: case, data and outcome in, verdict out. A pure function with its own oracle; it sees
// neither kernels nor runtime, so a fault in the reference cannot hide here.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_JUDGE_H_
#define POOLPROOF_CONFORMANCE_JUDGE_JUDGE_H_

#include "conformance/judge/prepared_case.h"
#include "conformance/result/outcome.h"
#include "conformance/result/verdict.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {

// What the judge knows of the implementation.
struct JudgeContext {
  const Spec* spec = nullptr;
  Profile profile = Profile::kAtlasA2;
  // False where the library was seen to work on another stream than the given one: what may come of
  // that is then charged to no clause.
  bool keeps_to_stream = true;

  [[nodiscard]] ProfileRules rules() const { return {*spec, profile}; }
};

// Requires: `outcome` came of the same case and fits it (FindMisfit).
Verdict Judge(const JudgeContext& context, const PreparedCase& prepared, const Outcome& outcome);

// Where the library is known to work on other streams, takes away what may come of that: the
// clauses that it was charged to are open, and so is the case where nothing else was found.
void LeaveOpenLateWork(const JudgeContext& context, Verdict& verdict);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_JUDGE_H_
