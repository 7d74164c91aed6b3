// SPDX-License-Identifier: Apache-2.0
//
// WorkerProcess: one implementation opened in a process of its own, and what happens to invocations
// sent there. Crashes, hangs and memory exhaustion of the library end in an Outcome, never here.
// Used by the session; objects are independent, so each thread may have its own.
#ifndef POOLPROOF_CONFORMANCE_RUNNER_WORKER_PROCESS_H_
#define POOLPROOF_CONFORMANCE_RUNNER_WORKER_PROCESS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/result/report.h"
#include "conformance/runner/implementation.h"
#include "core/status.h"

namespace poolproof {

struct WorkerOptions {
  std::string program;  // of the worker; see FindWorkerProgram
  // Given only where the user named a profile: adds the manifest's environment for it,
  // POOLPROOF_PROFILE and, unless the manifest sets it, POOLPROOF_SOC_NAME.
  std::optional<Profile> profile;
  std::int32_t device = 0;
};

class WorkerProcess {
 public:
  // errors: kUnavailable, in one line, where the implementation cannot be opened, lacks required
  // symbols, has no device or not all of those that it names, or crashes or hangs while it is being
  // opened. Where a remedy is known, the line ends with it.
  static Result<std::unique_ptr<WorkerProcess>> Start(const Implementation& implementation,
                                                      const WorkerOptions& options);
  // Ends the process; waits limits.stop_s for it to close the device.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  [[nodiscard]] const Probe& probe() const;
  [[nodiscard]] std::chrono::steady_clock::time_point started() const;

  // Carries out `invocation` within `deadline`, or later as long as it marks a step each `step`:
  // then it is slow and does not hang. After an end other than kReturned, or where the state of the
  // process was changed, the worker is spent.
  Outcome Run(const Invocation& invocation, std::chrono::milliseconds deadline,
              std::chrono::milliseconds step = {});

  // The same in two steps, so that the worker need not wait for its caller: several invocations may
  // be handed over before the first outcome is collected. Outcomes come in the order of
  // submission; a deadline begins when the one before has ended. Once the worker is spent, the
  // outcomes of what was handed over after that are kHarness ones: it was not carried out.
  void Submit(const Invocation& invocation, std::chrono::milliseconds deadline,
              std::chrono::milliseconds step = {});
  // Requires more calls of Submit than of Collect.
  Outcome Collect();

  // False where the worker is spent and a new one is needed for the next invocation.
  [[nodiscard]] bool alive() const;

  // The last bytes of what the process wrote to stdout and stderr since the last Collect.
  std::string Said();

 private:
  class Impl;
  explicit WorkerProcess(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The environment that a worker gets: the caller's, the manifest's for every worker, and with a
// profile those that belong to it. "NAME=value", later sources replace earlier ones.
std::vector<std::string> WorkerEnvironment(const Implementation& implementation,
                                           const std::optional<Profile>& profile);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RUNNER_WORKER_PROCESS_H_
