// SPDX-License-Identifier: Apache-2.0
//
// The random families: each draws calls with the features that published faults of such kernels
// needed to show (bug museum, section 2).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/gen/case_bases.h"
#include "conformance/gen/rapidcheck_adapter.h"
#include "conformance/gen/sources.h"
#include "conformance/spec/profile_rules.h"
#include "core/float_bits.h"
#include "core/random.h"
#include "core/shape.h"

namespace poolproof {
namespace {

// --- Geometry ------------------------------------------------------------------------------------

// Fixed windows have more that can go wrong: they come twice as often.
Operator DrawOperator(Draw& draw, const ProfileRules& rules) {
  std::vector<Operator> lots;
  for (const Operator op : rules.CoveredBackwards()) {
    lots.insert(lots.end(), InfoOf(op).windows == WindowRule::kFixed ? 2 : 1, op);
  }
  return lots[static_cast<std::size_t>(draw.Between(0, std::ssize(lots) - 1))];
}

DataType DrawOf(Draw& draw, const std::vector<DataType>& types) {
  return types[static_cast<std::size_t>(draw.Between(0, std::ssize(types) - 1))];
}

DataType DrawType(Draw& draw, const ProfileRules& rules, Operator op) {
  return DrawOf(draw, rules.ValueTypes(op));
}

DataType DrawIndexType(Draw& draw, const ProfileRules& rules, Operator op) {
  return DrawOf(draw, rules.IndexTypes(op));
}

struct Extents {
  std::int64_t low;
  std::int64_t high;
};

// Leading axes: batch and channels, or channels alone.
Dims DrawLeading(Draw& draw, std::int64_t most) {
  if (draw.OneIn(3)) return {draw.Between(1, most)};
  return {draw.Between(1, most), draw.Between(1, most)};
}

Dims Concat(Dims a, const Dims& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct AxisChoice {
  std::int64_t input;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t padding;
};

// What the windows of an axis do to one another.
enum class Overlap : std::uint8_t { kAny, kAlways, kNever };

AxisChoice DrawWindows(Draw& draw, std::int64_t input, std::int64_t largest_kernel,
                       Overlap overlap) {
  AxisChoice axis{};
  axis.input = input;
  axis.kernel = draw.Between(overlap == Overlap::kAlways ? 2 : 1, largest_kernel);
  axis.padding = draw.OneIn(2) ? draw.Between(0, axis.kernel / 2) : 0;
  axis.kernel = std::min(axis.kernel, axis.input + 2 * axis.padding);
  axis.padding = std::min(axis.padding, axis.kernel / 2);
  axis.kernel = std::min(axis.kernel, axis.input + 2 * axis.padding);
  switch (overlap) {
    case Overlap::kAlways:
      axis.stride = draw.Between(1, std::max<std::int64_t>(axis.kernel - 1, 1));
      break;
    case Overlap::kNever:
      axis.stride = axis.kernel + draw.Weighted<std::int64_t>({{3, 0}, {1, 1}, {1, 3}});
      break;
    case Overlap::kAny:
      axis.stride = draw.Between(1, axis.kernel + 2);
      break;
  }
  return axis;
}

// A list in the shortest form that says the same, at times.
Dims DrawListForm(Draw& draw, const Dims& values) {
  const bool equal = std::all_of(values.begin(), values.end(),
                                 [&](std::int64_t value) { return value == values.front(); });
  return equal && draw.OneIn(2) ? Dims{values.front()} : values;
}

// Ones; where the operator takes others, at times those.
Dims DrawDilation(Draw& draw, const ProfileRules& rules, Operator op) {
  const auto axes = static_cast<std::size_t>(InfoOf(op).spatial_rank);
  Dims dilation(axes, 1);
  if (rules.Applies(op, Condition::kDilationAboveOne) && draw.OneIn(3)) {
    for (std::int64_t& value : dilation) value = draw.Between(1, 3);
  }
  return DrawListForm(draw, dilation);
}

Call DrawFixed(Draw& draw, const ProfileRules& rules, Operator op, DataType type,
               DataType index_type, const Dims& leading, std::array<Extents, 3> extents,
               std::array<Overlap, 3> overlap) {
  const auto axes = static_cast<std::size_t>(InfoOf(op).spatial_rank);
  for (;;) {
    Dims spatial;
    Dims kernel;
    Dims stride;
    Dims padding;
    const bool cubic = draw.OneIn(4);  // equal values on all axes allow the short lists
    for (std::size_t i = 3 - axes; i < 3; ++i) {
      const AxisChoice axis =
          DrawWindows(draw, draw.Between(extents[i].low, extents[i].high), 5, overlap[i]);
      spatial.push_back(axis.input);
      kernel.push_back(axis.kernel);
      stride.push_back(axis.stride);
      padding.push_back(axis.padding);
    }
    if (cubic) {
      kernel = Dims(axes, *std::min_element(kernel.begin(), kernel.end()));
      stride = Dims(axes, stride[0]);
      padding =
          Dims(axes, std::min(*std::min_element(padding.begin(), padding.end()), kernel[0] / 2));
    }
    Dims stride_list = DrawListForm(draw, stride);
    if (stride == kernel && draw.OneIn(2)) stride_list.clear();
    Call call = MakeFixedBackward(
        op, type, index_type, Concat(leading, spatial), DrawListForm(draw, kernel), stride_list,
        DrawListForm(draw, padding), DrawDilation(draw, rules, op), draw.OneIn(2));
    if (HasDerivedOutput(call)) return call;
  }
}

Call DrawAdaptive(Draw& draw, Operator op, DataType type, DataType index_type, const Dims& leading,
                  std::array<Extents, 3> extents) {
  const auto spatial_rank = static_cast<std::size_t>(InfoOf(op).spatial_rank);
  Dims spatial;
  Dims output;
  for (std::size_t i = 3 - spatial_rank; i < 3; ++i) {
    const std::int64_t out = draw.Between(1, std::min<std::int64_t>(extents[i].high, 9));
    std::int64_t in = draw.Between(extents[i].low, extents[i].high);
    if (draw.OneIn(3)) in = std::max<std::int64_t>(in / out, 1) * out;  // divides on this axis
    spatial.push_back(in);
    output.push_back(out);
  }
  return MakeAdaptiveBackward(op, type, index_type, Concat(leading, spatial), output);
}

void DrawData(Draw& draw, Call& call) {
  Data& self = call.tensor(Role::kSelf).data;
  self.kind = draw.Weighted<DataKind>({{3, DataKind::kUniform}, {1, DataKind::kTies}});
  self.seed = draw.Seed();
  Data& indices = call.tensor(Role::kIndices).data;
  indices.kind = draw.Weighted<DataKind>({{3, DataKind::kArgmax},
                                          {3, DataKind::kWindow},
                                          {1, DataKind::kFirst},
                                          {1, DataKind::kLast},
                                          {2, DataKind::kShared}});
  indices.seed = draw.Seed();
  Data& gradients = call.tensor(Role::kGradOutput).data;
  gradients.kind = draw.Weighted<DataKind>({{4, DataKind::kExact}, {1, DataKind::kCoded}});
  gradients.seed = draw.Seed();
}

struct CallWish {
  Extents extents{1, 9};
  std::int64_t leading = 4;
  Overlap overlap = Overlap::kAny;
};

Call DrawCall(Draw& draw, const ProfileRules& rules, const CallWish& wish) {
  const Operator op = DrawOperator(draw, rules);
  const DataType type = DrawType(draw, rules, op);
  const DataType index_type = DrawIndexType(draw, rules, op);
  const Dims leading = DrawLeading(draw, wish.leading);
  std::array<Extents, 3> extents = {wish.extents, wish.extents, wish.extents};
  // One long axis at a time keeps planes small and their shapes anisotropic.
  const auto long_axis = static_cast<std::size_t>(draw.Between(0, 2));
  for (std::size_t i = 0; i < 3; ++i) {
    if (i != long_axis && draw.OneIn(2))
      extents[i].high = std::max(extents[i].low, std::min<std::int64_t>(extents[i].high, 4));
  }
  Call call;
  if (InfoOf(op).windows == WindowRule::kFixed) {
    std::array<Overlap, 3> overlap = {wish.overlap, wish.overlap, wish.overlap};
    if (wish.overlap == Overlap::kAny && draw.OneIn(3)) {
      // Overlap along one axis alone, at row or plane distance.
      overlap = {Overlap::kNever, Overlap::kNever, Overlap::kNever};
      overlap[static_cast<std::size_t>(draw.Between(0, 2))] = Overlap::kAlways;
    }
    call = DrawFixed(draw, rules, op, type, index_type, leading, extents, overlap);
  } else {
    call = DrawAdaptive(draw, op, type, index_type, leading, extents);
  }
  DrawData(draw, call);
  return call;
}

// Sizes around the constants that kernels are written with.
std::int64_t DrawBorderSize(Draw& draw, std::int64_t most) {
  std::int64_t power = 8;
  while (power * 2 <= most && draw.OneIn(2)) power *= 2;
  return std::max<std::int64_t>(power + draw.Between(-1, 1), 1);
}

// --- Layouts -------------------------------------------------------------------------------------

enum class LayoutUse : std::uint8_t { kOutput, kValues, kIndices };

// A view with its own memory order, gaps and offset.
void DrawLayout(Draw& draw, TensorSpec& tensor, LayoutUse use, std::size_t spatial_rank) {
  const std::size_t rank = tensor.shape.size();
  const std::vector<std::size_t> order = draw.OneIn(2) ? draw.Permutation(rank) : [&] {
    std::vector<std::size_t> natural(rank);
    for (std::size_t i = 0; i < rank; ++i) natural[i] = i;
    return natural;
  }();
  tensor.strides.assign(rank, 0);
  std::int64_t step = draw.Weighted<std::int64_t>({{3, 1}, {1, 2}, {1, 3}});
  for (std::size_t k = rank; k-- > 0;) {
    const std::size_t axis = order[k];
    tensor.strides[axis] = step;
    step = step * tensor.shape[axis] + (draw.OneIn(3) ? draw.Between(1, 5) : 0);
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    // The stride of an axis of extent 1 means nothing; one that computes with it is wrong.
    if (tensor.shape[axis] == 1 && draw.OneIn(2)) {
      tensor.strides[axis] = draw.Of<std::int64_t>({0, 1, 7, 1000003});
    }
  }
  if (use != LayoutUse::kOutput && draw.OneIn(4)) {
    // Broadcast views: any axis of values; of indices only batch and channels, where one index
    // suits all planes.
    const std::size_t axes = use == LayoutUse::kIndices ? rank - spatial_rank : rank;
    tensor.strides[static_cast<std::size_t>(draw.Between(0, static_cast<std::int64_t>(axes) - 1))] =
        0;
  }
  // Of every remainder that vectors of any width care about; at times more than narrow types hold.
  tensor.offset = draw.OneIn(3)    ? 0
                  : draw.OneIn(16) ? (std::int64_t{1} << draw.Between(6, 17)) + draw.Between(-1, 1)
                                   : draw.Between(1, 32);
  tensor.storage.clear();
  if (draw.OneIn(4)) {
    if (const std::optional<std::int64_t> reach = StorageElements(tensor)) {
      tensor.storage = {*reach + draw.Between(1, 9)};
    }
  }
}

void DrawLayouts(Draw& draw, Call& call) {
  const auto spatial_rank = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  const std::array<std::pair<Role, LayoutUse>, 4> operands = {
      {{Role::kGradOutput, LayoutUse::kValues},
       {Role::kSelf, LayoutUse::kValues},
       {Role::kIndices, LayoutUse::kIndices},
       {Role::kGradInput, LayoutUse::kOutput}}};
  // One operand alone half of the time: a fault that needs one view must not hide behind another.
  const std::int64_t alone = draw.OneIn(2) ? draw.Between(0, 3) : -1;
  for (std::int64_t i = 0; i < 4; ++i) {
    if (alone >= 0 ? i != alone : draw.OneIn(3)) continue;
    const auto& [role, use] = operands[static_cast<std::size_t>(i)];
    DrawLayout(draw, call.tensor(role), use, spatial_rank);
  }
}

// --- Special values ------------------------------------------------------------------------------

std::uint32_t SpecialBits(Draw& draw, DataType type) {
  const FloatTraits& traits = TraitsOf(type);
  const std::uint32_t sign = draw.OneIn(2) ? EncodeFloat(-0.0, type) : 0;
  const std::uint32_t infinity = EncodeFloat(HUGE_VAL, type);
  switch (draw.Between(0, 6)) {
    case 0:
    case 1:
      return sign | infinity;
    case 2:
    case 3:
      return sign | infinity | (1U << (traits.precision - 2)) |
             static_cast<std::uint32_t>(draw.Between(0, 1));
    case 4:
      return EncodeFloat(-0.0, type);
    case 5:
      return sign | static_cast<std::uint32_t>(draw.Of<std::int64_t>({1, 2, 3}));
    default:
      return sign | EncodeFloat(traits.max_finite, type);
  }
}

// A position that lanes and tails make special, or any.
std::int64_t DrawPosition(Draw& draw, std::int64_t numel) {
  switch (draw.Between(0, 3)) {
    case 0:
      return 0;
    case 1:
      return numel - 1;
    case 2:
      return std::min(numel - 1, draw.Of<std::int64_t>({1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33}));
    default:
      return draw.Between(0, numel - 1);
  }
}

void AddSpecials(Draw& draw, Call& call) {
  TensorSpec& gradients = call.tensor(Role::kGradOutput);
  const std::int64_t numel = *CheckedNumel(gradients.shape);
  const std::int64_t count = draw.Weighted<std::int64_t>({{4, 1}, {2, 2}, {1, 4}});
  for (std::int64_t i = 0; i < count; ++i) {
    gradients.data.patches.push_back(
        {DrawPosition(draw, numel), SpecialBits(draw, gradients.type)});
  }
  if (draw.OneIn(3)) {
    TensorSpec& self = call.tensor(Role::kSelf);
    self.data.patches.push_back(
        {DrawPosition(draw, *CheckedNumel(self.shape)), SpecialBits(draw, self.type)});
    // The forward's choice would follow the special value; any in-window index is legal.
    if (draw.OneIn(2)) call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
  }
}

Case Single(Call call) {
  Case problem;
  problem.calls.push_back(std::move(call));
  return problem;
}

// Of exact gradients, at times those of every magnitude.
Case WithMagnitudes(Draw& draw, Call call) {
  if (draw.OneIn(2)) GiveMagnitudes(call);
  return Single(std::move(call));
}

// --- Families ------------------------------------------------------------------------------------

Case SmallFamily(Draw& draw, const ProfileRules& rules) {
  return Single(DrawCall(draw, rules, {}));
}

Case LayoutFamily(Draw& draw, const ProfileRules& rules) {
  Call call = DrawCall(draw, rules, {.extents = {1, 7}, .leading = 3});
  DrawLayouts(draw, call);
  return Single(std::move(call));
}

DataKind DrawSummands(Draw& draw) {
  return draw.Weighted<DataKind>({{3, DataKind::kUniform},
                                  {3, DataKind::kWide},
                                  {1, DataKind::kSubnormal},
                                  {1, DataKind::kExact},
                                  {1, DataKind::kCoded}});
}

Case SumFamily(Draw& draw, const ProfileRules& rules) {
  Call call = DrawCall(draw, rules, {.extents = {2, 9}, .leading = 2, .overlap = Overlap::kAlways});
  Data& summands = call.tensor(Role::kGradOutput).data;
  if (draw.OneIn(12)) {
    // Any two of them overflow, in each type.
    const DataType type = call.tensor(Role::kGradOutput).type;
    const double most = TraitsOf(type).max_finite;
    summands = {DataKind::kConstant, 0, {EncodeFloat(draw.OneIn(2) ? most : -most, type)}, {}};
  } else {
    summands.kind = DrawSummands(draw);
  }
  call.tensor(Role::kIndices).data.kind = draw.Weighted<DataKind>(
      {{2, DataKind::kArgmax}, {1, DataKind::kWindow}, {2, DataKind::kShared}});
  return Single(std::move(call));
}

Case SpecialFamily(Draw& draw, const ProfileRules& rules) {
  Call call = DrawCall(draw, rules, {.extents = {1, 19}, .leading = 3});
  AddSpecials(draw, call);
  return Single(std::move(call));
}

Case SizeFamily(Draw& draw, const ProfileRules& rules) {
  const std::int64_t width =
      draw.OneIn(12) ? draw.Of<std::int64_t>({8192, 16384, 32768, 65536}) + draw.Between(-1, 1)
                     : DrawBorderSize(draw, 4096);
  Call call = DrawCall(draw, rules, {.extents = {1, 3}, .leading = width > 600 ? 1 : 3});
  // The last axis, at times another, gets the border size; everything else follows.
  Dims shape = call.tensor(Role::kSelf).shape;
  const auto axis =
      shape.size() - 1 - static_cast<std::size_t>(draw.Weighted<std::int64_t>({{3, 0}, {1, 1}}));
  shape[axis] = width;
  Call resized;
  if (InfoOf(call.op).windows == WindowRule::kAdaptive) {
    const Dims& old = call.tensor(Role::kGradOutput).shape;
    Dims output(old.end() - InfoOf(call.op).spatial_rank, old.end());
    output[output.size() - (shape.size() - axis)] =
        draw.Between(1, std::min<std::int64_t>(width, 70));
    resized = MakeAdaptiveBackward(call.op, call.tensor(Role::kSelf).type,
                                   call.tensor(Role::kIndices).type, shape, output);
  } else {
    Dims stride = *call.list(List::kStride);
    // Windows as far apart as tiles are.
    if (draw.OneIn(6) && !stride.empty()) stride.back() = DrawBorderSize(draw, width);
    resized =
        MakeFixedBackward(call.op, call.tensor(Role::kSelf).type, call.tensor(Role::kIndices).type,
                          shape, *call.list(List::kKernelSize), stride, *call.list(List::kPadding),
                          *call.list(List::kDilation), call.ceil_mode);
  }
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    resized.tensors[role].data = call.tensors[role].data;
  }
  return WithMagnitudes(draw, std::move(resized));
}

// Windows far wider than apart, or many windows on few cells: equal indices meet at the distances
// of lanes, rows and tiles.
Case WideFamily(Draw& draw, const ProfileRules& rules) {
  const Operator op = DrawOperator(draw, rules);
  const DataType type = DrawType(draw, rules, op);
  const DataType index_type = DrawIndexType(draw, rules, op);
  const auto rank = static_cast<std::size_t>(InfoOf(op).spatial_rank);
  const auto wide = static_cast<std::size_t>(
      draw.Weighted<std::int64_t>({{3, 0}, {2, 1}, {1, static_cast<std::int64_t>(rank) - 1}}));
  Dims self = DrawLeading(draw, 3);
  Dims kernel(rank, 1);
  Dims stride(rank, 1);
  Dims padding(rank, 0);
  Dims output(rank, 1);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (axis != rank - 1 - wide) {
      self.push_back(draw.Between(1, 3));
      output[axis] = draw.Between(1, 3);
      continue;
    }
    const bool very_wide = draw.OneIn(8);
    const AxisChoice chosen =
        DrawWindows(draw, very_wide ? draw.Between(260, 700) : draw.Between(8, 90),
                    very_wide ? 300 : 40, Overlap::kAlways);
    const bool few_cells = InfoOf(op).windows == WindowRule::kAdaptive;
    self.push_back(few_cells ? draw.Between(1, 6) : chosen.input);
    kernel[axis] = chosen.kernel;
    stride[axis] = draw.OneIn(2) ? 1 : chosen.stride;
    padding[axis] = chosen.padding;
    output[axis] = draw.Between(7, 70);
  }
  Call call = MakeBackward(op, type, index_type,
                           {.self = self,
                            .kernel = kernel,
                            .stride = stride,
                            .padding = padding,
                            .dilation = {1},
                            .ceil_mode = draw.OneIn(2),
                            .output = output});
  DrawData(draw, call);
  call.tensor(Role::kGradOutput).data.kind = DrawSummands(draw);
  return WithMagnitudes(draw, std::move(call));
}

// Many tiny planes: their number meets the number of workers, grid limits and unroll factors.
Case PlaneFamily(Draw& draw, const ProfileRules& rules) {
  const std::int64_t planes = draw.Weighted<std::int64_t>({{8, DrawBorderSize(draw, 256)},
                                                           {8, draw.Between(1, 64)},
                                                           {3, 4099},
                                                           {1, draw.Between(65534, 65538)},
                                                           {1, 70001}});
  Call call = DrawCall(draw, rules, {.extents = {1, planes > 9999 ? 2 : 4}, .leading = 1});
  const auto spatial = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  // Channels, or the batch.
  const bool batch = call.tensor(Role::kSelf).shape.size() == spatial + 2 && draw.OneIn(3);
  for (TensorSpec& tensor : call.tensors) {
    if (tensor.shape.size() <= spatial) continue;
    tensor.shape[batch ? 0 : tensor.shape.size() - spatial - 1] = planes;
  }
  // What every plane holds is drawn again; finding each one's maxima takes long.
  if (planes > 9999) call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
  return WithMagnitudes(draw, std::move(call));
}

// Planes above the sizes at which narrow integers stop counting.
Case LargeFamily(Draw& draw, const ProfileRules& rules) {
  const Operator op = DrawOperator(draw, rules);
  const DataType type = DrawType(draw, rules, op);
  const DataType index_type = DrawIndexType(draw, rules, op);
  const std::int64_t width = draw.Of<std::int64_t>({255, 256, 257, 300, 1024, 1031, 2049});
  const std::int64_t depth =
      InfoOf(op).spatial_rank == 2 ? 1 : draw.Weighted<std::int64_t>({{2, 1}, {1, 3}});
  const std::int64_t height = 65536 / (width * depth) + draw.Between(1, 8);
  Dims self = {1, draw.Between(1, 3)};
  if (InfoOf(op).spatial_rank == 3) self.push_back(depth);
  self.insert(self.end(), {height, width});
  const std::int64_t kernel = draw.Between(2, 9);
  const std::int64_t stride = draw.Between(std::max<std::int64_t>(kernel - 3, 1), kernel + 2);
  BaseGeometry geometry = {.self = self,
                           .kernel = {kernel, kernel},
                           .stride = {stride, stride},
                           .padding = {kernel / 2, kernel / 2},
                           .dilation = {1},
                           .ceil_mode = draw.OneIn(2),
                           .output = {draw.Between(1, 40), draw.Between(1, 40)}};
  if (InfoOf(op).spatial_rank == 3) {
    geometry.kernel.insert(geometry.kernel.begin(), 1);
    geometry.stride.insert(geometry.stride.begin(), 1);
    geometry.padding.insert(geometry.padding.begin(), 0);
    geometry.output.insert(geometry.output.begin(), depth);
  }
  Call call = MakeBackward(op, type, index_type, geometry);
  call.tensor(Role::kIndices).data.kind =
      draw.Of({DataKind::kWindow, DataKind::kLast, DataKind::kArgmax});
  call.tensor(Role::kIndices).data.seed = draw.Seed();
  call.tensor(Role::kGradOutput).data.seed = draw.Seed();
  if (draw.OneIn(4)) DrawLayouts(draw, call);
  return WithMagnitudes(draw, std::move(call));
}

// Everything at once, up to some 100,000 elements: for faults that need several things to meet.
Case MixedFamily(Draw& draw, const ProfileRules& rules) {
  const Operator op = DrawOperator(draw, rules);
  const DataType type = DrawType(draw, rules, op);
  const DataType index_type = DrawIndexType(draw, rules, op);
  const auto rank = static_cast<std::size_t>(InfoOf(op).spatial_rank);
  const std::int64_t budget = draw.Weighted<std::int64_t>({{5, 2000}, {4, 16000}, {2, 132000}});
  std::int64_t left = budget;
  const auto take = [&](std::int64_t wanted) {
    const std::int64_t extent = std::clamp<std::int64_t>(wanted, 1, left);
    left /= extent;
    return extent;
  };
  // Axes take their share in a random order, so that each can be the long one.
  Dims spatial(rank, 1);
  for (const std::size_t axis : draw.Permutation(rank)) {
    spatial[axis] = take(draw.Weighted<std::int64_t>(
        {{4, draw.Between(1, 9)}, {3, draw.Between(10, 70)}, {3, DrawBorderSize(draw, 2048)}}));
  }
  Dims self;
  if (!draw.OneIn(3)) self.push_back(take(draw.Between(1, 4)));
  self.push_back(take(draw.Weighted<std::int64_t>(
      {{4, draw.Between(1, 5)}, {2, draw.Between(6, 64)}, {2, DrawBorderSize(draw, 256)}})));
  self.insert(self.end(), spatial.begin(), spatial.end());

  Call call;
  std::int64_t cells_per_window = 1;
  if (InfoOf(op).windows == WindowRule::kAdaptive) {
    Dims output;
    for (const std::int64_t extent : spatial) {
      output.push_back(draw.Between(1, std::min<std::int64_t>(extent + 3, 80)));
      cells_per_window *= extent / output.back() + 1;
    }
    call = MakeAdaptiveBackward(op, type, index_type, self, output);
  } else {
    do {
      Dims kernel;
      Dims stride;
      Dims padding;
      cells_per_window = 1;
      for (const std::int64_t extent : spatial) {
        const AxisChoice axis = DrawWindows(draw, extent, draw.OneIn(6) ? 17 : 4, Overlap::kAny);
        kernel.push_back(axis.kernel);
        stride.push_back(axis.stride);
        padding.push_back(axis.padding);
        cells_per_window *= axis.kernel;
      }
      call = MakeFixedBackward(op, type, index_type, self, DrawListForm(draw, kernel),
                               DrawListForm(draw, stride), DrawListForm(draw, padding),
                               DrawDilation(draw, rules, op), draw.OneIn(2));
    } while (!HasDerivedOutput(call));
  }
  DrawData(draw, call);
  if (draw.OneIn(3)) call.tensor(Role::kGradOutput).data.kind = DrawSummands(draw);
  Data& indices = call.tensor(Role::kIndices).data;
  if (cells_per_window > 64 && indices.kind == DataKind::kArgmax) indices.kind = DataKind::kWindow;
  if (draw.OneIn(3)) AddSpecials(draw, call);
  if (draw.OneIn(3)) DrawLayouts(draw, call);
  return WithMagnitudes(draw, std::move(call));
}

// A call after others: one that differs in a single property, or another problem altogether.
Case HistoryFamily(Draw& draw, const ProfileRules& rules) {
  Call call = DrawCall(draw, rules, {.extents = {1, 7}, .leading = 3});
  if (draw.OneIn(3)) DrawLayouts(draw, call);
  Case problem;
  const std::int64_t others = draw.Between(1, 3);
  for (std::int64_t i = 0; i < others; ++i) {
    Call other = call;
    switch (draw.Between(0, 4)) {
      case 0:
        other = DrawCall(draw, rules, {.extents = {1, 12}, .leading = 4});
        break;
      case 1: {
        const DataType type = DrawType(draw, rules, call.op);
        for (const Role role : GradientRoles()) {
          other.tensor(role).type = type;
        }
        break;
      }
      case 2:
        for (TensorSpec& tensor : other.tensors) {
          tensor.strides.clear();
          tensor.offset = 0;
          tensor.storage.clear();
        }
        break;
      case 3:
        other.tensor(Role::kIndices).data.kind = DataKind::kWindow;
        other.tensor(Role::kIndices).data.seed = draw.Seed();
        break;
      default:
        other.tensor(Role::kGradOutput).data.seed = draw.Seed();
        break;
    }
    if (i == 0 && draw.OneIn(2)) problem.calls.push_back(call);
    problem.calls.push_back(std::move(other));
  }
  problem.calls.push_back(std::move(call));
  return problem;
}

void DrawForwardLayouts(Draw& draw, Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  for (const Role role : info.tensors) {
    if (!draw.OneIn(2)) continue;
    DrawLayout(draw, call.tensor(role),
               IsOutput(info, role) ? LayoutUse::kOutput : LayoutUse::kValues,
               static_cast<std::size_t>(info.spatial_rank));
  }
}

// The forward of a backward that was drawn; the call itself where the profile has none.
Call DrawForward(Draw& draw, const ProfileRules& rules, const Call& backward) {
  if (!rules.Covers(InfoOf(backward.op).forward)) return backward;
  Call call = MakeForward(backward);
  if (!draw.OneIn(3)) DrawForwardLayouts(draw, call);
  return call;
}

// What a plan does to the phases, on operands of any layout and size: what is kept from one phase
// or call to the next, or shared by threads, may be right of small dense ones alone.
Case PlanFamily(Draw& draw, const ProfileRules& rules) {
  const std::int64_t what = draw.Between(0, 19);
  const bool grows = what == 19;  // by hundreds of calls
  Case problem = draw.OneIn(3) && !grows
                     ? MixedFamily(draw, rules)
                     : Single(DrawCall(draw, rules, {.extents = {1, 9}, .leading = 3}));
  const Call plain = problem.calls.front();
  Call& first = problem.calls.front();
  if (draw.OneIn(4)) {
    first = DrawForward(draw, rules, plain);
  } else if (!draw.OneIn(4)) {
    DrawLayouts(draw, first);
  }
  CallPlan& plan = problem.plan;
  plan.deterministic = draw.OneIn(5) && !InfoOf(first.op).is_forward;
  // Of exact data no order of summation shows.
  if (plan.deterministic) {
    first.tensor(Role::kGradOutput).data = {DataKind::kUniform, draw.Seed(), {}, {}};
  }
  if (grows) {
    plan.growth_calls = 120;
  } else if (what < 2) {
    plan.fill_late = true;
  } else if (what < 10) {
    plan.repeat = 3;
    plan.reuse_executor = what < 4;
    plan.vary_contents = what == 4 || what == 5;
    plan.shift_bytes = what == 6 || what == 7 ? 64 : 0;
    if (what >= 8) plan.threads = draw.OneIn(4) ? 8 : static_cast<int>(draw.Between(2, 4));
  } else {
    // The same call on other data, a forward and its backward, or another call.
    Call other = plain;
    if (draw.OneIn(2)) {
      other = DrawCall(draw, rules, {.extents = {1, 9}, .leading = 3});
      if (draw.OneIn(2)) DrawLayouts(draw, other);
    } else {
      SeedData(other, static_cast<std::uint64_t>(draw.Between(1, 100000)));
    }
    if (draw.OneIn(4)) other = DrawForward(draw, rules, other);
    problem.calls.push_back(std::move(other));
    plan.streams = what < 12 ? 2 : 1;
    plan.threads = what == 12 ? static_cast<int>(draw.Between(2, 4)) : 1;
    plan.share_descriptors = what >= 17;
    plan.order = what < 13 || what >= 17 ? Order::kInTurn : what < 15 ? Order::kFifo : Order::kLifo;
  }
  return problem;
}

// Indices inside the plane but outside their windows: recorded, and nothing beside gradInput
// written.
Case ForeignFamily(Draw& draw, const ProfileRules& rules) {
  Call call = DrawCall(draw, rules, {.extents = {2, 6}, .leading = 2});
  call.tensor(Role::kIndices).data.kind = DataKind::kPlane;
  return Single(std::move(call));
}

using FamilyFunction = Case (*)(Draw&, const ProfileRules&);

// Of calls like those of the other families.
Case ForwardFamily(Draw& draw, const ProfileRules& rules) {
  constexpr std::array<FamilyFunction, 4> kOthers = {&SizeFamily, &WideFamily, &PlaneFamily,
                                                     &MixedFamily};
  Call backward;
  if (const auto which = static_cast<std::size_t>(draw.Between(0, 7)); which < kOthers.size()) {
    backward = kOthers[which](draw, rules).calls.front();
  } else {
    // One row in four is as wide as vectors and tiles are.
    const bool wide = draw.OneIn(4);
    backward = DrawCall(draw, rules, {.extents = {1, wide ? 30 : 8}, .leading = wide ? 1 : 3});
  }
  if (draw.OneIn(4)) AddSpecials(draw, backward);
  Call call = MakeForward(backward);
  if (draw.OneIn(3)) DrawForwardLayouts(draw, call);
  return Single(std::move(call));
}

struct FamilyRow {
  RandomFamily family;
  FamilyFunction draw;
};

constexpr std::array kFamilies = {
    FamilyRow{{"small", 200, 5600, 400000, 12, true}, &SmallFamily},
    FamilyRow{{"layout", 150, 4700, 300000, 18, true}, &LayoutFamily},
    FamilyRow{{"sums", 120, 3700, 200000, 10, true}, &SumFamily},
    FamilyRow{{"special", 120, 3000, 200000, 11, true}, &SpecialFamily},
    FamilyRow{{"sizes", 50, 1200, 60000, 8, false}, &SizeFamily},
    FamilyRow{{"wide", 50, 1500, 60000, 8, false}, &WideFamily},
    FamilyRow{{"planes", 40, 600, 20000, 4, false}, &PlaneFamily},
    FamilyRow{{"large", 3, 100, 3000, 1, false}, &LargeFamily},
    FamilyRow{{"mixed", 40, 2500, 200000, 8, false}, &MixedFamily},
    FamilyRow{{"history", 20, 600, 40000, 2, false}, &HistoryFamily},
    FamilyRow{{"plans", 60, 1800, 90000, 0, false}, &PlanFamily},
    FamilyRow{{"foreign", 20, 200, 10000, 1, false}, &ForeignFamily},
    FamilyRow{{"forward", 60, 900, 40000, 0, false}, &ForwardFamily},
};

std::uint64_t FamilySeed(std::string_view name, std::uint64_t seed, std::uint64_t index) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a over the name
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return RandomBits(Scramble(seed) ^ hash, index);
}

}  // namespace

const std::vector<RandomFamily>& RandomFamilies() {
  static const std::vector<RandomFamily> families = [] {
    std::vector<RandomFamily> list;
    for (const FamilyRow& row : kFamilies) list.push_back(row.family);
    return list;
  }();
  return families;
}

NamedCase RandomCase(const ProfileRules& rules, const RandomFamily& family, std::uint64_t seed,
                     std::uint64_t index) {
  NamedCase result;
  result.family = "random-" + std::string(family.name);
  result.name = std::to_string(index);
  for (const FamilyRow& row : kFamilies) {
    if (row.family.name != family.name) continue;
    Draw draw(FamilySeed(family.name, seed, index));
    result.problem = row.draw(draw, rules);
    CallPlan& plan = result.problem.plan;
    plan.output = draw.Weighted<Poison>({{3, Poison::kNan}, {2, Poison::kFinite}});
    plan.workspace = draw.Weighted<Poison>({{2, Poison::kNan}, {1, Poison::kFinite}});
    return result;
  }
  return result;
}

}  // namespace poolproof
