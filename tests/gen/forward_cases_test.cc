// SPDX-License-Identifier: Apache-2.0
//
// Forward cases: all of them legal, and each class that forwards are to meet is among them.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "core/float_bits.h"
#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

std::vector<NamedCase> CasesOf(Profile profile, CaseSet set) {
  return ForwardCases(Spec::Embedded(), profile, set);
}

TEST(ForwardCases, AreLegalAndNamedOnce) {
  for (const ProfileInfo& info : AllProfiles()) {
    for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi, CaseSet::kNightly}) {
      std::set<std::string> paths;
      for (const NamedCase& item : CasesOf(info.profile, set)) {
        EXPECT_TRUE(InfoOf(item.problem.calls[0].op).is_forward);
        EXPECT_EQ(LegalityOf(item, info.profile).kind, LegalityKind::kValid) << item.Path();
        EXPECT_TRUE(paths.insert(item.Path()).second) << item.Path();
        EXPECT_FALSE(item.clause.empty()) << item.Path();
      }
    }
  }
}

TEST(ForwardCases, AreMadeForEveryClauseOfForwards) {
  for (const ProfileInfo& info : AllProfiles()) {
    std::set<std::string> named;
    for (const NamedCase& item : CasesOf(info.profile, CaseSet::kSmoke)) named.insert(item.clause);
    for (const Clause& clause : Spec::Embedded().clauses()) {
      if (clause.id.find("-F0") == std::string::npos || !clause.not_exercised.empty()) continue;
      EXPECT_EQ(named.contains(clause.id), clause.AppliesTo(info.profile))
          << clause.id << " " << info.name;
    }
  }
}

TEST(ForwardCases, PlanesOfEveryOperatorExceedWhatNarrowTypesCount) {
  std::map<Operator, std::set<std::string>> met;
  for (const NamedCase& item : CasesOf(Profile::kAtlasA2, CaseSet::kCi)) {
    const Call& call = item.problem.calls[0];
    const TensorSpec& self = call.tensor(Role::kSelf);
    const std::int64_t plane = *PlaneElements(self.shape, InfoOf(call.op).spatial_rank);
    for (const std::int64_t border : {256, 2048, 65536, 1 << 24}) {
      if (plane > border && plane < 2 * border) {
        met[call.op].insert(DataTypeName(self.type) + std::to_string(border));
      }
    }
  }
  ASSERT_EQ(met.size(), 4U);
  for (const auto& [op, planes] : met) {
    for (const char* wanted : {"f32256", "f16256", "bf16256", "f322048", "f162048", "bf162048"}) {
      EXPECT_TRUE(planes.contains(wanted)) << InfoOf(op).name << " " << wanted;
    }
  }
  EXPECT_TRUE(met[Operator::kAdaptiveMaxPool3d].contains("f1616777216"));
}

// Nothing in the window exceeds what padding is taken for: it must not win.
TEST(ForwardCases, WindowsInPaddingHoldLowestValuesAlone) {
  std::set<std::string> met;
  for (const NamedCase& item : CasesOf(Profile::kAtlasA2, CaseSet::kCi)) {
    const Call& call = item.problem.calls[0];
    const TensorSpec& self = call.tensor(Role::kSelf);
    if (InfoOf(call.op).windows != WindowRule::kFixed || !call.list(List::kPadding)) continue;
    if (self.data.kind != DataKind::kConstant || call.list(List::kPadding)->back() == 0) continue;
    if (EncodeFloat(-HUGE_VAL, self.type) != self.data.literal.front()) continue;
    met.insert(std::string(InfoOf(call.op).name) + " " + DataTypeName(self.type));
  }
  EXPECT_EQ(met.size(), 6U);  // two forwards, three types
}

TEST(ForwardCases, LongAxesLeave32Bits) {
  bool met = false;
  for (const NamedCase& item : CasesOf(Profile::kAtlasA2, CaseSet::kCi)) {
    const Call& call = item.problem.calls[0];
    if (call.op != Operator::kAdaptiveMaxPool2d) continue;
    met = met || call.tensor(Role::kSelf).shape.back() * call.tensor(Role::kOut).shape.back() >
                     (std::int64_t{1} << 31);
  }
  EXPECT_TRUE(met);
}

}  // namespace
}  // namespace poolproof
