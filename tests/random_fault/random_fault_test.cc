// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/gen/sources.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/plan/standard_sources.h"
#include "conformance/properties/properties.h"
#include "conformance/session/build_invocation.h"
#include "tests/random_fault/sandbox.h"
#include "tests/sample.h"

namespace poolproof {
namespace {

using random_fault::DrawFault;
using random_fault::Effect;
using random_fault::Fact;
using random_fault::RandomFault;

constexpr std::uint64_t kDrawn = 2000;
const JudgeContext kContext = {&Spec::Embedded(), Profile::kAtlasA2};

RandomFault FaultOf(const std::string& text) {
  std::string problem;
  const std::optional<RandomFault> fault = random_fault::ParseFault(text, problem);
  EXPECT_TRUE(fault.has_value()) << text << ": " << problem;
  return fault.value_or(RandomFault());
}

Sandbox& TheSandbox() {
  static Sandbox sandbox(RANDOM_FAULT_LIBRARY);
  return sandbox;
}

// Cases of the smoke set of one backward call, `step` apart.
std::vector<Case> SomeCases(std::int64_t step) {
  const TestPlan plan(StandardSources(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kSmoke, 1), {},
                      {});
  std::vector<Case> cases;
  for (std::int64_t i = 0; i < plan.size(); i += step) {
    Case problem = plan.At(i).problem;
    const bool is_plain = problem.calls.size() == 1 && problem.plan.threads == 1 &&
                          problem.plan.repeat == 1 && problem.plan.growth_calls == 0 &&
                          !InfoOf(problem.calls.front().op).is_forward;
    if (is_plain) cases.push_back(std::move(problem));
  }
  return cases;
}

Verdict VerdictOf(const Case& problem) {
  const PreparedCase prepared = *Prepare(kContext.rules(), problem);
  std::int64_t calls = 0;
  return JudgeWithProperties(
      kContext, prepared,
      TheSandbox().CarryOut(BuildInvocation(prepared.problem, prepared.data), calls));
}

TEST(RandomFault, TheSameSeedGivesTheSameFaultAndOthersGiveOthers) {
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < kDrawn; ++seed) {
    EXPECT_EQ(DrawFault(seed), DrawFault(seed));
    texts.insert(TextOf(DrawFault(seed)));
  }
  EXPECT_GT(texts.size(), kDrawn * 9 / 10);
}

TEST(RandomFault, ATextGivesTheFaultAgain) {
  for (std::uint64_t seed = 0; seed < kDrawn; ++seed) {
    const RandomFault fault = DrawFault(seed);
    EXPECT_EQ(FaultOf(TextOf(fault)), fault) << TextOf(fault);
  }
  for (const std::string text :
       {"all : always : lost", "mp3 : w >= 17 and not ceil : refused : 3 of 7",
        "amp2 : h * w % 4 == 1 and not d > h : hang", "mp2 : dtype == bf16 : not_cleared"}) {
    EXPECT_EQ(TextOf(FaultOf(text)), text);
  }
}

TEST(RandomFault, WhatIsNotUnderstoodIsNamed) {
  const std::map<std::string, std::string> wrong = {{"mp3 : w >= 17", "mp3 : w >= 17"},
                                                    {"mp4 : always : lost", "mp4"},
                                                    {"mp3 : width >= 17 : lost", "width >= 17"},
                                                    {"mp3 : w >= : lost", "w >="},
                                                    {"mp3 : w : lost", "w"},
                                                    {"mp3 : always : forgets", "forgets"},
                                                    {"mp3 : always : lost : 3 of 3", "3 of 3"},
                                                    {"mp3 : w % 0 == 1 : lost", "w % 0 == 1"}};
  for (const auto& [text, part] : wrong) {
    std::string problem;
    EXPECT_EQ(random_fault::ParseFault(text, problem), std::nullopt) << text;
    EXPECT_EQ(problem, "'" + part + "' is not understood");
  }
}

TEST(RandomFault, ALibraryMayHaveSeveralThatEachStrike) {
  const std::string text = "mp3 : always : lost ; amp2 : always : refused";
  std::string problem;
  TheSandbox().Select(random_fault::ParseFaults(text, problem));
  std::map<Operator, std::set<FindingKind>> seen;
  for (const Case& known : SomeCases(25)) {
    for (const Finding& finding : VerdictOf(known).findings) {
      seen[known.calls.front().op].insert(finding.kind);
    }
  }
  TheSandbox().Select({});
  EXPECT_EQ(TextOf(random_fault::ParseFaults(text, problem)), text);
  EXPECT_TRUE(random_fault::ParseFaults(text + " ; mp3 : lost", problem).empty());
  EXPECT_TRUE(
      seen[Operator::kMaxPool3dWithArgmaxBackward].contains(FindingKind::kContributionLost));
  EXPECT_TRUE(seen[Operator::kAdaptiveMaxPool2dBackward].contains(FindingKind::kRefused));
  EXPECT_FALSE(seen.contains(Operator::kMaxPool2dWithIndicesBackward));
}

TEST(RandomFault, EveryEffectAndEveryFactIsDrawn) {
  std::set<Effect> effects;
  std::set<Fact> facts;
  std::set<std::size_t> counts;
  bool comes_and_goes = false;
  for (std::uint64_t seed = 0; seed < kDrawn; ++seed) {
    const RandomFault fault = DrawFault(seed);
    effects.insert(fault.effect);
    counts.insert(fault.conditions.size());
    comes_and_goes |= !fault.IsSteady();
    for (const random_fault::Condition& condition : fault.conditions) facts.insert(condition.fact);
  }
  EXPECT_EQ(effects.size(), static_cast<std::size_t>(Effect::kCount));
  EXPECT_EQ(facts.size(), random_fault::kFactCount);
  EXPECT_THAT(counts, testing::ElementsAre(1, 2, 3));
  EXPECT_TRUE(comes_and_goes);
}

TEST(RandomFault, AConditionOnWhatACallLacksDoesNotHold) {
  random_fault::Facts facts;
  facts.fill(random_fault::kNone);
  facts[static_cast<std::size_t>(Fact::kH)] = 7;
  const auto holds = [&](const std::string& condition) {
    return TriggerHolds(FaultOf("all : " + condition + " : lost"), 0, facts);
  };
  EXPECT_FALSE(holds("d < 3"));
  EXPECT_FALSE(holds("not d < 3"));
  EXPECT_FALSE(holds("h > d"));
  EXPECT_FALSE(holds("h * d < 3"));
  EXPECT_TRUE(holds("h >= 7"));
  EXPECT_TRUE(holds("h % 4 == 3"));
  EXPECT_FALSE(holds("not h == 7"));
  EXPECT_TRUE(holds("h * h == 49"));
  EXPECT_FALSE(holds("h >= 7 and h < 7"));
}

TEST(RandomFault, WithoutAFaultTheLibraryIsRight) {
  TheSandbox().Select({});
  int passed = 0;
  for (const Case& problem : SomeCases(7 * kSample)) {
    const Verdict verdict = VerdictOf(problem);
    EXPECT_NE(verdict.kind, VerdictKind::kFailed) << verdict.findings.front().message;
    passed += verdict.kind == VerdictKind::kPassed ? 1 : 0;
  }
  EXPECT_GT(passed, 200 / kSample);
}

// In a library with the effect on all calls, some case finds what it says.
TEST(RandomFault, EachEffectIsFound) {
  const std::map<Effect, std::set<FindingKind>> kinds = {
      {Effect::kLost, {FindingKind::kContributionLost}},
      {Effect::kMoved, {FindingKind::kContributionMoved, FindingKind::kUnnamedNotZero}},
      {Effect::kStored, {FindingKind::kWrongSum, FindingKind::kContributionLost}},
      {Effect::kUlp, {FindingKind::kWrongSum}},
      {Effect::kNotCleared, {FindingKind::kUnnamedNotZero}},
      {Effect::kRefused, {FindingKind::kRefused}},
      {Effect::kAccepted, {FindingKind::kAccepted}},
      {Effect::kOtherStatus, {FindingKind::kWrongStatus}},
      {Effect::kCrashOne, {FindingKind::kCrashed}},
      {Effect::kCrashTwo, {FindingKind::kCrashed}},
      {Effect::kHang, {FindingKind::kTimedOut}}};
  const std::vector<Case> cases = SomeCases(23);
  for (int i = 0; i < static_cast<int>(Effect::kCount); ++i) {
    RandomFault fault;
    fault.effect = static_cast<Effect>(i);
    TheSandbox().Select({fault});
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const Case& problem) {
      const Verdict verdict = VerdictOf(problem);
      return AnyFinding(verdict, [&](const Finding& finding) {
        return kinds.at(fault.effect).contains(finding.kind);
      });
    })) << TextOf(fault);
  }
  TheSandbox().Select({});
}

TEST(RandomFault, StrikesWhereItsTriggerHoldsAndNowhereElse) {
  const std::vector<Case> cases = SomeCases(61);
  std::vector<std::vector<Sight>> sights;
  for (const Case& problem : cases) {
    sights.push_back(TheSandbox().Look(BuildInvocation(problem, *Materialize(problem))));
  }
  int struck = 0;
  int failed = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    RandomFault fault = DrawFault(seed);
    fault.strikes = fault.of = 1;
    TheSandbox().Select({fault});
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const bool fails = VerdictOf(cases[i]).kind == VerdictKind::kFailed;
      const bool strikes = Strikes(fault, sights[i]);
      EXPECT_TRUE(strikes || !fails) << TextOf(fault);
      const bool ends = fault.effect == Effect::kCrashOne || fault.effect == Effect::kCrashTwo ||
                        fault.effect == Effect::kHang;
      EXPECT_TRUE(fails || !strikes || !ends) << TextOf(fault);
      struck += strikes ? 1 : 0;
      failed += fails ? 1 : 0;
    }
  }
  TheSandbox().Select({});
  EXPECT_GT(struck, 40);
  EXPECT_GT(failed, struck / 2);
}

TEST(RandomFault, OneThatComesAndGoesStrikesAsOftenAsItSays) {
  const std::vector<Case> cases = SomeCases(25);
  const auto legal = std::find_if(cases.begin(), cases.end(), [&](const Case& problem) {
    return IsValid(kContext.rules(), problem.calls.front(), problem.plan) &&
           !problem.plan.descriptors_only;
  });
  ASSERT_NE(legal, cases.end());
  TheSandbox().Select({FaultOf("all : always : refused : 1 of 4")});
  int failed = 0;
  for (int i = 0; i < 400; ++i) failed += VerdictOf(*legal).kind == VerdictKind::kFailed ? 1 : 0;
  TheSandbox().Select({});
  EXPECT_GT(failed, 60);
  EXPECT_LT(failed, 140);
}

// What a case says of its first call, read of its words alone.
std::optional<std::int64_t> ReadOf(const Case& problem, Fact fact) {
  const Call& call = problem.calls.front();
  const TensorSpec& self = call.tensor(Role::kSelf);
  const auto axes = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  const auto extent = [&](std::size_t from_last) -> std::optional<std::int64_t> {
    if (self.null || from_last >= axes ||
        (self.shape.size() != axes + 1 && self.shape.size() != axes + 2)) {
      return std::nullopt;
    }
    return self.shape[self.shape.size() - 1 - from_last];
  };
  const auto entry = [&](List list, std::size_t from_last) -> std::optional<std::int64_t> {
    if (InfoOf(call.op).lists.empty() || !call.list(list) || from_last >= axes) return std::nullopt;
    const Dims& values = *call.list(list);
    if (values.size() == 1) return values[0];
    if (values.size() != axes) return std::nullopt;
    return values[axes - 1 - from_last];
  };
  switch (fact) {
    case Fact::kW:
      return extent(0);
    case Fact::kH:
      return extent(1);
    case Fact::kD:
      return extent(2);
    case Fact::kKernelW:
      return entry(List::kKernelSize, 0);
    case Fact::kKernelD:
      return entry(List::kKernelSize, 2);
    case Fact::kPaddingH:
      return entry(List::kPadding, 1);
    case Fact::kCeil:
      if (InfoOf(call.op).lists.empty()) return std::nullopt;
      return call.ceil_mode ? 1 : 0;
    case Fact::kDtype:
      if (call.tensor(Role::kGradOutput).null) return std::nullopt;
      return static_cast<std::int64_t>(call.tensor(Role::kGradOutput).type);
    case Fact::kGradInputOffset:
      if (call.tensor(Role::kGradInput).null || call.tensor(Role::kGradInput).shape.empty()) {
        return std::nullopt;
      }
      return call.tensor(Role::kGradInput).offset;
    default:
      return std::nullopt;
  }
}

TEST(RandomFault, TheLibrarySeesWhatTheCaseSays) {
  TheSandbox().Select({});
  std::map<Fact, int> compared;
  for (const Case& problem : SomeCases(3 * kSample)) {
    const Materialized data = *Materialize(problem);
    const std::vector<Sight> sights = TheSandbox().Look(BuildInvocation(problem, data));
    if (sights.empty()) continue;  // an out-pointer was null
    for (const Fact fact : {Fact::kW, Fact::kH, Fact::kD, Fact::kKernelW, Fact::kKernelD,
                            Fact::kPaddingH, Fact::kCeil, Fact::kDtype, Fact::kGradInputOffset}) {
      const std::int64_t seen = sights.front().facts[static_cast<std::size_t>(fact)];
      const std::optional<std::int64_t> said = ReadOf(problem, fact);
      EXPECT_EQ(seen, said.value_or(random_fault::kNone))
          << RowOf(fact).name << ' ' << InfoOf(problem.calls.front().op).name;
      compared[fact] += said ? 1 : 0;
    }
  }
  for (const auto& [fact, count] : compared) EXPECT_GT(count, 100 / kSample) << RowOf(fact).name;
}

}  // namespace
}  // namespace poolproof
