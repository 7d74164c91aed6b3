// SPDX-License-Identifier: Apache-2.0
#include "optimized/max_pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "optimized/element_types.h"
#include "optimized/float_environment.h"
#include "optimized/tier_operands.h"

namespace poolproof {
namespace {

// The windows of one axis, computed once for all planes.
using AxisWindows = std::vector<WindowSpan>;

template <typename WindowOf>
std::array<AxisWindows, 3> AllWindows(const Dims& out_shape, const WindowOf& window_of) {
  std::array<AxisWindows, 3> windows;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t outputs = out_shape[axis + 2];
    windows[axis].reserve(static_cast<std::size_t>(outputs));
    for (std::int64_t output = 0; output < outputs; ++output) {
      windows[axis].push_back(window_of(axis, output));
    }
  }
  return windows;
}

template <typename Float>
struct Best {
  typename Float::Value value = -std::numeric_limits<typename Float::Value>::infinity();
  std::int64_t index = -1;
};

// One row of a window; positions run over first, first + step, ...
template <typename Float>
void ScanRow(const void* data, std::int64_t row_element, std::int64_t stride_w,
             std::int64_t row_index, const WindowSpan& window, Best<Float>& best) {
  const std::int64_t count = window.size();
  std::int64_t w = window.first;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto value =
        Float::Decode(LoadElement<typename Float::Bits>(data, row_element + w * stride_w));
    if (value > best.value || std::isnan(value) || best.index < 0) best = {value, row_index + w};
    if (k + 1 < count) w += window.step;
  }
}

template <typename Float, typename Index>
void PoolPlanes(const TensorView& self, const MutableTensorView& out,
                const MutableTensorView& indices, const std::array<AxisWindows, 3>& windows,
                const Parallelism& parallelism) {
  const PlaneLayout in_layout(self);
  const PlaneLayout out_layout(out);
  const PlaneLayout index_layout(indices);
  const std::int64_t planes = out.shape[0] * out.shape[1];
  const auto pool = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const std::int64_t start = in_layout.Start(plane);
      PlaneWalk out_walk(out_layout, out_layout.Start(plane));
      PlaneWalk index_walk(index_layout, index_layout.Start(plane));
      for (const WindowSpan& depth : windows[0]) {
        for (const WindowSpan& height : windows[1]) {
          for (const WindowSpan& width : windows[2]) {
            Best<Float> best;
            for (std::int64_t i = 0; i < depth.size(); ++i) {
              const std::int64_t d = depth.first + i * depth.step;
              for (std::int64_t j = 0; j < height.size(); ++j) {
                const std::int64_t h = height.first + j * height.step;
                ScanRow<Float>(self.data, start + d * in_layout.stride(0) + h * in_layout.stride(1),
                               in_layout.stride(2),
                               (d * in_layout.extent(1) + h) * in_layout.extent(2), width, best);
              }
            }
            StoreElement(out.data, out_walk.element(), Float::Encode(best.value));
            StoreElement(indices.data, index_walk.element(),
                         static_cast<Index>(std::max<std::int64_t>(best.index, 0)));
            out_walk.Advance();
            index_walk.Advance();
          }
        }
      }
    }
  };
  ParallelFor(planes, in_layout.size() + out_layout.size(), parallelism, pool);
}

template <typename Float>
void PoolIndexed(const TensorView& self, const MutableTensorView& out,
                 const MutableTensorView& indices, const std::array<AxisWindows, 3>& windows,
                 const Parallelism& parallelism) {
  if (indices.type == DataType::kInt64) {
    PoolPlanes<Float, std::int64_t>(self, out, indices, windows, parallelism);
  } else {
    PoolPlanes<Float, std::int32_t>(self, out, indices, windows, parallelism);
  }
}

// --- By vectors ----------------------------------------------------------------------------------

struct TierWindows {
  std::array<std::vector<AxisWindow>, 3> axes;
  // Windows along W at equal distances (see ForwardJob).
  std::int64_t stride = 0;
  std::int64_t before = 0;
  std::int64_t width = 0;
  std::int64_t step = 1;
  std::int64_t columns = 0;
};

// Columns that may be added around a row.
constexpr std::int64_t kMostPadding = 1024;

TierWindows WindowsOf(const std::array<AxisWindows, 3>& windows, std::int64_t input_width,
                      std::int64_t outputs, const PoolAxis& last_axis) {
  TierWindows result;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const WindowSpan& span : windows[axis]) {
      result.axes[axis].push_back({span.first, span.size(), span.step});
    }
  }
  result.columns = input_width;
  const PoolAxis& axis = last_axis;
  if (axis.stride > 2 || axis.padding > kMostPadding || axis.kernel > kMostPadding ||
      axis.dilation > kMostPadding) {
    return result;
  }
  const std::int64_t reach =
      (outputs - 1) * axis.stride - axis.padding + (axis.kernel - 1) * axis.dilation + 1;
  if (reach > input_width + kMostPadding) return result;
  result.stride = axis.stride;
  result.before = axis.padding;
  result.width = axis.kernel;
  result.step = axis.dilation;
  result.columns = axis.padding + std::max(input_width, reach);
  return result;
}

bool CanVectorize(const TensorView& self) {
  return self.type != DataType::kDouble && self.shape[4] >= 1 &&
         (self.strides[4] == 1 || self.shape[4] == 1) &&
         self.shape[2] * self.shape[3] * self.shape[4] <= INT32_MAX;
}

void PoolByVectors(const TensorView& self, const MutableTensorView& out,
                   const MutableTensorView& indices, const TierWindows& windows,
                   const Tuning& tuning) {
  const Tier& tier = tuning.tier != nullptr ? *tuning.tier : DefaultTier();
  ForwardJob job = {};
  job.self = TierTensor(self);
  job.out = TierTensor(out);
  job.indices = TierTensor(indices);
  job.storage = StorageOf(self.type);
  job.wide_indices = indices.type == DataType::kInt64;
  std::int64_t row_work = self.shape[4];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    job.windows[axis] = windows.axes[axis].data();
    if (axis < 2 && !windows.axes[axis].empty()) row_work *= windows.axes[axis][0].count + 1;
  }
  job.stride = windows.stride;
  job.before = windows.before;
  job.width = windows.width;
  job.step = windows.step;
  job.columns = windows.columns;
  const std::int64_t rows = out.shape[0] * out.shape[1] * out.shape[2] * out.shape[3];
  ParallelFor(rows, row_work, tuning.parallelism, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t columns = (job.columns + 31) / 32 * 32 + 64;
    const std::int64_t outputs = (out.shape[4] + 31) / 32 * 32 + 64;
    const AlignedFloats memory(2 * (columns + outputs));
    ForwardScratch scratch = {};
    scratch.column_values = memory.data();
    scratch.column_where = reinterpret_cast<std::uint32_t*>(memory.data() + columns);
    scratch.row_values = memory.data() + 2 * columns;
    scratch.row_where = reinterpret_cast<std::uint32_t*>(memory.data() + 2 * columns + outputs);
    tier.maxima(job, begin, end, scratch);
  });
}

void PoolPlanes(const TensorView& self, const MutableTensorView& out,
                const MutableTensorView& indices, const std::array<AxisWindows, 3>& windows,
                const Parallelism& parallelism) {
  switch (self.type) {
    case DataType::kFloat16:
      return PoolIndexed<Fp16>(self, out, indices, windows, parallelism);
    case DataType::kBf16:
      return PoolIndexed<Bf16>(self, out, indices, windows, parallelism);
    case DataType::kDouble:
      return PoolIndexed<Fp64>(self, out, indices, windows, parallelism);
    default:
      return PoolIndexed<Fp32>(self, out, indices, windows, parallelism);
  }
}

}  // namespace

void OptimizedMaxPool(const MaxPoolArgs& args, const Tuning& tuning) {
  const DefaultFloatEnvironment environment;
  const auto windows = AllWindows(args.out.shape, [&](std::size_t axis, std::int64_t output) {
    return PoolWindow(output, args.self.shape[axis + 2], args.axes[axis]);
  });
  if (CanVectorize(args.self)) {
    return PoolByVectors(args.self, args.out, args.indices,
                         WindowsOf(windows, args.self.shape[4], args.out.shape[4], args.axes[2]),
                         tuning);
  }
  PoolPlanes(args.self, args.out, args.indices, windows, tuning.parallelism);
}

void OptimizedAdaptiveMaxPool(const AdaptiveMaxPoolArgs& args, const Tuning& tuning) {
  const DefaultFloatEnvironment environment;
  const auto windows = AllWindows(args.out.shape, [&](std::size_t axis, std::int64_t output) {
    return AdaptiveWindow(output, args.self.shape[axis + 2], args.out.shape[axis + 2]);
  });
  if (CanVectorize(args.self)) {
    // Windows that divide the row lie at equal distances.
    const std::int64_t inputs = args.self.shape[4];
    const std::int64_t outputs = args.out.shape[4];
    const std::int64_t each = inputs % outputs == 0 ? inputs / outputs : kMostPadding + 1;
    return PoolByVectors(args.self, args.out, args.indices,
                         WindowsOf(windows, inputs, outputs, {each, each, 0, 1}), tuning);
  }
  PoolPlanes(args.self, args.out, args.indices, windows, tuning.parallelism);
}

}  // namespace poolproof
