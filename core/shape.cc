// SPDX-License-Identifier: Apache-2.0
#include "core/shape.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/wide_int.h"

namespace poolproof {

std::optional<std::int64_t> CheckedNumel(std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  bool overflow = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) return 0;  // whatever the others are: nothing is addressed
    overflow = __builtin_mul_overflow(product, extent, &product) || overflow;
  }
  if (overflow) return std::nullopt;
  return product;
}

Dims ContiguousStrides(std::span<const std::int64_t> shape) {
  Dims strides(shape.size());
  std::uint64_t step = 1;  // unsigned: an empty shape may have extents whose product wraps
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(step);
    step *= static_cast<std::uint64_t>(std::max<std::int64_t>(shape[axis], 1));
  }
  return strides;
}

bool IsContiguous(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
  std::int64_t step = 1;
  bool overflow = false;
  for (const std::int64_t extent : shape) {
    if (extent == 0) return true;
  }
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1) continue;
    if (overflow || strides[axis] != step) return false;
    overflow = __builtin_mul_overflow(step, shape[axis], &step);
  }
  return true;
}

std::optional<Reach> ViewReach(std::span<const std::int64_t> shape,
                               std::span<const std::int64_t> strides, std::int64_t offset) {
  if (shape.size() != strides.size()) return std::nullopt;
  Reach reach{offset, offset};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] <= 0) return std::nullopt;
    std::int64_t span = 0;
    if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &span)) return std::nullopt;
    std::int64_t& end = span < 0 ? reach.first : reach.last;
    if (__builtin_add_overflow(end, span, &end)) return std::nullopt;
  }
  return reach;
}

bool IsInjective(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
  if (IsContiguous(shape, strides)) return true;  // most are
  using Wide = WideInt;  // strides may be any int64, the lowest one included
  std::vector<std::pair<Wide, std::int64_t>> axes;  // |stride|, extent
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) return true;
    const Wide stride = strides[axis];
    if (shape[axis] > 1) axes.emplace_back(stride < 0 ? -stride : stride, shape[axis]);
  }
  std::sort(axes.begin(), axes.end());
  Wide reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (stride <= reach) return false;
    // Saturates far above every stride, so that 25 axes cannot exceed the type.
    reach = std::min(reach + stride * (extent - 1), Wide{1} << 126);
  }
  return true;
}

std::string DimsText(std::span<const std::int64_t> dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(dims[i]);
  }
  return text + "]";
}

}  // namespace poolproof
