// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/process_worker.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "conformance/runner/deadline.h"
#include "conformance/runner/worker_process.h"

namespace poolproof {
namespace {

class ProcessWorker : public Worker {
 public:
  ProcessWorker(std::unique_ptr<WorkerProcess> process,
                std::shared_ptr<const Implementation> implementation)
      : process_(std::move(process)), implementation_(std::move(implementation)) {}

  [[nodiscard]] const Probe& probe() const override { return process_->probe(); }
  Outcome Run(const Invocation& invocation) override {
    return process_->Run(invocation, DeadlineFor(invocation, *implementation_));
  }
  void Submit(Invocation invocation) override {
    process_->Submit(invocation, DeadlineFor(invocation, *implementation_));
  }
  Outcome Collect() override { return process_->Collect(); }
  [[nodiscard]] bool alive() const override { return process_->alive(); }
  [[nodiscard]] std::string Said() override { return process_->Said(); }

 private:
  std::unique_ptr<WorkerProcess> process_;
  std::shared_ptr<const Implementation> implementation_;
};

}  // namespace

Subject MakeSubject(const Implementation& implementation, const std::string& worker_program) {
  Subject subject;
  subject.identity.name = implementation.name;
  subject.identity.libraries = IdentifyLibraries(implementation);
  subject.identity.declared = DescribeCapabilities(implementation.capabilities);
  subject.declared = implementation.capabilities;
  subject.max_workers = implementation.limits.workers;
  subject.device_count = static_cast<int>(std::max<std::size_t>(1, implementation.devices.size()));
  const auto shared = std::make_shared<const Implementation>(implementation);
  const auto turn = std::make_shared<std::atomic<std::size_t>>(0);
  subject.start = [shared, turn, worker_program](
                      Profile profile, bool is_explicit) -> Result<std::unique_ptr<Worker>> {
    WorkerOptions options;
    options.program = worker_program;
    if (is_explicit) options.profile = profile;
    if (!shared->devices.empty()) {
      options.device = shared->devices[(*turn)++ % shared->devices.size()];
    }
    Result<std::unique_ptr<WorkerProcess>> process = WorkerProcess::Start(*shared, options);
    if (!process.ok()) return process.status();
    return std::unique_ptr<Worker>(
        std::make_unique<ProcessWorker>(std::move(process).value(), shared));
  };
  return subject;
}

}  // namespace poolproof
