// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "conformance/case/materialize.h"
#include "conformance/case/plan_members.h"
#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

TEST(StreamCases, AreValidAndDistinct) {
  // Each set and each profile: which of them go together makes no difference.
  for (const auto& [profile, set] : {std::pair(Profile::kAtlasA2, CaseSet::kNightly),
                                     std::pair(Profile::kAscend950, CaseSet::kCi),
                                     std::pair(Profile::kAtlasTraining, CaseSet::kSmoke)}) {
    std::set<std::string> paths;
    for (const NamedCase& named : StreamCases(Spec::Embedded(), profile, set)) {
      EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
      EXPECT_EQ(named.clause, "2P-03") << named.name;
      EXPECT_NE(named.problem.plan.look, Look::kNone) << named.name;
      EXPECT_TRUE(CheckPlan(named.problem.plan).ok()) << named.name;
      for (std::size_t i = 0; i < named.problem.calls.size(); ++i) {
        EXPECT_EQ(LegalityOf(named, profile, i).kind, LegalityKind::kValid) << named.name;
      }
      EXPECT_TRUE(Materialize(named.problem).ok()) << named.name;
    }
  }
}

// Every operator that the profile covers is held up; many calls are under way when a stream is
// synchronised.
TEST(StreamCases, LookBeforeAndAfterForEachOperator) {
  const Profile profile = Profile::kAtlasA2;
  const ProfileRules rules(Spec::Embedded(), profile);
  std::set<Operator> held;
  std::set<Operator> after;
  for (const NamedCase& named : StreamCases(Spec::Embedded(), profile, CaseSet::kSmoke)) {
    const Case& problem = named.problem;
    if (problem.plan.look == Look::kHeld) held.insert(problem.calls.front().op);
    if (problem.plan.look == Look::kAfter && problem.calls.size() >= 8 &&
        problem.plan.order == Order::kFifo && problem.plan.settle_ms > 0) {
      after.insert(problem.calls.front().op);
    }
  }
  for (const Operator op : rules.CoveredBackwards()) {
    EXPECT_TRUE(held.contains(op)) << InfoOf(op).name;
    EXPECT_TRUE(after.contains(op)) << InfoOf(op).name;
    const Operator forward = InfoOf(op).forward;
    EXPECT_EQ(held.contains(forward), rules.Covers(forward)) << InfoOf(forward).name;
  }
}

}  // namespace
}  // namespace poolproof
