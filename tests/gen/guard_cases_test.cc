// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "conformance/case/materialize.h"
#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

TEST(GuardCases, AreValidDistinctAndOfOneCall) {
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAscend950, Profile::kAtlasTraining}) {
    for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi}) {
      std::set<std::string> paths;
      for (const NamedCase& named : GuardCases(Spec::Embedded(), profile, set)) {
        EXPECT_EQ(named.family, "guard");
        EXPECT_EQ(named.clause, "SAF-07");
        EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
        EXPECT_EQ(LegalityOf(named, profile).kind, LegalityKind::kValid) << named.name;
        EXPECT_NE(named.problem.plan.guard, Guard::kNone);
      }
    }
  }
}

// The pages are met exactly where the storage and its padding end at a multiple of the alignment.
TEST(GuardCases, HoldSizesThatMeetThePages) {
  for (const Operator op :
       {Operator::kMaxPool3dWithArgmaxBackward, Operator::kAdaptiveMaxPool3dBackward,
        Operator::kAdaptiveMaxPool2dBackward}) {
    for (const Role role : {Role::kGradOutput, Role::kSelf, Role::kIndices, Role::kGradInput}) {
      int exact = 0;
      int in_front = 0;
      for (const NamedCase& named :
           GuardCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kSmoke)) {
        const Call& call = named.problem.calls.front();
        if (call.op != op) continue;
        const TensorSpec& tensor = call.tensor(role);
        const std::int64_t bytes = *StorageElements(tensor) * StorageBytes(tensor.type);
        if (named.problem.plan.guard == Guard::kBefore) ++in_front;
        if (named.problem.plan.guard == Guard::kAfter && (bytes + 31) / 32 % 2 == 1) ++exact;
      }
      EXPECT_GT(exact, 0) << RoleName(role);
      EXPECT_GT(in_front, 0) << RoleName(role);
    }
  }
}

TEST(GuardCases, Materialize) {
  for (const NamedCase& named : GuardCases(Spec::Embedded(), Profile::kAscend950, CaseSet::kCi)) {
    EXPECT_TRUE(Materialize(named.problem).ok()) << named.name;
  }
}

}  // namespace
}  // namespace poolproof
