// SPDX-License-Identifier: Apache-2.0

#include "windows.h"

#include <algorithm>
#include <cmath>

#include "element.h"
#include "selected_fault.h"

namespace mutants {
namespace {

AxisWindow FixedWindow(const Plan& plan, std::size_t axis, int64_t out) {
  const Geometry& geometry = plan.geometry;
  const int64_t stride =
      geometry.stride[Is(Fault::kFirstStrideOnEveryAxis) ? 3 - PlaneAxes(plan.op) : axis];
  const int64_t padding = Is(Fault::kWindowsIgnorePadding) ? 0 : geometry.padding[axis];
  const int64_t start = out * stride - padding;
  const int64_t step = geometry.dilation[axis];
  return {start, start + (geometry.kernel[axis] - 1) * step + 1, step};
}

AxisWindow AdaptiveWindow(const Plan& plan, std::size_t axis, int64_t out) {
  const int64_t in_extent = plan.self.extents[axis + 2];
  const int64_t out_extent = plan.grad_output.extents[axis + 2];
  if (Is(Fault::kAdaptiveUniformWindows)) {
    const int64_t size = std::max<int64_t>(in_extent / out_extent, 1);
    return {out * size, (out + 1) * size, 1};
  }
  if (Is(Fault::kAdaptiveFloatWindows)) {
    const float ratio = static_cast<float>(in_extent) / static_cast<float>(out_extent);
    return {static_cast<int64_t>(std::floor(static_cast<float>(out) * ratio)),
            static_cast<int64_t>(std::ceil(static_cast<float>(out + 1) * ratio)), 1};
  }
  const int64_t start = out * in_extent / out_extent;
  const int64_t over = (out + 1) * in_extent;
  const int64_t floor_end = over / out_extent;
  if (Is(Fault::kAdaptiveWindowEndByFloor)) return {start, std::max(floor_end, start + 1), 1};
  return {start, floor_end + (over % out_extent != 0 ? 1 : 0), 1};
}

bool OverlapsOnAxis(const Plan& plan, std::size_t axis) {
  if (HasFixedWindows(plan.op)) {
    const int64_t reach = (plan.geometry.kernel[axis] - 1) * plan.geometry.dilation[axis];
    return reach >= plan.geometry.stride[axis];
  }
  const int64_t in_extent = plan.self.extents[axis + 2];
  const int64_t out_extent = plan.grad_output.extents[axis + 2];
  if (Is(Fault::kUpsamplingTakenAsDivisible) && out_extent % in_extent == 0) return false;
  return in_extent % out_extent != 0;
}

}  // namespace

AxisWindow WindowOnAxis(const Plan& plan, std::size_t axis, int64_t out) {
  return HasFixedWindows(plan.op) ? FixedWindow(plan, axis, out) : AdaptiveWindow(plan, axis, out);
}

bool WindowsMayOverlap(const Plan& plan) {
  const bool fixed = HasFixedWindows(plan.op);
  const bool is_max_pool2d = plan.op == Operator::kMaxPool2d;
  if (Is(Fault::kOverlapJudgedByDepth) && fixed && !is_max_pool2d) return OverlapsOnAxis(plan, 0);
  if (Is(Fault::kOverlapJudgedByWidth) && fixed && !is_max_pool2d) return OverlapsOnAxis(plan, 2);
  if (Is(Fault::kMaxPool2dOverlapJudgedByWidth) && is_max_pool2d) return OverlapsOnAxis(plan, 2);
  if (Is(Fault::kAdaptiveOverlapJudgedByHeight) && !fixed) return OverlapsOnAxis(plan, 1);
  return OverlapsOnAxis(plan, 0) || OverlapsOnAxis(plan, 1) || OverlapsOnAxis(plan, 2);
}

bool IsInWindow(const Plan& plan, const Extents3& out, int64_t index) {
  const int64_t height = plan.self.extents[3];
  const int64_t width = plan.self.extents[4];
  const Extents3 position = {index / width / height, index / width % height, index % width};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!WindowOnAxis(plan, axis, out[axis]).Contains(position[axis])) return false;
  }
  return true;
}

bool IsCeilWindow(const Plan& plan, std::size_t axis, int64_t out) {
  const Geometry& geometry = plan.geometry;
  const int64_t span = plan.self.extents[axis + 2] + 2 * geometry.padding[axis] -
                       geometry.dilation[axis] * (geometry.kernel[axis] - 1) - 1;
  return out >= (span < 0 ? 0 : span / geometry.stride[axis] + 1);
}

bool IsCeilWindow(const Plan& plan, const Extents3& out) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (IsCeilWindow(plan, axis, out[axis])) return true;
  }
  return false;
}

int64_t ArgmaxOfSelf(const Plan& plan, int64_t n, int64_t c, const Extents3& out) {
  const View& self = plan.self;
  std::array<AxisWindow, 3> windows;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    windows[axis] = WindowOnAxis(plan, axis, out[axis]);
    while (windows[axis].start < 0) windows[axis].start += windows[axis].step;
    windows[axis].end = std::min(windows[axis].end, self.extents[axis + 2]);
  }
  int64_t best_index = 0;
  float best = 0;
  bool found = false;
  for (int64_t d = windows[0].start; d < windows[0].end; d += windows[0].step) {
    for (int64_t h = windows[1].start; h < windows[1].end; h += windows[1].step) {
      for (int64_t w = windows[2].start; w < windows[2].end; w += windows[2].step) {
        const int64_t offset = self.offset + n * self.strides[0] + c * self.strides[1] +
                               d * self.strides[2] + h * self.strides[3] + w * self.strides[4];
        const float value = LoadElement(
            self.dtype, self.data + static_cast<std::size_t>(offset) * self.element_size);
        if (!found || value > best || std::isnan(value)) {
          best = value;
          best_index = (d * self.extents[3] + h) * self.extents[4] + w;
          found = true;
        }
      }
    }
  }
  return best_index;
}

}  // namespace mutants
