// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/capabilities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/case/materialize.h"

namespace poolproof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Operator kFixed = Operator::kMaxPool3dWithArgmaxBackward;
constexpr Operator kAdaptive = Operator::kAdaptiveMaxPool2dBackward;

std::vector<std::string> AllNames() {
  std::vector<std::string> names;
  for (const OperatorInfo& info : AllOperators()) names.emplace_back(info.name);
  return names;
}

AcceptRule Accepts(const std::string& text, std::optional<Operator> op = std::nullopt) {
  return {op, text, Predicate::Parse(text).value()};
}

Capabilities Declared(std::vector<AcceptRule> accepts) {
  DeclaredCapabilities declared;
  declared.accepts = std::move(accepts);
  return CapabilitiesOf(AllNames(), declared);
}

Capabilities WithTypes(std::vector<DataType> types) {
  DeclaredCapabilities declared;
  declared.types = std::move(types);
  return CapabilitiesOf(AllNames(), declared);
}

Case Single(Operator op, DataType type, DataType index_type, int geometry = 0) {
  Case problem;
  problem.calls.push_back(
      MakeBackward(op, type, index_type, InfoOf(op).bases[static_cast<std::size_t>(geometry)]));
  return problem;
}

bool Inside(const Capabilities& capabilities, const Case& problem, const CaseFacts& facts = {}) {
  return !OutsideCapabilities(capabilities, problem, facts);
}

TEST(Capabilities, PredicateOfAllOperatorsLimitsEach) {
  const Capabilities capabilities = Declared({Accepts("dtype == f32 and index_dtype == i64")});
  for (const Operator op : BackwardOperators()) {
    EXPECT_TRUE(Inside(capabilities, Single(op, DataType::kFloat, DataType::kInt64)));
    EXPECT_FALSE(Inside(capabilities, Single(op, DataType::kFloat, DataType::kInt32)));
    EXPECT_FALSE(Inside(capabilities, Single(op, DataType::kBf16, DataType::kInt64)));
  }
  EXPECT_EQ(OutsideCapabilities(capabilities, Single(kFixed, DataType::kBf16, DataType::kInt64)),
            "outside the declared capabilities: accepts dtype == f32 and index_dtype == i64");
}

TEST(Capabilities, TypesMayDifferByOperator) {
  const Capabilities capabilities =
      Declared({Accepts("dtype == f32", kFixed), Accepts("dtype != f16", kAdaptive)});
  EXPECT_FALSE(Inside(capabilities, Single(kFixed, DataType::kBf16, DataType::kInt32)));
  EXPECT_TRUE(Inside(capabilities, Single(kAdaptive, DataType::kBf16, DataType::kInt32)));
  EXPECT_FALSE(Inside(capabilities, Single(kAdaptive, DataType::kFloat16, DataType::kInt32)));
  EXPECT_TRUE(Inside(capabilities, Single(Operator::kAdaptiveMaxPool3dBackward, DataType::kFloat16,
                                          DataType::kInt32)))
      << "nothing is said of it";
  EXPECT_THAT(capabilities.MissingTypes(kFixed), ElementsAre(DataType::kFloat16, DataType::kBf16));
  EXPECT_THAT(capabilities.MissingTypes(kAdaptive), ElementsAre(DataType::kFloat16));
  EXPECT_THAT(capabilities.MissingTypes(Operator::kAdaptiveMaxPool3dBackward), IsEmpty());
}

TEST(Capabilities, EveryCallOfACaseMustBeAccepted) {
  const Capabilities capabilities = Declared({Accepts("rank == 5 and calls == 2", kFixed)});
  Case problem = Single(kFixed, DataType::kFloat, DataType::kInt32, 0);
  EXPECT_FALSE(Inside(capabilities, problem));
  problem.calls.push_back(problem.calls.front());
  EXPECT_TRUE(Inside(capabilities, problem));
  problem.calls[1] = Single(kFixed, DataType::kFloat, DataType::kInt32, 1).calls.front();
  EXPECT_FALSE(Inside(capabilities, problem));
}

TEST(Capabilities, LayoutsAreToldOfForwardsAndDescriptorsToo) {
  const Capabilities capabilities = Declared({Accepts("layout == contiguous")});
  Case problem = Single(kFixed, DataType::kFloat, DataType::kInt32);
  problem.plan.descriptors_only = true;
  EXPECT_TRUE(Inside(capabilities, problem));
  problem.calls.front() = MakeForward(problem.calls.front());
  EXPECT_TRUE(Inside(capabilities, problem));
  TensorSpec& self = problem.calls.front().tensor(Role::kSelf);
  self.strides = ContiguousStrides(self.shape);
  for (std::int64_t& stride : self.strides) stride *= 2;
  EXPECT_FALSE(Inside(capabilities, problem));
}

// gradOutput and self of different types, by a library that takes one of them: its refusal would
// say nothing.
TEST(Capabilities, EachListedTypeOfACallMustBeAccepted) {
  const Capabilities capabilities = Declared({Accepts("dtype == f32")});
  Case problem = Single(kFixed, DataType::kFloat, DataType::kInt32);
  const Call base = problem.calls.front();
  problem.calls.front().tensor(Role::kSelf).type = DataType::kFloat16;
  EXPECT_FALSE(Inside(capabilities, problem, {Told::kAll, &base}));
  EXPECT_FALSE(Inside(capabilities, problem, {Told::kTypes}));
  problem.calls.front().tensor(Role::kSelf).type = DataType::kDouble;
  EXPECT_TRUE(Inside(capabilities, problem, {Told::kAll, &base}))
      << "no page lists DOUBLE: it must be refused in any case";
  EXPECT_TRUE(Inside(capabilities, problem, {Told::kTypes}));
  problem = Single(kFixed, DataType::kDouble, DataType::kInt32);
  EXPECT_TRUE(Inside(capabilities, problem, {Told::kAll, &base}));
  EXPECT_TRUE(Inside(capabilities, problem, {Told::kTypes}));
}

TEST(Capabilities, BreachIsWhereItsBaseIs) {
  const Capabilities capabilities = Declared({Accepts("rank == 5 and layout == contiguous")});
  Case problem = Single(kFixed, DataType::kFloat, DataType::kInt32, 0);
  const Call base = problem.calls.front();
  const Call low = Single(kFixed, DataType::kFloat, DataType::kInt32, 1).calls.front();
  problem.calls.front().tensor(Role::kSelf).shape = {1};
  EXPECT_TRUE(Inside(capabilities, problem, {Told::kAll, &base}));
  EXPECT_FALSE(Inside(capabilities, problem, {Told::kAll, &low}));
  EXPECT_TRUE(Inside(capabilities, problem, {Told::kTypes})) << "it may have a base inside";
  problem.calls.front().tensor(Role::kSelf).null = true;
  EXPECT_TRUE(Inside(capabilities, problem, {Told::kPresent}));
}

TEST(Capabilities, DeclaredTypesAreAPredicate) {
  const Capabilities gradients = WithTypes({DataType::kFloat, DataType::kBf16});
  EXPECT_TRUE(Inside(gradients, Single(kFixed, DataType::kBf16, DataType::kInt64)));
  EXPECT_TRUE(Inside(gradients, Single(kFixed, DataType::kFloat, DataType::kInt32)));
  EXPECT_FALSE(Inside(gradients, Single(kFixed, DataType::kFloat16, DataType::kInt32)));
  EXPECT_THAT(gradients.MissingTypes(kFixed), ElementsAre(DataType::kFloat16));
  const Capabilities both = WithTypes({DataType::kFloat, DataType::kInt64});
  EXPECT_FALSE(Inside(both, Single(kFixed, DataType::kFloat, DataType::kInt32)));
  EXPECT_TRUE(Inside(both, Single(kFixed, DataType::kFloat, DataType::kInt64)));
  const Capabilities indices = WithTypes({DataType::kInt32});
  EXPECT_TRUE(Inside(indices, Single(kFixed, DataType::kBf16, DataType::kInt32)));
  EXPECT_FALSE(Inside(indices, Single(kFixed, DataType::kBf16, DataType::kInt64)));
}

TEST(Capabilities, PredicateThatIsNotAboutTypesLeavesNoneOut) {
  const Capabilities capabilities = Declared({Accepts("in_w >= 1000000")});
  EXPECT_THAT(capabilities.MissingTypes(kFixed), IsEmpty());
}

TEST(Capabilities, PlanesThatShareTheirIndicesHaveNoneOfAForward) {
  Capabilities capabilities;
  capabilities.declared.forward_indices_only = true;
  for (const auto& [line, inside] :
       {std::pair("pp1:MaxPool2dWithIndicesBackward:self=f32[2,1,3,3];k=3;s=3;p=0;d=1", true),
        std::pair("pp1:MaxPool2dWithIndicesBackward:self=f32[2,1,3,3];k=3;s=3;p=0;d=1;"
                  "ix={0,1,1,1}",
                  false)}) {
    const Result<Case> problem = ParseCaseLine(line);
    ASSERT_TRUE(problem.ok()) << problem.status().message();
    const Result<Materialized> data = Materialize(*problem);
    ASSERT_TRUE(data.ok()) << data.status().message();
    EXPECT_EQ(!IndicesOutsideCapabilities(capabilities, *problem, *data).has_value(), inside)
        << line;
  }
}

TEST(Capabilities, DeclaredOnesComeBackFromAReport) {
  DeclaredCapabilities declared;
  declared.operators = {kFixed, kAdaptive};
  declared.types = {DataType::kFloat};
  declared.accepts = {Accepts("rank == 5"), Accepts("kernel_w <= 3 or guard == none", kFixed)};
  declared.forward_indices_only = true;
  declared.refuses_nothing = true;
  const auto described = DescribeCapabilities(declared);
  EXPECT_EQ(described[3].first, "accepts.MaxPool3dWithArgmaxBackward");
  const Result<DeclaredCapabilities> back = ParseDeclaredCapabilities(described);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, declared);
  for (const std::string key : {"accepts.", "accepts.MaxPool", "acceptsx", "accept"}) {
    EXPECT_FALSE(ParseDeclaredCapabilities({{key, "rank == 5"}}).ok()) << key;
  }
  EXPECT_FALSE(ParseDeclaredCapabilities({{"accepts", "rank == "}}).ok());
  EXPECT_FALSE(ParseDeclaredCapabilities({{"refusals", "all"}}).ok());
}

}  // namespace
}  // namespace poolproof
