// SPDX-License-Identifier: Apache-2.0
#include "core/tensor_view.h"

#include <cstddef>

namespace poolproof {
namespace {

Dims Widen(const Dims& dims, int spatial_rank, std::int64_t filler) {
  const auto plane = static_cast<std::ptrdiff_t>(spatial_rank);
  Dims wide(dims.begin(), dims.end() - plane);
  while (wide.size() < 2) wide.insert(wide.begin(), filler);
  if (spatial_rank == 2) wide.push_back(filler);
  wide.insert(wide.end(), dims.end() - plane, dims.end());
  return wide;
}

}  // namespace

Dims NcdhwShape(const Dims& shape, int spatial_rank) { return Widen(shape, spatial_rank, 1); }
Dims NcdhwStrides(const Dims& strides, int spatial_rank) { return Widen(strides, spatial_rank, 0); }

}  // namespace poolproof
