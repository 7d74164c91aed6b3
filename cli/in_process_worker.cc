// SPDX-License-Identifier: Apache-2.0
#include "cli/in_process_worker.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "conformance/runner/worker_process.h"
#include "conformance/wire/codec.h"
#include "conformance/wire/progress.h"
#include "conformance/worker/library_host.h"

namespace poolproof {
namespace {

class InProcessWorker : public Worker {
 public:
  explicit InProcessWorker(const OpenRequest& request) : host_(request, progress_) {}
  ~InProcessWorker() override {
    if (alive_) host_.Finish();
  }

  [[nodiscard]] const OpenReply& reply() const { return host_.reply(); }
  [[nodiscard]] const Probe& probe() const override { return host_.reply().probe; }
  Outcome Run(const Invocation& invocation) override {
    Outcome outcome = host_.CarryOut(invocation);
    alive_ = outcome.end == End::kReturned;
    return outcome;
  }
  [[nodiscard]] bool alive() const override { return alive_; }

 private:
  ProgressPage progress_;
  LibraryHost host_;
  bool alive_ = true;
};

Status StatusOf(const OpenReply& reply, const std::string& name) {
  const std::string who = "implementation '" + name + "'";
  switch (reply.error) {
    case OpenError::kNone:
      return OkStatus();
    case OpenError::kCannotOpen:
      return Unavailable(who + " cannot be opened: " + reply.detail);
    case OpenError::kMissingSymbols: {
      std::string names;
      for (const std::string& symbol : reply.probe.missing) {
        names += (names.empty() ? "" : ", ") + symbol;
      }
      return Unavailable(who + " lacks required symbols: " + names);
    }
    case OpenError::kNoDevice:
    case OpenError::kDeviceRefused:
      break;
  }
  return Unavailable(who + " has no device: " + reply.detail);
}

}  // namespace

Result<std::unique_ptr<Worker>> OpenInProcess(const Implementation& implementation,
                                              const std::optional<Profile>& profile) {
  for (const std::string& entry : WorkerEnvironment(implementation, profile)) {
    const std::size_t equals = entry.find('=');
    ::setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, /*overwrite=*/1);
  }
  OpenRequest request{implementation.libraries, implementation.open, 0};
  if (!implementation.devices.empty()) request.device = implementation.devices.front();
  auto worker = std::make_unique<InProcessWorker>(request);
  if (Status status = StatusOf(worker->reply(), implementation.name); !status.ok()) return status;
  return std::unique_ptr<Worker>(std::move(worker));
}

}  // namespace poolproof
