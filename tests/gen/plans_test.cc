// SPDX-License-Identifier: Apache-2.0
//
// No source makes a case whose plan cannot be carried out.
#include <gtest/gtest.h>

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
  const Spec& spec = Spec::Embedded();
  for (const ProfileInfo& info : AllProfiles()) {
    if (!info.supported) continue;
    for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi, CaseSet::kNightly}) {
      ExpectPlans(StatusCases(spec, info.profile, set));
      ExpectPlans(ProtocolCases(spec, info.profile, set));
      ExpectPlans(GuardCases(spec, info.profile, set));
      ExpectPlans(HistoryCases(spec, info.profile, set), true);
      ExpectPlans(TableCases(Spec::Embedded(), info.profile, set), true);
      ExpectPlans(LaneCases(Spec::Embedded(), info.profile, set), true);
      ExpectPlans(BulkCases(Spec::Embedded(), info.profile, set), true);
      ExpectPlans(CornerCases(spec, info.profile, set), true);
    }
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
