// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/stream_probe.h"

#include <memory>
#include <utility>

namespace poolproof {

bool KeepsToStream(const JudgeContext& context, const JudgeFunction& judge,
                   const CapabilityCheck& check, const std::vector<NamedCase>& cases,
                   Worker& worker) {
  const auto shows = [&](const PreparedCase& prepared) {
    if (!worker.alive()) return false;
    const Attempt attempt = AttemptCase(context, judge, prepared, worker);
    return HasFinding(attempt.verdict, FindingKind::kNotOnStream);
  };
  // What synchronise waits for is no matter of the operator.
  bool looked_after = false;
  for (const NamedCase& named : cases) {
    const bool is_after = named.problem.plan.look == Look::kAfter;
    if ((is_after && looked_after) || check.Outside(named.problem)) continue;
    looked_after = looked_after || is_after;
    const Result<PreparedCase> prepared = Prepare(context.rules(), named.problem);
    if (prepared.ok() && shows(*prepared) && shows(*prepared)) return false;
  }
  return true;
}

FreshWorker AwaitingDevice(FreshWorker start) {
  return [start = std::move(start)] {
    Result<std::unique_ptr<Worker>> worker = start();
    if (worker.ok()) (*worker)->AwaitDevice();
    return worker;
  };
}

}  // namespace poolproof
