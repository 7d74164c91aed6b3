// SPDX-License-Identifier: Apache-2.0
//
// ProbeAcceptance: what a run asks first, namely which plain legal calls the implementation
// accepts.
#ifndef POOLPROOF_CONFORMANCE_SESSION_ACCEPTANCE_PROBE_H_
#define POOLPROOF_CONFORMANCE_SESSION_ACCEPTANCE_PROBE_H_

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/judge/judge.h"
#include "conformance/result/acceptance.h"
#include "conformance/result/capabilities.h"
#include "conformance/session/attempt.h"

namespace poolproof {

// A call of the table that was not asked.
AcceptedCall NotAsked(const NamedCase& named);
// Notes what happened to it. Requires an attempt that no fault of ours ended.
void NoteAnswer(const Attempt& attempt, AcceptedCall& call);

struct ProbedAcceptance {
  std::vector<AcceptedCall> answers;
  // Operators of which each call that was asked lost its worker; what happened to the first:
  // "signal 11", "status 507015".
  std::map<Operator, std::string> losing;
};

// Puts the calls of `table` (AcceptanceCases, or some of them) to `worker`, or to a fresh one where
// it is null, and to the next where one is lost; of an operator or a shape that loses several, the
// rest are not asked. Then those of `spread` (SpreadCases) whose type, rank, format, layout or
// facet no call was accepted of: their answers follow. Calls outside the capabilities are left out.
// Ends early where `stop` is set or no worker starts. Leaves in `worker` the last one, where it can
// go on.
ProbedAcceptance ProbeAcceptance(const JudgeContext& context, const JudgeFunction& judge,
                                 const Capabilities& capabilities,
                                 const std::vector<NamedCase>& table,
                                 const std::vector<NamedCase>& spread, const FreshWorker& fresh,
                                 const std::atomic<bool>& stop, std::unique_ptr<Worker>& worker);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_ACCEPTANCE_PROBE_H_
