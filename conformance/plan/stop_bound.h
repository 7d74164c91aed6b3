// SPDX-License-Identifier: Apache-2.0
//
// StopBound: behind which case a run ends, by counts of cases that breach required clauses and of
// calls that hung.
// Follows from what fails alone: never from the order in which cases were judged.
#ifndef POOLPROOF_CONFORMANCE_PLAN_STOP_BOUND_H_
#define POOLPROOF_CONFORMANCE_PLAN_STOP_BOUND_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <queue>
#include <string>

#include "conformance/result/shard_record.h"
#include "conformance/result/stop_reason.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// A run ends when so many calls have hung: each costs its whole deadline.
inline constexpr std::int64_t kMaxTimeouts = 16;

// Whether a failing case breaches a required clause, as the judge reads it. What looking into it
// finds comes later, and may not change where a run ends.
inline bool BreachesRequired(const Spec& spec, const CaseClass& kind) {
  return std::any_of(kind.blames.begin(), kind.blames.end(), [&](const Blame& blame) {
    return blame.clauses.empty() ||
           std::any_of(blame.clauses.begin(), blame.clauses.end(), [&](const std::string& id) {
             const Clause* clause = spec.Find(id);
             return clause == nullptr || clause->strength == Strength::kRequired;
           });
  });
}

class StopBound {
 public:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  explicit StopBound(std::optional<std::int64_t> stop_after) : stop_after_(stop_after) {}

  // Notes a failing case. `required`: BreachesRequired of it; the others never end a run that may
  // still turn out well.
  void Add(std::int64_t number, bool required, bool timed_out) {
    const std::lock_guard lock(mutex_);
    if (stop_after_ && required) Keep(failures_, number, *stop_after_);
    if (timed_out) Keep(timeouts_, number, kMaxTimeouts);
  }
  // The number of the last case that is wanted; kNone: all are.
  [[nodiscard]] std::int64_t last() const { return last_; }
  // kStopAfter, kTimeouts, or kNone where neither ends the run.
  [[nodiscard]] StopReason Reason() const {
    const std::lock_guard lock(mutex_);
    if (last_ == kNone) return StopReason::kNone;
    const bool stop_after =
        stop_after_ && Full(failures_, *stop_after_) && failures_.top() == last_;
    return stop_after ? StopReason::kStopAfter : StopReason::kTimeouts;
  }

 private:
  using Smallest = std::priority_queue<std::int64_t>;  // the largest of them on top
  static bool Full(const Smallest& numbers, std::int64_t most) {
    return static_cast<std::int64_t>(numbers.size()) == most;
  }
  void Keep(Smallest& numbers, std::int64_t number, std::int64_t most) {
    numbers.push(number);
    if (static_cast<std::int64_t>(numbers.size()) > most) numbers.pop();
    if (Full(numbers, most) && numbers.top() < last_) last_ = numbers.top();
  }

  const std::optional<std::int64_t> stop_after_;
  mutable std::mutex mutex_;
  Smallest failures_;
  Smallest timeouts_;
  std::atomic<std::int64_t> last_{kNone};
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PLAN_STOP_BOUND_H_
