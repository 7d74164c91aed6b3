// SPDX-License-Identifier: Apache-2.0
//
// BuildInvocation: a case and its bytes as the literal calls that a worker carries out.
#ifndef POOLPROOF_CONFORMANCE_SESSION_BUILD_INVOCATION_H_
#define POOLPROOF_CONFORMANCE_SESSION_BUILD_INVOCATION_H_

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"
#include "conformance/result/invocation.h"

namespace poolproof {

// Requires: `data` is Materialize(problem).
Invocation BuildInvocation(const Case& problem, const Materialized& data);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_BUILD_INVOCATION_H_
