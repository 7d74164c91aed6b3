// SPDX-License-Identifier: Apache-2.0
#include "conformance/gen/acceptance_cases.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

TEST(AcceptanceCases, AreLegalAndUnique) {
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAtlasA3, Profile::kAscend950}) {
    std::set<std::string> paths;
    for (const NamedCase& named : AcceptanceCases(Spec::Embedded(), profile)) {
      EXPECT_EQ(named.family, "accepted");
      EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
      EXPECT_EQ(LegalityOf(named, profile).kind, LegalityKind::kValid) << named.Path();
      const bool at_limit = named.name.find("plane-limit") != std::string::npos;
      EXPECT_EQ(named.problem.plan, CallPlan{.descriptors_only = at_limit}) << named.Path();
    }
    EXPECT_FALSE(paths.empty());
  }
}

TEST(AcceptanceCases, HoldEachCombinationThatThePageTakes) {
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAscend950}) {
    const ProfileRules rules(Spec::Embedded(), profile);
    std::map<Operator, std::set<std::string>> names;
    for (const NamedCase& named : AcceptanceCases(Spec::Embedded(), profile)) {
      names[named.problem.calls.front().op].insert(named.name);
    }
    for (const OperatorInfo& info : AllOperators()) {
      EXPECT_EQ(names.contains(info.op), rules.Covers(info.op)) << info.name;
      if (!rules.Covers(info.op)) continue;
      for (const DataType type : rules.ValueTypes(info.op)) {
        for (const DataType index_type : rules.IndexTypes(info.op)) {
          for (const std::string rank : {"batched", "unbatched"}) {
            const std::string name =
                DataTypeName(type) + "-" + DataTypeName(index_type) + "-" + rank;
            EXPECT_TRUE(names[info.op].contains(name + "-contiguous")) << info.name << " " << name;
            EXPECT_TRUE(names[info.op].contains(name + "-channels-last")) << info.name;
            EXPECT_TRUE(names[info.op].contains(name + "-gaps")) << info.name;
          }
        }
      }
    }
  }
}

TEST(AcceptanceCases, LayoutsAndFormatsAreThoseOfTheName) {
  for (const NamedCase& named : AcceptanceCases(Spec::Embedded(), Profile::kAscend950)) {
    const Call& call = named.problem.calls.front();
    const bool contiguous = named.name.ends_with("-contiguous");
    for (const Role role : InfoOf(call.op).tensors) {
      EXPECT_EQ(IsPacked(call.tensor(role)), contiguous) << named.Path();
      EXPECT_EQ(call.tensor(role).format, call.tensor(Role::kSelf).format) << named.Path();
    }
    if (named.name.find("-ncdhw-") != std::string::npos) {
      EXPECT_EQ(call.tensor(Role::kSelf).format, Format::kNcdhw);
    }
  }
}

TEST(AcceptanceCases, AreNoneWhereNothingIsCovered) {
  EXPECT_TRUE(AcceptanceCases(Spec::Embedded(), Profile::kAtlasTraining).empty());
}

}  // namespace
}  // namespace poolproof
