// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "optimized/max_pool_backward.h"
#include "optimized/optimized_kernels.h"
#include "reference/reference_kernels.h"
#include "tests/kernels/strided_buffer.h"

namespace poolproof {
namespace {

constexpr std::array kFloats = {DataType::kFloat, DataType::kFloat16, DataType::kBf16};
constexpr std::array kIndexTypes = {DataType::kInt32, DataType::kInt64};
constexpr std::array kInputLayouts = {Layout::kContiguous, Layout::kPermutedWithGaps,
                                      Layout::kReversed, Layout::kBroadcast};
constexpr std::array kOutputLayouts = {Layout::kContiguous, Layout::kPermutedWithGaps,
                                       Layout::kReversed};

// What each test below asks of both.
const KernelTable* const kTables[] = {&ReferenceKernels(), &OptimizedKernels()};

struct Problem {
  StridedBuffer grad_output;
  StridedBuffer indices;
  StridedBuffer grad_input;
  BackwardArgs args() { return {grad_output.view(), indices.view(), grad_input.mutable_view()}; }
};

std::int64_t PlaneOf(const Dims& shape) { return shape[2] * shape[3] * shape[4]; }

double RandomGradient(RandomStream& random) {
  switch (random.Below(40)) {
    case 0:
      return std::numeric_limits<double>::infinity();
    case 1:
      return -std::numeric_limits<double>::infinity();
    case 2:
      return std::numeric_limits<double>::quiet_NaN();
    case 3:
      return -0.0;
    default:
      return std::ldexp(static_cast<double>(random.Between(-4095, 4095)),
                        static_cast<int>(random.Between(-12, 3)));
  }
}

Problem RandomProblem(RandomStream& random) {
  const Dims out = {random.Between(1, 3), random.Between(1, 3), random.Between(1, 3),
                    random.Between(1, 4), random.Between(1, 5)};
  const Dims in = {out[0], out[1], random.Between(1, 3), random.Between(1, 4),
                   random.Between(1, 5)};
  const DataType type = kFloats[random.Below(3)];
  const Layout gradient_layout = kInputLayouts[random.Below(4)];
  const Layout index_layout = kInputLayouts[random.Below(4)];
  Problem problem{StridedBuffer(type, out, gradient_layout, random),
                  StridedBuffer(kIndexTypes[random.Below(2)], out, index_layout, random),
                  StridedBuffer(type, in, kOutputLayouts[random.Below(3)], random)};
  for (std::int64_t i = 0; i < problem.grad_output.numel(); ++i) {
    problem.grad_output.SetFloat(i, RandomGradient(random));
    problem.indices.SetInteger(
        i, static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(PlaneOf(in)))));
  }
  return problem;
}

// The sum at every destination by another road: destination first, contributions looked up.
float ExpectedSum(const Problem& problem, std::int64_t destination, std::int64_t outputs,
                  std::int64_t inputs) {
  float sum = 0;
  const std::int64_t plane = destination / inputs;
  for (std::int64_t o = 0; o < outputs; ++o) {
    if (problem.indices.Integer(plane * outputs + o) != destination % inputs) continue;
    sum += static_cast<float>(problem.grad_output.Float(plane * outputs + o));
  }
  return sum;
}

TEST(Backward, BothEqualTheDefinitionOnRandomProblems) {
  RandomStream random(20);
  for (int round = 0; round < 1500; ++round) {
    Problem problem = RandomProblem(random);
    const Dims out = problem.grad_output.view().shape;
    const Dims in = problem.grad_input.view().shape;
    const DataType type = problem.grad_input.view().type;
    const std::vector<std::byte> gradients_before = problem.grad_output.bytes();
    const std::vector<std::byte> indices_before = problem.indices.bytes();
    for (const KernelTable* table : kTables) {
      SCOPED_TRACE(std::string(table->name) + " round " + std::to_string(round));
      Problem mine = problem;
      ASSERT_FALSE(table->max_pool3d_with_argmax_backward(mine.args()).has_value());
      for (std::int64_t i = 0; i < mine.grad_input.numel(); ++i) {
        const float expected = ExpectedSum(problem, i, PlaneOf(out), PlaneOf(in));
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(mine.grad_input.Float(i)));
        } else {
          ASSERT_EQ(mine.grad_input.Bits(i), EncodeFloat(expected, type)) << i;
        }
      }
      ASSERT_TRUE(mine.grad_input.GapsIntact());
      ASSERT_EQ(mine.grad_output.bytes(), gradients_before);
      ASSERT_EQ(mine.indices.bytes(), indices_before);
    }
  }
}

TEST(Backward, AllTableEntriesAgree) {
  RandomStream random(21);
  for (int round = 0; round < 200; ++round) {
    Problem problem = RandomProblem(random);
    std::vector<Problem> results;
    for (const KernelTable* table : kTables) {
      for (const auto kernel :
           {table->max_pool2d_with_indices_backward, table->max_pool3d_with_argmax_backward,
            table->adaptive_max_pool3d_backward, table->adaptive_max_pool2d_backward}) {
        Problem mine = problem;
        ASSERT_FALSE(kernel(mine.args()).has_value());
        results.push_back(mine);
      }
    }
    for (const Problem& result : results) {
      for (std::int64_t i = 0; i < result.grad_input.numel(); ++i) {
        const StridedBuffer& first = results.front().grad_input;
        if (std::isnan(first.Float(i))) {  // whose sign and payload are unspecified
          ASSERT_TRUE(std::isnan(result.grad_input.Float(i)));
        } else {
          ASSERT_EQ(result.grad_input.Bits(i), first.Bits(i));
        }
      }
    }
  }
}

TEST(Backward, SixteenBitSumsRoundOnce) {
  // 256 + 1 stays 256 in a bf16 accumulator, 2048 + 1 stays 2048 in an fp16 one.
  struct Row {
    DataType type;
    double big;
    double expected;
  };
  for (const Row& row : {Row{DataType::kBf16, 256, 260}, Row{DataType::kFloat16, 2048, 2052}}) {
    RandomStream random(1);
    for (const KernelTable* table : kTables) {
      Problem problem{StridedBuffer(row.type, {1, 1, 1, 1, 5}, Layout::kContiguous, random),
                      StridedBuffer(DataType::kInt32, {1, 1, 1, 1, 5}, Layout::kContiguous, random),
                      StridedBuffer(row.type, {1, 1, 1, 1, 2}, Layout::kContiguous, random)};
      for (std::int64_t i = 0; i < 5; ++i) {
        problem.grad_output.SetFloat(i, i == 0 ? row.big : 1);
        problem.indices.SetInteger(i, 1);
      }
      ASSERT_FALSE(table->adaptive_max_pool2d_backward(problem.args()).has_value());
      EXPECT_EQ(problem.grad_input.Float(0), 0) << table->name;
      EXPECT_EQ(problem.grad_input.Float(1), row.expected) << table->name;
    }
  }
}

TEST(Backward, NegativeZeroAloneBecomesZero) {
  RandomStream random(1);
  for (const KernelTable* table : kTables) {
    Problem problem{StridedBuffer(DataType::kFloat, {1, 1, 1, 1, 1}, Layout::kContiguous, random),
                    StridedBuffer(DataType::kInt64, {1, 1, 1, 1, 1}, Layout::kContiguous, random),
                    StridedBuffer(DataType::kFloat, {1, 1, 1, 1, 1}, Layout::kContiguous, random)};
    problem.grad_output.SetFloat(0, -0.0);
    problem.indices.SetInteger(0, 0);
    ASSERT_FALSE(table->max_pool3d_with_argmax_backward(problem.args()).has_value());
    EXPECT_EQ(problem.grad_input.Bits(0), 0U);
  }
}

TEST(Backward, TheFirstBadIndexIsReportedAndGapsStayIntact) {
  RandomStream random(22);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    Problem problem = RandomProblem(random);
    const std::int64_t inputs = PlaneOf(problem.grad_input.view().shape);
    const bool wide = problem.indices.view().type == DataType::kInt64;
    const std::int64_t high = wide ? INT64_MAX : INT32_MAX;
    const std::int64_t low = wide ? INT64_MIN : INT32_MIN;
    const std::array<std::int64_t, 5> bad = {inputs, -1, high, low, inputs + 7};
    for (int k = 0; k < 2; ++k) {
      problem.indices.SetInteger(static_cast<std::int64_t>(random.Below(
                                     static_cast<std::uint64_t>(problem.indices.numel()))),
                                 bad[random.Below(bad.size())]);
    }
    std::optional<BadIndex> expected;
    for (std::int64_t i = 0; i < problem.indices.numel() && !expected.has_value(); ++i) {
      const std::int64_t index = problem.indices.Integer(i);
      if (index < 0 || index >= inputs) expected = BadIndex{i, index, inputs};
    }
    refused += expected.has_value() ? 1 : 0;
    for (const KernelTable* table : kTables) {
      Problem mine = problem;
      ASSERT_EQ(table->max_pool3d_with_argmax_backward(mine.args()), expected) << table->name;
      ASSERT_TRUE(mine.grad_input.GapsIntact());
    }
  }
  EXPECT_GT(refused, 950);
}

TEST(Backward, AnyNumberOfThreadsGivesTheSameBits) {
  RandomStream random(23);
  for (const DataType type : kFloats) {
    for (const Layout layout : kOutputLayouts) {
      const Dims out = {3, 7, 2, 8, 9};
      const Dims in = {3, 7, 3, 5, 7};
      Problem problem{StridedBuffer(type, out, Layout::kPermutedWithGaps, random),
                      StridedBuffer(DataType::kInt32, out, Layout::kContiguous, random),
                      StridedBuffer(type, in, layout, random)};
      for (std::int64_t i = 0; i < problem.grad_output.numel(); ++i) {
        problem.grad_output.SetFloat(i, static_cast<double>(random.Between(-1000000, 1000000)) / 7);
        problem.indices.SetInteger(i, random.Between(0, PlaneOf(in) - 1));
      }
      Problem reference = problem;
      ASSERT_FALSE(ReferenceKernels().adaptive_max_pool3d_backward(reference.args()).has_value());
      for (const std::int64_t threads : {1, 2, 3, 8, 33}) {
        Problem mine = problem;
        ASSERT_FALSE(
            OptimizedMaxPoolBackward(mine.args(), {.parallelism = {threads, 1}}).has_value());
        ASSERT_EQ(mine.grad_input.bytes(), reference.grad_input.bytes()) << threads;
      }
    }
  }
}

TEST(Backward, UnalignedStorageIsFine) {
  RandomStream random(24);
  for (const KernelTable* table : kTables) {
    Problem problem = RandomProblem(random);
    Problem moved = problem;
    ASSERT_FALSE(table->max_pool3d_with_argmax_backward(problem.args()).has_value());
    // The same bytes one byte further on.
    const auto shift = [](const std::vector<std::byte>& bytes) {
      std::vector<std::byte> shifted(bytes.size() + 1);
      std::copy(bytes.begin(), bytes.end(), shifted.begin() + 1);
      return shifted;
    };
    const std::vector<std::byte> gradients = shift(moved.grad_output.bytes());
    const std::vector<std::byte> indices = shift(moved.indices.bytes());
    std::vector<std::byte> grad_input = shift(moved.grad_input.bytes());
    BackwardArgs args = moved.args();
    args.grad_output.data = gradients.data() + 1;
    args.indices.data = indices.data() + 1;
    args.grad_input.data = grad_input.data() + 1;
    ASSERT_FALSE(table->max_pool3d_with_argmax_backward(args).has_value());
    EXPECT_EQ(grad_input, shift(problem.grad_input.bytes()));
  }
}

TEST(Backward, AnEmptyPooledSideGivesZeros) {
  RandomStream random(1);
  for (const KernelTable* table : kTables) {
    Problem problem{StridedBuffer(DataType::kFloat, {2, 2, 0, 3, 1}, Layout::kContiguous, random),
                    StridedBuffer(DataType::kInt32, {2, 2, 0, 3, 1}, Layout::kContiguous, random),
                    StridedBuffer(DataType::kFloat, {2, 2, 2, 1, 2}, Layout::kReversed, random)};
    ASSERT_FALSE(table->adaptive_max_pool3d_backward(problem.args()).has_value());
    for (std::int64_t i = 0; i < problem.grad_input.numel(); ++i) {
      EXPECT_EQ(problem.grad_input.Float(i), 0);
    }
  }
}

}  // namespace
}  // namespace poolproof
