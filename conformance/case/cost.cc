// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/cost.h"

namespace poolproof {

double CostOf(const Case& problem) {
  constexpr double kPerCall = 2000;
  double cost = 0;
  if (problem.plan.descriptors_only) return kPerCall;
  for (const Call& call : problem.calls) {
    cost += kPerCall;
    for (const Role role : InfoOf(call.op).tensors) {
      cost += static_cast<double>(StorageElements(call.tensor(role)).value_or(0));
    }
  }
  return cost * (problem.plan.repeat * problem.plan.threads + problem.plan.growth_calls);
}

}  // namespace poolproof
