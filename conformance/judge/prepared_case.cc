// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/prepared_case.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace poolproof {
namespace {

bool AnyInputHoldsSpecial(const Call& call, const MaterializedCall& data) {
  const OperatorInfo& info = InfoOf(call.op);
  return std::any_of(info.tensors.begin(), info.tensors.end(), [&](Role role) {
    return !IsOutput(info, role) &&
           StorageHoldsSpecial(call.tensor(role), data.storage[static_cast<std::size_t>(role)]);
  });
}

}  // namespace

Result<PreparedCase> Prepare(const ProfileRules& rules, Case problem) {
  Result<Materialized> data = Materialize(problem);
  if (!data.ok()) return data.status();
  PreparedCase prepared{std::move(problem), std::move(data).value(), {}};
  for (std::size_t i = 0; i < prepared.problem.calls.size(); ++i) {
    const Call& call = prepared.problem.calls[i];
    PreparedCall ready{Classify(rules, call, prepared.problem.plan), Membership::Of(call), {}};
    ready.facts = FactsOf(call, prepared.data.calls[i], ready.membership);
    ready.undocumented_values = !prepared.problem.plan.descriptors_only &&
                                !rules.DocumentsSpecialValues(call.op) &&
                                AnyInputHoldsSpecial(call, prepared.data.calls[i]);
    prepared.calls.push_back(std::move(ready));
  }
  return prepared;
}

LegalityKind KindOf(const ProfileRules& rules, const Call& call, const CallPlan& plan) {
  return Classify(rules, call, plan).kind;
}

bool IsValid(const ProfileRules& rules, const Call& call, const CallPlan& plan) {
  return KindOf(rules, call, plan) == LegalityKind::kValid;
}

bool AllowedByAdvice(const ProfileRules& rules, const Case& problem) {
  return !Classify(rules, problem.calls.front(), problem.plan).by_advice.empty();
}

}  // namespace poolproof
