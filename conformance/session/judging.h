// SPDX-License-Identifier: Apache-2.0
//
// JudgeBatch: puts the cases of a batch to one worker after the other, and those that may do damage
// to workers of their own. Where workers are to be few, such cases share one, as long as none
// fails: what does is judged in a worker of its own.
#ifndef POOLPROOF_CONFORMANCE_SESSION_JUDGING_H_
#define POOLPROOF_CONFORMANCE_SESSION_JUDGING_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/judge/judge.h"
#include "conformance/plan/stop_bound.h"
#include "conformance/plan/test_plan.h"
#include "conformance/result/capabilities.h"
#include "conformance/session/attempt.h"
#include "conformance/session/capability_check.h"
#include "conformance/session/crew.h"
#include "conformance/session/recorder.h"
#include "conformance/session/spared_cases.h"

namespace poolproof {

// What a batch knew before: cases of an earlier run of the same shard, which are not judged again.
class JudgedBefore {
 public:
  struct Entry {
    std::int64_t worker = 0;  // as CaseResult::worker
    bool ended_worker = false;
  };
  JudgedBefore() = default;
  JudgedBefore(const JudgedBefore&) = delete;
  JudgedBefore& operator=(const JudgedBefore&) = delete;
  virtual ~JudgedBefore() = default;
  // nullptr for a case that was not judged.
  [[nodiscard]] virtual const Entry* Find(std::int64_t number) const = 0;
};

struct Judging {
  const JudgeContext& context;
  const JudgeFunction& judge;
  FreshWorker fresh;
  const Capabilities& capabilities;
  const CapabilityCheck& check;
  const TestPlan& plan;
  const StopBound& bound;
  const JudgedBefore& before;
  bool few_workers;  // starts are slow, and memory is the device's
  const SparedCases& spared;
  Crew& crew;                                 // of which the caller is one
  const std::atomic<bool>& stop;              // the user ends the run
  std::function<bool()> quit;                 // the run ends, for whatever reason
  std::function<std::int64_t()> next_worker;  // numbers workers from 1
  std::function<void(std::int64_t)> begin;    // a case is about to be carried out
  std::function<void(CaseResult)> keep;
  LookAtAttempt look;  // may be empty
  // No worker started, for that reason: the rest of a batch is left out.
  std::function<void(const std::string&)> lose_batch;
};

// `numbers` ascend. `worker`: the one to begin with; null: a fresh one.
void JudgeBatch(const Judging& judging, const std::vector<std::int64_t>& numbers,
                std::unique_ptr<Worker> worker = nullptr);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_JUDGING_H_
