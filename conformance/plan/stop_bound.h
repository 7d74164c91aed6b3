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
#include <set>
#include <string>

#include "conformance/result/shard_record.h"
#include "conformance/result/stop_reason.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// A run ends when so many calls have hung: each costs its whole deadline,
inline constexpr std::int64_t kMaxTimeouts = 16;
// but where others' times tell how long to wait (a library of the host): there it ends when more
// than one case in so many hangs, or so many have.
inline constexpr std::int64_t kRareTimeouts = 64;
inline constexpr std::int64_t kMaxRareTimeouts = 64;

// Whether a failing case breaches a required clause, as the judge reads it. What investigating it
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

  // `most_hangs`: kMaxTimeouts, or kMaxRareTimeouts.
  explicit StopBound(std::optional<std::int64_t> stop_after, std::int64_t most_hangs = kMaxTimeouts)
      : stop_after_(stop_after), most_hangs_(most_hangs) {}

  // Before the first failing case is noted.
  void AllowHangs(std::int64_t most_hangs) { most_hangs_ = most_hangs; }

  // Notes a failing case. `required`: BreachesRequired of it; the others never end a run that may
  // still turn out well.
  void Add(std::int64_t number, bool required, bool timed_out) {
    const std::lock_guard lock(mutex_);
    if (stop_after_ && required) Keep(number, *stop_after_);
    if (timed_out) KeepHang(number);
  }
  // The number of the last case that is wanted; kNone: all are.
  [[nodiscard]] std::int64_t last() const { return last_; }
  // kStopAfter, kTimeouts, or kNone where neither ends the run.
  [[nodiscard]] StopReason Reason() const {
    const std::lock_guard lock(mutex_);
    if (last_ == kNone) return StopReason::kNone;
    const bool stop_after = stop_after_ && Full(*stop_after_) && failures_.top() == last_;
    return stop_after ? StopReason::kStopAfter : StopReason::kTimeouts;
  }

 private:
  [[nodiscard]] bool Full(std::int64_t most) const {
    return static_cast<std::int64_t>(failures_.size()) == most;
  }
  void Keep(std::int64_t number, std::int64_t most) {
    failures_.push(number);
    if (static_cast<std::int64_t>(failures_.size()) > most) failures_.pop();
    if (Full(most) && failures_.top() < last_) last_ = failures_.top();
  }
  // A hang that is noted later only brings the end nearer.
  void KeepHang(std::int64_t number) {
    if (number > last_) return;
    hangs_.insert(number);
    std::int64_t count = 0;
    for (const std::int64_t hang : hangs_) {
      ++count;
      const bool are_many = most_hangs_ <= kMaxTimeouts || hang + 1 < count * kRareTimeouts;
      if (count < most_hangs_ && !(count >= kMaxTimeouts && are_many)) continue;
      if (hang < last_) last_ = hang;
      break;
    }
  }

  const std::optional<std::int64_t> stop_after_;
  std::int64_t most_hangs_;
  mutable std::mutex mutex_;
  std::priority_queue<std::int64_t> failures_;  // the smallest, the largest of them on top
  std::set<std::int64_t> hangs_;
  std::atomic<std::int64_t> last_{kNone};
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PLAN_STOP_BOUND_H_
