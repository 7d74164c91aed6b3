// SPDX-License-Identifier: Apache-2.0
//
// A worker elsewhere: on a board, in a container, under an emulator. Two processes are between
// runner and worker. Here, one that the runner takes for the worker: it runs the user's command,
// passes on the protocol's bytes, and ends as the real worker ended. There, one that starts the
// real worker, watches it, and takes it down when the connection ends. Used by the worker's main.
#ifndef POOLPROOF_CONFORMANCE_WORKER_REMOTE_WORKER_H_
#define POOLPROOF_CONFORMANCE_WORKER_REMOTE_WORKER_H_

#include <functional>
#include <string>

namespace poolproof {

// Carries out the protocol on a socket and a progress page's descriptor; returns an exit status.
using ServeFunction = std::function<int(int protocol_fd, int progress_fd)>;

// The end there, over standard input and output. The worker is this program again; where the
// system cannot start it, as in an emulator, a fork of this process.
// Returns in the parent, and in such a fork once it has served.
int RunThere(const ServeFunction& serve);

// The end here: runs `command` by the shell, and does not return before the connection has ended.
int RunHere(int protocol_fd, int progress_fd, const std::string& command);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_REMOTE_WORKER_H_
