// SPDX-License-Identifier: Apache-2.0
#include "core/tensor_view.h"

#include <cstddef>

namespace poolproof {
namespace {

Dims Widen(const Dims& dims, int spatial_rank, std::int64_t filler) {
  Dims wide(5, filler);
  const auto plane = static_cast<std::size_t>(spatial_rank);
  std::size_t axis = dims.size();
  for (std::size_t to = 5; to > 5 - plane; --to) wide[to - 1] = dims[--axis];
  for (std::size_t to = 2; axis > 0; --to) wide[to - 1] = dims[--axis];
  return wide;
}

}  // namespace

Dims NcdhwShape(const Dims& shape, int spatial_rank) { return Widen(shape, spatial_rank, 1); }
Dims NcdhwStrides(const Dims& strides, int spatial_rank) { return Widen(strides, spatial_rank, 0); }

}  // namespace poolproof
