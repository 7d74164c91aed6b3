// SPDX-License-Identifier: Apache-2.0
//
// What is said of wrong elements: coded data name the windows that were lost, doubled or misrouted.
#include "conformance/judge/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/float_bits.h"

namespace poolproof {
namespace {

using testing::HasSubstr;

// A row of windows of three at a distance of one: gradients and indices as given.
class Row {
 public:
  explicit Row(std::vector<std::uint64_t> indices,
               const std::vector<double>& gradients = {1, 2, 4, 8, 16, 32, 64}) {
    call_ = MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat16,
                              DataType::kInt32, {1, 1, 1, 1, std::ssize(indices) + 2}, {1, 1, 3},
                              {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false);
    Data& data = call_.tensor(Role::kGradOutput).data;
    data = {};
    data.kind = DataKind::kLiteral;
    for (const double value : gradients) {
      data.literal.push_back(EncodeFloat(value, DataType::kFloat16));
    }
    Data& places = call_.tensor(Role::kIndices).data;
    places = {};
    places.kind = DataKind::kLiteral;
    places.literal = std::move(indices);
  }
  ValueReport Check(const std::vector<double>& grad_input) const {
    Case problem;
    problem.calls = {call_};
    const Result<Materialized> data = Materialize(problem);
    EXPECT_TRUE(data.ok());
    std::vector<std::byte> bytes(grad_input.size() * 2);
    for (std::size_t i = 0; i < grad_input.size(); ++i) {
      const std::uint32_t bits = EncodeFloat(grad_input[i], DataType::kFloat16);
      std::memcpy(&bytes[2 * i], &bits, 2);
    }
    return CheckValues(call_, data->calls.front(), Poison::kNan, bytes);
  }

 private:
  Call call_;
};

// Windows 0..2 meet at position 2, 3..6 at 5 (except for window 6, which covers 6 to 8).
const Row kRow({2, 2, 2, 5, 5, 5, 6});
const std::vector<double> kRight = {0, 0, 7, 0, 0, 56, 64, 0, 0};

TEST(Values, RightRowHasNoFault) { EXPECT_EQ(kRow.Check(kRight).faulty, 0); }

TEST(Values, NamesTheWindowsThatAreMissing) {
  std::vector<double> got = kRight;
  got[5] = 16;
  const ValueReport report = kRow.Check(got);
  ASSERT_EQ(report.cells.size(), 1U);
  EXPECT_EQ(report.cells[0].fault, CellFault::kPartlyLost);
  EXPECT_EQ(report.cells[0].story, "gradOutput elements 3, 5 were not added");
}

TEST(Values, NamesTheWindowThatWasDoubled) {
  std::vector<double> got = kRight;
  got[2] = 11;
  ValueReport report = kRow.Check(got);
  ASSERT_EQ(report.cells.size(), 1U);
  EXPECT_EQ(report.cells[0].fault, CellFault::kDoubled);
  EXPECT_EQ(report.cells[0].story, "gradOutput element 2 was added twice");
  got[2] = 10;
  report = kRow.Check(got);
  ASSERT_EQ(report.cells.size(), 1U);
  EXPECT_EQ(report.cells[0].story, "gradOutput elements 0, 1 were added twice");
}

TEST(Values, NamesTheWindowThatWentAstray) {
  std::vector<double> got = kRight;
  got[2] = 5;
  got[5] = 58;
  const ValueReport report = kRow.Check(got);
  ASSERT_EQ(report.cells.size(), 2U);
  EXPECT_EQ(report.cells[0].fault, CellFault::kPartlyLost);
  EXPECT_EQ(report.cells[0].story,
            "gradOutput element 1 was not added; it was added at position 5 of the plane");
  EXPECT_EQ(report.cells[1].fault, CellFault::kMoved);
  EXPECT_EQ(report.cells[1].story, "gradOutput element 1, whose index is 2, was added here");
}

TEST(Values, NamesTheSingleGradientThatWentAstray) {
  std::vector<double> got = kRight;
  got[6] = 0;
  got[7] = 64;
  const ValueReport report = kRow.Check(got);
  ASSERT_EQ(report.cells.size(), 2U);
  EXPECT_EQ(report.cells[0].fault, CellFault::kLost);
  EXPECT_THAT(report.cells[0].story, HasSubstr("added at position 7 of the plane"));
  EXPECT_EQ(report.cells[1].fault, CellFault::kMoved);
}

// The loss is noted however many elements come before it that can not be read.
TEST(Values, SeesTheLossBehindManySumsThatWentAstray) {
  constexpr std::size_t kFar = 60;
  std::vector<std::uint64_t> indices;
  std::vector<double> gradients;
  std::vector<double> got(2 * kFar + 2, 0);
  for (std::size_t i = 0; i < 2 * kFar; ++i) {
    indices.push_back(kFar + i % kFar);
    gradients.push_back(static_cast<double>(512 + i));
    got[i % kFar] += gradients.back();
  }
  const ValueReport report = Row(indices, gradients).Check(got);
  EXPECT_EQ(report.faulty, static_cast<std::int64_t>(2 * kFar));
  for (const FaultyCell& cell : report.cells) EXPECT_EQ(cell.fault, CellFault::kNotZero);
  EXPECT_TRUE(report.lost);
}

// Where several gradients meet and have few values, the loss of one looks like one from elsewhere.
TEST(Values, DoesNotMistakeLossForMisrouting) {
  const Row row({2, 2, 3, 3, 4, 4, 5}, {3, 5, -5, 7, -3, 4, 1});
  const ValueReport report = row.Check({0, 0, 3, 7, 1, 1, 0, 0, 0});
  ASSERT_EQ(report.cells.size(), 2U);
  for (const FaultyCell& cell : report.cells) EXPECT_EQ(cell.fault, CellFault::kPartlyLost);
  EXPECT_EQ(report.cells[0].story, "gradOutput element 1 was not added");
  EXPECT_FALSE(report.AnySingle());
}

TEST(Values, KnowsWhetherThePlaneHoldsAllThatWasGiven) {
  const Row row({2, 2, 3, 3, 5, 5, 5}, {3, 5, 2, 7, 4, 6, 1});
  EXPECT_TRUE(row.Check({0, 0, 0, 8, 9, 0, 11, 0, 0}).conserved);
  EXPECT_FALSE(row.Check({0, 0, 5, 9, 0, 11, 0, 0, 0}).conserved);
  EXPECT_FALSE(row.Check({0, 0, 8, 9, 0, 11, 2, 0, 0}).conserved);
  EXPECT_FALSE(row.Check({0, 0, 8, 9, 0, 11, 0, 0, 0}).conserved) << "nothing is wrong";
}

// A doubled gradient that has the value of another destination's is not taken for that one.
TEST(Values, DoesNotMistakeDoublingForMisrouting) {
  const Row row({2, 2, 2, 3, 6, 5, 6}, {1, 2, 4, 2, 16, 32, 64});
  const ValueReport report = row.Check({0, 0, 9, 2, 0, 32, 80, 0, 0});
  ASSERT_EQ(report.cells.size(), 1U);
  EXPECT_EQ(report.cells[0].fault, CellFault::kDoubled);
}

}  // namespace
}  // namespace poolproof
