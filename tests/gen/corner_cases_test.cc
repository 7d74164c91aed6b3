// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "conformance/gen/case_bases.h"
#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

const Call& CornerOf(const NamedCase& named) { return named.problem.calls.front(); }

// "huge-kernel" and "w-2" of "huge-kernel/w-2".
std::string GroupOf(const NamedCase& named) { return named.name.substr(0, named.name.find('/')); }
std::string RestOf(const NamedCase& named) { return named.name.substr(named.name.find('/') + 1); }

class CornerSets : public ::testing::TestWithParam<Profile> {
 protected:
  [[nodiscard]] static std::vector<NamedCase> Cases(CaseSet set) {
    return CornerCases(Spec::Embedded(), GetParam(), set);
  }
  [[nodiscard]] static std::vector<NamedCase> Named(const std::string& group) {
    std::vector<NamedCase> found;
    for (NamedCase& named : Cases(CaseSet::kCi)) {
      if (GroupOf(named) == group) found.push_back(std::move(named));
    }
    return found;
  }
};

TEST_P(CornerSets, BreachTheClauseThatTheyNameAndNoOther) {
  const Spec& spec = Spec::Embedded();
  for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi, CaseSet::kNightly}) {
    std::set<std::string> paths;
    int breaches = 0;
    for (const NamedCase& named : Cases(set)) {
      EXPECT_EQ(named.family, "corners");
      EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
      const Legality legality = LegalityOf(named, GetParam());
      if (GroupOf(named) == "two-bad") {
        EXPECT_EQ(legality.kind, LegalityKind::kInvalid) << named.Path();
        continue;
      }
      if (spec.Find(GroupOf(named)) == nullptr) {
        EXPECT_EQ(legality.kind, LegalityKind::kValid) << named.Path();
        continue;
      }
      ++breaches;
      EXPECT_EQ(legality.kind, LegalityKind::kInvalid) << named.Path();
      std::set<std::string> breached = BreachedBy(legality);
      EXPECT_EQ(breached.erase(GroupOf(named)), 1U) << named.Path();
      // Padding above the kernel is above its half.
      const ProfileRules rules(spec, GetParam());
      breached.erase(rules.IdOf(CornerOf(named).op, Condition::kPaddingAboveHalf));
      EXPECT_TRUE(breached.empty()) << named.Path();
    }
    EXPECT_GT(breaches, 0);
  }
}

// What is tested in 16 or 32 bits finds a legal value, and one window with it.
TEST_P(CornerSets, ListValuesAreLegalInFewerBits) {
  std::set<int> bits;
  for (const NamedCase& named : Cases(CaseSet::kCi)) {
    if (!RestOf(named).starts_with("d-one-window-minus") &&
        !RestOf(named).starts_with("h-one-window-minus"))
      continue;
    EXPECT_EQ(CheckedNumel(CornerOf(named).tensor(Role::kGradOutput).shape), 1) << named.Path();
    for (const List list : {List::kStride, List::kKernelSize, List::kPadding}) {
      for (const std::int64_t value : *CornerOf(named).list(list)) {
        if (value >= 0) continue;
        if (static_cast<std::int16_t>(value) >= 0) bits.insert(16);
        if (static_cast<std::int32_t>(value) >= 0) bits.insert(32);
      }
    }
  }
  EXPECT_EQ(bits, (std::set<int>{16, 32}));
}

TEST_P(CornerSets, ListLengthsAreLegalInFewerBits) {
  std::set<std::size_t> lengths;
  for (const NamedCase& named : Cases(CaseSet::kCi)) {
    if (RestOf(named).starts_with("length-")) lengths.insert(std::stoull(RestOf(named).substr(7)));
  }
  EXPECT_THAT(lengths, ::testing::IsSupersetOf({256U, 257U, 65536U, 65537U}));
}

TEST_P(CornerSets, PaddingsReachSeveralHundredAndKernelsTwoToTheTwenty) {
  std::int64_t padding = 0;
  std::int64_t kernel = 0;
  for (const NamedCase& named : Named("long-window")) {
    padding = std::max(padding, CornerOf(named).list(List::kPadding)->back());
  }
  for (const NamedCase& named : Named("huge-kernel")) {
    kernel = std::max(kernel, CornerOf(named).list(List::kKernelSize)->back());
  }
  EXPECT_GT(padding, 512);
  EXPECT_GE(kernel, 1 << 20);
}

// Each way to compute a window in FLOAT loses an index of some case.
TEST_P(CornerSets, QuotientsInFloatLoseIndices) {
  const std::vector<NamedCase> cases = Named("quotient");
  if (cases.empty()) GTEST_SKIP() << "no adaptive operator";
  std::set<std::string> lost;
  const auto note = [&](const char* way, std::int64_t i, std::int64_t in, std::int64_t out,
                        float start, float end) {
    if (static_cast<std::int64_t>(std::floor(start)) > i * in / out) {
      lost.insert(std::string(way) + " first");
    }
    if (static_cast<std::int64_t>(std::ceil(end)) < ((i + 1) * in + out - 1) / out) {
      lost.insert(std::string(way) + " last");
    }
  };
  for (const NamedCase& named : cases) {
    const Dims& shape = CornerOf(named).tensor(Role::kSelf).shape;
    const auto axis =
        static_cast<std::size_t>(std::max_element(shape.begin(), shape.end()) - shape.begin());
    const std::int64_t in = shape[axis];
    const std::int64_t out = CornerOf(named).tensor(Role::kGradOutput).shape[axis];
    const auto in_float = static_cast<float>(in);
    const auto out_float = static_cast<float>(out);
    for (std::int64_t i = 0; i < out; ++i) {
      const auto at = static_cast<float>(i);
      const float product = at * in_float;
      const float next = (at + 1) * in_float;
      note("quotient", i, in, out, product / out_float, next / out_float);
      const float ratio = in_float / out_float;
      note("ratio", i, in, out, at * ratio, (at + 1) * ratio);
      const float inverse = 1 / out_float;
      note("inverse", i, in, out, product * inverse, next * inverse);
    }
  }
  EXPECT_EQ(lost.size(), 6U);
}

TEST_P(CornerSets, RowsExceedTheTilesOfEachTypeBesideClosedPages) {
  std::map<bool, std::int64_t> widest;
  for (const NamedCase& named : Named("long-row")) {
    EXPECT_NE(named.problem.plan.guard, Guard::kNone);
    const TensorSpec& gradients = CornerOf(named).tensor(Role::kGradOutput);
    std::int64_t& most = widest[StorageBytes(gradients.type) == 2];
    most = std::max(most, gradients.shape.back());
  }
  for (const auto& [narrow, width] : widest) EXPECT_GT(width, narrow ? 32'725 : 24'544);
}

TEST_P(CornerSets, RowsOfOutputsExceed65536BytesInEachType) {
  const ProfileRules rules(Spec::Embedded(), GetParam());
  std::map<Operator, std::set<DataType>> types;
  for (const NamedCase& named : Named("wide-output")) {
    const TensorSpec& gradients = named.problem.calls.front().tensor(Role::kGradOutput);
    EXPECT_EQ(LegalityOf(named, GetParam()).kind, LegalityKind::kValid) << named.Path();
    EXPECT_GT(gradients.shape.back() * StorageBytes(gradients.type), 65'536);
    types[named.problem.calls.front().op].insert(gradients.type);
  }
  for (const Operator op : rules.CoveredBackwards()) {
    EXPECT_EQ(types[op].size(), rules.ValueTypes(op).size()) << InfoOf(op).name;
  }
}

TEST_P(CornerSets, EveryAxisOfEveryLayoutIsExpanded) {
  std::set<std::string> layouts;
  for (const NamedCase& named : Named("expanded")) {
    const TensorSpec& gradients = CornerOf(named).tensor(Role::kGradOutput);
    EXPECT_THAT(gradients.strides, ::testing::Contains(0)) << named.Path();
    const std::string aim = RestOf(named);
    layouts.insert(aim.substr(0, aim.find("-a")));
  }
  EXPECT_EQ(layouts.size(), kLayouts.size() - 1);
}

INSTANTIATE_TEST_SUITE_P(Profiles, CornerSets,
                         ::testing::Values(Profile::kAtlasA2, Profile::kAscend950));

}  // namespace
}  // namespace poolproof
