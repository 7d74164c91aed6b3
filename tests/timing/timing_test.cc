// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "conformance/spec/spec.h"
#include "conformance/timing/limit.h"
#include "conformance/timing/network_shapes.h"
#include "conformance/timing/repeated_times.h"
#include "conformance/timing/timed_problem.h"

namespace poolproof {
namespace {

RepeatedTimes TimesOf(const std::vector<double>& values) {
  RepeatedTimes times;
  for (const double value : values) times.AddVisit(value);
  return times;
}

const NetworkShape& ShapeNamed(std::string_view name) {
  for (const NetworkShape& shape : NetworkShapes()) {
    if (shape.name == name) return shape;
  }
  return NetworkShapes().front();
}

TEST(RepeatedTimes, SayWhereTheMedianIsOnceThereAreEnough) {
  EXPECT_EQ(TimesOf({1, 2, 3, 4, 5}).Where(), std::nullopt);
  EXPECT_FALSE(TimesOf({1, 1, 1, 1, 1}).IsNarrow(1));
  EXPECT_EQ(TimesOf({6, 1, 5, 2, 4, 3}).Where(), (Interval{1, 6}));
  EXPECT_DOUBLE_EQ(TimesOf({6, 1, 5, 2, 4, 3}).Median(), 3.5);
  // The tables of the sign test: of 9, all but the first and last; of 12, all but two.
  EXPECT_EQ(TimesOf({1, 2, 3, 4, 5, 6, 7, 8, 9}).Where(), (Interval{2, 8}));
  EXPECT_EQ(TimesOf({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}).Where(), (Interval{3, 10}));
}

TEST(RepeatedTimes, OneVisitThatWasDisturbedDoesNotWiden) {
  EXPECT_TRUE(TimesOf({1, 1, 1, 1, 1, 1, 1, 1, 9}).IsNarrow(0.01));
}

TEST(NetworkShapes, AddWhereWindowsOverlap) {
  EXPECT_EQ(ShapeNamed("m03_c3d_pool1").Additions(), 0);
  EXPECT_EQ(ShapeNamed("a20_2d_psp6").Additions(), 0);
  const NetworkShape& shape = ShapeNamed("m08_inc_3b_k3s1");
  EXPECT_EQ(shape.Additions(), shape.planes() * shape.outputs());
  EXPECT_GT(ShapeNamed("a21_2d_spp_nd").Additions(), 0);
}

TEST(TimedProblem, RepeatsSomePlanesOverTheWholeShape) {
  const ProfileRules rules(Spec::Embedded(), Profile::kAtlasA2);
  for (const std::string_view name : {"m01_tiny_k2s2", "a21_2d_spp_nd"}) {
    for (const bool forward : {false, true}) {
      const NetworkShape& shape = ShapeNamed(name);
      const bool wide = forward && shape.spatial_rank == 2;
      const Result<TimedProblem> made = MakeTimedProblem(
          rules, shape, forward, DataType::kFloat, wide ? DataType::kInt64 : DataType::kInt32);
      ASSERT_TRUE(made.ok()) << made.status().message();
      EXPECT_EQ(made->bytes, shape.Traffic(4, wide ? 8 : 4)) << name;
      for (const TensorArgument& tensor : made->whole.calls.front().tensors) {
        EXPECT_EQ(tensor.shape[0], shape.n);
        EXPECT_EQ(tensor.shape[1], shape.c);
        EXPECT_FALSE(tensor.bytes.empty());
      }
    }
  }
}

TEST(TimedProblem, AForwardHasTheIndicesOfItsPage) {
  const ProfileRules rules(Spec::Embedded(), Profile::kAtlasA2);
  EXPECT_FALSE(MakeTimedProblem(rules, ShapeNamed("a21_2d_spp_nd"), /*forward=*/true,
                                DataType::kFloat, DataType::kInt32)
                   .ok());
}

TEST(Limit, IsNotBelowLight) {
  const std::array<std::byte, 64> sample{};
  LimitWork work;
  work.read = {1000, 5000};
  work.written = {9000};
  work.samples = {sample};
  work.additions = 100000;
  work.sets = 2;
  work.threads = 2;
  Limit limit(work);
  for (int round = 0; round < 2; ++round) {
    const std::optional<Limit::Times> times = limit.MeasureRound();
    if (!times) GTEST_SKIP() << "no loop for this machine";
    EXPECT_GT(times->light_ms, 0);
    EXPECT_GE(times->limit_ms, times->light_ms);
  }
}

}  // namespace
}  // namespace poolproof
