// SPDX-License-Identifier: Apache-2.0
//
// Opens the implementation under test, looks its symbols up and finds out whether there is a device
// behind them. Private to the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_LIBRARY_H_
#define POOLPROOF_CONFORMANCE_WORKER_LIBRARY_H_

#include "conformance/wire/codec.h"
#include "conformance/worker/abi.h"

namespace poolproof {

struct OpenedLibrary {
  Abi abi;
  OpenReply reply;
};

// Opens, initialises and probes. The libraries stay open until the process ends. Where
// reply.error is set, `abi` must not be used.
OpenedLibrary OpenLibrary(const OpenRequest& request);

// Undoes the initialisation, as a program does before it ends.
void CloseLibrary(const Abi& abi, std::int32_t device);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_LIBRARY_H_
