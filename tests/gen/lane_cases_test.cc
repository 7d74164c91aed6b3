// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "conformance/case/materialize.h"
#include "conformance/judge/membership.h"
#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

bool IsHuge(const NamedCase& named) {
  return CheckedNumel(named.problem.calls.front().tensor(Role::kGradInput).shape).value() > 1000000;
}

TEST(LaneCases, AreValidUniqueAndWithinTheirWindows) {
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAscend950}) {
    std::set<std::string> paths;
    for (const NamedCase& named : LaneCases(Spec::Embedded(), profile, CaseSet::kCi)) {
      EXPECT_EQ(named.family, "lanes");
      EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
      ASSERT_EQ(LegalityOf(named, profile).kind, LegalityKind::kValid) << named.Path();
      if (IsHuge(named)) continue;
      const Call& call = named.problem.calls.front();
      const Result<Materialized> data = Materialize(named.problem);
      ASSERT_TRUE(data.ok()) << named.Path();
      const std::optional<Membership> membership = Membership::Of(call);
      ASSERT_TRUE(membership.has_value());
      const std::vector<std::int64_t>& indices = data->calls.front().indices;
      for (std::size_t e = 0; e < indices.size(); ++e) {
        ASSERT_TRUE(membership->Covers(
            static_cast<std::int64_t>(e) % membership->geometry().OutputSize(), indices[e]))
            << named.Path() << " element " << e;
      }
    }
  }
}

TEST(LaneCases, APairOfWindowsMeetsAtEveryDistanceOfLanesAndTiles) {
  std::set<std::int64_t> distances;
  for (const NamedCase& named : LaneCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kCi)) {
    if (named.name.rfind("pair/", 0) != 0) continue;
    const Result<Materialized> data = Materialize(named.problem);
    ASSERT_TRUE(data.ok());
    const std::vector<std::int64_t>& indices = data->calls.front().indices;
    std::map<std::int64_t, std::size_t> first;
    int pairs = 0;
    for (std::size_t e = 0; e < indices.size(); ++e) {
      const auto [place, added] = first.emplace(indices[e], e);
      if (added) continue;
      ++pairs;
      distances.insert(static_cast<std::int64_t>(e - place->second));
    }
    EXPECT_EQ(pairs, 1) << named.name;
  }
  EXPECT_THAT(distances, ::testing::IsSupersetOf({1, 2, 3, 4, 8, 16, 17, 32, 64, 128, 256}));
}

TEST(LaneCases, ASpecialValueStandsAtEveryPositionOfARowAndItsTail) {
  std::map<Operator, std::set<std::int64_t>> positions;
  for (const NamedCase& named : LaneCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kCi)) {
    if (named.name.rfind("special/nan", 0) != 0) continue;
    const Call& call = named.problem.calls.front();
    positions[call.op].insert(call.tensor(Role::kGradOutput).data.patches.front().position);
  }
  ASSERT_EQ(positions.size(), BackwardOperators().size());
  for (const auto& [op, seen] : positions) EXPECT_EQ(seen.size(), 74U);
}

TEST(LaneCases, SpecialValuesOfEachTypeStandInWindowsThatTile) {
  std::map<std::pair<Operator, DataType>, std::set<std::string>> tilings;
  for (const NamedCase& named : LaneCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kCi)) {
    if (named.name.rfind("special-", 0) != 0) continue;
    const Call& call = named.problem.calls.front();
    const TensorSpec& gradients = call.tensor(Role::kGradOutput);
    tilings[{call.op, gradients.type}].insert(named.name.substr(0, named.name.find('/')));
    std::set<std::uint32_t> bits;
    for (const auto& patch : gradients.data.patches) {
      EXPECT_LT(patch.position, CheckedNumel(gradients.shape).value());
      bits.insert(static_cast<std::uint32_t>(patch.bits));
    }
    // Infinity, the largest number, two NaNs, zero and the smallest number, with either sign.
    EXPECT_EQ(bits.size(), 12U) << named.name;
  }
  const ProfileRules rules(Spec::Embedded(), Profile::kAtlasA2);
  for (const Operator op : rules.CoveredBackwards()) {
    for (const DataType type : rules.ValueTypes(op)) {
      EXPECT_EQ((tilings[{op, type}]), (std::set<std::string>{"special-planes", "special-tiles"}));
    }
  }
}

TEST(LaneCases, PlanesExceedWhatAFloatCounts) {
  std::set<Operator> operators;
  for (const NamedCase& named : LaneCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kCi)) {
    const Call& call = named.problem.calls.front();
    const int axes = InfoOf(call.op).spatial_rank;
    if (PlaneElements(call.tensor(Role::kSelf).shape, axes).value_or(0) <= (1 << 24)) continue;
    operators.insert(call.op);
    std::int64_t bytes = 0;
    for (const Role role : InfoOf(call.op).tensors) {
      const TensorSpec& tensor = call.tensor(role);
      bytes += StorageElements(tensor).value() * StorageBytes(tensor.type);
    }
    EXPECT_LE(bytes, std::int64_t{128} << 20);
  }
  // The adaptive operators have cases of their own there (C02).
  EXPECT_EQ(operators, (std::set<Operator>{Operator::kMaxPool3dWithArgmaxBackward,
                                           Operator::kMaxPool2dWithIndicesBackward}));
}

}  // namespace
}  // namespace poolproof
