// SPDX-License-Identifier: Apache-2.0
//
// One case put to one worker and judged. Used by the session, by blame's fresh attempts and by
// replay.
#ifndef POOLPROOF_CONFORMANCE_SESSION_ATTEMPT_H_
#define POOLPROOF_CONFORMANCE_SESSION_ATTEMPT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "conformance/blame/blame.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/result/outcome.h"
#include "conformance/result/verdict.h"
#include "conformance/session/capability_check.h"
#include "conformance/session/worker.h"
#include "core/status.h"

namespace poolproof {

// JudgeWithProperties, or a test's stand-in.
using JudgeFunction =
    std::function<Verdict(const JudgeContext&, const PreparedCase&, const Outcome&)>;
// A worker of the run's profile, started afresh.
using FreshWorker = std::function<Result<std::unique_ptr<Worker>>()>;
// Whether one that waits should give up. Called from several threads at once.
using AskToQuit = std::function<bool()>;
// For those whom nobody asks to.
inline bool NeverQuit() { return false; }

struct Attempt {
  Outcome outcome;
  Verdict verdict;
};
// Told of a case that was judged, by its number. Called from several threads at once.
using LookAtAttempt = std::function<void(std::int64_t, const PreparedCase&, const Attempt&)>;

// The verdict on an outcome; a fault of our own ends inconclusive.
Verdict JudgeOutcome(const JudgeContext& context, const JudgeFunction& judge,
                     const PreparedCase& prepared, const Outcome& outcome);

// Where the device failed under a call and refused whatever was wanted for those behind it: the
// attempt as far as that call, if its verdict is a failure. nullopt: the attempt went another way.
std::optional<Attempt> AttemptUntilFailure(const JudgeContext& context, const JudgeFunction& judge,
                                           const PreparedCase& prepared, const Outcome& outcome);

// `fills_pools`: see Invocation.
Attempt AttemptCase(const JudgeContext& context, const JudgeFunction& judge,
                    const PreparedCase& prepared, Worker& worker, bool fills_pools = true);

// A start that failed is tried again, after longer and longer pauses of some seconds in all: the
// machine may have been short of something, or the device busy, for a moment. `quit` ends a pause:
// the failure is then the last one, and says little.
Result<std::unique_ptr<Worker>> StartWithRetry(const FreshWorker& start, const AskToQuit& quit);

// The same for a start that tells whether there is anything to judge: what will be as it is in a
// moment (all but kBusy) is reported at once.
Result<std::unique_ptr<Worker>> StartFirst(const FreshWorker& start, const AskToQuit& quit);

// Attempts in a fresh worker each. What cannot be run ends inconclusive. `context` and what the
// functions refer to must outlive the result.
// Cases outside `check`, where there is one, are unsupported.
FreshAttempt MakeFreshAttempt(const JudgeContext& context, JudgeFunction judge, FreshWorker start,
                              const CapabilityCheck* check, AskToQuit quit);

// Gives one that investigates a failure what to try cases with.
using MakeAttempt = std::function<FreshAttempt()>;

// The same with few starts, for one investigation after the other: a worker is kept while nothing
// happens in it. What passes in a used worker counts, but as the first attempt of an investigation,
// and where a failure was seen that a used worker does not show. What fails there is tried in a
// fresh one, whose answer counts, unless one has failed in the same way, and not by what earlier
// calls may have left behind in memory: on its device, by what it left open, or by an answer, where
// those of used workers were the same as those of fresh ones each time that this was looked at.
// One that keeps what was found so asks for it once more, afresh.
MakeAttempt MakeKeptAttempts(const JudgeContext& context, JudgeFunction judge, FreshWorker start,
                             const CapabilityCheck* check, AskToQuit quit);

// Starts workers whose deadlines are short (Worker::Hurry).
FreshWorker Hurried(FreshWorker start);

// True where the worker must not be used again: it died, or the call changed the process.
bool SpoiltWorker(const Outcome& outcome, const Worker& worker);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_ATTEMPT_H_
