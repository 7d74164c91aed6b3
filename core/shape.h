// SPDX-License-Identifier: Apache-2.0
//
// Extents, strides and views: the arithmetic of strided tensors, in elements. Used by all parts.
#ifndef POOLPROOF_CORE_SHAPE_H_
#define POOLPROOF_CORE_SHAPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/dims.h"

namespace poolproof {

// Number of elements; nullopt where an extent is negative or the product exceeds int64.
// An empty list of extents is a scalar: 1.
std::optional<std::int64_t> CheckedNumel(std::span<const std::int64_t> shape);

// Row-major strides of `shape`. Requires CheckedNumel(shape).
Dims ContiguousStrides(std::span<const std::int64_t> shape);

// True where `strides` address `shape` row by row without gaps; strides of axes of extent 1 are
// free, and a view of at most one element is always contiguous.
bool IsContiguous(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides);

struct Reach {
  std::int64_t first;  // lowest element that the view addresses
  std::int64_t last;   // highest one
};
// The elements that a non-empty view spans, from the storage's start. nullopt where the view is
// empty, ranks differ or int64 is exceeded.
std::optional<Reach> ViewReach(std::span<const std::int64_t> shape,
                               std::span<const std::int64_t> strides, std::int64_t offset);

// True where no two index tuples of the view name the same element (a sufficient test: axes sorted
// by stride, each stride at least the reach of the smaller ones plus one).
bool IsInjective(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides);

// "[2,3,4]".
std::string DimsText(std::span<const std::int64_t> dims);

// Offset of the element with row-major number `linear` in a view. Requires 0 <= linear < numel.
inline std::int64_t ElementOffset(std::span<const std::int64_t> shape,
                                  std::span<const std::int64_t> strides, std::int64_t offset,
                                  std::int64_t linear) {
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    offset += (linear % shape[axis]) * strides[axis];
    linear /= shape[axis];
  }
  return offset;
}

// Visits the storage offset of every element of a view in row-major order: visit(linear, offset).
template <typename Visit>
void ForEachOffset(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                   std::int64_t offset, Visit visit) {
  const std::int64_t numel = CheckedNumel(shape).value_or(0);
  if (numel == 0) return;
  const std::size_t rank = shape.size();
  if (rank == 0) {
    visit(std::int64_t{0}, offset);
    return;
  }
  Dims at(rank, 0);
  const std::int64_t inner = shape[rank - 1];
  const std::int64_t step = strides[rank - 1];
  for (std::int64_t i = 0; i < numel; i += inner) {
    for (std::int64_t k = 0; k < inner; ++k) visit(i + k, offset + k * step);
    for (std::size_t axis = rank - 1; axis-- > 0;) {
      offset += strides[axis];
      if (++at[axis] < shape[axis]) break;
      offset -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

}  // namespace poolproof

#endif  // POOLPROOF_CORE_SHAPE_H_
