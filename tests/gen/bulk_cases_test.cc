// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

constexpr Role kOperands[] = {Role::kGradOutput, Role::kSelf, Role::kIndices, Role::kGradInput};

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::array kSizes = {kMiB * 3 / 100, kMiB * 3 / 10, 5 * kMiB, 20 * kMiB};

std::int64_t Elements(const Dims& shape) { return CheckedNumel(shape).value(); }

const Call& Of(const NamedCase& named) { return named.problem.calls.front(); }

std::int64_t ResultBytes(const NamedCase& named) {
  const TensorSpec& result = Of(named).tensor(Role::kGradInput);
  return Elements(result.shape) * StorageBytes(result.type);
}

bool HasView(const NamedCase& named) {
  return std::any_of(std::begin(kOperands), std::end(kOperands),
                     [&](Role role) { return !IsContiguousView(Of(named).tensor(role)); });
}

std::int64_t WidthOf(const NamedCase& named, Role role) {
  return Of(named).tensor(role).shape.back();
}

// Every element of the last axis lies in exactly one window.
bool TilesRows(const NamedCase& named) {
  return WidthOf(named, Role::kSelf) % WidthOf(named, Role::kGradOutput) == 0 &&
         (InfoOf(Of(named).op).windows == WindowRule::kAdaptive ||
          (*Of(named).list(List::kKernelSize) == *Of(named).list(List::kStride) &&
           Of(named).list(List::kPadding)->back() == 0));
}

class BulkSets : public ::testing::TestWithParam<Profile> {
 protected:
  [[nodiscard]] static std::vector<NamedCase> Cases(CaseSet set) {
    return BulkCases(Spec::Embedded(), GetParam(), set);
  }
  [[nodiscard]] static ProfileRules Rules() { return {Spec::Embedded(), GetParam()}; }
};

TEST_P(BulkSets, AreValidAndUnique) {
  for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi, CaseSet::kNightly}) {
    std::set<std::string> paths;
    for (const NamedCase& named : Cases(set)) {
      EXPECT_EQ(named.family, "bulk");
      EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
      EXPECT_EQ(LegalityOf(named, GetParam()).kind, LegalityKind::kValid) << named.Path();
    }
  }
}

TEST_P(BulkSets, SmokeTakesSmallCasesOnly) {
  for (const NamedCase& named : Cases(CaseSet::kSmoke)) {
    EXPECT_LT(ResultBytes(named), 250'000) << named.Path();
  }
}

TEST_P(BulkSets, GradientsHaveEverySizeAndTypeInEveryOperator) {
  std::map<Operator, std::set<DataType>> types;
  std::array<int, kSizes.size()> of_size{};
  std::set<DataType> types_above_four;
  int views = 0;
  const std::vector<NamedCase> cases = Cases(CaseSet::kCi);
  for (const NamedCase& named : cases) {
    types[Of(named).op].insert(Of(named).tensor(Role::kSelf).type);
    const std::int64_t bytes = ResultBytes(named);
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      if (bytes > kSizes[i] * 3 / 4 && bytes <= kSizes[i]) ++of_size[i];
    }
    if (bytes > (4 << 20)) types_above_four.insert(Of(named).tensor(Role::kSelf).type);
    views += HasView(named) ? 1 : 0;
  }
  for (const Operator op : Rules().CoveredBackwards()) {
    EXPECT_EQ(types[op].size(), Rules().ValueTypes(op).size()) << InfoOf(op).name;
  }
  EXPECT_THAT(of_size, ::testing::Each(::testing::Gt(0)));
  EXPECT_GE(types_above_four.size(), 2U);
  const auto count = static_cast<int>(cases.size());
  EXPECT_TRUE(views * 6 > count && views * 3 < count) << views << " of " << count;
}

// Plain 2x2 pooling of a 96x96 plane in 16 bits, and its like.
TEST_P(BulkSets, WindowsTileLongRowsInNarrowTypes) {
  std::set<std::int64_t> kernels;
  std::set<std::int64_t> widths;
  for (const NamedCase& named : Cases(CaseSet::kCi)) {
    if (!TilesRows(named) || StorageBytes(Of(named).tensor(Role::kSelf).type) != 2) continue;
    const std::int64_t width = WidthOf(named, Role::kGradOutput);
    if (width < 32 || HasView(named)) continue;
    kernels.insert(WidthOf(named, Role::kSelf) / width);
    widths.insert(width);
  }
  EXPECT_EQ(kernels, (std::set<std::int64_t>{2, 3}));
  EXPECT_TRUE(*widths.begin() <= 48 && *widths.rbegin() >= 1000);
  const auto whole = [](std::int64_t width) { return width * 2 % 64 == 0; };
  EXPECT_TRUE(std::any_of(widths.begin(), widths.end(), whole));
  EXPECT_FALSE(std::all_of(widths.begin(), widths.end(), whole));
}

// Kernels that take two rows of a window at a time have one left over, and those that take a
// plane's height for its depth leave the plane.
TEST_P(BulkSets, WindowsTileWideRowsUnequally) {
  bool odd = false;
  bool deep = false;
  for (const NamedCase& named : Cases(CaseSet::kCi)) {
    const Dims& self = Of(named).tensor(Role::kSelf).shape;
    const Dims& result = Of(named).tensor(Role::kGradOutput).shape;
    const std::size_t last = self.size() - 1;
    const std::int64_t rows = self[last - 1] / result[last - 1];
    if (!TilesRows(named) || self[last] != 2 * result[last] || result[last] < 32) continue;
    odd = odd || (rows == 3 && self[last - 1] == 3 * result[last - 1]);
    deep = deep || (InfoOf(Of(named).op).spatial_rank == 3 && self[last - 2] > self[last - 1] &&
                    self[last - 2] == 2 * result[last - 2]);
  }
  EXPECT_TRUE(odd);
  EXPECT_TRUE(deep);
}

TEST_P(BulkSets, OutputsAndWindowsExceedTwoToTheTwenty) {
  bool outputs = false;
  std::map<bool, int> windows;  // by whether an operand is a view
  for (const NamedCase& named : Cases(CaseSet::kCi)) {
    const int rank = InfoOf(Of(named).op).spatial_rank;
    const std::int64_t planes = PlaneElements(Of(named).tensor(Role::kSelf).shape, rank).value();
    const std::int64_t out = PlaneElements(Of(named).tensor(Role::kGradOutput).shape, rank).value();
    outputs = outputs || out > (1 << 20);
    if (planes / out > (1 << 20)) ++windows[HasView(named)];
  }
  EXPECT_TRUE(outputs);
  EXPECT_GT(windows[false], 0);
  EXPECT_GT(windows[true], 0);
}

// Three planes, none but the first of which starts at a line.
TEST_P(BulkSets, WindowsComeCloseBelowPowersOfTwo) {
  std::map<Operator, std::set<int>> powers;
  for (const NamedCase& named : Cases(CaseSet::kCi)) {
    const int rank = InfoOf(Of(named).op).spatial_rank;
    const Dims& shape = Of(named).tensor(Role::kSelf).shape;
    const std::int64_t plane = PlaneElements(shape, rank).value();
    const std::int64_t outputs = Elements(Of(named).tensor(Role::kGradOutput).shape);
    if (outputs != 3 || Elements(shape) != 3 * plane || plane % 2 == 0) continue;
    for (const int power : {19, 20}) {
      const std::int64_t limit = std::int64_t{1} << power;
      if (plane < limit && plane > limit * 31 / 32) powers[Of(named).op].insert(power);
    }
  }
  for (const Operator op : Rules().CoveredBackwards()) {
    EXPECT_EQ(powers[op], (std::set<int>{19, 20})) << InfoOf(op).name;
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, BulkSets,
                         ::testing::Values(Profile::kAtlasA2, Profile::kAscend950));

}  // namespace
}  // namespace poolproof
