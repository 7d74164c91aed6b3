// SPDX-License-Identifier: Apache-2.0
//
// Pooling windows along one axis: output extent and the input positions that each window covers.
// The one piece of semantics that kernels, runtime and suite share; tests compare it with a
// definition that enumerates windows one by one.
#ifndef POOLPROOF_CORE_POOL_GEOMETRY_H_
#define POOLPROOF_CORE_POOL_GEOMETRY_H_

#include <algorithm>
#include <cstdint>

#include "core/equality.h"
#include "core/wide_int.h"

namespace poolproof {

// One axis of a fixed-window pooling. Requires kernel >= 1, stride >= 1, dilation >= 1,
// padding >= 0 for every function below; values may be as large as int64 allows.
struct PoolAxis {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  POOLPROOF_EQUALITY(PoolAxis);
};

// Output extent of an axis of `input` elements (DD-20): PyTorch's rule, with the last-window
// correction in ceil mode. 0 or less where no window fits.
std::int64_t PooledExtent(std::int64_t input, const PoolAxis& axis, bool ceil_mode);

// The positions first, first + step, ... below end that a window covers inside the input; padding
// is never part of it (DD-05).
struct WindowSpan {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;
  [[nodiscard]] bool empty() const { return first >= end; }
  [[nodiscard]] bool Contains(std::int64_t position) const {
    return position >= first && position < end && (position - first) % step == 0;
  }
  [[nodiscard]] std::int64_t size() const { return empty() ? 0 : (end - first - 1) / step + 1; }
  POOLPROOF_EQUALITY(WindowSpan);
};

inline WindowSpan PoolWindow(std::int64_t output, std::int64_t input, const PoolAxis& axis) {
  using Wide = WideInt;  // attributes may be as large as int64 allows
  const std::int64_t start = output * axis.stride - axis.padding;
  const Wide stop = start + (Wide{axis.kernel} - 1) * axis.dilation + 1;
  const auto end = static_cast<std::int64_t>(std::min(stop, Wide{input}));
  // In steps of dilation to the first position that is not padding.
  const std::int64_t first = start < 0 ? start % axis.dilation : start;
  return {first < 0 ? first + axis.dilation : first, end, axis.dilation};
}

// Window `output` of an axis of `input` elements pooled to `outputs` (DD-01): half open,
// [floor(output*input/outputs), ceil((output+1)*input/outputs)). Requires 0 <= output < outputs.
inline WindowSpan AdaptiveWindow(std::int64_t output, std::int64_t input, std::int64_t outputs) {
  // Quotient and remainder apart: output * input may exceed int64.
  const std::int64_t quotient = input / outputs;
  const std::int64_t remainder = input % outputs;
  const std::int64_t first = output * quotient + output * remainder / outputs;
  const std::int64_t end =
      (output + 1) * quotient + ((output + 1) * remainder + outputs - 1) / outputs;
  return {first, end, 1};
}

}  // namespace poolproof

#endif  // POOLPROOF_CORE_POOL_GEOMETRY_H_
