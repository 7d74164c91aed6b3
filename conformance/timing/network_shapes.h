// SPDX-License-Identifier: Apache-2.0
//
// The shapes that are measured: layers of known networks, and what stresses a path.
#ifndef POOLPROOF_CONFORMANCE_TIMING_NETWORK_SHAPES_H_
#define POOLPROOF_CONFORMANCE_TIMING_NETWORK_SHAPES_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/pool_geometry.h"

namespace poolproof {

struct NetworkShape {
  std::string_view name;
  std::string_view about;  // class of geometry
  bool adaptive;
  int spatial_rank;  // 2: the operators of planes
  std::int64_t n;
  std::int64_t c;
  std::array<std::int64_t, 3> in;
  std::array<std::int64_t, 3> out;  // of adaptive shapes; else from axes
  std::array<PoolAxis, 3> axes;
  bool ceil_mode;

  [[nodiscard]] std::array<std::int64_t, 3> Pooled() const;
  [[nodiscard]] std::int64_t planes() const { return n * c; }
  [[nodiscard]] std::int64_t inputs() const { return in[0] * in[1] * in[2]; }
  [[nodiscard]] std::int64_t outputs() const;
  // Sums made one by one into a plane: as many as there are outputs where windows overlap, else
  // none, since each element is written once.
  [[nodiscard]] std::int64_t Additions() const;
  // Bytes moved once: gradients and indices read, grad_input written.
  [[nodiscard]] std::int64_t Traffic(int element_bytes, int index_bytes) const;
};

std::span<const NetworkShape> NetworkShapes();

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TIMING_NETWORK_SHAPES_H_
