// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/deadline.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace poolproof {
namespace {

constexpr double kBaseSeconds = 5;
constexpr double kSecondsPerByte = 100e-9;
constexpr double kSecondsPerCall = 1e-3;
constexpr double kSecondsPerDeviceCall = 20e-3;
constexpr double kMaxSeconds = 4 * 3600;
// Elsewhere may be a board or an emulator, and operands travel there and back.
constexpr int kTimesElsewhere = 4;
constexpr int kTimesHurried = 5;
// Calls that hang: how many are waited for in full, how many have to return before it is known how
// long these take, how many times the longest of them, of its deadline, is waited for, and how long
// at least.
constexpr int kWaitedForInFull = 4;
constexpr int kKnownOnceReturned = 200;
constexpr double kTimesGreatest = 5;
constexpr std::chrono::milliseconds kLeastInHurry{250};
// First uses: what one may take where nothing is known of it, how often that may be in vain, and
// how many times as long as the longest so far another one may take; all of an invocation's
// together take this long at most, since one that hangs takes as long.
constexpr std::chrono::seconds kUnknownFirstUse{10};
constexpr std::chrono::seconds kMostFirstUses{60};
constexpr int kMostInVain = 2;
constexpr int kTimesLongest = 4;

// Positions that a forward visits for each byte of its operands.
double WindowVolume(const CallArguments& call) {
  const OperatorInfo& info = InfoOf(call.op);
  if (!info.is_forward || info.windows == WindowRule::kAdaptive || call.lists.empty() ||
      !call.lists.front())
    return 1;
  double volume = 1;
  const Dims& kernel = *call.lists.front();
  for (const std::int64_t extent : kernel)
    volume *= static_cast<double>(std::max<std::int64_t>(extent, 1));
  if (kernel.size() == 1) volume = std::pow(volume, info.spatial_rank);
  return std::min(volume, 1e6);
}

// What one run of all calls may take.
double SecondsOfARun(const Invocation& invocation, bool on_device) {
  double once = 0;
  for (const CallArguments& call : invocation.calls) {
    double bytes = 0;
    for (const TensorArgument& tensor : call.tensors) {
      bytes += static_cast<double>(tensor.bytes.size());
    }
    once += (on_device ? kSecondsPerDeviceCall : kSecondsPerCall) +
            bytes * kSecondsPerByte * WindowVolume(call) +
            1e-3 * std::max(invocation.plan.settle_ms, 0);
  }
  return once;
}

std::chrono::milliseconds Allowing(double work_seconds) {
  const double seconds = std::min(kBaseSeconds + work_seconds, kMaxSeconds);
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::chrono::milliseconds PartOf(std::chrono::milliseconds deadline, double part) {
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(static_cast<double>(deadline.count()) * part));
}

int TimesOf(const Implementation& implementation) {
  return implementation.worker_command.empty() ? 1 : kTimesElsewhere;
}

}  // namespace

std::chrono::milliseconds DeadlineFor(const Invocation& invocation, bool on_device) {
  const CallPlan& plan = invocation.plan;
  const double runs = static_cast<double>(std::max(plan.repeat, 1)) * std::max(plan.threads, 1) +
                      1.5 * std::max(plan.growth_calls, 0);
  return Allowing(SecondsOfARun(invocation, on_device) * runs);
}

std::chrono::milliseconds DeadlineFor(const Invocation& invocation,
                                      const Implementation& implementation, bool on_device) {
  if (!implementation.limits.case_s) {
    return TimesOf(implementation) * DeadlineFor(invocation, on_device);
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(*implementation.limits.case_s * 1000));
}

std::chrono::milliseconds StepDeadlineFor(const Invocation& invocation,
                                          const Implementation& implementation, bool on_device) {
  if (implementation.limits.case_s) return {};
  return TimesOf(implementation) * Allowing(SecondsOfARun(invocation, on_device));
}

std::chrono::milliseconds Hurried(std::chrono::milliseconds deadline) {
  return std::min(deadline, std::max<std::chrono::milliseconds>(deadline / kTimesHurried,
                                                                std::chrono::seconds(1)));
}

double Patience::PartThatIsEnough() const {
  return returned_ < kKnownOnceReturned ? 1 : std::min(kTimesGreatest * greatest_part_, 1.0);
}

std::chrono::milliseconds Patience::Of(std::chrono::milliseconds deadline) {
  const std::lock_guard lock(mutex_);
  if (in_vain_ < kWaitedForInFull) return deadline;
  return std::min(deadline, std::max(Hurried(deadline), PartOf(deadline, PartThatIsEnough())));
}

std::chrono::milliseconds Patience::InHurry(std::chrono::milliseconds deadline) {
  const std::lock_guard lock(mutex_);
  return std::min(Hurried(deadline), std::max(kLeastInHurry, PartOf(deadline, PartThatIsEnough())));
}

void Patience::Returned(std::chrono::nanoseconds took, std::chrono::milliseconds deadline) {
  const std::lock_guard lock(mutex_);
  ++returned_;
  greatest_part_ = std::max(greatest_part_, std::chrono::duration<double>(took).count() /
                                                std::chrono::duration<double>(deadline).count());
}

void Patience::InVain() {
  const std::lock_guard lock(mutex_);
  ++in_vain_;
}

std::vector<Kernel> KernelsOf(const Invocation& invocation) {
  std::vector<Kernel> kernels;
  for (const CallArguments& call : invocation.calls) {
    kernels.emplace_back(call.op, call.tensors.empty() ? -1 : call.tensors.front().type,
                         invocation.plan.deterministic);
  }
  return kernels;
}

Launches NewLaunches(const std::vector<Kernel>& kernels, const std::set<Kernel>& known,
                     const Outcome& outcome) {
  Launches launches;
  for (std::size_t i = 0; i < outcome.calls.size(); ++i) {
    const CallOutcome& call = outcome.calls[i];
    const Kernel& kernel = kernels[i % kernels.size()];
    if (!call.phase_two || known.contains(kernel)) continue;
    launches.kernels.insert(kernel);
    launches.longest = std::max(launches.longest, std::chrono::nanoseconds(call.nanoseconds));
  }
  return launches;
}

std::chrono::milliseconds FirstUses::Allow(const std::set<Kernel>& kernels) {
  const std::lock_guard lock(mutex_);
  std::chrono::nanoseconds allowed{0};
  for (const Kernel& kernel : kernels) {
    std::chrono::nanoseconds longest = kTimesLongest * longest_;
    if (!used_.contains(kernel) && in_vain_ < kMostInVain) {
      longest = std::max<std::chrono::nanoseconds>(longest, kUnknownFirstUse);
    }
    allowed += longest;
  }
  allowed = std::min<std::chrono::nanoseconds>(allowed, kMostFirstUses);
  return std::chrono::duration_cast<std::chrono::milliseconds>(allowed);
}

void FirstUses::Note(const Launches& launches) {
  const std::lock_guard lock(mutex_);
  used_.insert(launches.kernels.begin(), launches.kernels.end());
  longest_ = std::max(longest_, launches.longest);
}

void FirstUses::NoteInVain(const std::set<Kernel>& kernels) {
  const std::lock_guard lock(mutex_);
  if (!std::includes(used_.begin(), used_.end(), kernels.begin(), kernels.end())) ++in_vain_;
}

}  // namespace poolproof
