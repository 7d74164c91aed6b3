// SPDX-License-Identifier: Apache-2.0
//
// Starts a worker program: descriptors, environment, limits and the promise that it does not
// outlive this process. Private to the runner.
#ifndef POOLPROOF_CONFORMANCE_RUNNER_SPAWN_H_
#define POOLPROOF_CONFORMANCE_RUNNER_SPAWN_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "conformance/wire/unique_fd.h"
#include "core/status.h"

namespace poolproof {

struct SpawnRequest {
  std::string program;
  std::vector<std::string> environment;  // "NAME=value"
  int protocol_fd = -1;                  // the child's end
  int progress_fd = -1;
  std::string command = {};  // the program's third argument, where there is one
};

struct Spawned {
  pid_t pid = -1;   // leader of a process group of its own
  UniqueFd output;  // what it writes to stdout and stderr; does not block
};

// The program is run with the numbers of its two descriptors as arguments; nothing else is
// inherited. May be called from any thread, also a short-lived one.
// errors: kUnavailable.
Result<Spawned> Spawn(const SpawnRequest& request);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RUNNER_SPAWN_H_
