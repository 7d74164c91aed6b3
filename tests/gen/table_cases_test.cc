// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/case/materialize.h"
#include "conformance/judge/prepared_case.h"
#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

TEST(TableCases, AreValidAndUnique) {
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAtlasA3, Profile::kAscend950}) {
    for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi}) {
      std::set<std::string> paths;
      for (const NamedCase& named : TableCases(Spec::Embedded(), profile, set)) {
        EXPECT_EQ(named.family, "table");
        EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
        EXPECT_EQ(LegalityOf(named, profile).kind, LegalityKind::kValid) << named.Path();
      }
    }
  }
}

TEST(TableCases, NothingIsLegalOnUnsupportedPlatforms) {
  EXPECT_TRUE(TableCases(Spec::Embedded(), Profile::kAtlasTraining, CaseSet::kCi).empty());
}

TEST(TableCases, CountsFollowTheSet) {
  const auto count = [](CaseSet set) {
    return TableCases(Spec::Embedded(), Profile::kAtlasA2, set).size();
  };
  const std::size_t smoke = count(CaseSet::kSmoke);
  EXPECT_LE(smoke, 400U);
  EXPECT_GE(smoke, 200U);
  const std::size_t ci = count(CaseSet::kCi);
  EXPECT_GE(ci, 2000U);
  EXPECT_GT(count(CaseSet::kNightly), ci);
}

TEST(TableCases, TypesIndicesAndListFormsRotate) {
  std::set<DataType> types;
  std::set<DataKind> kinds;
  std::set<std::size_t> strides;
  std::set<std::size_t> ranks;
  std::set<bool> ceil_modes;
  for (const NamedCase& named : TableCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kSmoke)) {
    const Call& call = named.problem.calls.front();
    types.insert(call.tensor(Role::kSelf).type);
    kinds.insert(call.tensor(Role::kIndices).data.kind);
    ranks.insert(call.tensor(Role::kSelf).shape.size());
    if (InfoOf(call.op).windows == WindowRule::kAdaptive) continue;
    strides.insert(call.list(List::kStride)->size());
    ceil_modes.insert(call.ceil_mode);
  }
  EXPECT_EQ(types.size(), 3U);
  EXPECT_EQ(kinds.size(), 5U);
  EXPECT_THAT(strides, ::testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ranks, ::testing::ElementsAre(3, 4, 5));
  EXPECT_EQ(ceil_modes.size(), 2U);
}

// Each geometry is there once: with equal sums everywhere nothing would say where they arrived.
TEST(TableCases, DataTellWhereGradientsArrive) {
  const ProfileRules rules(Spec::Embedded(), Profile::kAtlasA2);
  for (const NamedCase& named : TableCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kCi)) {
    const Result<PreparedCase> prepared = Prepare(rules, named.problem);
    ASSERT_TRUE(prepared.ok()) << named.name;
    EXPECT_TRUE(prepared->calls.front().facts.any_placed) << named.name;
  }
}

TEST(TableCases, IndicesLieInTheirPlane) {
  for (const NamedCase& named : TableCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kSmoke)) {
    const Call& call = named.problem.calls.front();
    const Result<Materialized> data = Materialize(named.problem);
    ASSERT_TRUE(data.ok()) << named.name;
    const std::int64_t plane =
        PlaneElements(call.tensor(Role::kSelf).shape, InfoOf(call.op).spatial_rank).value();
    for (const std::int64_t index : data->calls.front().indices) {
      EXPECT_TRUE(index >= 0 && index < plane) << named.name;
    }
  }
}

}  // namespace
}  // namespace poolproof
