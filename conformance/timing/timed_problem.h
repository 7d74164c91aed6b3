// SPDX-License-Identifier: Apache-2.0
//
// TimedProblem: a shape as a call to be timed, on operands that repeat those of some planes; and
// the case of these planes alone, whose answer is judged before anything is timed.
#ifndef POOLPROOF_CONFORMANCE_TIMING_TIMED_PROBLEM_H_
#define POOLPROOF_CONFORMANCE_TIMING_TIMED_PROBLEM_H_

#include <cstdint>

#include "conformance/judge/prepared_case.h"
#include "conformance/result/invocation.h"
#include "conformance/spec/profile_rules.h"
#include "conformance/timing/limit.h"
#include "conformance/timing/network_shapes.h"
#include "core/data_type.h"
#include "core/status.h"

namespace poolproof {

struct TimedProblem {
  PreparedCase planes;
  Invocation whole;            // without `timing`
  std::int64_t bytes = 0;      // that have to be moved
  std::int64_t additions = 0;  // that are made one by one

  // What limits it on this machine, without sets, threads, clock and samples.
  [[nodiscard]] LimitWork Work() const;
};

// errors: as Prepare's; kInvalidArgument where a forward has no such indices.
Result<TimedProblem> MakeTimedProblem(const ProfileRules& rules, const NetworkShape& shape,
                                      bool forward, DataType type, DataType index_type);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TIMING_TIMED_PROBLEM_H_
