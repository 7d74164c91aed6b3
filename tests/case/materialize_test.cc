// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/materialize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/case/windows.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

Case Single(Call call) {
  Case problem;
  problem.calls = {std::move(call)};
  return problem;
}

Call Overlapping(DataType type) {
  return MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, type, DataType::kInt32,
                           {2, 2, 3, 6, 7}, {2, 3, 3}, {1}, {1}, {1}, false);
}

MaterializedCall Made(const Call& call) {
  Result<Materialized> data = Materialize(Single(call));
  EXPECT_TRUE(data.ok()) << data.status().message();
  return data.ok() ? std::move(data.value().calls.front()) : MaterializedCall{};
}

TEST(Materialize, GivesTheSameBytesEachTime) {
  const Call call = Overlapping(DataType::kBf16);
  EXPECT_EQ(Made(call).storage, Made(call).storage);
  Call other = call;
  other.tensor(Role::kGradOutput).data.seed = 1;
  EXPECT_NE(Made(call).grad_output, Made(other).grad_output);
}

// Budgeted data: at each destination the magnitudes sum up to what the significand holds exactly.
TEST(Materialize, ExactDataNeverRoundInAnyOrder) {
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Call call = Overlapping(type);
      call.tensor(Role::kGradOutput).data.seed = seed;
      call.tensor(Role::kIndices).data.kind = DataKind::kShared;
      const MaterializedCall made = Made(call);
      const std::int64_t outputs = *PlaneElements(call.tensor(Role::kGradOutput).shape, 3);
      std::map<std::pair<std::int64_t, std::int64_t>, double> magnitude;
      double quantum = HUGE_VAL;
      for (std::size_t i = 0; i < made.indices.size(); ++i) {
        const double value = std::fabs(DecodeFloat(made.grad_output[i], type));
        magnitude[{static_cast<std::int64_t>(i) / outputs, made.indices[i]}] += value;
        if (value == 0) continue;
        int exponent = 0;
        double fraction = std::frexp(value, &exponent);
        while (fraction != std::floor(fraction)) {
          fraction *= 2;
          --exponent;
        }
        quantum = std::min(quantum, std::ldexp(1.0, exponent));
      }
      for (const auto& [where, sum] : magnitude) {
        EXPECT_LE(sum, std::ldexp(quantum, TraitsOf(type).precision));
        EXPECT_LE(sum, TraitsOf(type).max_finite);
      }
    }
  }
}

// Gradients that meet are of one class, and small enough in it for exact sums that stay in the
// class.
TEST(Materialize, MagnitudesAreOfEveryClassAndNeverRound) {
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    const FloatTraits& traits = TraitsOf(type);
    Call call = Overlapping(type);
    call.tensor(Role::kGradOutput).data.kind = DataKind::kMagnitudes;
    for (const DataKind kind : {DataKind::kShared, DataKind::kWindow}) {
      call.tensor(Role::kIndices).data.kind = kind;
      const MaterializedCall made = Made(call);
      const std::int64_t outputs = *PlaneElements(call.tensor(Role::kGradOutput).shape, 3);
      std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> cells;
      bool subnormal = false;
      bool smallest = false;
      bool ordinary = false;
      bool largest = false;
      for (std::size_t i = 0; i < made.indices.size(); ++i) {
        const double value = std::fabs(DecodeFloat(made.grad_output[i], type));
        EXPECT_NE(value, 0.0);
        cells[{static_cast<std::int64_t>(i) / outputs, made.indices[i]}].push_back(value);
        subnormal |= value < traits.min_normal;
        smallest |=
            value >= traits.min_normal && value < std::ldexp(traits.min_normal, traits.precision);
        ordinary |= value >= 0.125 && value <= 64;
        largest |= value > traits.max_finite / 16;
      }
      for (const auto& [where, values] : cells) {
        double sum = 0;
        bool is_subnormal = false;
        for (const double value : values) {
          sum += value;
          is_subnormal |= value < traits.min_normal;
        }
        EXPECT_LE(sum, traits.max_finite);
        EXPECT_EQ(DecodeFloat(EncodeFloat(sum, type), type), sum);
        EXPECT_TRUE(!is_subnormal || sum < traits.min_normal);
      }
      if (kind != DataKind::kWindow) continue;
      EXPECT_TRUE(subnormal && smallest && ordinary && largest) << DataTypeName(type);
    }
  }
}

TEST(Materialize, CodedDataGiveEachContributionItsOwnBit) {
  Call call = Overlapping(DataType::kFloat);
  call.tensor(Role::kGradOutput).data.kind = DataKind::kCoded;
  call.tensor(Role::kIndices).data.kind = DataKind::kShared;
  const MaterializedCall made = Made(call);
  const std::int64_t outputs = *PlaneElements(call.tensor(Role::kGradOutput).shape, 3);
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::uint32_t, int>> seen;
  for (std::size_t i = 0; i < made.indices.size(); ++i) {
    if (made.grad_output[i] == 0) continue;
    ++seen[{static_cast<std::int64_t>(i) / outputs, made.indices[i]}][made.grad_output[i]];
  }
  for (const auto& [where, bits] : seen) {
    for (const auto& [value, count] : bits) EXPECT_EQ(count, 1);
  }
}

TEST(Materialize, PowersAreSmallNumbersThatEveryTypeHolds) {
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    Call call = Overlapping(type);
    call.tensor(Role::kGradOutput).data = {DataKind::kPowers, 5, {}, {{1, EncodeFloat(3, type)}}};
    const MaterializedCall made = Made(call);
    ASSERT_GT(made.grad_output.size(), 16U);
    for (std::size_t i = 0; i < made.grad_output.size(); ++i) {
      EXPECT_EQ(DecodeFloat(made.grad_output[i], type), i == 1 ? 3 : std::ldexp(1, i % 8)) << i;
    }
  }
}

TEST(Materialize, ArgmaxTakesTheFirstMaximumAndTheLastNan) {
  Call call = MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat,
                                DataType::kInt32, {1, 1, 1, 1, 4}, {1, 1, 4}, {}, {0}, {1}, false);
  Data& self = call.tensor(Role::kSelf).data;
  self.kind = DataKind::kLiteral;
  const auto bits = [](double value) { return EncodeFloat(value, DataType::kFloat); };
  self.literal = {bits(1), bits(3), bits(3), bits(2)};
  EXPECT_EQ(Made(call).indices, std::vector<std::int64_t>{1});
  self.literal = {bits(NAN), bits(3), bits(NAN), bits(HUGE_VAL)};
  EXPECT_EQ(Made(call).indices, std::vector<std::int64_t>{2});
  self.literal = {bits(-HUGE_VAL), bits(-HUGE_VAL), bits(-HUGE_VAL), bits(-HUGE_VAL)};
  EXPECT_EQ(Made(call).indices, std::vector<std::int64_t>{0});
}

TEST(Materialize, ViewsHoldTheElementsOfTheirContiguousCopies) {
  Call plain = Overlapping(DataType::kFloat16);
  Call view = plain;
  TensorSpec& tensor = view.tensor(Role::kGradOutput);
  const Dims& shape = tensor.shape;
  tensor.strides = {shape[1] * shape[2] * shape[3] * shape[4] * 2, 2,
                    shape[1] * shape[3] * shape[4] * 2, shape[1] * shape[4] * 2, shape[1] * 2};
  tensor.offset = 3;
  const MaterializedCall a = Made(plain);
  const MaterializedCall b = Made(view);
  EXPECT_EQ(a.grad_output, b.grad_output);
  const std::vector<std::byte>& storage = b.storage[static_cast<std::size_t>(Role::kGradOutput)];
  std::size_t gaps = 0;
  for (std::size_t i = 0; i < 6; ++i) gaps += storage[i] == kGapByte ? 1U : 0U;
  EXPECT_EQ(gaps, 6U) << "what lies before the offset belongs to no element";
  ForEachOffset(shape, tensor.strides, tensor.offset, [&](std::int64_t i, std::int64_t at) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, storage.data() + static_cast<std::size_t>(at) * 2, 2);
    EXPECT_EQ(bits, b.grad_output[static_cast<std::size_t>(i)]);
  });
}

TEST(Materialize, BroadcastViewsShareTheirElements) {
  Call call = Overlapping(DataType::kFloat);
  TensorSpec& tensor = call.tensor(Role::kGradOutput);
  tensor.strides = {0, 0, 0, 0, 0};
  const MaterializedCall made = Made(call);
  for (const std::uint32_t bits : made.grad_output) EXPECT_EQ(bits, made.grad_output[0]);
  EXPECT_EQ(made.storage[static_cast<std::size_t>(Role::kGradOutput)].size(), 4U);
}

TEST(Materialize, RefusesWhatItCannotLayOut) {
  Call call = Overlapping(DataType::kFloat);
  call.tensor(Role::kSelf).shape[0] = std::int64_t{1} << 40;
  EXPECT_FALSE(Materialize(Single(call)).ok());
  Case descriptors = Single(call);
  descriptors.plan.descriptors_only = true;
  EXPECT_TRUE(Materialize(descriptors).ok());
  Call outside = Overlapping(DataType::kFloat);
  outside.tensor(Role::kSelf).storage = {3};
  EXPECT_FALSE(Materialize(Single(outside)).ok());
  Call literal = Overlapping(DataType::kFloat);
  literal.tensor(Role::kGradOutput).data.kind = DataKind::kLiteral;
  literal.tensor(Role::kGradOutput).data.literal = {1, 2};
  const Result<Materialized> refused = Materialize(Single(literal));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("2 literal elements"), std::string::npos);
}

// Found by fuzzing: the library would read strides that are not there.
TEST(Materialize, RefusesStridesOfAnotherRank) {
  Case problem = Single(Overlapping(DataType::kFloat));
  problem.calls[0].tensor(Role::kSelf).strides = {1};
  for (const bool descriptors_only : {false, true}) {
    problem.plan.descriptors_only = descriptors_only;
    const Result<Materialized> data = Materialize(problem);
    ASSERT_FALSE(data.ok());
    EXPECT_EQ(data.status().message(), "self has 1 strides, expected 5, one for each extent");
  }
  problem.calls[0].tensor(Role::kSelf).null = true;
  EXPECT_TRUE(Materialize(problem).ok());
}

TEST(Windows, AreUndefinedWhereOperandsDoNotFit) {
  Call call = Overlapping(DataType::kFloat);
  EXPECT_TRUE(WindowsOf(call).has_value());
  Call other_batch = call;
  other_batch.tensor(Role::kGradOutput).shape[0] = 1;
  other_batch.tensor(Role::kIndices).shape[0] = 1;
  EXPECT_FALSE(WindowsOf(other_batch).has_value());
  Call null = call;
  null.tensor(Role::kIndices).null = true;
  EXPECT_FALSE(WindowsOf(null).has_value());
}

TEST(Windows, OfMoreOutputsThanMemoryHoldsAreNotListed) {
  const Result<Case> parsed = ParseCaseLine(
      "pp1:AdaptiveMaxPool2dBackward:self=f32[1,1,8589934592];go=[1,1,8589934592]|run:descriptors");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_FALSE(WindowsOf(parsed->calls.front()).has_value());
}

}  // namespace
}  // namespace poolproof
