// SPDX-License-Identifier: Apache-2.0
//
// What is said of the tensors of a call.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/circumstance/teller.h"
#include "conformance/circumstance/words.h"
#include "core/wide_int.h"

namespace poolproof {
namespace {

struct Layout {
  Flag view;          // not row-major, or from another offset than 0
  Flag strided;       // not row-major
  Flag permuted;      // axes in another order in memory
  Flag gaps;          // memory between the elements
  Flag repeats;       // stride 0
  Flag interleaved;   // an axis steps over less than the axes of shorter strides reach
  Flag lone_channel;  // C is 1, and its stride, which says nothing, is not N's
  Number offset;
  Number inner;  // stride of the last axis with more than one element
  Number last;   // stride of the last axis
  Number spare;  // elements of the storage beside those of the view
};

bool Interleaves(const Dims& shape, const Dims& strides) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // stride, extent
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] > 1) axes.emplace_back(strides[axis], shape[axis]);
  }
  std::sort(axes.begin(), axes.end());
  WideInt reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (WideInt{stride} <= reach) return true;
    reach += WideInt{extent - 1} * stride;
  }
  return false;
}

Layout LayoutOf(const TensorSpec* tensor, int spatial) {
  Layout layout;
  if (tensor == nullptr) return layout;
  layout.offset = tensor->offset;
  const Dims strides = StridesOf(*tensor);
  const std::optional<std::int64_t> elements = CheckedNumel(tensor->shape);
  const Number storage = StorageElements(*tensor);
  if (storage && elements) layout.spare = *storage - *elements;
  if (strides.size() != tensor->shape.size() || !elements) return layout;
  if (!strides.empty()) layout.last = strides.back();
  layout.strided = !IsPacked(*tensor);
  layout.view = *layout.strided || tensor->offset != 0;
  layout.permuted = layout.repeats = layout.gaps = false;
  std::int64_t before = -1;
  WideInt reach = 1;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (tensor->shape[axis] < 2) continue;
    if (strides[axis] == 0) layout.repeats = true;
    if (*layout.strided && before >= 0 && strides[axis] > before) layout.permuted = true;
    before = strides[axis];
    layout.inner = strides[axis];
    reach += WideInt{tensor->shape[axis] - 1} * strides[axis];
  }
  layout.gaps = *elements > 0 && reach > WideInt{*elements};
  layout.interleaved = Interleaves(tensor->shape, strides);
  if (tensor->shape.size() == static_cast<std::size_t>(spatial) + 2) {
    layout.lone_channel = tensor->shape[0] > 1 && tensor->shape[1] == 1 && strides[0] != strides[1];
  }
  return layout;
}

// Whether the operands go together, as the documents want it.
void TellAgreement(const Call& call, Teller& teller) {
  const OperatorInfo& info = InfoOf(call.op);
  const TensorSpec* grad = OperandOf(call, info.is_forward ? Role::kOut : Role::kGradOutput);
  const TensorSpec* self = OperandOf(call, Role::kSelf);
  const TensorSpec* indices = OperandOf(call, Role::kIndices);
  const TensorSpec* grad_input = OperandOf(call, Role::kGradInput);
  const auto differ = [](const TensorSpec* a, const TensorSpec* b, auto member) -> Flag {
    if (a == nullptr || b == nullptr) return std::nullopt;
    return a->*member != b->*member;
  };
  teller.TellFlag(differ(self, grad, &TensorSpec::type), kPlain, "self_other_dtype",
                  "self has another type than gradOutput", "self has the type of gradOutput");
  teller.TellFlag(differ(grad_input, grad, &TensorSpec::type), kPlain, "grad_input_other_dtype",
                  "gradInput has another type than gradOutput",
                  "gradInput has the type of gradOutput");
  teller.TellFlag(differ(indices, grad, &TensorSpec::shape), kPlain, "indices_other_shape",
                  "indices have another shape than gradOutput",
                  "indices have the shape of gradOutput");
  const Flag other_out = differ(indices, grad, &TensorSpec::shape);
  const Flag other_in = differ(grad_input, self, &TensorSpec::shape);
  teller.TellFlag(other_in, kPlain, "grad_input_other_shape",
                  "gradInput has another shape than self", "gradInput has the shape of self");
  teller.TellFlag(
      other_out || other_in ? Flag(other_out.value_or(false) || other_in.value_or(false)) : Flag(),
      kPlain, "shapes_differ", "shapes that should be equal differ",
      "shapes that should be equal are equal");
  const auto elements = [](const TensorSpec* tensor) -> Number {
    return tensor != nullptr ? CheckedNumel(tensor->shape) : std::nullopt;
  };
  teller.TellFlag(Same(elements(indices), elements(grad)), kCounted, "indices_same_count",
                  "indices have as many elements as gradOutput",
                  "indices have another number of elements than gradOutput");
  const auto leading = [&](const TensorSpec* tensor) {
    const auto behind = std::min(tensor->shape.size(), static_cast<std::size_t>(info.spatial_rank));
    return Dims(tensor->shape.begin(), tensor->shape.end() - static_cast<std::ptrdiff_t>(behind));
  };
  teller.TellFlag(
      self != nullptr && grad != nullptr ? Flag(leading(self) != leading(grad)) : Flag(), kCounted,
      "planes_differ", "gradOutput and self differ in N or C",
      "gradOutput and self have the same N and C");
  teller.TellFlag(other_in ? Flag(*other_in && self->shape.size() == grad_input->shape.size() &&
                                  std::ssize(self->shape) == info.spatial_rank + 2 &&
                                  std::equal(self->shape.begin() + 1, self->shape.end(),
                                             grad_input->shape.begin() + 1))
                           : Flag(),
                  kCounted, "grad_input_other_n", "gradInput differs from self in N only",
                  "gradInput does not differ from self in N only");
  Flag low = false;
  Flag high = false;
  Flag hidden = false;
  Flag formats = false;
  Number odd_type;
  const auto takes = [&](DataType type) {
    return std::any_of(info.value_types.begin(), info.value_types.end(),
                       [&](const SupportedType& row) { return row.type == type; });
  };
  const auto axes = static_cast<std::size_t>(info.spatial_rank);
  for (const Role role : info.tensors) {
    const TensorSpec* tensor = OperandOf(call, role);
    if (tensor == nullptr) continue;
    if (!odd_type && role != Role::kIndices && !takes(tensor->type)) {
      odd_type = TypeWord(tensor->type);
    }
    low = *low || tensor->shape.size() < axes + 1;
    high = *high || tensor->shape.size() > axes + 2;
    hidden = *hidden || IsPrivateFormat(tensor->format);
    formats = *formats || (self != nullptr && tensor->format != self->format);
  }
  teller.TellFlag(low, kPlain, "rank_low", "a tensor has too few axes",
                  "no tensor has too few axes");
  teller.TellFlag(high, kPlain, "rank_high", "a tensor has too many axes",
                  "no tensor has too many axes");
  teller.TellFlag(hidden, kPlain, "format_private", "a tensor has a private format",
                  "no tensor has a private format");
  teller.TellFlag(formats, kPlain, "formats_differ", "formats differ", "all formats are the same");
  teller.Tell(odd_type, [] {
    return Circumstance{Circumstance::Kind::kWord,
                        "unsupported_dtype",
                        "the unsupported type of a tensor",
                        {},
                        TypeWords(),
                        kCounted};
  });
}

}  // namespace

void TellOperands(const Call& call, const CallPlan& plan, Teller& teller) {
  struct Row {
    Role role;
    const char* name;
    const char* text;
  };
  // A forward's out has the place of gradOutput.
  const bool forward = InfoOf(call.op).is_forward;
  const Row rows[] = {{forward ? Role::kOut : Role::kGradOutput, "grad_output", "gradOutput"},
                      {Role::kSelf, "self", "self"},
                      {Role::kIndices, "indices", "indices"},
                      {Role::kGradInput, "grad_input", "gradInput"}};
  Flag any_view = false;
  Flag any_permuted = false;
  Flag any_null = false;
  Flag any_offset = false;
  Flag any_lone_channel = false;
  std::int64_t nulls = 0;
  Number lowest_rank;
  for (const Row& row : rows) {
    const bool has = Has(InfoOf(call.op), row.role);
    const TensorSpec* tensor = OperandOf(call, row.role);
    const Layout layout = LayoutOf(tensor, InfoOf(call.op).spatial_rank);
    any_view = *any_view || layout.strided.value_or(false);
    any_permuted = *any_permuted || layout.permuted.value_or(false);
    any_offset = *any_offset || layout.offset.value_or(0) != 0;
    any_null = *any_null || (has && tensor == nullptr);
    any_lone_channel = *any_lone_channel || layout.lone_channel.value_or(false);
    if (has && tensor == nullptr) ++nulls;
    if (tensor != nullptr) {
      lowest_rank =
          std::min(lowest_rank.value_or(std::ssize(tensor->shape)), std::ssize(tensor->shape));
    }
    const char* const name = row.name;
    const char* const text = row.text;
    const auto flag = [&](Flag value, int effort, const char* what, const char* yes,
                          const char* no) {
      teller.Tell(AsNumber(value), [&] {
        return Circumstance{Circumstance::Kind::kFlag,
                            Join(name, what).Text(),
                            Join(text, yes).Text(),
                            Join(text, no).Text(),
                            {},
                            effort};
      });
    };
    flag(has ? Flag(tensor == nullptr) : Flag(), kPlain, "_null", " is null", " is not null");
    flag(layout.strided, kPlain, "_strided", " is not contiguous", " is contiguous");
    flag(layout.view, kCounted, "_view", " is not contiguous from offset 0",
         " is contiguous from offset 0");
    flag(layout.permuted, kCounted, "_permuted", " has its axes in another order in memory",
         " has its axes in order in memory");
    flag(layout.gaps, kCounted, "_gaps", " has gaps in memory", " has no gaps in memory");
    flag(layout.strided && layout.gaps ? Flag(*layout.strided && !*layout.gaps) : Flag(), kDerived,
         "_dense_permuted", " is permuted without gaps", " is not permuted without gaps");
    flag(layout.repeats, kCounted, "_stride_0", " has a stride of 0", " has no stride of 0");
    flag(layout.interleaved, kCounted, "_interleaved", " has axes that interleave in memory",
         " has no axes that interleave in memory");
    flag(tensor != nullptr ? Flag(IsPrivateFormat(tensor->format)) : Flag(), kCounted,
         "_format_private", " has a private format", " has no private format");
    teller.measure = Circumstance::Measure::kCount;
    teller.TellNumber(layout.offset, kCounted, {name, "_offset"}, {"the offset of ", text});
    teller.measure = Circumstance::Measure::kNone;
    teller.TellNumber(layout.inner, kDerived, {name, "_inner_stride"},
                      {"the innermost stride of ", text});
    teller.TellNumber(layout.last, kDerived, {name, "_last_stride"},
                      {"the stride of the last axis of ", text});
    teller.TellNumber(layout.spare, kDerived, {name, "_spare"},
                      {"the number of storage elements that ", text, " does not use"});
    teller.Tell(tensor != nullptr ? Number(TypeWord(tensor->type)) : Number(), [&] {
      return Circumstance{Circumstance::Kind::kWord,
                          Join(name, "_dtype").Text(),
                          Join("the type of ", text).Text(),
                          {},
                          TypeWords(),
                          kCounted};
    });
    teller.Tell(tensor != nullptr ? Number(FormatWord(tensor->format)) : Number(), [&] {
      return Circumstance{Circumstance::Kind::kWord,
                          Join(name, "_format").Text(),
                          Join("the format of ", text).Text(),
                          {},
                          FormatWords(),
                          kCounted};
    });
    teller.TellNumber(
        tensor != nullptr ? Number(static_cast<std::int64_t>(tensor->shape.size())) : Number(),
        kDerived, {name, "_rank"}, {"the rank of ", text});
    // Calls without storage have no data.
    teller.Tell(tensor != nullptr && !IsOutput(InfoOf(call.op), row.role) && !plan.descriptors_only
                    ? Number(static_cast<std::int64_t>(tensor->data.kind))
                    : Number(),
                [&] {
                  Circumstance recipe = {Circumstance::Kind::kWord,
                                         Join(name, "_data").Text(),
                                         Join("the data of ", text).Text(),
                                         {},
                                         DataWords(),
                                         kOdd};
                  recipe.of_recipe = true;
                  return recipe;
                });
  }
  teller.TellNumber(lowest_rank, kDerived, "lowest_rank", "the lowest rank of a tensor");
  TellAgreement(call, teller);
  const auto alike = [&](Role a, Role b) -> Flag {
    const TensorSpec* one = OperandOf(call, a);
    const TensorSpec* other = OperandOf(call, b);
    if (one == nullptr || other == nullptr) return std::nullopt;
    return StridesOf(*one) == StridesOf(*other);
  };
  teller.TellFlag(alike(Role::kGradOutput, Role::kIndices), kCounted, "indices_like_grad_output",
                  "indices have the strides of gradOutput",
                  "indices have other strides than gradOutput");
  teller.TellFlag(alike(Role::kSelf, Role::kGradInput), kCounted, "grad_input_like_self",
                  "gradInput has the strides of self", "gradInput has other strides than self");
  teller.TellFlag(any_view, kPlain, "strided", "an operand is not contiguous",
                  "all operands are contiguous");
  teller.TellFlag(any_permuted, kCounted, "permuted", "an operand has its axes in another order",
                  "all operands have their axes in order");
  teller.TellFlag(any_offset, kCounted, "offset",
                  "an operand starts after the start of its storage",
                  "all operands start at the start of their storage");
  teller.TellFlag(any_null, kCounted, "null", "a tensor is null", "no tensor is null");
  teller.TellNumber(nulls, kDerived, "nulls", "the number of null tensors");
  teller.TellFlag(any_lone_channel, kDerived, "lone_channel_stride",
                  "an operand has N > 1 and C = 1 with different strides",
                  "no operand has N > 1 and C = 1 with different strides");
}

}  // namespace poolproof
