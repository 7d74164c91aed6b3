// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/capability_check.h"

#include <algorithm>
#include <utility>

#include "conformance/gen/acceptance_cases.h"
#include "conformance/judge/prepared_case.h"

namespace poolproof {
namespace {

// How much of the case is a fact, since it breaches nothing.
Told ToldBy(const ProfileRules& rules, const Case& problem) {
  CallPlan plan;  // what the plan breaches is no matter of the call
  plan.descriptors_only = problem.plan.descriptors_only;
  Told told = Told::kAll;
  for (const Call& call : problem.calls) {
    const LegalityKind kind = KindOf(rules, call, plan);
    if (kind == LegalityKind::kInvalid) return Told::kTypes;
    if (kind == LegalityKind::kOpen) told = Told::kPresent;
  }
  return told;
}

}  // namespace

CapabilityCheck::CapabilityCheck(const ProfileRules& rules, const Capabilities& capabilities)
    : rules_(rules), capabilities_(capabilities) {
  if (capabilities.accepts.empty()) return;
  for (NamedCase& named : AcceptanceCases(rules.spec(), rules.profile())) {
    bases_.emplace(named.Path(), std::move(named.problem.calls.front()));
  }
}

std::optional<std::string> CapabilityCheck::Outside(const Case& problem,
                                                    std::string_view base) const {
  const bool all_is_asked =
      capabilities_.accepts.empty() && !capabilities_.declared.refuses_nothing;
  if (all_is_asked) return OutsideCapabilities(capabilities_, problem);
  CaseFacts facts;
  facts.told = ToldBy(rules_, problem);
  if (facts.told == Told::kTypes && capabilities_.declared.refuses_nothing) {
    return "has to be refused, and the manifest declares that nothing is";
  }
  if (facts.told == Told::kAll) return OutsideCapabilities(capabilities_, problem);
  if (const auto place = bases_.find(base); place != bases_.end()) {
    facts.base = &place->second;
    facts.told = Told::kAll;
  }
  return OutsideCapabilities(capabilities_, problem, facts);
}

}  // namespace poolproof
