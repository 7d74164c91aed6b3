// SPDX-License-Identifier: Apache-2.0
//
// The interface between the host runtime and a set of kernels. reference/ and optimized/ each fill
// one KernelTable; runtime/ is linked with one of them into each shared library.
//
// Kernels trust shapes, types and bounds of the views, which the runtime has checked, but no index:
// one outside its plane is never used as an address.
#ifndef POOLPROOF_CORE_KERNELS_H_
#define POOLPROOF_CORE_KERNELS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/pool_geometry.h"
#include "core/tensor_view.h"

namespace poolproof {

// Every view is N,C,D,H,W (ToNcdhw).

// What a call says beside its operands; no kernel of ours needs it.
struct CallNotes {
  int rank = 0;  // of the tensors as they were passed
  bool ceil_mode = false;
  bool deterministic = false;  // the option, when the call was planned
};

// grad_output and indices have one shape; grad_input has the same N and C. grad_output and
// grad_input have one type, float, float16 or bfloat16; indices are int32 or int64.
struct BackwardArgs {
  TensorView grad_output;
  TensorView indices;
  MutableTensorView grad_input;
  // Windows that the indices probably keep to, adaptive ones where there are none: a hint for
  // speed, never trusted.
  std::optional<std::array<PoolAxis, 3>> axes = std::nullopt;
  TensorView self = {};  // for kernels that look for the maxima again
  CallNotes notes = {};
};

// Why a backward ended early: the first index, in row-major order, that names no element.
struct BadIndex {
  std::int64_t position = 0;  // row-major number of the element of `indices`
  std::int64_t index = 0;
  std::int64_t plane_size = 0;
  friend bool operator==(const BadIndex&, const BadIndex&) = default;
};

// out and indices have one shape; out has self's type (float, float16, bfloat16 or double); axes
// are those of D, H, W and give out's extents.
struct MaxPoolArgs {
  TensorView self;
  std::array<PoolAxis, 3> axes;
  MutableTensorView out;
  MutableTensorView indices;
  CallNotes notes = {};
};

// The same; windows follow from the extents of self and out.
struct AdaptiveMaxPoolArgs {
  TensorView self;
  MutableTensorView out;
  MutableTensorView indices;
  CallNotes notes = {};
};

// A backward writes every element of grad_input, or returns the bad index; what grad_input holds is
// then unspecified. A forward writes every element of out and indices.
struct KernelTable {
  std::string_view name;
  std::optional<BadIndex> (*max_pool2d_with_indices_backward)(const BackwardArgs&);
  std::optional<BadIndex> (*max_pool3d_with_argmax_backward)(const BackwardArgs&);
  std::optional<BadIndex> (*adaptive_max_pool3d_backward)(const BackwardArgs&);
  std::optional<BadIndex> (*adaptive_max_pool2d_backward)(const BackwardArgs&);
  void (*max_pool2d_with_indices)(const MaxPoolArgs&);
  void (*max_pool3d_with_argmax)(const MaxPoolArgs&);
  void (*adaptive_max_pool3d)(const AdaptiveMaxPoolArgs&);
  void (*adaptive_max_pool2d)(const AdaptiveMaxPoolArgs&);
};

}  // namespace poolproof

#endif  // POOLPROOF_CORE_KERNELS_H_
