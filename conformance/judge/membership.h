// SPDX-License-Identifier: Apache-2.0
//
// Which positions a pooling window covers, decided from the definition position by position: the
// judge's own reading, independent of the closed forms that kernels and case data use.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_MEMBERSHIP_H_
#define POOLPROOF_CONFORMANCE_JUDGE_MEMBERSHIP_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/case/case.h"
#include "core/pool_geometry.h"

namespace poolproof {

// The planes of a call, two-dimensional operators with a leading axis of extent 1, and for each
// axis which input positions each output position's window covers.
struct PlaneGeometry {
  std::int64_t planes = 0;
  std::array<std::int64_t, 3> input{};
  std::array<std::int64_t, 3> output{};
  [[nodiscard]] std::int64_t PlaneSize() const { return input[0] * input[1] * input[2]; }
  [[nodiscard]] std::int64_t OutputSize() const { return output[0] * output[1] * output[2]; }
};

class Membership {
 public:
  // nullopt where the operands do not fit together, so that no window is defined.
  static std::optional<Membership> Of(const Call& call);

  [[nodiscard]] const PlaneGeometry& geometry() const { return geometry_; }
  // Whether flat plane position `index` lies in the window of output element `o` of its plane.
  // Requires 0 <= index < PlaneSize() and 0 <= o < OutputSize().
  [[nodiscard]] bool Covers(std::int64_t o, std::int64_t index) const;
  // The positions inside the plane that window `o` of the axis covers; none: empty.
  [[nodiscard]] WindowSpan AxisSpan(std::size_t axis, std::int64_t o) const;

 private:
  // In numbers as wide as the extents and attributes ask for.
  template <typename Wide>
  [[nodiscard]] bool CoversIn(std::int64_t o, std::int64_t index) const;

  PlaneGeometry geometry_;
  bool adaptive_ = false;
  bool small_ = false;  // products of two extents or attributes are far below 2^63
  std::optional<WindowAttributes> attributes_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_MEMBERSHIP_H_
