// SPDX-License-Identifier: Apache-2.0
#include "conformance/spec/profile.h"

#include <gtest/gtest.h>

#include "conformance/spec/operators.h"

namespace poolproof {
namespace {

TEST(Profile, NamesParseBack) {
  for (const ProfileInfo& info : AllProfiles()) {
    EXPECT_EQ(ParseProfile(info.name), info.profile);
    EXPECT_EQ(InfoOf(info.profile).name, info.name);
    EXPECT_EQ(ProfileOfSoc(info.default_soc), info.profile) << info.default_soc;
  }
  EXPECT_EQ(ParseProfile("atlas"), std::nullopt);
}

TEST(Profile, SocNamesOfOneStemAreToldApart) {
  EXPECT_EQ(ProfileOfSoc("Ascend910B"), Profile::kAtlasTraining);
  EXPECT_EQ(ProfileOfSoc("Ascend910B4-1"), Profile::kAtlasA2);
  EXPECT_EQ(ProfileOfSoc("Ascend910_9392"), Profile::kAtlasA3);
  EXPECT_EQ(ProfileOfSoc("Ascend910_95"), Profile::kAscend950);
  EXPECT_EQ(ProfileOfSoc("Ascend950DT_95A1"), Profile::kAscend950);
  EXPECT_EQ(ProfileOfSoc("Ascend310B4"), Profile::kAtlas200i500A2);
  EXPECT_EQ(ProfileOfSoc("Ascend310P5"), Profile::kAtlasInference);
  EXPECT_EQ(ProfileOfSoc("Ascend910ProA"), Profile::kAtlasTraining);
  EXPECT_EQ(ProfileOfSoc("Ascend"), std::nullopt);
  EXPECT_EQ(ProfileOfSoc(""), std::nullopt);
}

TEST(Operators, RowsAreInOrderAndParseBack) {
  for (const OperatorInfo& info : AllOperators()) {
    EXPECT_EQ(&InfoOf(info.op), &info);
    EXPECT_EQ(ParseOperator(info.name), info.op);
    EXPECT_FALSE(InfoOf(info.backward).is_forward);
    EXPECT_EQ(InfoOf(info.backward).spatial_rank, info.spatial_rank);
  }
  EXPECT_EQ(ParseOperator("MaxPool2d"), std::nullopt);
}

}  // namespace
}  // namespace poolproof
