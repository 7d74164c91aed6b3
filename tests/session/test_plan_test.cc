// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/test_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

namespace poolproof {
namespace {

NamedCase Named(const std::string& family, const std::string& name) {
  NamedCase named{family, name, {}};
  named.problem.calls.push_back(
      MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat, DataType::kInt32,
                        {1, 1, 2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false));
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

TEST(TestPlan, FixedCasesComeFirstWithoutStrata) {
  const TestPlan plan(Sources(), std::nullopt, std::nullopt);
  ASSERT_EQ(plan.size(), 42);
  EXPECT_EQ(plan.At(0).name, "a");
  EXPECT_EQ(plan.At(1).name, "b");
}

TEST(TestPlan, RandomFamiliesAreInterleavedByTheRootOfTheirSize) {
  CaseSources sources;
  for (const auto& [name, count] : {std::pair<std::string, int>{"wide", 1600}, {"thin", 100}}) {
    sources.random.push_back({name, count, [family = name](std::uint64_t index) {
                                return Named(family, std::to_string(index));
                              }});
  }
  const TestPlan plan(std::move(sources), std::nullopt, std::nullopt);
  std::map<std::string, int> seen;
  for (std::int64_t i = 0; i < plan.size(); ++i) {
    const NamedCase named = plan.At(i);
    EXPECT_EQ(named.name, std::to_string(seen[named.family]++));
    // 40 and 10 of them for every unit of the way.
    if (seen["thin"] < 100) {
      EXPECT_NEAR(seen["wide"], 4 * seen["thin"], 4) << i;
    }
  }
  EXPECT_EQ(seen["wide"], 1600);
  EXPECT_EQ(seen["thin"], 100);
}

TEST(TestPlan, TheFirstCasesHoldEveryStratum) {
  CaseSources sources;
  for (int i = 0; i < 50; ++i) {
    for (int k = 0; k <= i; ++k) {
      sources.fixed.push_back(Named("status", "C" + std::to_string(i) + "/" + std::to_string(k)));
    }
  }
  sources.order_of = [](const NamedCase& named) {
    return CaseSources::Order{named.name.substr(0, named.name.find('/'))};
  };
  const TestPlan plan(sources, std::nullopt, std::nullopt);
  ASSERT_EQ(plan.size(), static_cast<std::int64_t>(sources.fixed.size()));
  std::set<std::string> strata;
  std::set<std::string> names;
  for (std::int64_t i = 0; i < plan.size(); ++i) {
    if (i < 250) strata.insert(sources.order_of(plan.At(i)).stratum);
    names.insert(plan.At(i).name);
  }
  EXPECT_EQ(strata.size(), 50U);
  EXPECT_EQ(names.size(), sources.fixed.size());  // each once
}

TEST(TestPlan, AStratumIsVisitedFromFarToNear) {
  CaseSources sources;
  for (int i = 0; i < 6; ++i) sources.fixed.push_back(Named("table", std::to_string(i)));
  sources.order_of = [](const NamedCase&) { return CaseSources::Order{"all"}; };
  const TestPlan plan(sources, std::nullopt, std::nullopt);
  std::string order;
  for (std::int64_t i = 0; i < plan.size(); ++i) order += plan.At(i).name;
  EXPECT_EQ(order, "042153");
}

TEST(TestPlan, LongCasesComeLate) {
  CaseSources sources;
  for (int i = 0; i < 9; ++i) sources.fixed.push_back(Named("table", std::to_string(i)));
  sources.order_of = [](const NamedCase& named) {
    return CaseSources::Order{"all", named.name == "0" ? 100.0 : 0.0};
  };
  const TestPlan plan(sources, std::nullopt, std::nullopt);
  EXPECT_EQ(plan.At(0).name, "8");
  EXPECT_EQ(plan.At(8).name, "0");
}

TEST(TestPlan, FilterAndCapKeepTheOrder) {
  const TestPlan plan(Sources(), "*/thin/*", 3);
  ASSERT_EQ(plan.size(), 3);
  EXPECT_EQ(plan.At(2).name, "2");
  EXPECT_EQ(plan.At(2).Path(), "MaxPool3dWithArgmaxBackward/thin/2");
}

TEST(TestPlan, GlobCrossesSlashes) {
  EXPECT_TRUE(MatchesGlob("Max*/1?", "MaxPool/status/12"));
  EXPECT_FALSE(MatchesGlob("status", "MaxPool/status/12"));
}

}  // namespace
}  // namespace poolproof
