// SPDX-License-Identifier: Apache-2.0
//
// Notes where the process is when an instruction ends it, and lets it die as it would have died.
// Private to the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_CRASH_HANDLER_H_
#define POOLPROOF_CONFORMANCE_WORKER_CRASH_HANDLER_H_

#include <csignal>
#include <cstddef>

#include "conformance/wire/crash_note.h"

namespace poolproof {

// From now on, for signals that nobody handles; a library that sets handlers of its own replaces
// these. `note` outlives the process.
void NoteCrashes(CrashNote& note);

// Whether it is such a handler: to one that asks what a library has set, as if there were none.
bool IsCrashHandler(const struct sigaction& action);

// A stack for handlers of this thread while one is alive, so that a stack that is used up can be
// noted. Leaves one that the thread has already.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  void* memory_ = nullptr;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_CRASH_HANDLER_H_
