// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/coverage.h"

#include <algorithm>

#include "conformance/case/windows.h"

namespace poolproof {
namespace {

constexpr std::array<std::string_view, kCoverageAxisCount> kAxisNames = {
    "dtype", "layout", "overlap", "ceil", "padding", "tail"};
constexpr std::array<std::string_view, 3> kTypes = {"f32", "f16", "bf16"};
constexpr std::array<std::string_view, 5> kLayouts = {"contiguous", "offset", "strided", "permuted",
                                                      "broadcast"};
constexpr std::array<std::string_view, 4> kOverlaps = {"gapped", "disjoint", "one-axis",
                                                       "several-axes"};
constexpr std::array<std::string_view, 5> kRoundings = {"floor", "ceil-idle", "ceil-extra", "even",
                                                        "uneven"};
constexpr std::array<std::string_view, 2> kPaddings = {"none", "padded"};
constexpr std::array<std::string_view, 3> kTails = {"short", "whole", "ragged"};

// Elements of one vector of the widest common machines.
constexpr std::int64_t kLanes = 16;

// Along an axis; calls with more are in no class.
constexpr std::int64_t kMostClassedOutputs = std::int64_t{1} << 22;

std::optional<std::size_t> TypeClass(const Call& call) {
  const std::string name = DataTypeName(call.tensor(Role::kGradOutput).type);
  const auto place = std::find(kTypes.begin(), kTypes.end(), name);
  if (place == kTypes.end()) return std::nullopt;
  return static_cast<std::size_t>(place - kTypes.begin());
}

std::size_t LayoutOf(const TensorSpec& tensor) {
  if (tensor.null) return 0;
  if (IsPacked(tensor)) return tensor.offset != 0 ? 1 : 0;
  const Dims strides = StridesOf(tensor);
  std::int64_t before = -1;  // stride of the last axis with more than one element
  bool permuted = false;
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    if (tensor.shape[axis] < 2) continue;
    if (strides[axis] == 0) return 4;
    permuted = permuted || (before >= 0 && strides[axis] > before);
    before = strides[axis];
  }
  if (permuted) return 3;
  if (!IsContiguous(tensor.shape, strides)) return 2;
  return tensor.offset != 0 ? 1 : 0;
}

// Whether windows share elements along an axis, and whether they leave some of it out.
struct AxisUse {
  bool shares = false;
  bool leaves = false;
};
AxisUse UseOf(const std::vector<WindowSpan>& spans, std::int64_t extent) {
  AxisUse use;
  std::int64_t covered = 0;  // elements below this are covered, except for dilated gaps
  for (const WindowSpan& span : spans) {
    use.shares = use.shares || span.first < covered;
    use.leaves = use.leaves || span.first > covered || span.step > 1;
    covered = std::max(covered, span.end);
  }
  use.leaves = use.leaves || covered < extent;
  return use;
}

std::size_t OverlapClass(const Windows& windows) {
  std::size_t sharing = 0;
  bool leaves = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const AxisUse use = UseOf(windows.spans[axis], windows.input[axis]);
    if (use.shares) ++sharing;
    leaves = leaves || use.leaves;
  }
  if (sharing > 0) return sharing == 1 ? 2 : 3;
  return leaves ? 0 : 1;
}

std::size_t RoundingClass(const Call& call, const Windows& windows) {
  if (InfoOf(call.op).windows == WindowRule::kAdaptive) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (windows.input[axis] % windows.output[axis] != 0) return 4;
    }
    return 3;
  }
  if (!call.ceil_mode) return 0;
  return CeilChangesOutput(call) ? 2 : 1;
}

std::size_t PaddingClass(const Call& call) {
  const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
  if (!attributes) return 0;
  const auto& padding = attributes->padding;
  return std::any_of(padding.begin(), padding.end(), [](std::int64_t p) { return p > 0; }) ? 1 : 0;
}

std::size_t TailClass(const Windows& windows) {
  const std::int64_t size = windows.OutputSize();
  if (size < kLanes) return 0;
  return size % kLanes == 0 ? 1 : 2;
}

}  // namespace

std::string_view CoverageAxisName(CoverageAxis axis) {
  return kAxisNames[static_cast<std::size_t>(axis)];
}

std::span<const std::string_view> CoverageClasses(CoverageAxis axis) {
  switch (axis) {
    case CoverageAxis::kType:
      return kTypes;
    case CoverageAxis::kLayout:
      return kLayouts;
    case CoverageAxis::kOverlap:
      return kOverlaps;
    case CoverageAxis::kRounding:
      return kRoundings;
    case CoverageAxis::kPadding:
      return kPaddings;
    case CoverageAxis::kTail:
      break;
  }
  return kTails;
}

std::string CoverageKeyText(const CoverageKey& key) {
  std::string text;
  for (std::size_t axis = 0; axis < kCoverageAxisCount; ++axis) {
    if (axis > 0) text += '/';
    text += CoverageClasses(static_cast<CoverageAxis>(axis))[key.at[axis]];
  }
  return text;
}

std::optional<CoverageKey> ParseCoverageKey(Operator op, std::string_view text) {
  CoverageKey key;
  key.op = op;
  for (std::size_t axis = 0; axis < kCoverageAxisCount; ++axis) {
    const std::size_t slash = text.find('/');
    if ((slash == std::string_view::npos) != (axis + 1 == kCoverageAxisCount)) return std::nullopt;
    const std::span<const std::string_view> classes =
        CoverageClasses(static_cast<CoverageAxis>(axis));
    const auto place = std::find(classes.begin(), classes.end(), text.substr(0, slash));
    if (place == classes.end()) return std::nullopt;
    key.at[axis] = static_cast<std::uint8_t>(place - classes.begin());
    if (slash != std::string_view::npos) text.remove_prefix(slash + 1);
  }
  return key;
}

std::optional<std::size_t> LayoutClassOf(const Call& call) {
  std::size_t most = 0;
  for (const Role role : InfoOf(call.op).tensors) {
    const TensorSpec& tensor = call.tensor(role);
    if (tensor.null) continue;
    if (!tensor.strides.empty() && tensor.strides.size() != tensor.shape.size()) {
      return std::nullopt;
    }
    most = std::max(most, LayoutOf(tensor));
  }
  return most;
}

std::optional<CoverageKey> CoverageOf(const Case& problem) {
  return CoverageOf(problem.calls.front(), problem.plan);
}

std::optional<CoverageKey> CoverageOf(const Call& call, const CallPlan& plan) {
  if (plan.descriptors_only || InfoOf(call.op).is_forward) return std::nullopt;
  if (call.tensor(Role::kGradInput).null) return std::nullopt;
  // A case that no machine can hold still has a shape.
  const Dims& outputs = call.tensor(Role::kGradOutput).shape;
  if (std::any_of(outputs.begin(), outputs.end(),
                  [](std::int64_t extent) { return extent > kMostClassedOutputs; })) {
    return std::nullopt;
  }
  const std::optional<std::size_t> type = TypeClass(call);
  const std::optional<Windows> windows = WindowsOf(call);
  const std::optional<std::size_t> layout = LayoutClassOf(call);
  if (!type || !windows || !layout) return std::nullopt;
  CoverageKey key;
  key.op = call.op;
  const std::array<std::size_t, kCoverageAxisCount> classes = {*type,
                                                               *layout,
                                                               OverlapClass(*windows),
                                                               RoundingClass(call, *windows),
                                                               PaddingClass(call),
                                                               TailClass(*windows)};
  for (std::size_t axis = 0; axis < kCoverageAxisCount; ++axis) {
    key.at[axis] = static_cast<std::uint8_t>(classes[axis]);
  }
  return key;
}

}  // namespace poolproof
