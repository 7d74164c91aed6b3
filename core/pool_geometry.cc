// SPDX-License-Identifier: Apache-2.0
#include "core/pool_geometry.h"

#include <algorithm>
#include <limits>

#include "core/wide_int.h"

namespace poolproof {

std::int64_t PooledExtent(std::int64_t input, const PoolAxis& axis, bool ceil_mode) {
  using Wide = WideInt;  // attributes of the ABI are int64, their products are not
  const Wide room =
      Wide{input} + 2 * Wide{axis.padding} - Wide{axis.dilation} * (axis.kernel - 1) - 1;
  const Wide rounded = ceil_mode ? room + axis.stride - 1 : room;
  // Floor division: a kernel larger than the padded input must not round up to one window.
  Wide windows = rounded / axis.stride;
  if (rounded % axis.stride < 0) --windows;
  windows += 1;
  if (ceil_mode && (windows - 1) * axis.stride >= Wide{input} + axis.padding) --windows;
  using Limits = std::numeric_limits<std::int64_t>;
  return static_cast<std::int64_t>(std::clamp(windows, Wide{Limits::min()}, Wide{Limits::max()}));
}

}  // namespace poolproof
