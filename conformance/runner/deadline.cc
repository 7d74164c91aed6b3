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
// Calls that hang: how many are waited for in full; how many have to return before it is known how
// long these take, of those with so little work as takes no time, and of others; how many times
// what the longest of them took is waited for; and how long at least.
constexpr int kWaitedForInFull = 2;
constexpr int kKnownOnceReturned = 200;
constexpr int kKnownOnceLargeReturned = 5;
constexpr std::chrono::milliseconds kMostSmallWork{100};
constexpr double kTimesLongest = 5;
constexpr std::chrono::milliseconds kLeastPatience{500};
constexpr std::chrono::milliseconds kLeastInHurry{250};
// First uses: what one may take where nothing is known of it, how often that may be without
// success, and how many times as long as the longest so far another one may take; all of an
// invocation's together take this long at most, since one that hangs takes as long.
constexpr std::chrono::seconds kUnknownFirstUse{10};
constexpr std::chrono::seconds kMostFirstUses{60};
constexpr int kMostInVain = 2;
constexpr int kTimesLongestUse = 4;

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
            bytes * kSecondsPerByte * WindowVolume(call);
  }
  return once;
}

std::chrono::milliseconds Allowing(double work_seconds) {
  const double seconds = std::min(kBaseSeconds + work_seconds, kMaxSeconds);
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// What a deadline allows beside what it allows for a call with no work.
std::chrono::milliseconds WorkOf(std::chrono::milliseconds deadline) {
  return std::max(deadline - Allowing(0), std::chrono::milliseconds(0));
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

std::chrono::milliseconds OwnWait(const Invocation& invocation) {
  const CallPlan& plan = invocation.plan;
  std::int64_t wait = 0;
  for (int run = 0; run < std::max(plan.repeat, 1); ++run) {
    wait += std::max(plan.settle_ms, 0);
    // Copies that are made at once take their time before the looks take it.
    if (plan.look == Look::kHeld) wait += std::int64_t{2} * HoldMs(run);
  }
  std::chrono::milliseconds own(wait * std::ssize(invocation.calls));
  if (plan.growth_calls > 0) own += std::chrono::milliseconds(kMostSettlingMs);
  return own;
}

std::chrono::milliseconds Hurried(std::chrono::milliseconds deadline) {
  return std::min(deadline, std::max<std::chrono::milliseconds>(deadline / kTimesHurried,
                                                                std::chrono::seconds(1)));
}

std::optional<std::chrono::milliseconds> Patience::Enough(
    std::chrono::milliseconds deadline) const {
  const std::chrono::milliseconds work = WorkOf(deadline);
  if (small_returned_ + large_returned_ < kKnownOnceReturned) return std::nullopt;
  if (work > kMostSmallWork && large_returned_ < kKnownOnceLargeReturned) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      kTimesLongest * (longest_small_ + greatest_part_ * std::chrono::duration<double>(work)));
}

std::chrono::milliseconds Patience::Of(std::chrono::milliseconds deadline) {
  const std::lock_guard lock(mutex_);
  const std::optional<std::chrono::milliseconds> enough = Enough(deadline);
  if (in_vain_ < kWaitedForInFull || !enough) return deadline;
  return std::min(deadline, std::max(kLeastPatience, *enough));
}

std::chrono::milliseconds Patience::InHurry(std::chrono::milliseconds deadline) {
  const std::lock_guard lock(mutex_);
  const std::chrono::milliseconds enough = Enough(deadline).value_or(deadline);
  return std::min(Hurried(deadline), std::max(kLeastInHurry, enough));
}

void Patience::Returned(std::chrono::nanoseconds took, std::chrono::milliseconds deadline) {
  const std::chrono::milliseconds work = WorkOf(deadline);
  const std::lock_guard lock(mutex_);
  if (work <= kMostSmallWork) {
    ++small_returned_;
    longest_small_ = std::max<std::chrono::duration<double>>(longest_small_, took);
  } else {
    ++large_returned_;
    greatest_part_ = std::max(
        greatest_part_, std::chrono::duration<double>(took) / std::chrono::duration<double>(work));
  }
}

void Patience::InVain(std::chrono::steady_clock::time_point from,
                      std::chrono::steady_clock::time_point until) {
  const std::lock_guard lock(mutex_);
  if (in_vain_ > 0 && from < last_in_vain_) return;
  ++in_vain_;
  last_in_vain_ = until;
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
    std::chrono::nanoseconds longest = kTimesLongestUse * longest_;
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
