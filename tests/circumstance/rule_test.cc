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
#include "conformance/circumstance/hypothesis.h"

namespace poolproof {
namespace {

// What all that fails keeps, and least of what passes.
Rule RuleFor(const std::vector<Example>& examples) {
  std::vector<const CircumstanceValues*> failing;
  std::vector<Passing> passing;
  for (const Example& example : examples) {
    if (example.label == Label::kFails) {
      failing.push_back(&example.values);
    } else {
      passing.push_back({&example.values, kSeenWeight});
    }
  }
  return Hypotheses(failing, passing).Best().front().rule;
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
  examples.reserve(calls.size());
  for (const CircumstanceValues& values : calls) {
    examples.push_back({values, trigger(values) ? Label::kFails : Label::kPasses});
  }
  return examples;
}

// The share of fresh calls of which the rule says what the trigger says.
double Agreement(const Rule& rule, const Truth& trigger) {
  const std::vector<CircumstanceValues> fresh = Calls(99, 3000);
  const auto agree = std::count_if(
      fresh.begin(), fresh.end(),
      [&](const CircumstanceValues& values) { return Holds(rule, values) == trigger(values); });
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
      {"odd height", [](const auto& v) { return Of(v, "in_h") % 2 == 1; }},
      {"kernel H differs from kernel W",
       [](const auto& v) { return Of(v, "kernel_square") == 0 && Of(v, "ceil_mode") == 1; }},
      {"outputs not in eights", [](const auto& v) { return Of(v, "outputs") % 8 != 0; }},
      {"one plane", [](const auto& v) { return Of(v, "planes") == 1; }},
  };
  return faults;
}

TEST(Rules, FindWhenALibraryFails) {
  const std::vector<CircumstanceValues> calls = Calls(1, 4000);
  for (const Fault& fault : Faults()) {
    const Rule rule = RuleFor(Judged(calls, fault.trigger));
    EXPECT_LE(rule.size(), kMostConditions) << fault.name;
    EXPECT_GE(Agreement(rule, fault.trigger), 0.99) << fault.name << ": " << RuleText(rule);
  }
}

TEST(Rules, AreNamedAsAPersonWould) {
  const std::vector<CircumstanceValues> calls = Calls(1, 4000);
  const auto text = [&](std::size_t fault) {
    return RuleText(RuleFor(Judged(calls, Faults()[fault].trigger)));
  };
  EXPECT_EQ(text(0), "values have 16 bits");
  EXPECT_EQ(text(2), "W > 128");
  EXPECT_EQ(text(3), "the operator is adaptive and indices are i64");
  EXPECT_EQ(RuleText({}), "always");
}

// By how much two lengths differ, and of what one is no multiple.
TEST(Rules, SayHowFarLengthsAreApartAndWhatTheyAreNoMultipleOf) {
  const std::vector<CircumstanceValues> calls = Calls(1, 4000);
  const auto text = [&](const Truth& trigger) { return RuleText(RuleFor(Judged(calls, trigger))); };
  EXPECT_EQ(text([](const CircumstanceValues& v) { return Of(v, "in_w") > Of(v, "in_h") + 3; }),
            "W > H + 3");
  EXPECT_EQ(text([](const CircumstanceValues& v) { return Of(v, "in_h") > Of(v, "in_w") + 2; }),
            "H > W + 2");
  EXPECT_EQ(text([](const CircumstanceValues& v) { return Of(v, "in_w") % 16 != 0; }),
            "W mod 16 != 0");
  EXPECT_EQ(LiteralText({CircumstanceOf("in_w"), LiteralTest::kAtLeast, 0}), "W >= 0");
}

TEST(Rules, AConditionOrItsOppositeHoldsOfWhatACaseHas) {
  const auto opposite = [](Literal literal) { return LiteralText(Negated(literal)); };
  const std::size_t width = CircumstanceOf("in_w");
  EXPECT_EQ(opposite({width, LiteralTest::kAtLeast, 19}), "W <= 18");
  EXPECT_EQ(opposite({width, LiteralTest::kAtMost, 18}), "W > 18");
  EXPECT_EQ(opposite({width, LiteralTest::kIs, 7}), "W != 7");
  EXPECT_EQ(opposite({CircumstanceOf("ceil_mode"), LiteralTest::kIs, 1}), "ceilMode is off");
}

TEST(Rules, BearThatAFaultDoesNotAlwaysShow) {
  const Truth trigger = [](const CircumstanceValues& v) { return Of(v, "overlap_w") == 1; };
  std::vector<Example> examples = Judged(Calls(1, 4000), trigger);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    // Of four calls that are hit, one hides it.
    if (examples[i].label == Label::kFails && i % 4 == 0) examples[i].label = Label::kPasses;
  }
  EXPECT_EQ(RuleText(RuleFor(examples)), "windows overlap along W");
}

TEST(Rules, DoNotDependOnTheOrderOfCases) {
  std::vector<Example> examples = Judged(Calls(1, 1500), Faults()[1].trigger);
  const Rule rule = RuleFor(examples);
  std::mt19937 engine(7);
  std::shuffle(examples.begin(), examples.end(), engine);
  EXPECT_EQ(RuleFor(examples), rule);
}

// Where a loss would not show is no circumstance of a fault, but of how it is judged.
TEST(Rules, SayNothingOfWhatThePassingOnesWouldHide) {
  std::vector<CircumstanceValues> calls = Calls(5, 1000);
  const std::size_t hidden = CircumstanceOf("loss_hidden");
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i][hidden] = i % 10 == 0 ? 1 : 0;
  const Rule rule = RuleFor(Judged(calls, [&](const auto& values) { return values[hidden] == 1; }));
  EXPECT_TRUE(std::none_of(rule.begin(), rule.end(), [&](const Literal& literal) {
    return literal.circumstance == hidden;
  })) << RuleText(rule);
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
