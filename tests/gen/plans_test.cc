// SPDX-License-Identifier: Apache-2.0
//
// No source makes a case whose plan cannot be carried out.
#include <gtest/gtest.h>

#include <utility>

#include "conformance/case/plan_members.h"
#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

void ExpectPlans(const std::vector<NamedCase>& cases, bool may_be_none = false) {
  EXPECT_TRUE(may_be_none || !cases.empty());
  for (const NamedCase& named : cases) {
    EXPECT_EQ(CheckPlan(named.problem.plan).message(), "") << named.Path();
  }
}

TEST(Plans, OfFixedSourcesCanBeCarriedOut) {
  // Each set, and each profile: which of them go together makes no difference to a plan.
  const Spec& spec = Spec::Embedded();
  for (const auto& [profile, set] : {std::pair(Profile::kAtlasA2, CaseSet::kNightly),
                                     std::pair(Profile::kAtlasA3, CaseSet::kSmoke),
                                     std::pair(Profile::kAscend950, CaseSet::kCi)}) {
    ExpectPlans(StatusCases(spec, profile, set));
    ExpectPlans(ProtocolCases(spec, profile, set));
    ExpectPlans(GuardCases(spec, profile, set));
    ExpectPlans(HistoryCases(spec, profile, set), true);
    ExpectPlans(TableCases(spec, profile, set), true);
    ExpectPlans(LaneCases(spec, profile, set), true);
    ExpectPlans(BulkCases(spec, profile, set), true);
    ExpectPlans(CornerCases(spec, profile, set), true);
  }
}

TEST(Plans, OfRandomCasesCanBeCarriedOut) {
  for (const ProfileInfo& info : AllProfiles()) {
    if (!info.supported) continue;
    for (const RandomFamily& family : RandomFamilies()) {
      for (std::uint64_t i = 0; i < 200; ++i)
        ExpectPlans({RandomCase({Spec::Embedded(), info.profile}, family, 1, i)});
    }
  }
}

}  // namespace
}  // namespace poolproof
