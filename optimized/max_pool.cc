// SPDX-License-Identifier: Apache-2.0
#include "optimized/max_pool.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "optimized/element_types.h"

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

void Pool(const TensorView& self, const MutableTensorView& out, const MutableTensorView& indices,
          const std::array<AxisWindows, 3>& windows, const Parallelism& parallelism) {
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

void OptimizedMaxPool(const MaxPoolArgs& args, const Parallelism& parallelism) {
  const auto windows = AllWindows(args.out.shape, [&](std::size_t axis, std::int64_t output) {
    return PoolWindow(output, args.self.shape[axis + 2], args.axes[axis]);
  });
  Pool(args.self, args.out, args.indices, windows, parallelism);
}

void OptimizedAdaptiveMaxPool(const AdaptiveMaxPoolArgs& args, const Parallelism& parallelism) {
  const auto windows = AllWindows(args.out.shape, [&](std::size_t axis, std::int64_t output) {
    return AdaptiveWindow(output, args.self.shape[axis + 2], args.out.shape[axis + 2]);
  });
  Pool(args.self, args.out, args.indices, windows, parallelism);
}

}  // namespace poolproof
