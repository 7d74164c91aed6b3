// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "conformance/case/materialize.h"
#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

TEST(HistoryCases, AreValidAndDistinct) {
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAscend950, Profile::kAtlasTraining}) {
    for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi, CaseSet::kNightly}) {
      std::set<std::string> paths;
      for (const NamedCase& named : HistoryCases(Spec::Embedded(), profile, set)) {
        EXPECT_EQ(named.family, "history");
        EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
        for (std::size_t i = 0; i < named.problem.calls.size(); ++i) {
          const bool may_breach = named.name.find("refused") != std::string::npos;
          const LegalityKind kind = LegalityOf(named, profile, i).kind;
          EXPECT_TRUE(kind == LegalityKind::kValid ||
                      (may_breach && kind == LegalityKind::kInvalid))
              << named.name;
        }
        const Clause* clause = Spec::Embedded().Find(named.clause);
        ASSERT_NE(clause, nullptr) << named.name;
        EXPECT_TRUE(clause->AppliesTo(profile)) << named.name;
        EXPECT_TRUE(Materialize(named.problem).ok()) << named.name;
      }
    }
  }
}

TEST(HistoryCases, EachKindOfHistoryOccursForEachOperator) {
  using Property = std::function<bool(const Case&)>;
  const std::vector<std::pair<const char*, Property>> wanted = {
      {"executors alive, last in first out",
       [](const Case& c) { return c.plan.order == Order::kLifo && c.calls.size() > 1; }},
      {"executors alive, first in first out",
       [](const Case& c) { return c.plan.order == Order::kFifo && c.calls.size() > 1; }},
      {"several streams at once",
       [](const Case& c) { return c.plan.streams > 1 && c.plan.order != Order::kInTurn; }},
      {"late contents", [](const Case& c) { return c.plan.fill_late; }},
      {"other addresses",
       [](const Case& c) { return c.plan.shift_bytes > 0 && c.plan.repeat > 1; }},
      {"other contents", [](const Case& c) { return c.plan.vary_contents && c.plan.repeat >= 4; }},
      {"an executor run again",
       [](const Case& c) { return c.plan.reuse_executor && c.plan.repeat > 1; }},
      {"large, small, large", [](const Case& c) {
         const auto planes = [&](std::size_t i) {
           return c.calls[i].tensor(Role::kSelf).shape.front();
         };
         return c.calls.size() > 2 && planes(0) > planes(1) && planes(1) < planes(2);
       }}};
  for (const Operator op :
       {Operator::kMaxPool3dWithArgmaxBackward, Operator::kAdaptiveMaxPool3dBackward,
        Operator::kAdaptiveMaxPool2dBackward}) {
    for (const auto& [what, holds] : wanted) {
      bool found = false;
      for (const NamedCase& named :
           HistoryCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kCi)) {
        found = found || (named.problem.calls.front().op == op && holds(named.problem));
      }
      EXPECT_TRUE(found) << InfoOf(op).name << ": " << what;
    }
  }
}

}  // namespace
}  // namespace poolproof
