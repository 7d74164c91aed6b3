// SPDX-License-Identifier: Apache-2.0
//
// How long an invocation may take before the worker counts as hung. Used by the session.
#ifndef POOLPROOF_CONFORMANCE_RUNNER_DEADLINE_H_
#define POOLPROOF_CONFORMANCE_RUNNER_DEADLINE_H_

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>

#include "conformance/result/invocation.h"
#include "conformance/runner/implementation.h"

namespace poolproof {

// Grows with the work that even a plain loop has to do, times runs and threads. Generous: a slow
// answer on a loaded machine must not be taken for none.
std::chrono::milliseconds DeadlineFor(const Invocation& invocation);

// The manifest's limits.case_s where it is set, else the above.
std::chrono::milliseconds DeadlineFor(const Invocation& invocation,
                                      const Implementation& implementation);

// What a device loads on first use: an operator for the type of its first tensor, by the option
// that it is called with.
using Kernel = std::tuple<Operator, std::int32_t, bool>;
std::set<Kernel> KernelsOf(const Invocation& invocation);

// What first uses were seen to take, by all workers of an implementation. Used by them together,
// from any thread.
class FirstUses {
 public:
  // What a deadline grows by where a worker is about to use `kernels` for the first time: by a
  // multiple of what first uses took, and by seconds for what nobody has used before. The latter is
  // granted until it was in vain, so that calls that hang do not hold up a run.
  std::chrono::milliseconds Allow(const std::set<Kernel>& kernels);
  // Such an invocation has ended: `longest` is what the slowest of its calls took, nothing where
  // its deadline passed.
  void Note(const std::set<Kernel>& kernels, std::optional<std::chrono::nanoseconds> longest);

 private:
  std::mutex mutex_;  // of the following
  std::set<Kernel> used_;
  std::chrono::nanoseconds longest_{0};
  int in_vain_ = 0;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RUNNER_DEADLINE_H_
