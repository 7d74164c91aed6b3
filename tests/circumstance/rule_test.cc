// SPDX-License-Identifier: Apache-2.0
#include "conformance/circumstance/rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "conformance/circumstance/circumstances.h"

namespace poolproof {
namespace {

std::vector<Rule> RulesOf(const std::vector<Example>& examples) {
  std::vector<Rule> rules;
  for (Rule& rule : LearnRules(examples)) rules.push_back(std::move(rule));
  return rules;
}

// Legal backwards of all kinds, by a generator that is the same everywhere.
std::vector<CircumstanceValues> Calls(std::uint32_t seed, int count) {
  std::mt19937 engine(seed);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint32_t>(bound));
  };
  std::vector<CircumstanceValues> calls;
  while (static_cast<int>(calls.size()) < count) {
    const DataType type = std::array{DataType::kFloat, DataType::kFloat16,
                                     DataType::kBf16}[static_cast<std::size_t>(below(3))];
    const DataType index = below(3) == 0 ? DataType::kInt64 : DataType::kInt32;
    Dims self = {1 + below(3), 1 + below(4), 1 + below(9), 1 + below(20),
                 below(4) == 0 ? 100 + below(60) : 1 + below(40)};
    Case problem;
    if (below(2) == 0) {
      const auto three = [&](std::int64_t most) {
        return Dims{1 + below(most), 1 + below(most), 1 + below(most)};
      };
      const Dims kernel = three(4);
      problem.calls = {MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, type, index, self,
                                         kernel, three(5), {0, 0, 0}, {1, 1, 1}, below(2) == 0)};
      if (!DerivedOutputShape(problem.calls.front())) continue;
    } else {
      problem.calls = {MakeAdaptiveBackward(Operator::kAdaptiveMaxPool3dBackward, type, index, self,
                                            {1 + below(5), 1 + below(9), 1 + below(9)})};
    }
    problem.plan.descriptors_only = true;  // nothing here is about the data
    if (below(5) == 0) {
      TensorSpec& self_tensor = problem.calls.front().tensor(Role::kSelf);
      self_tensor.strides = ContiguousStrides(self_tensor.shape);
      for (std::int64_t& stride : self_tensor.strides) stride *= 2;
    }
    calls.push_back(CircumstancesOf(problem, 0));
  }
  return calls;
}

using Truth = std::function<bool(const CircumstanceValues&)>;

std::int64_t Of(const CircumstanceValues& values, const char* name) {
  return values[CircumstanceOf(name)];
}

std::vector<Example> Judged(const std::vector<CircumstanceValues>& calls, const Truth& trigger) {
  std::vector<Example> examples;
  for (const CircumstanceValues& values : calls) {
    examples.push_back({values, trigger(values) ? Label::kFails : Label::kPasses});
  }
  return examples;
}

// The share of fresh calls of which the rules say what the trigger says.
double Agreement(const std::vector<Rule>& rules, const Truth& trigger) {
  const std::vector<CircumstanceValues> fresh = Calls(99, 3000);
  const auto agree =
      std::count_if(fresh.begin(), fresh.end(), [&](const CircumstanceValues& values) {
        const bool any = std::any_of(rules.begin(), rules.end(),
                                     [&](const Rule& rule) { return Holds(rule, values); });
        return any == trigger(values);
      });
  return static_cast<double>(agree) / static_cast<double>(fresh.size());
}

constexpr std::int64_t kFloat32 = 1;  // the word's number

struct Fault {
  const char* name;
  Truth trigger;
};

const std::vector<Fault>& Faults() {
  static const std::vector<Fault> faults = {
      {"16-bit values", [](const auto& v) { return Of(v, "dtype") != kFloat32; }},
      {"overlap along D alone",
       [](const auto& v) {
         return Of(v, "overlap_d") == 1 && Of(v, "overlap_h") == 0 && Of(v, "overlap_w") == 0;
       }},
      {"wide rows", [](const auto& v) { return Of(v, "in_w") > 128; }},
      {"i64 indices of adaptive windows",
       [](const auto& v) { return Of(v, "indices_64_bit") == 1 && Of(v, "adaptive") == 1; }},
      {"self strided, more than one batch",
       [](const auto& v) { return Of(v, "self_strided") == 1 && Of(v, "n") > 1; }},
      {"odd height", [](const auto& v) { return Of(v, "in_h_mod_2") == 1; }},
      {"kernel H differs from kernel W",
       [](const auto& v) { return Of(v, "kernel_square") == 0 && Of(v, "ceil_mode") == 1; }},
      {"outputs not in eights", [](const auto& v) { return Of(v, "outputs_mod_8") != 0; }},
      {"one plane", [](const auto& v) { return Of(v, "planes") == 1; }},
  };
  return faults;
}

TEST(Rules, FindWhenALibraryFails) {
  const std::vector<CircumstanceValues> calls = Calls(1, 4000);
  for (const Fault& fault : Faults()) {
    const std::vector<Rule> rules = RulesOf(Judged(calls, fault.trigger));
    ASSERT_EQ(rules.size(), 1U) << fault.name;
    EXPECT_LE(rules.front().size(), kMostLiterals) << fault.name;
    EXPECT_GE(Agreement(rules, fault.trigger), 0.99)
        << fault.name << ": " << RuleText(rules.front());
  }
}

TEST(Rules, AreNamedAsAPersonWould) {
  const std::vector<CircumstanceValues> calls = Calls(1, 4000);
  const auto text = [&](std::size_t fault) {
    const std::vector<Rule> rules = RulesOf(Judged(calls, Faults()[fault].trigger));
    return rules.empty() ? std::string() : RuleText(rules.front());
  };
  EXPECT_EQ(text(0), "values have 16 bits");
  EXPECT_EQ(text(2), "W > 128");
  EXPECT_EQ(text(3), "the operator is an adaptive one and indices are i64");
  EXPECT_EQ(RuleText({}), "always");
}

TEST(Rules, AConditionOrItsOppositeHoldsOfWhatACaseHas) {
  const auto opposite = [](Literal literal) { return LiteralText(Negated(literal)); };
  const std::size_t width = CircumstanceOf("in_w");
  EXPECT_EQ(opposite({width, LiteralTest::kAtLeast, 19}), "W <= 18");
  EXPECT_EQ(opposite({width, LiteralTest::kAtMost, 18}), "W > 18");
  EXPECT_EQ(opposite({width, LiteralTest::kIs, 7}), "W != 7");
  EXPECT_EQ(opposite({CircumstanceOf("ceil_mode"), LiteralTest::kIs, 1}), "ceilMode is off");
}

TEST(Rules, TwoFaultsAreTwoRules) {
  const std::vector<CircumstanceValues> calls = Calls(1, 4000);
  const Truth both = [](const CircumstanceValues& v) {
    return Of(v, "in_w") > 128 || (Of(v, "overlap_d") == 1 && Of(v, "dtype") == kFloat32);
  };
  const std::vector<Rule> rules = RulesOf(Judged(calls, both));
  EXPECT_EQ(rules.size(), 2U);
  EXPECT_GE(Agreement(rules, both), 0.99);
}

Literal Is(const char* name, std::int64_t value) {
  return {CircumstanceOf(name), LiteralTest::kIs, value};
}
Literal AtLeast(const char* name, std::int64_t value) {
  return {CircumstanceOf(name), LiteralTest::kAtLeast, value};
}

// "A" and "B" by their words, or what became of them.
std::string Merged(const Rule& a, const Rule& b, const Truth& trigger) {
  std::vector<Rule> rules = {a, b};
  MergeRules(rules, Judged(Calls(7, 2000), trigger));
  std::string text;
  for (const Rule& rule : rules) text += RuleText(rule) + "; ";
  return text;
}

TEST(Rules, ThatSayOneThingTogetherBecomeOne) {
  // What the first rule left, beside its border.
  const auto wide = [](const CircumstanceValues& values) { return Of(values, "in_w") >= 100; };
  EXPECT_EQ(Merged({AtLeast("in_w", 101)}, {Is("in_w", 100)}, wide), "W > 99; ");
  // A condition that only one of them has, of both halves of its cases.
  EXPECT_EQ(Merged({AtLeast("in_w", 100), Is("adaptive", 0)},
                   {AtLeast("in_w", 100), Is("adaptive", 1)}, wide),
            "W > 99; ");
  EXPECT_EQ(Merged({Is("strided", 0)}, {Is("strided", 1)},
                   [](const CircumstanceValues&) { return true; }),
            "always; ");
  // One that needs only some of its conditions.
  EXPECT_EQ(Merged({AtLeast("in_w", 100), AtLeast("in_h", 3)}, {AtLeast("in_w", 120)}, wide),
            "W > 99; ");
}

TEST(Rules, OfTwoFaultsStayTwo) {
  EXPECT_EQ(Merged({AtLeast("in_w", 100)}, {Is("in_w", 5)},
                   [](const CircumstanceValues& values) {
                     return Of(values, "in_w") >= 100 || Of(values, "in_w") == 5;
                   }),
            "W > 99; W = 5; ");
  EXPECT_EQ(Merged({AtLeast("in_w", 100)}, {Is("indices_64_bit", 1)},
                   [](const CircumstanceValues& values) {
                     return Of(values, "in_w") >= 100 || Of(values, "indices_64_bit") == 1;
                   }),
            "W > 99; indices are i64; ");
}

TEST(Rules, BearThatAFaultDoesNotAlwaysShow) {
  const Truth trigger = [](const CircumstanceValues& v) { return Of(v, "overlap_w") == 1; };
  std::vector<Example> examples = Judged(Calls(1, 4000), trigger);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    // Of four calls that are hit, one hides it.
    if (examples[i].label == Label::kFails && i % 4 == 0) {
      examples[i].label = Label::kPassesElsewhere;
    }
  }
  const std::vector<Rule> rules = RulesOf(examples);
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(RuleText(rules.front()), "windows overlap along W");
}

TEST(Rules, DoNotDependOnTheOrderOfCases) {
  std::vector<Example> examples = Judged(Calls(1, 1500), Faults()[1].trigger);
  const std::vector<Rule> rules = RulesOf(examples);
  std::mt19937 engine(7);
  std::shuffle(examples.begin(), examples.end(), engine);
  EXPECT_EQ(RulesOf(examples), rules);
}

TEST(Rules, NothingIsSaidOfWhatFailsByChance) {
  std::mt19937 engine(3);
  const std::vector<Rule> rules =
      RulesOf(Judged(Calls(1, 2000), [&](const auto&) { return engine() % 100 == 0; }));
  EXPECT_TRUE(rules.empty()) << RuleText(rules.front());
}

// Where a loss would not show is no circumstance of a fault, but of how it is judged.
TEST(Rules, SayNothingOfWhatThePassingOnesWouldHide) {
  std::vector<CircumstanceValues> calls = Calls(5, 1000);
  const std::size_t hidden = CircumstanceOf("loss_hidden");
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i][hidden] = i % 10 == 0 ? 1 : 0;
  EXPECT_TRUE(
      RulesOf(Judged(calls, [&](const auto& values) { return values[hidden] == 1; })).empty());
}

TEST(Rules, OfNothingThatFailsAndOfNothingThatPasses) {
  const std::vector<CircumstanceValues> calls = Calls(1, 50);
  EXPECT_EQ(LearnRule(Judged(calls, [](const auto&) { return false; })), std::nullopt);
  EXPECT_EQ(LearnRule(Judged(calls, [](const auto&) { return true; })), Rule());
  EXPECT_EQ(LearnRule({}), std::nullopt);
}

TEST(Rules, ALiteralDoesNotHoldOfWhatACaseLacks) {
  CircumstanceValues values(AllCircumstances().size(), kNoValue);
  for (const LiteralTest test :
       {LiteralTest::kIs, LiteralTest::kIsNot, LiteralTest::kAtLeast, LiteralTest::kAtMost}) {
    EXPECT_FALSE((Literal{0, test, 0}).Holds(values));
  }
}

}  // namespace
}  // namespace poolproof
