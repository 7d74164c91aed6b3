// SPDX-License-Identifier: Apache-2.0
//
// Probes of arithmetic: small calls whose results tell how an implementation adds. They decide no
// verdict.
#ifndef POOLPROOF_CONFORMANCE_SESSION_PROBES_H_
#define POOLPROOF_CONFORMANCE_SESSION_PROBES_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/result/capabilities.h"
#include "conformance/result/shard_record.h"
#include "conformance/session/worker.h"

namespace poolproof {

struct ProbeResults {
  std::vector<SumProbe> sums;
  // "accumulation.X.f16" -> "acc32", "order.X.f32" -> "ascending", "rounding.X.f32" ->
  // "nearest-even", X being the operator.
  std::vector<std::pair<std::string, std::string>> observed;
};

// Carries out one probe; an outcome that is not kReturned observes nothing.
using AskProbe = std::function<Outcome(const Case&)>;

ProbeResults ProbeArithmetic(const Capabilities& capabilities, const AskProbe& ask);
// Puts the probes to a worker of its own; a probe that does not return numbers observes nothing.
ProbeResults ProbeArithmetic(const Capabilities& capabilities, Worker& worker);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_PROBES_H_
