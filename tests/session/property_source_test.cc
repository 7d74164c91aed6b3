// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/property_source.h"

#include <gtest/gtest.h>

#include <string>

#include "conformance/case/case_text.h"
#include "conformance/properties/properties.h"

namespace poolproof {
namespace {

TEST(PropertySources, CasesAreRelatedAndCarryTheirRelation) {
  const std::vector<RandomSource> sources =
      PropertySources(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kSmoke, 1);
  ASSERT_EQ(sources.size(), AllProperties().size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Property& property = AllProperties()[i];
    int related = 0;
    for (std::uint64_t index = 0; index < static_cast<std::uint64_t>(sources[i].count); ++index) {
      const NamedCase named = sources[i].make(index);
      EXPECT_EQ(named.family, "property-" + std::string(RelationName(property.relation)));
      EXPECT_EQ(named.problem.plan.relation, property.relation);
      EXPECT_EQ(named, sources[i].make(index)) << "a case is a function of its number";
      if (DeriveRelated(property.relation, BaseOf(named.problem)) == named.problem) ++related;
      const Result<Case> parsed = ParseCaseLine(CaseLine(named.problem));
      ASSERT_TRUE(parsed.ok()) << parsed.status().message();
      EXPECT_EQ(*parsed, named.problem);
    }
    EXPECT_EQ(related, sources[i].count) << sources[i].name;
  }
}

TEST(PropertySources, AdaptiveOnesNeedAProfileOfTheirPages) {
  for (const RandomSource& source :
       PropertySources(Spec::Embedded(Edition::kSeeds), Profile::kAscend950, CaseSet::kSmoke, 1)) {
    EXPECT_NE(source.name, "property-adaptive-fixed");
  }
}

}  // namespace
}  // namespace poolproof
