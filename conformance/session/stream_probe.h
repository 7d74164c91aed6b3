// SPDX-License-Identifier: Apache-2.0
//
// KeepsToStream: asked before anything else about an implementation is believed, since work that is
// done elsewhere may spoil any call and any result.
#ifndef POOLPROOF_CONFORMANCE_SESSION_STREAM_PROBE_H_
#define POOLPROOF_CONFORMANCE_SESSION_STREAM_PROBE_H_

#include <vector>

#include "conformance/case/case.h"
#include "conformance/judge/judge.h"
#include "conformance/session/attempt.h"
#include "conformance/session/capability_check.h"
#include "conformance/session/worker.h"

namespace poolproof {

// False where one of the cases shows twice that work is not done on the stream that phase two is
// given. What cannot be carried out shows nothing; nothing is asked of a worker that is not alive.
bool KeepsToStream(const JudgeContext& context, const JudgeFunction& judge,
                   const CapabilityCheck& check, const std::vector<NamedCase>& cases,
                   Worker& worker);

// Starts workers that wait for all work of the device (Worker::AwaitDevice).
FreshWorker AwaitingDevice(FreshWorker start);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_STREAM_PROBE_H_
