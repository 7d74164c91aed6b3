// SPDX-License-Identifier: Apache-2.0
//
// Probes of arithmetic: small calls whose results tell how an implementation adds. They decide no
// verdict, except that a uniform flush of subnormals is judged as such.
#ifndef POOLPROOF_CONFORMANCE_SESSION_PROBES_H_
#define POOLPROOF_CONFORMANCE_SESSION_PROBES_H_

#include <string>
#include <utility>
#include <vector>

#include "conformance/session/support.h"
#include "conformance/session/worker.h"

namespace poolproof {

struct ProbeResults {
  bool flushes_subnormals = false;
  // "subnormals.f32" -> "kept", "accumulation.MaxPool3dWithArgmaxBackward.f16" -> "acc32".
  std::vector<std::pair<std::string, std::string>> observed;
};

// Puts the probes to a worker of its own; a probe that does not return numbers observes nothing.
ProbeResults ProbeArithmetic(const Offer& offer, Worker& worker);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_PROBES_H_
