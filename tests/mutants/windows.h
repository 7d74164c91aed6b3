// SPDX-License-Identifier: Apache-2.0
//
// Which cells a pooling window covers. The conformant scatter does not need it; the gathering
// variant and the geometry faults do.

#ifndef POOLPROOF_TESTS_MUTANTS_WINDOWS_H_
#define POOLPROOF_TESTS_MUTANTS_WINDOWS_H_

#include <cstddef>
#include <cstdint>

#include "plan.h"

namespace mutants {

// Cells start, start + step, ... below end on one axis; before clipping to the plane.
struct AxisWindow {
  int64_t start = 0;
  int64_t end = 0;
  int64_t step = 1;

  [[nodiscard]] bool Contains(int64_t position) const {
    return position >= start && position < end && (position - start) % step == 0;
  }
};

// The window of output position `out` on axis 0 (D), 1 (H) or 2 (W), as the selected row sees it.
AxisWindow WindowOnAxis(const Plan& plan, std::size_t axis, int64_t out);

// Says whether the windows of the plan can name one cell twice, as the selected row sees it.
bool WindowsMayOverlap(const Plan& plan);

// Says whether the flat index lies in the window of the output position.
bool IsInWindow(const Plan& plan, const Extents3& out, int64_t index);

// Says whether the window exists on the axis, or on any, because of ceil mode only.
bool IsCeilWindow(const Plan& plan, std::size_t axis, int64_t out);
bool IsCeilWindow(const Plan& plan, const Extents3& out);

// The cell of self with the largest value in the window: NaN wins, else the first.
int64_t ArgmaxOfSelf(const Plan& plan, int64_t n, int64_t c, const Extents3& out);

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_WINDOWS_H_
