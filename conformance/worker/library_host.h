// SPDX-License-Identifier: Apache-2.0
//
// LibraryHost: opens one implementation and carries out invocations on it, in the calling process.
// The program poolproof-worker does so behind a socket; a replay in the caller's process uses it
// directly.
#ifndef POOLPROOF_CONFORMANCE_WORKER_LIBRARY_HOST_H_
#define POOLPROOF_CONFORMANCE_WORKER_LIBRARY_HOST_H_

#include <memory>

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/wire/codec.h"
#include "conformance/wire/progress.h"

namespace poolproof {

class LibraryHost {
 public:
  // Opens and probes what `request` names; reply() says whether that went well. `progress` must
  // outlive it. The libraries stay open until the process ends.
  LibraryHost(const OpenRequest& request, ProgressPage& progress);
  ~LibraryHost();
  LibraryHost(const LibraryHost&) = delete;
  LibraryHost& operator=(const LibraryHost&) = delete;

  [[nodiscard]] const OpenReply& reply() const;

  // Requires reply().error == kNone, one thread at a time, and that no earlier outcome had another
  // end than kReturned.
  Outcome CarryOut(const Invocation& invocation);

  // Closes the stream and undoes the initialisation of the libraries. Nothing may follow.
  void Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_LIBRARY_HOST_H_
