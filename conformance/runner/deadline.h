// SPDX-License-Identifier: Apache-2.0
//
// How long an invocation may take before the worker counts as hung. Used by the session.
#ifndef POOLPROOF_CONFORMANCE_RUNNER_DEADLINE_H_
#define POOLPROOF_CONFORMANCE_RUNNER_DEADLINE_H_

#include <chrono>

#include "conformance/result/invocation.h"
#include "conformance/runner/implementation.h"

namespace poolproof {

// Grows with the work that even a plain loop has to do, times runs and threads. Generous: a slow
// answer on a loaded machine must not be taken for none.
std::chrono::milliseconds DeadlineFor(const Invocation& invocation);

// The manifest's limits.case_s where it is set, else the above.
std::chrono::milliseconds DeadlineFor(const Invocation& invocation,
                                      const Implementation& implementation);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RUNNER_DEADLINE_H_
