// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/windows.h"

#include <algorithm>

namespace poolproof {

std::optional<Windows> WindowsOf(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  const TensorSpec& self_tensor = call.tensor(Role::kSelf);
  const TensorSpec& output_tensor = call.tensor(info.is_forward ? Role::kOut : Role::kGradOutput);
  const TensorSpec& indices = call.tensor(Role::kIndices);
  if (self_tensor.null || output_tensor.null || indices.null) return std::nullopt;
  const Dims& self = self_tensor.shape;
  const Dims& output = output_tensor.shape;
  const auto spatial = static_cast<std::size_t>(info.spatial_rank);
  if (output != indices.shape || self.size() != output.size()) return std::nullopt;
  if (self.size() != spatial + 1 && self.size() != spatial + 2) return std::nullopt;
  const auto leading = static_cast<std::ptrdiff_t>(self.size() - spatial);
  if (!std::equal(self.begin(), self.begin() + leading, output.begin())) return std::nullopt;
  if (CheckedNumel(self).value_or(0) == 0 || CheckedNumel(output).value_or(0) == 0) {
    return std::nullopt;
  }
  if (info.windows == WindowRule::kFixed && !HasDerivedOutput(call)) return std::nullopt;

  Windows windows;
  windows.planes = *CheckedNumel(std::span(self).first(static_cast<std::size_t>(leading)));
  windows.input = {1, 1, 1};
  windows.output = {1, 1, 1};
  std::copy(self.begin() + leading, self.end(),
            windows.input.end() - static_cast<std::ptrdiff_t>(spatial));
  std::copy(output.begin() + leading, output.end(),
            windows.output.end() - static_cast<std::ptrdiff_t>(spatial));
  if (*std::max_element(windows.output.begin(), windows.output.end()) > kMostOutputsListed) {
    return std::nullopt;
  }
  const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::int64_t o = 0; o < windows.output[axis]; ++o) {
      const WindowSpan span = info.windows == WindowRule::kAdaptive
                                  ? AdaptiveWindow(o, windows.input[axis], windows.output[axis])
                                  : PoolWindow(o, windows.input[axis], attributes->Axis(axis));
      if (span.empty()) return std::nullopt;
      windows.spans[axis].push_back(span);
    }
  }
  return windows;
}

double WindowCells(const Windows& windows) {
  auto cells = static_cast<double>(windows.planes);
  for (const std::vector<WindowSpan>& spans : windows.spans) {
    double of_axis = 0;
    for (const WindowSpan& span : spans) of_axis += static_cast<double>(span.size());
    cells *= of_axis;
  }
  return cells;
}

}  // namespace poolproof
