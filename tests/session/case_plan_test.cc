// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/case_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace poolproof {
namespace {

NamedCase Named(const std::string& family, const std::string& name) {
  NamedCase named{family, name, {}};
  named.problem.calls.push_back(MakeFixedBackward(DataType::kFloat, DataType::kInt32,
                                                  {1, 1, 2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0},
                                                  {1, 1, 1}, false));
  return named;
}

CaseSources Sources() {
  CaseSources sources;
  sources.fixed = {Named("status", "a"), Named("corpus", "b")};
  for (const auto& [name, count] : {std::pair<std::string, int>{"wide", 30}, {"thin", 10}}) {
    sources.random.push_back({name, count, [family = name](std::uint64_t index) {
                                return Named(family, std::to_string(index));
                              }});
  }
  return sources;
}

TEST(CasePlan, FixedCasesComeFirst) {
  const CasePlan plan(Sources(), std::nullopt, std::nullopt);
  ASSERT_EQ(plan.size(), 42);
  EXPECT_EQ(plan.At(0).name, "a");
  EXPECT_EQ(plan.At(1).name, "b");
}

TEST(CasePlan, RandomFamiliesAreInterleavedByWeight) {
  const CasePlan plan(Sources(), std::nullopt, std::nullopt);
  std::map<std::string, int> seen;
  for (std::int64_t i = 2; i < plan.size(); ++i) {
    const NamedCase named = plan.At(i);
    EXPECT_EQ(named.name, std::to_string(seen[named.family]++));
    // At every place both families have come about as far.
    EXPECT_NEAR(seen["wide"], 3 * seen["thin"], 3) << i;
  }
  EXPECT_EQ(seen["wide"], 30);
  EXPECT_EQ(seen["thin"], 10);
}

TEST(CasePlan, FilterAndCapKeepTheOrder) {
  const CasePlan plan(Sources(), "*/thin/*", 3);
  ASSERT_EQ(plan.size(), 3);
  EXPECT_EQ(plan.At(2).name, "2");
  EXPECT_EQ(plan.At(2).Path(), "MaxPool3dWithArgmaxBackward/thin/2");
}

TEST(CasePlan, GlobCrossesSlashes) {
  EXPECT_TRUE(MatchesGlob("Max*/1?", "MaxPool/status/12"));
  EXPECT_FALSE(MatchesGlob("status", "MaxPool/status/12"));
}

}  // namespace
}  // namespace poolproof
