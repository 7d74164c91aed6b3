// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/donors.h"

#include <cstdint>
#include <utility>

#include "conformance/case/cost.h"
#include "conformance/corpus/corpus.h"
#include "conformance/explain/limits.h"
#include "conformance/gen/sources.h"
#include "conformance/judge/legality.h"

namespace poolproof {
namespace {

// A seed that is no run's.
constexpr std::uint64_t kSeed = 0x70f1e5;
constexpr std::uint64_t kOfFamily = 60;

void Add(Case problem, std::vector<Donor>& donors) {
  if (problem.calls.size() != 1 || CostOf(problem) > kMostCost) return;
  CircumstanceValues values = CircumstancesOf(problem, 0);
  donors.push_back({std::move(problem), std::move(values)});
}

}  // namespace

Donors::Donors(const ProfileRules& rules) {
  // Where no operator is supported there is nothing to draw.
  if (!rules.CoveredBackwards().empty()) {
    for (const RandomFamily& family : RandomFamilies()) {
      for (std::uint64_t i = 0; i < kOfFamily; ++i) {
        Add(RandomCase(rules, family, kSeed, i).problem, legal_);
      }
    }
    // Data that are hardly ever drawn: sums that overflow, one infinity, subnormals.
    for (NamedCase& one : CorpusCases(rules.profile())) {
      const Call& call = one.problem.calls.front();
      const bool legal = Classify(rules, call, one.problem.plan).kind == LegalityKind::kValid;
      if (legal && !InfoOf(call.op).is_forward) Add(std::move(one.problem), legal_);
    }
  }
  for (NamedCase& one : StatusCases(rules.spec(), rules.profile(), CaseSet::kSmoke)) {
    Add(std::move(one.problem), refused_);
  }
}

}  // namespace poolproof
