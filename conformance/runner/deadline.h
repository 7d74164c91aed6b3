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
#include <vector>

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/runner/implementation.h"

namespace poolproof {

// Grows with the work that even a plain loop has to do, times runs and threads. Generous: a slow
// answer on a loaded machine must not be taken for none. `on_device`: the memory is a device's, so
// that allocations, copies and launches of each call wait for it.
std::chrono::milliseconds DeadlineFor(const Invocation& invocation, bool on_device = false);

// The manifest's limits.case_s where it is set, else the above; several times as long for a worker
// elsewhere.
std::chrono::milliseconds DeadlineFor(const Invocation& invocation,
                                      const Implementation& implementation, bool on_device = false);

// What each run of an invocation may take by itself: while a worker marks steps, it has as long for
// the next one, so that many calls of a slow library are not taken for one that hangs. 0 where
// limits.case_s is set, which holds for the whole.
std::chrono::milliseconds StepDeadlineFor(const Invocation& invocation,
                                          const Implementation& implementation,
                                          bool on_device = false);

// What the worker waits by itself, as the plan asks: beside a deadline, and no part of what calls
// take.
std::chrono::milliseconds OwnWait(const Invocation& invocation);

// For a call among many that may hang: a fifth, and a second at least unless `deadline` is shorter.
std::chrono::milliseconds Hurried(std::chrono::milliseconds deadline);

// How long is waited for calls of a library that hangs: what those that return take is known by
// then. Used by all workers of an implementation together, from any thread.
class Patience {
 public:
  // The whole deadline, until some calls were waited for so without success; then several times
  // what calls that returned took for as much work, half a second at least.
  std::chrono::milliseconds Of(std::chrono::milliseconds deadline);
  // For a call among many that may hang, whose answer is asked for again: a fifth at most, less
  // where what returns is fast.
  std::chrono::milliseconds InHurry(std::chrono::milliseconds deadline);
  // A call took so long, which had that deadline.
  void Returned(std::chrono::nanoseconds took, std::chrono::milliseconds deadline);
  // A call was waited for so, from and until then, and no answer came. Waits that overlap count
  // once: what stops a machine for a moment keeps all its workers waiting.
  void InVain(std::chrono::steady_clock::time_point from,
              std::chrono::steady_clock::time_point until);

 private:
  // Requires the lock. nullopt: little is known.
  [[nodiscard]] std::optional<std::chrono::milliseconds> Enough(
      std::chrono::milliseconds deadline) const;

  std::mutex mutex_;  // of the following
  int small_returned_ = 0;
  int large_returned_ = 0;
  int in_vain_ = 0;
  std::chrono::steady_clock::time_point last_in_vain_;  // when it ended
  // Of calls with hardly any work, and of the others for each second of work that their deadline
  // allows.
  std::chrono::duration<double> longest_small_{0};
  double greatest_part_ = 0;
};

// What a device loads on first use: an operator for the type of its first tensor, by the option
// that it is called with.
using Kernel = std::tuple<Operator, std::int32_t, bool>;
// One for each call.
std::vector<Kernel> KernelsOf(const Invocation& invocation);

// What calls loaded and took, as far as they were launched: a call that is refused loads nothing.
struct Launches {
  std::set<Kernel> kernels;
  std::chrono::nanoseconds longest{0};
};
// Of those that are not in `known`. `kernels`: of each call of the invocation.
Launches NewLaunches(const std::vector<Kernel>& kernels, const std::set<Kernel>& known,
                     const Outcome& outcome);

// What first uses were seen to take, by all workers of an implementation. Used by them together,
// from any thread.
class FirstUses {
 public:
  // What a deadline grows by where a worker is about to use `kernels` for the first time: by a
  // multiple of what first uses took, and by seconds for what nobody has used before, by a minute
  // at most. What nobody has used is waited for until that was without success, so that calls that
  // hang do not hold up a run.
  std::chrono::milliseconds Allow(const std::set<Kernel>& kernels);
  // A worker has launched what it had not before.
  void Note(const Launches& launches);
  // The deadline passed where a worker was to launch `kernels`.
  void NoteInVain(const std::set<Kernel>& kernels);

 private:
  std::mutex mutex_;  // of the following
  std::set<Kernel> used_;
  std::chrono::nanoseconds longest_{0};
  int in_vain_ = 0;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RUNNER_DEADLINE_H_
