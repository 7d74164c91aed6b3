// SPDX-License-Identifier: Apache-2.0
//
// Gate: what happens to a run in CI: its exit status and why.
#ifndef POOLPROOF_CONFORMANCE_RESULT_GATE_H_
#define POOLPROOF_CONFORMANCE_RESULT_GATE_H_

#include <string>
#include <vector>

#include "conformance/result/report.h"

namespace poolproof {

struct Gate {
  int exit_status = 0;               // of `poolproof run` and `merge`: 0, 1, 3 or 4
  std::vector<std::string> reasons;  // plain sentences, at least one
};

// 3 beats 1 beats 4. A run whose every breach is waived is as good as the rest of it; one with
// waivers that outlived their purpose is not. A shard that judged all its cases is answered by its
// own failures: `merge` says what is missing. Beside a baseline new failures alone count, and
// answers that the baseline has.
Gate GateOf(const Report& report);

// A shard of several that judged all that it was to, without a failure that counts.
bool IsJudgedShard(const Report& report);

inline int ExitStatusOf(const Report& report) { return GateOf(report).exit_status; }

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_GATE_H_
