// SPDX-License-Identifier: Apache-2.0
//
// What is said of the extents and windows of a call.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include "conformance/case/windows.h"
#include "conformance/circumstance/teller.h"
#include "core/wide_int.h"

namespace poolproof {
namespace {

constexpr std::array<const char*, 3> kAxis = {"d", "h", "w"};
constexpr std::array<const char*, 3> kAxisText = {"D", "H", "W"};

struct AxisFacts {
  Number in, out, kernel, stride, padding, dilation;
  Flag overlap, reaches, gap, ceil_adds, ceil_outside, divides, upsampled, by_floats;
  Number rest;  // elements behind the last whole window; of adaptive windows, in mod out
};

// Whether adaptive windows come out otherwise where their borders are products of 32-bit floats.
Flag DifferByFloats(std::int64_t in, std::int64_t out) {
  if (out > kMostLookedAt || in > (std::int64_t{1} << 40)) return std::nullopt;
  const float ratio = static_cast<float>(in) / static_cast<float>(out);
  for (std::int64_t i = 0; i < out; ++i) {
    const auto start = static_cast<std::int64_t>(std::floor(static_cast<float>(i) * ratio));
    const auto end = static_cast<std::int64_t>(std::ceil(static_cast<float>(i + 1) * ratio));
    if (start != i * in / out || end != ((i + 1) * in + out - 1) / out) return true;
  }
  return false;
}

// What the list itself says along an axis, whatever is wrong with it or with other lists.
Number ValueAlong(const std::optional<Dims>& list, std::size_t axis, std::size_t axes) {
  if (!list || (list->size() != 1 && list->size() != axes)) return std::nullopt;
  return list->size() == 1 ? list->front() : (*list)[axis + axes - 3];
}

// Of another rank nobody can tell which axis is D, H or W.
bool HasPlanes(const TensorSpec& tensor, const OperatorInfo& info) {
  const auto spatial = static_cast<std::size_t>(info.spatial_rank);
  return tensor.shape.size() == spatial + 1 || tensor.shape.size() == spatial + 2;
}

AxisFacts AxisFactsOf(const Call& call, const std::optional<WindowAttributes>& attributes,
                      std::size_t axis) {
  AxisFacts facts;
  const OperatorInfo& info = InfoOf(call.op);
  const auto skipped = static_cast<std::size_t>(3 - info.spatial_rank);
  const auto extent = [&](const TensorSpec* tensor) -> Number {
    if (tensor == nullptr || !HasPlanes(*tensor, info)) return std::nullopt;
    return tensor->shape[tensor->shape.size() - 3 + axis];
  };
  if (axis < skipped) {
    facts.overlap = facts.reaches = facts.gap = facts.ceil_adds = facts.upsampled = false;
    return facts;
  }
  facts.in = extent(OperandOf(call, Role::kSelf));
  facts.out = extent(OperandOf(call, info.is_forward ? Role::kOut : Role::kGradOutput));
  facts.upsampled = Greater(facts.out, facts.in);
  const bool sizes = facts.in && facts.out && *facts.in > 0 && *facts.out > 0;
  if (info.windows == WindowRule::kAdaptive) {
    if (!sizes) return facts;
    facts.rest = *facts.in % *facts.out;
    facts.divides = *facts.rest == 0;
    facts.overlap = *facts.out > 1 && *facts.rest != 0;
    facts.gap = false;
    facts.by_floats = DifferByFloats(*facts.in, *facts.out);
    return facts;
  }
  if (!attributes) {
    const auto along = [&](List list) {
      return ValueAlong(call.list(list), axis, static_cast<std::size_t>(info.spatial_rank));
    };
    facts.kernel = along(List::kKernelSize);
    const std::optional<Dims>& strides = call.list(List::kStride);
    facts.stride = strides && strides->empty() ? facts.kernel : along(List::kStride);
    facts.padding = along(List::kPadding);
    facts.dilation = along(List::kDilation);
    return facts;
  }
  const PoolAxis pool = attributes->Axis(axis);
  facts.kernel = pool.kernel;
  facts.stride = pool.stride;
  facts.padding = pool.padding;
  facts.dilation = pool.dilation;
  const WideInt span = (WideInt{pool.kernel} - 1) * pool.dilation + 1;
  // Window o + m shares an element with window o where m strides are whole steps of dilation
  // within the kernel.
  const std::int64_t common = std::gcd(pool.stride, pool.dilation);
  facts.reaches = span > WideInt{pool.stride};
  if (sizes) {
    facts.overlap = pool.stride / common <= pool.kernel - 1 && pool.dilation / common < *facts.out;
    facts.gap = WideInt{pool.stride} > span || pool.dilation > 1;
    const WideInt left = WideInt{*facts.in} + 2 * WideInt{pool.padding} - span;
    if (left >= 0) facts.rest = static_cast<std::int64_t>(left % WideInt{pool.stride});
    const WideInt ceil = left < 0 ? 0 : (left + pool.stride - 1) / WideInt{pool.stride} + 1;
    facts.ceil_outside = call.ceil_mode && ceil > WideInt{PooledExtent(*facts.in, pool, true)};
    facts.ceil_adds = call.ceil_mode &&
                      PooledExtent(*facts.in, pool, true) != PooledExtent(*facts.in, pool, false);
  }
  return facts;
}

Number CountOf(const std::array<AxisFacts, 3>& axes, Flag AxisFacts::*member) {
  std::int64_t count = 0;
  for (const AxisFacts& facts : axes) {
    if (!(facts.*member)) return std::nullopt;
    if (*(facts.*member)) ++count;
  }
  return count;
}

// Of axes that the operator has; nullopt where one of them lacks it.
Number ProductOf(const std::array<AxisFacts, 3>& axes, std::size_t from,
                 Number AxisFacts::*member) {
  Number product = 1;
  for (std::size_t axis = from; axis < 3; ++axis) product = Times(product, axes[axis].*member);
  return product;
}

void TellAxis(const AxisFacts& facts, std::size_t axis, Teller& teller) {
  const char* const name = kAxis[axis];
  const char* const text = kAxisText[axis];
  const auto number = [&](Number value, int effort, const char* what, const char* of) {
    teller.TellNumber(value, effort, {what, name}, {of, text});
  };
  const auto flag = [&](Flag value, int effort, const char* what, const Join& yes, const Join& no) {
    teller.Tell(AsNumber(value), [&] {
      return Circumstance{
          Circumstance::Kind::kFlag, Join(what, name).Text(), yes.Text(), no.Text(), {}, effort};
    });
  };
  teller.measure = Circumstance::Measure::kExtent;
  number(facts.in, kCounted, "in_", "");
  number(facts.out, kCounted, "out_", "output ");
  teller.measure = Circumstance::Measure::kWindow;
  number(facts.kernel, kCounted, "kernel_", "kernel ");
  number(facts.stride, kCounted, "stride_", "stride ");
  number(facts.padding, kCounted, "padding_", "padding ");
  number(facts.dilation, kCounted, "dilation_", "dilation ");
  teller.measure = Circumstance::Measure::kNone;
  number(facts.rest, kDerived, "rest_", "the number of elements left over along ");
  flag(facts.overlap, kPlain, "overlap_", {"windows overlap along ", text},
       {"windows do not overlap along ", text});
  flag(facts.reaches, kCounted, "reaches_", {"kernel ", text, " > stride ", text},
       {"kernel ", text, " <= stride ", text});
  flag(facts.gap, kCounted, "gap_", {"windows leave gaps along ", text},
       {"windows leave no gaps along ", text});
  flag(facts.ceil_adds, kCounted, "ceil_adds_", {"ceilMode adds a window along ", text},
       {"ceilMode adds no window along ", text});
  flag(facts.divides, kCounted, "divides_", {"output ", text, " divides ", text},
       {"output ", text, " does not divide ", text});
  flag(facts.upsampled, kCounted, "upsampled_", {"output ", text, " is above ", text},
       {"output ", text, " is not above ", text});
  flag(facts.in && facts.out && *facts.in > 0 ? Flag(*facts.out % *facts.in == 0) : Flag(),
       kDerived, "repeats_", {text, " divides output ", text},
       {text, " does not divide output ", text});
}

Number BytesOf(DataType type) {
  if (!IsGradientType(type)) return std::nullopt;
  return type == DataType::kFloat ? 4 : 2;
}

// Of the axes that the operator has.
Flag AnyAxis(const std::array<AxisFacts, 3>& axes, std::size_t from,
             Flag (*holds)(const AxisFacts&)) {
  bool any = false;
  for (std::size_t axis = from; axis < 3; ++axis) {
    const Flag own = holds(axes[axis]);
    if (!own) return std::nullopt;
    any = any || *own;
  }
  return any;
}

// What is said of all axes at once.
void TellAxesTogether(const std::array<AxisFacts, 3>& axes, std::size_t from, Teller& teller) {
  const auto differ = [&](Number AxisFacts::*member) -> Flag {
    for (std::size_t axis = from; axis < 3; ++axis) {
      if (!(axes[axis].*member)) return std::nullopt;
      if (axes[axis].*member != axes[from].*member) return true;
    }
    return false;
  };
  teller.TellFlag(differ(&AxisFacts::kernel), kCounted, "kernels_differ",
                  "the kernel differs between axes", "the kernel is the same along all axes");
  teller.TellFlag(differ(&AxisFacts::stride), kCounted, "strides_differ",
                  "the stride differs between axes", "the stride is the same along all axes");
  teller.TellFlag(differ(&AxisFacts::padding), kCounted, "paddings_differ",
                  "the padding differs between axes", "the padding is the same along all axes");
  teller.TellFlag(AnyAxis(axes, from,
                          [](const AxisFacts& facts) -> Flag {
                            if (!facts.kernel || !facts.padding) return std::nullopt;
                            return *facts.padding > 0 && *facts.padding == *facts.kernel / 2 &&
                                   *facts.kernel % 2 == 0;
                          }),
                  kCounted, "padding_is_half", "padding is half of an even kernel",
                  "padding is not half of an even kernel");
  teller.TellFlag(AnyAxis(axes, from,
                          [](const AxisFacts& facts) -> Flag {
                            if (!facts.kernel || !facts.padding) return std::nullopt;
                            return *facts.kernel > 0 && *facts.padding > *facts.kernel / 2;
                          }),
                  kCounted, "padding_above_half", "padding is above half of a kernel",
                  "padding is not above half of a kernel");
  teller.TellFlag(AnyAxis(axes, from,
                          [](const AxisFacts& facts) -> Flag {
                            if (!facts.divides) return std::nullopt;
                            return !*facts.divides;
                          }),
                  kCounted, "undivided", "outputs do not divide an axis",
                  "outputs divide every axis");
  teller.TellFlag(AnyAxis(axes, from,
                          [](const AxisFacts& facts) -> Flag {
                            if (!facts.divides || facts.in.value_or(0) < 1) return std::nullopt;
                            return !*facts.divides && *facts.out % *facts.in != 0;
                          }),
                  kCounted, "uneven", "along an axis neither extent divides the other",
                  "along every axis one extent divides the other");
}

// Of paddings, and of where windows end up, whatever the axis.
void TellEdges(const std::array<AxisFacts, 3>& axes, std::size_t from, Teller& teller) {
  teller.TellFlag(AnyAxis(axes, from,
                          [](const AxisFacts& facts) -> Flag {
                            if (!facts.kernel || !facts.padding) return std::nullopt;
                            return *facts.kernel % 2 == 1 &&
                                   *facts.padding == *facts.kernel / 2 + 1;
                          }),
                  kCounted, "padding_is_half_up", "padding is half of an odd kernel, rounded up",
                  "padding is not half of an odd kernel, rounded up");
  teller.TellFlag(AnyAxis(axes, from,
                          [](const AxisFacts& facts) -> Flag {
                            if (!facts.padding || !facts.out) return std::nullopt;
                            return *facts.padding > 0 && *facts.out > 1;
                          }),
                  kCounted, "padded_windows", "an axis with several windows is padded",
                  "no axis with several windows is padded");
  Flag above_first = false;
  for (std::size_t axis = from; axis < 3; ++axis) {
    if (!axes[axis].padding || !axes[from].kernel) {
      above_first = std::nullopt;
      break;
    }
    above_first = *above_first || *axes[axis].padding > *axes[from].kernel / 2;
  }
  teller.TellFlag(above_first, kCounted, "padding_above_half_first",
                  "padding is above half of the first kernel",
                  "padding is at most half of the first kernel");
  teller.TellFlag(AnyAxis(axes, from, [](const AxisFacts& facts) { return facts.ceil_outside; }),
                  kCounted, "ceil_outside", "ceilMode leaves out a window after the input",
                  "ceilMode leaves out no window");
  teller.TellFlag(AnyAxis(axes, from, [](const AxisFacts& facts) { return facts.by_floats; }),
                  kDerived, "float_windows_differ", "window borders in 32-bit floats are wrong",
                  "window borders in 32-bit floats are right");
  Number product;
  for (std::size_t axis = from; axis < 3; ++axis) {
    const Number own = Times(axes[axis].in, axes[axis].out);
    if (own) product = std::max(product.value_or(*own), *own);
  }
  teller.TellNumber(product, kDerived, "out_times_in",
                    "the largest product of extent and output extent of an axis");
}

// As a product of 32-bit numbers has them.
Number In32Bits(const std::array<AxisFacts, 3>& axes, std::size_t from) {
  std::uint32_t product = 1;
  for (std::size_t axis = from; axis < 3; ++axis) {
    if (!axes[axis].in || *axes[axis].in < 0) return std::nullopt;
    product *= static_cast<std::uint32_t>(*axes[axis].in);
  }
  return product;
}

void TellSizes(const Call& call, const std::array<AxisFacts, 3>& axes, Teller& teller) {
  const OperatorInfo& info = InfoOf(call.op);
  const auto from = static_cast<std::size_t>(3 - info.spatial_rank);
  const TensorSpec* self = OperandOf(call, Role::kSelf);
  const auto spatial = static_cast<std::size_t>(info.spatial_rank);
  Number batch;
  Number channels;
  if (self != nullptr && HasPlanes(*self, info)) {
    const std::size_t leading = self->shape.size() - spatial;
    batch = leading == 2 ? self->shape[0] : 1;
    channels = self->shape[leading - 1];
  }
  const Number planes = Times(batch, channels);
  const Number plane = ProductOf(axes, from, &AxisFacts::in);
  const Number outputs = ProductOf(axes, from, &AxisFacts::out);
  const auto number = [&](Number value, int effort, const char* name, const char* text) {
    teller.TellNumber(value, effort, name, text);
  };
  teller.measure = Circumstance::Measure::kExtent;
  number(batch, kCounted, "n", "N");
  number(channels, kCounted, "c", "C");
  teller.measure = Circumstance::Measure::kNone;
  number(planes, kDerived, "planes", "N * C");
  teller.measure = Circumstance::Measure::kCount;
  number(plane, kDerived, "plane", "the number of elements of a plane");
  number(outputs, kDerived, "outputs", "the number of outputs of a plane");
  number(Times(plane, planes), kDerived, "elements", "the number of elements of self");
  teller.measure = Circumstance::Measure::kNone;
  number(Times(outputs, planes), kDerived, "all_outputs", "the number of elements of gradOutput");
  number(self != nullptr ? Times(Times(plane, planes), BytesOf(self->type)) : Number(), kDerived,
         "grad_input_bytes", "the number of bytes of gradInput");
  number(Times(axes[1].in, axes[2].in), kDerived, "in_hw", "H * W");
  number(Times(axes[1].out, axes[2].out), kDerived, "out_hw", "output H * W");
  number(ProductOf(axes, from, &AxisFacts::kernel), kDerived, "kernel",
         "the number of elements of a window");
  teller.TellNumber(In32Bits(axes, from), kOdd, "plane_in_32_bits",
                    "the number of elements of a plane mod 2^32");
  number(CountOf(axes, &AxisFacts::overlap), kPlain, "overlapping_axes",
         "the number of axes along which windows overlap");
  number(CountOf(axes, &AxisFacts::gap), kCounted, "gapped_axes",
         "the number of axes along which windows leave gaps");
  number(CountOf(axes, &AxisFacts::ceil_adds), kCounted, "ceil_axes",
         "the number of axes along which ceilMode adds a window");
  number(CountOf(axes, &AxisFacts::upsampled), kCounted, "upsampled_axes",
         "the number of axes with more outputs than inputs");
  TellAxesTogether(axes, from, teller);
  TellEdges(axes, from, teller);
  const bool fixed = info.windows == WindowRule::kFixed;
  teller.TellFlag(fixed ? Flag(call.ceil_mode) : Flag(), kPlain, "ceil_mode", "ceilMode is on",
                  "ceilMode is off");
  const auto any_above = [&](List list, std::int64_t bound) -> Flag {
    const std::optional<Dims>& values = call.list(list);
    if (!fixed || !values) return std::nullopt;
    return std::any_of(values->begin(), values->end(), [&](std::int64_t v) { return v > bound; });
  };
  teller.TellFlag(any_above(List::kPadding, 0), kPlain, "padded", "there is padding",
                  "there is no padding");
  teller.TellFlag(any_above(List::kDilation, 1), kPlain, "dilated", "dilation is above 1",
                  "dilation is 1");
  teller.TellFlag(Same(axes[1].in, axes[2].in), kCounted, "square", "H equals W",
                  "H differs from W");
  teller.TellFlag(Same(axes[0].in, axes[1].in), kCounted, "d_is_h", "D equals H",
                  "D differs from H");
  teller.TellFlag(Same(axes[1].out, axes[2].out), kCounted, "out_square",
                  "output H equals output W", "output H differs from output W");
  teller.TellFlag(Same(axes[1].kernel, axes[2].kernel), kCounted, "kernel_square",
                  "kernel H equals kernel W", "kernel H differs from kernel W");
  teller.TellFlag(Same(axes[1].stride, axes[2].stride), kCounted, "stride_square",
                  "stride H equals stride W", "stride H differs from stride W");
  teller.TellFlag(Same(axes[1].padding, axes[2].padding), kCounted, "padding_square",
                  "padding H equals padding W", "padding H differs from padding W");
  teller.TellFlag(Same(axes[1].dilation, axes[2].dilation), kCounted, "dilation_square",
                  "dilation H equals dilation W", "dilation H differs from dilation W");
}

}  // namespace

void TellWindows(const Call& call, Teller& teller) {
  const std::optional<WindowAttributes> attributes =
      InfoOf(call.op).windows == WindowRule::kFixed ? ExpandAttributes(call) : std::nullopt;
  std::array<AxisFacts, 3> axes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    axes[axis] = AxisFactsOf(call, attributes, axis);
    TellAxis(axes[axis], axis, teller);
  }
  TellSizes(call, axes, teller);
}

}  // namespace poolproof
