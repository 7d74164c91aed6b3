// SPDX-License-Identifier: Apache-2.0
//
// InvestigateFailures: investigates failing cases of a run: what each of them breaches, and the
// smallest case of each kind of failure. Which ones, and how far, is bounded by counts. Private to
// the session.
#ifndef POOLPROOF_CONFORMANCE_SESSION_INVESTIGATING_H_
#define POOLPROOF_CONFORMANCE_SESSION_INVESTIGATING_H_

#include <chrono>
#include <cstdint>
#include <functional>

#include "conformance/judge/judge.h"
#include "conformance/plan/investigations.h"
#include "conformance/plan/test_plan.h"
#include "conformance/result/shard_record.h"
#include "conformance/session/attempt.h"
#include "conformance/session/capability_check.h"
#include "conformance/session/recorder.h"
#include "conformance/session/session.h"

namespace poolproof {

// What a thread tries cases with; `start` and `quit` are its own.
using AttemptsOf = std::function<MakeAttempt(const FreshWorker& start, const AskToQuit& quit)>;

struct Investigating {
  const JudgeContext& context;
  const SessionParts& parts;
  const CapabilityCheck& check;
  const TestPlan& plan;
  Recorder& recorder;
  InvestigationPlan limits;
  int jobs;   // threads that investigate failures
  int large;  // of them, those that may do so with large cases
  FreshWorker fresh;
  AttemptsOf attempts;
  AskToQuit quit;
  std::chrono::steady_clock::time_point latest;  // no attempt begins later
  std::function<ShardRecord()> take_record;
  // What was found is to be written down; false ends the investigations.
  std::function<bool(std::int64_t number, const Refinement& found)> note;
  SessionProgress& progress;
};

// `record` holds the cases of the run, and in the end what was found. True where limits.few_starts
// and some failures cost a worker each.
bool InvestigateFailures(const Investigating& run, ShardRecord& record);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_INVESTIGATING_H_
