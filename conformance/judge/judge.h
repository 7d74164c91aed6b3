// SPDX-License-Identifier: Apache-2.0
//
// Judge: case, data and outcome in, verdict out. A pure function with its own oracle; it sees
// neither kernels nor runtime, so a fault in the reference cannot hide here.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_JUDGE_H_
#define POOLPROOF_CONFORMANCE_JUDGE_JUDGE_H_

#include <utility>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"
#include "conformance/result/outcome.h"
#include "conformance/result/verdict.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// What the judge knows of the implementation.
struct JudgeContext {
  const Spec* spec = nullptr;
  Profile profile = Profile::kAtlasA2;
  // What flushes every subnormal to zero, as probed with single contributions.
  std::vector<std::pair<Operator, DataType>> flushing = {};

  [[nodiscard]] bool Flushes(Operator op, DataType type) const;
};

// Requires: `data` is Materialize(problem), `outcome` came of the same problem.
Verdict Judge(const JudgeContext& context, const Case& problem, const Materialized& data,
              const Outcome& outcome);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_JUDGE_H_
