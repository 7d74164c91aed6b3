// SPDX-License-Identifier: Apache-2.0
//
// Windows: the pooling windows of a call, axis by axis. Used to make indices and to shrink cases.
#ifndef POOLPROOF_CONFORMANCE_CASE_WINDOWS_H_
#define POOLPROOF_CONFORMANCE_CASE_WINDOWS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/case/case.h"
#include "core/pool_geometry.h"

namespace poolproof {

// Two-dimensional operators get a leading axis of extent 1.
struct Windows {
  std::int64_t planes = 0;                       // N*C
  std::array<std::int64_t, 3> input{};           // D, H, W of self
  std::array<std::int64_t, 3> output{};          // of gradOutput or out
  std::array<std::vector<WindowSpan>, 3> spans;  // per axis, one per output position

  [[nodiscard]] std::int64_t PlaneSize() const { return input[0] * input[1] * input[2]; }
  [[nodiscard]] std::int64_t OutputSize() const { return output[0] * output[1] * output[2]; }
  // The spans of output element `o` of a plane, 0 <= o < OutputSize().
  [[nodiscard]] std::array<WindowSpan, 3> Of(std::int64_t o) const {
    const std::int64_t hw = output[1] * output[2];
    return {spans[0][static_cast<std::size_t>(o / hw)],
            spans[1][static_cast<std::size_t>(o % hw / output[2])],
            spans[2][static_cast<std::size_t>(o % output[2])]};
  }
  [[nodiscard]] std::int64_t Flat(std::int64_t d, std::int64_t h, std::int64_t w) const {
    return (d * input[1] + h) * input[2] + w;
  }
};

// Outputs along an axis whose windows are listed: more are for descriptors, which need no memory.
inline constexpr std::int64_t kMostOutputsListed = std::int64_t{1} << 27;

// nullopt where the operands' shapes or attributes do not fit together (wrong rank, other N or C,
// output extents other than the attributes give, an empty operand, an empty window), and above
// kMostOutputsListed.
std::optional<Windows> WindowsOf(const Call& call);

// Cells of all windows of all planes together: what looking through each window costs.
double WindowCells(const Windows& windows);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_WINDOWS_H_
