// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "optimized/max_pool.h"
#include "optimized/optimized_kernels.h"
#include "reference/reference_kernels.h"
#include "tests/kernels/strided_buffer.h"

namespace poolproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

const KernelTable* const kForwardTables[] = {&ReferenceKernels(), &OptimizedKernels()};

struct Forward {
  StridedBuffer self;
  StridedBuffer out;
  StridedBuffer indices;
};

// A row of values pooled whole: what wins, and where.
std::pair<double, std::int64_t> MaximumOfRow(const KernelTable& table, DataType type,
                                             const std::vector<double>& row) {
  RandomStream random(1);
  const auto width = static_cast<std::int64_t>(row.size());
  Forward f{StridedBuffer(type, {1, 1, 1, 1, width}, Layout::kContiguous, random),
            StridedBuffer(type, {1, 1, 1, 1, 1}, Layout::kContiguous, random),
            StridedBuffer(DataType::kInt64, {1, 1, 1, 1, 1}, Layout::kContiguous, random)};
  for (std::int64_t i = 0; i < width; ++i) f.self.SetFloat(i, row[static_cast<std::size_t>(i)]);
  table.adaptive_max_pool2d({f.self.view(), f.out.mutable_view(), f.indices.mutable_view()});
  return {f.out.Float(0), f.indices.Integer(0)};
}

TEST(Forward, TiesNansAndInfinities) {
  for (const KernelTable* table : kForwardTables) {
    for (const DataType type :
         {DataType::kFloat, DataType::kFloat16, DataType::kBf16, DataType::kDouble}) {
      const auto at = [&](const std::vector<double>& row) {
        return MaximumOfRow(*table, type, row).second;
      };
      EXPECT_EQ(at({1, 3, 2, 3}), 1);              // the first of equal ones
      EXPECT_EQ(at({-0.0, 0.0}), 0);               // zeros are equal
      EXPECT_EQ(at({-kInfinity, -kInfinity}), 0);  // none is greater than the start
      EXPECT_EQ(at({-kInfinity, -5}), 1);
      EXPECT_EQ(at({kNan, 7, kInfinity}), 0);   // a NaN stays
      EXPECT_EQ(at({1, kNan, 7, kNan, 9}), 3);  // the last NaN
      EXPECT_TRUE(std::isnan(MaximumOfRow(*table, type, {1, kNan, 7}).first));
      EXPECT_EQ(MaximumOfRow(*table, type, {-4, -2, -8}).first, -2);
    }
  }
}

// The winner among the in-range elements of a window, found by scanning the whole plane.
std::int64_t Winner(const StridedBuffer& self, std::int64_t plane,
                    const std::array<WindowSpan, 3>& window) {
  const Dims shape = self.view().shape;
  std::int64_t best = -1;
  double value = 0;
  std::int64_t index = 0;
  for (std::int64_t d = 0; d < shape[2]; ++d) {
    for (std::int64_t h = 0; h < shape[3]; ++h) {
      for (std::int64_t w = 0; w < shape[4]; ++w, ++index) {
        if (!window[0].Contains(d) || !window[1].Contains(h) || !window[2].Contains(w)) continue;
        const double candidate = self.Float(plane * shape[2] * shape[3] * shape[4] + index);
        if (best < 0 || candidate > value || std::isnan(candidate)) {
          best = index;
          value = candidate;
        }
      }
    }
  }
  return best;
}

double RandomValue(RandomStream& random) {
  switch (random.Below(30)) {
    case 0:
      return kNan;
    case 1:
      return -kInfinity;
    case 2:
      return kInfinity;
    default:
      return static_cast<double>(random.Between(-4, 4));  // many ties
  }
}

Forward RandomForward(RandomStream& random, const Dims& self, const Dims& out) {
  constexpr std::array kTypes = {DataType::kFloat, DataType::kFloat16, DataType::kBf16,
                                 DataType::kDouble};
  constexpr std::array kLayouts = {Layout::kContiguous, Layout::kPermutedWithGaps,
                                   Layout::kReversed, Layout::kBroadcast};
  const DataType type = kTypes[random.Below(4)];
  const Layout self_layout = kLayouts[random.Below(4)];
  const Layout out_layout = kLayouts[random.Below(3)];
  const Layout index_layout = kLayouts[random.Below(3)];
  const DataType index_type = random.OneIn(2) ? DataType::kInt32 : DataType::kInt64;
  Forward f{StridedBuffer(type, self, self_layout, random),
            StridedBuffer(type, out, out_layout, random),
            StridedBuffer(index_type, out, index_layout, random)};
  for (std::int64_t i = 0; i < f.self.numel(); ++i) f.self.SetFloat(i, RandomValue(random));
  return f;
}

template <typename WindowOf>
void ExpectMaxima(const Forward& f, const WindowOf& window_of) {
  const Dims out = f.out.view().shape;
  const Dims in = f.self.view().shape;
  for (std::int64_t i = 0; i < f.out.numel(); ++i) {
    const std::int64_t w = i % out[4];
    const std::int64_t h = i / out[4] % out[3];
    const std::int64_t d = i / (out[4] * out[3]) % out[2];
    const std::int64_t plane = i / (out[4] * out[3] * out[2]);
    const std::int64_t winner =
        Winner(f.self, plane, {window_of(0, d), window_of(1, h), window_of(2, w)});
    if (winner < 0) {  // nothing of the window is inside
      ASSERT_EQ(f.out.Float(i), -kInfinity);
      ASSERT_EQ(f.indices.Integer(i), 0);
      continue;
    }
    ASSERT_EQ(f.indices.Integer(i), winner);
    const double value = f.self.Float(plane * in[2] * in[3] * in[4] + winner);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(f.out.Float(i)));
    } else {
      ASSERT_EQ(f.out.Float(i), value);
    }
  }
  ASSERT_TRUE(f.out.GapsIntact());
  ASSERT_TRUE(f.indices.GapsIntact());
}

TEST(Forward, FixedWindowsOnRandomProblems) {
  RandomStream random(30);
  int run = 0;
  for (int round = 0; round < 1200; ++round) {
    Dims self = {random.Between(1, 2), random.Between(1, 3), 0, 0, 0};
    Dims out = self;
    std::array<PoolAxis, 3> axes;
    bool fits = true;
    const bool ceil_mode = random.OneIn(2);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      PoolAxis& a = axes[axis];
      a.kernel = random.Between(1, 3);
      a.stride = random.Between(1, 3);
      a.padding = random.Between(0, a.kernel / 2);
      a.dilation = random.OneIn(4) ? random.Between(2, 5) : 1;
      self[axis + 2] = random.Between(1, 6);
      out[axis + 2] = PooledExtent(self[axis + 2], a, ceil_mode);
      fits = fits && out[axis + 2] >= 1;
    }
    if (!fits) continue;
    ++run;
    const Forward problem = RandomForward(random, self, out);
    for (const KernelTable* table : kForwardTables) {
      SCOPED_TRACE(std::string(table->name) + " round " + std::to_string(round));
      Forward mine = problem;
      const MaxPoolArgs args{mine.self.view(), axes, mine.out.mutable_view(),
                             mine.indices.mutable_view()};
      random.OneIn(2) ? table->max_pool3d_with_argmax(args) : table->max_pool2d_with_indices(args);
      ExpectMaxima(mine, [&](std::size_t axis, std::int64_t output) {
        return PoolWindow(output, self[axis + 2], axes[axis]);
      });
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(run, 400);
}

TEST(Forward, AdaptiveWindowsOnRandomProblems) {
  RandomStream random(31);
  for (int round = 0; round < 800; ++round) {
    const Dims self = {random.Between(1, 2), random.Between(1, 3), random.Between(1, 4),
                       random.Between(1, 5), random.Between(1, 6)};
    const Dims out = {self[0], self[1], random.Between(1, 5), random.Between(1, 5),
                      random.Between(1, 8)};
    const Forward problem = RandomForward(random, self, out);
    for (const KernelTable* table : kForwardTables) {
      SCOPED_TRACE(std::string(table->name) + " round " + std::to_string(round));
      Forward mine = problem;
      const AdaptiveMaxPoolArgs args{mine.self.view(), mine.out.mutable_view(),
                                     mine.indices.mutable_view()};
      random.OneIn(2) ? table->adaptive_max_pool3d(args) : table->adaptive_max_pool2d(args);
      ExpectMaxima(mine, [&](std::size_t axis, std::int64_t output) {
        return AdaptiveWindow(output, self[axis + 2], out[axis + 2]);
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Forward, AnyNumberOfThreadsGivesTheSameBits) {
  RandomStream random(32);
  const Forward problem = RandomForward(random, {3, 5, 4, 6, 7}, {3, 5, 2, 4, 3});
  Forward one = problem;
  OptimizedAdaptiveMaxPool({one.self.view(), one.out.mutable_view(), one.indices.mutable_view()},
                           {.parallelism = {1, 1}});
  for (const std::int64_t threads : {2, 3, 40}) {
    Forward mine = problem;
    OptimizedAdaptiveMaxPool(
        {mine.self.view(), mine.out.mutable_view(), mine.indices.mutable_view()},
        {.parallelism = {threads, 1}});
    EXPECT_EQ(mine.out.bytes(), one.out.bytes());
    EXPECT_EQ(mine.indices.bytes(), one.indices.bytes());
  }
}

}  // namespace
}  // namespace poolproof
