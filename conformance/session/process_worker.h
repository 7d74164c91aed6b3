// SPDX-License-Identifier: Apache-2.0
//
// The session's workers as processes of the runner.
#ifndef POOLPROOF_CONFORMANCE_SESSION_PROCESS_WORKER_H_
#define POOLPROOF_CONFORMANCE_SESSION_PROCESS_WORKER_H_

#include <string>

#include "conformance/runner/implementation.h"
#include "conformance/session/session.h"

namespace poolproof {

// A subject whose workers are processes of `worker_program`, spread over the manifest's devices.
Subject MakeSubject(const Implementation& implementation, const std::string& worker_program);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_PROCESS_WORKER_H_
