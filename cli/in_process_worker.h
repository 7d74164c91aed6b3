// SPDX-License-Identifier: Apache-2.0
//
// A worker without a process of its own: the library is opened in this one, where a debugger sees
// it. A crash ends the program and nothing ends a hang.
#ifndef POOLPROOF_CLI_IN_PROCESS_WORKER_H_
#define POOLPROOF_CLI_IN_PROCESS_WORKER_H_

#include <memory>
#include <optional>

#include "conformance/runner/implementation.h"
#include "conformance/session/worker.h"
#include "conformance/spec/profile.h"
#include "core/status.h"

namespace poolproof {

// Sets this process's environment to what a worker's would be. One implementation per process: its
// libraries stay open.
// errors: kUnavailable, in one line, where the implementation cannot be used.
Result<std::unique_ptr<Worker>> OpenInProcess(const Implementation& implementation,
                                              const std::optional<Profile>& profile);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_IN_PROCESS_WORKER_H_
