// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/process_worker.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "conformance/runner/deadline.h"
#include "conformance/runner/worker_process.h"

namespace poolproof {
namespace {

// The devices of an implementation, each named as often as processes may use it at a time.
class Devices {
 public:
  explicit Devices(std::vector<std::int32_t> numbers)
      : numbers_(std::move(numbers)), used_(numbers_.size(), 0) {}

  // One that the fewest others use now: nobody does, where there are no more workers than devices.
  std::size_t Take() {
    const std::lock_guard lock(mutex_);
    const auto least = std::min_element(used_.begin(), used_.end());
    ++*least;
    return static_cast<std::size_t>(least - used_.begin());
  }
  void GiveBack(std::size_t position) {
    const std::lock_guard lock(mutex_);
    --used_[position];
  }
  [[nodiscard]] std::int32_t NumberOf(std::size_t position) const { return numbers_[position]; }

 private:
  const std::vector<std::int32_t> numbers_;
  std::mutex mutex_;  // of the following
  std::vector<int> used_;
};

// A device, as long as a process uses it.
class Lease {
 public:
  explicit Lease(std::shared_ptr<Devices> devices)
      : devices_(std::move(devices)), position_(devices_->Take()) {}
  ~Lease() {
    if (devices_ != nullptr) devices_->GiveBack(position_);
  }
  Lease(Lease&& other) noexcept : devices_(std::move(other.devices_)), position_(other.position_) {}
  Lease& operator=(Lease&&) = delete;
  [[nodiscard]] std::int32_t device() const { return devices_->NumberOf(position_); }

 private:
  std::shared_ptr<Devices> devices_;
  std::size_t position_;
};

// What the workers of an implementation learn of its ways.
struct Learnt {
  FirstUses first_uses;
  Patience patience;
};

class ProcessWorker : public Worker {
 public:
  ProcessWorker(Lease lease, std::unique_ptr<WorkerProcess> process,
                std::shared_ptr<const Implementation> implementation,
                std::shared_ptr<Learnt> learnt)
      : lease_(std::move(lease)),
        process_(std::move(process)),
        implementation_(std::move(implementation)),
        learnt_(std::move(learnt)) {}

  [[nodiscard]] const Probe& probe() const override { return process_->probe(); }
  Outcome Run(const Invocation& invocation) override {
    Submit(invocation);
    return Collect();
  }
  void Submit(Invocation invocation) override {
    if (invocation.timing.rounds > 0) {
      // Rounds are long, and each call is a step.
      const std::chrono::milliseconds deadline = TimedDeadline();
      process_->Submit(invocation, deadline, deadline);
      under_way_.push_back({{}, deadline, /*timed=*/true});
      return;
    }
    invocation.awaits_device = awaits_device_;
    const bool on_device = !probe().host_memory;
    Request request;
    request.kernels = KernelsOf(invocation);
    request.deadline = DeadlineFor(invocation, *implementation_, on_device);
    const std::chrono::milliseconds step = StepDeadlineFor(invocation, *implementation_, on_device);
    const std::chrono::milliseconds own = OwnWait(invocation);
    process_->Submit(invocation, ToWait(request.deadline, request.kernels) + own,
                     step.count() > 0 ? Shortened(step) + own : step);
    under_way_.push_back(std::move(request));
  }
  Outcome Collect() override {
    const auto from = std::chrono::steady_clock::now();
    Outcome outcome = process_->Collect();
    const Request request = std::move(under_way_.front());
    under_way_.pop_front();
    if (request.timed) return outcome;
    if (outcome.end == End::kReturned) {
      Launches launches = NewLaunches(request.kernels, loaded_, outcome);
      learnt_->first_uses.Note(launches);
      loaded_.merge(launches.kernels);
      std::chrono::nanoseconds took{0};
      for (const CallOutcome& call : outcome.calls)
        took += std::chrono::nanoseconds(call.nanoseconds);
      learnt_->patience.Returned(took, request.deadline);
    } else if (outcome.end == End::kTimedOut) {
      learnt_->first_uses.NoteInVain(NotLoaded(request.kernels));
      if (!hurries_) learnt_->patience.InVain(from, std::chrono::steady_clock::now());
    }
    return outcome;
  }
  void Hurry() override { hurries_ = true; }
  void AwaitDevice() override { awaits_device_ = true; }
  [[nodiscard]] bool alive() const override { return process_->alive(); }
  [[nodiscard]] std::string Said() override { return process_->Said(); }

 private:
  struct Request {
    std::vector<Kernel> kernels;  // one for each call
    std::chrono::milliseconds deadline{0};
    bool timed = false;
  };

  [[nodiscard]] std::chrono::milliseconds TimedDeadline() const {
    constexpr double kSeconds = 60;
    return std::chrono::milliseconds(
        static_cast<std::int64_t>(implementation_->limits.case_s.value_or(kSeconds) * 1000));
  }

  // What calls took tells how long to wait for one where nothing else takes its time.
  [[nodiscard]] bool IsNear() const {
    return probe().host_memory && implementation_->worker_command.empty();
  }
  [[nodiscard]] std::chrono::milliseconds Shortened(std::chrono::milliseconds deadline) const {
    if (!IsNear()) return hurries_ ? Hurried(deadline) : deadline;
    if (hurries_) return learnt_->patience.InHurry(deadline);
    return implementation_->limits.case_s ? deadline : learnt_->patience.Of(deadline);
  }
  [[nodiscard]] std::chrono::milliseconds ToWait(std::chrono::milliseconds deadline,
                                                 const std::vector<Kernel>& kernels) const {
    std::chrono::milliseconds first{0};
    if (!IsNear() && !implementation_->limits.case_s) {
      first = learnt_->first_uses.Allow(NotLoaded(kernels));
    }
    return Shortened(deadline) + first;
  }
  [[nodiscard]] std::set<Kernel> NotLoaded(const std::vector<Kernel>& kernels) const {
    std::set<Kernel> first(kernels.begin(), kernels.end());
    std::erase_if(first, [&](const Kernel& kernel) { return loaded_.contains(kernel); });
    return first;
  }

  const Lease lease_;  // outlives the process
  std::unique_ptr<WorkerProcess> process_;
  std::shared_ptr<const Implementation> implementation_;
  std::shared_ptr<Learnt> learnt_;
  bool hurries_ = false;
  bool awaits_device_ = false;
  std::set<Kernel> loaded_;  // by calls that have returned
  std::deque<Request> under_way_;
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
  subject.waits_less = implementation.worker_command.empty() && !implementation.limits.case_s;
  const auto shared = std::make_shared<const Implementation>(implementation);
  const auto learnt = std::make_shared<Learnt>();
  const auto devices = std::make_shared<Devices>(
      implementation.devices.empty() ? std::vector<std::int32_t>{0} : implementation.devices);
  subject.start = [shared, devices, learnt, worker_program](
                      Profile profile, bool is_explicit) -> Result<std::unique_ptr<Worker>> {
    WorkerOptions options;
    options.program = worker_program;
    if (is_explicit) options.profile = profile;
    Lease lease(devices);
    options.device = lease.device();
    Result<std::unique_ptr<WorkerProcess>> process = WorkerProcess::Start(*shared, options);
    if (!process.ok()) return process.status();
    return std::unique_ptr<Worker>(std::make_unique<ProcessWorker>(
        std::move(lease), std::move(process).value(), shared, learnt));
  };
  return subject;
}

}  // namespace poolproof
