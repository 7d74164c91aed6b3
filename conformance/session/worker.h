// SPDX-License-Identifier: Apache-2.0
//
// Worker: where an invocation is carried out, as the session sees it. The real one is a process
// (process_worker.h); tests put a fake in its place.
#ifndef POOLPROOF_CONFORMANCE_SESSION_WORKER_H_
#define POOLPROOF_CONFORMANCE_SESSION_WORKER_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/result/report.h"
#include "conformance/spec/profile.h"
#include "core/status.h"

namespace poolproof {

class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;

  [[nodiscard]] virtual const Probe& probe() const = 0;
  // Ends in bounded time: the worker applies a deadline of the problem's size.
  virtual Outcome Run(const Invocation& invocation) = 0;

  // Run in two steps: a worker may carry out what was submitted while its caller does other things.
  // Outcomes come in the order of submission. After an outcome that ends the worker, what was
  // submitted behind it is not carried out and must be given to another one.
  virtual void Submit(Invocation invocation) { submitted_.push_back(std::move(invocation)); }
  // Requires a submitted invocation whose outcome was not collected, and alive().
  virtual Outcome Collect() {
    const Invocation next = std::move(submitted_.front());
    submitted_.pop_front();
    return Run(next);
  }

  // From now on deadlines are short: for one who searches among calls that may hang, and asks again
  // about what he found.
  virtual void Hurry() {}

  // From now on all work of the device is waited for after each call (Invocation::awaits_device).
  virtual void AwaitDevice() {}

  // False once the worker cannot take another invocation.
  [[nodiscard]] virtual bool alive() const = 0;
  // The last of what the library printed, as far as it is known.
  [[nodiscard]] virtual std::string Said() { return {}; }

 private:
  std::deque<Invocation> submitted_;
};

// Starts a fresh worker for the profile. `is_explicit`: the profile was asked for, so that the
// worker's environment follows it. Called from several threads at once.
// errors: kInvalidArgument or kNotFound for wrong input, kUnavailable for an unusable
// implementation, kBusy where it may be usable in a moment.
using StartWorker =
    std::function<Result<std::unique_ptr<Worker>>(Profile profile, bool is_explicit)>;

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_WORKER_H_
