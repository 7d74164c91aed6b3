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
constexpr double kMaxSeconds = 4 * 3600;

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

}  // namespace

std::chrono::milliseconds DeadlineFor(const Invocation& invocation) {
  double once = 0;
  for (const CallArguments& call : invocation.calls) {
    double bytes = 0;
    for (const TensorArgument& tensor : call.tensors) {
      bytes += static_cast<double>(tensor.bytes.size());
    }
    once += kSecondsPerCall + bytes * kSecondsPerByte * WindowVolume(call) +
            1e-3 * std::max(invocation.plan.settle_ms, 0);
  }
  const CallPlan& plan = invocation.plan;
  const double runs = static_cast<double>(std::max(plan.repeat, 1)) * std::max(plan.threads, 1) +
                      1.5 * std::max(plan.growth_calls, 0);
  const double seconds = std::min(kBaseSeconds + once * runs, kMaxSeconds);
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::chrono::milliseconds DeadlineFor(const Invocation& invocation,
                                      const Implementation& implementation) {
  if (!implementation.limits.case_s) return DeadlineFor(invocation);
  return std::chrono::milliseconds(static_cast<std::int64_t>(*implementation.limits.case_s * 1000));
}

}  // namespace poolproof
