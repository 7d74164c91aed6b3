// SPDX-License-Identifier: Apache-2.0
#include "conformance/circumstance/circumstances.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "conformance/case/case_words.h"
#include "conformance/case/plan_members.h"
#include "conformance/case/windows.h"
#include "conformance/circumstance/data_facts.h"
#include "conformance/circumstance/words.h"
#include "core/wide_int.h"

namespace poolproof {
namespace {

using Number = std::optional<std::int64_t>;
using Flag = std::optional<bool>;
using Triple = std::array<Number, 3>;

constexpr std::array<const char*, 3> kAxis = {"d", "h", "w"};
constexpr std::array<const char*, 3> kAxisText = {"D", "H", "W"};

// Effort of sentences, in the order in which they are preferred.
constexpr int kPlain = 1;    // operator, type, overlap, layout
constexpr int kCounted = 2;  // extents and attributes
constexpr int kDerived = 3;  // products, remainders of them, data
constexpr int kOdd = 4;      // residues, the recipe of data

// A text of parts, made where it is asked for: values are told a thousand times, names once.
struct Join {
  std::array<const char*, 4> parts;
  int number = -1;  // behind them, if it is not negative

  // NOLINTNEXTLINE(google-explicit-constructor)
  Join(const char* a, const char* b = "", const char* c = "", const char* d = "")
      : parts{a, b, c, d} {}
  Join(const char* a, const char* b, const char* c, int last) : parts{a, b, c, ""}, number(last) {}
  [[nodiscard]] std::string Text() const {
    std::string text;
    for (const char* part : parts) text += part;
    return number < 0 ? text : text + std::to_string(number);
  }
};

// Calls `tell` of everything that there is to say, in an order that no case changes. Names are
// made for the table alone.
class Teller {
 public:
  explicit Teller(std::vector<Circumstance>* table) : table_(table) {}

  template <typename Names>
  void Tell(Number value, const Names& names) {
    if (table_ != nullptr) {
      table_->push_back(names());
      table_->back().of_data = of_data;
    } else {
      values_.push_back(value.value_or(missing));
    }
  }
  void TellFlag(Flag value, int effort, const char* name, const char* text, const char* negation) {
    Tell(value ? Number(*value ? 1 : 0) : Number(),
         [&] { return Circumstance{Circumstance::Kind::kFlag, name, text, negation, {}, effort}; });
  }
  void TellNumber(Number value, int effort, const Join& name, const Join& text) {
    Tell(value, [&] {
      return Circumstance{Circumstance::Kind::kNumber, name.Text(), text.Text(), {}, {}, effort};
    });
  }
  template <typename Words>
  void TellWord(Number value, int effort, const char* name, const char* text, const Words& words) {
    Tell(value,
         [&] { return Circumstance{Circumstance::Kind::kWord, name, text, {}, words(), effort}; });
  }
  CircumstanceValues Take() { return std::move(values_); }
  bool of_data = false;             // what is told now is of the call's data
  std::int64_t missing = kNoValue;  // stands for what the call does not have

 private:
  std::vector<Circumstance>* table_;
  CircumstanceValues values_;
};

// ---- helpers on numbers that may be missing or too large

Number Times(Number a, Number b) {
  std::int64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
  return product;
}
Number Modulo(Number value, std::int64_t modulus) {
  if (!value || *value < 0) return std::nullopt;
  return *value % modulus;
}
Flag Greater(Number a, Number b) {
  if (!a || !b) return std::nullopt;
  return *a > *b;
}
Flag Same(Number a, Number b) {
  if (!a || !b) return std::nullopt;
  return *a == *b;
}
Number AsNumber(Flag flag) { return flag ? Number(*flag ? 1 : 0) : Number(); }

// ---- operands

bool Has(const OperatorInfo& info, Role role) {
  return std::find(info.tensors.begin(), info.tensors.end(), role) != info.tensors.end();
}

// The operand as far as the call has one with one stride for each extent.
const TensorSpec* OperandOf(const Call& call, Role role) {
  if (!Has(InfoOf(call.op), role)) return nullptr;
  const TensorSpec& tensor = call.tensor(role);
  return tensor.null ? nullptr : &tensor;
}

struct Layout {
  Flag view;      // not row-major, or from another offset than 0
  Flag strided;   // not row-major
  Flag permuted;  // axes in another order in memory
  Flag gaps;      // memory between the elements
  Flag repeats;   // stride 0
  Number offset;
  Number inner;  // stride of the last axis with more than one element
};

Layout LayoutOf(const TensorSpec* tensor) {
  Layout layout;
  if (tensor == nullptr) return layout;
  layout.offset = tensor->offset;
  const Dims strides = StridesOf(*tensor);
  const std::optional<std::int64_t> elements = CheckedNumel(tensor->shape);
  if (strides.size() != tensor->shape.size() || !elements) return layout;
  layout.strided = !IsContiguous(tensor->shape, strides);
  layout.view = *layout.strided || tensor->offset != 0;
  layout.permuted = layout.repeats = layout.gaps = false;
  std::int64_t before = -1;
  WideInt reach = 1;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (tensor->shape[axis] < 2) continue;
    if (strides[axis] == 0) layout.repeats = true;
    if (before >= 0 && strides[axis] > before) layout.permuted = true;
    before = strides[axis];
    layout.inner = strides[axis];
    reach += WideInt{tensor->shape[axis] - 1} * strides[axis];
  }
  layout.gaps = *elements > 0 && reach > WideInt{*elements};
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
      "shapes that should be equal are");
  Flag low = false;
  Flag high = false;
  Flag hidden = false;
  Flag formats = false;
  const auto axes = static_cast<std::size_t>(info.spatial_rank);
  for (const Role role : info.tensors) {
    const TensorSpec* tensor = OperandOf(call, role);
    if (tensor == nullptr) continue;
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
  teller.TellFlag(formats, kPlain, "formats_differ", "formats differ", "all formats are one");
}

void TellOperands(const Call& call, Teller& teller) {
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
  Number lowest_rank;
  for (const Row& row : rows) {
    const bool has = Has(InfoOf(call.op), row.role);
    const TensorSpec* tensor = OperandOf(call, row.role);
    const Layout layout = LayoutOf(tensor);
    any_view = *any_view || layout.strided.value_or(false);
    any_permuted = *any_permuted || layout.permuted.value_or(false);
    any_offset = *any_offset || layout.offset.value_or(0) != 0;
    any_null = *any_null || (has && tensor == nullptr);
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
    teller.TellNumber(layout.offset, kCounted, {name, "_offset"}, {"the offset of ", text});
    teller.TellNumber(Modulo(layout.offset, 2), kOdd, {name, "_offset_mod_2"},
                      {"the offset of ", text, " mod 2"});
    teller.TellNumber(Modulo(layout.offset, 16), kOdd, {name, "_offset_mod_16"},
                      {"the offset of ", text, " mod 16"});
    teller.TellNumber(layout.inner, kDerived, {name, "_inner_stride"},
                      {"the innermost stride of ", text});
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
    teller.Tell(tensor != nullptr && !IsOutput(InfoOf(call.op), row.role)
                    ? Number(static_cast<std::int64_t>(tensor->data.kind))
                    : Number(),
                [&] {
                  return Circumstance{Circumstance::Kind::kWord,
                                      Join(name, "_data").Text(),
                                      Join("the data of ", text).Text(),
                                      {},
                                      DataWords(),
                                      kOdd};
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
  teller.TellFlag(any_offset, kCounted, "offset", "an operand starts behind its storage's start",
                  "all operands start at their storage's start");
  teller.TellFlag(any_null, kCounted, "null", "a tensor is null", "no tensor is null");
}

// ---- the call

void TellCall(const Call& call, Teller& teller) {
  const OperatorInfo& info = InfoOf(call.op);
  const TensorSpec* self = OperandOf(call, Role::kSelf);
  const TensorSpec* values = OperandOf(call, info.is_forward ? Role::kSelf : Role::kGradOutput);
  const TensorSpec* indices = OperandOf(call, Role::kIndices);
  teller.TellWord(static_cast<std::int64_t>(call.op), kPlain, "operator", "the operator",
                  &OperatorWords);
  teller.TellFlag(info.windows == WindowRule::kAdaptive, kPlain, "adaptive",
                  "the operator is an adaptive one", "the windows are fixed");
  teller.TellFlag(info.spatial_rank == 3, kPlain, "three_axes", "planes have three axes",
                  "planes have two axes");
  teller.TellFlag(info.is_forward, kPlain, "forward", "the call is a forward",
                  "the call is a backward");
  teller.TellWord(values != nullptr ? Number(TypeWord(values->type)) : Number(), kPlain, "dtype",
                  "the data type", &TypeWords);
  teller.TellFlag(values != nullptr
                      ? Flag(values->type == DataType::kFloat16 || values->type == DataType::kBf16)
                      : Flag(),
                  kPlain, "values_16_bit", "values have 16 bits", "values have not 16 bits");
  teller.TellFlag(indices != nullptr ? Flag(indices->type == DataType::kInt64) : Flag(), kPlain,
                  "indices_64_bit", "indices are i64", "indices are not i64");
  teller.TellFlag(self != nullptr ? Flag(self->format != Format::kNd) : Flag(), kPlain,
                  "format_named", "the format of self is not ND", "the format of self is ND");
  teller.TellFlag(self != nullptr
                      ? Flag(static_cast<int>(self->shape.size()) == info.spatial_rank + 1)
                      : Flag(),
                  kPlain, "unbatched", "there is no batch axis", "there is a batch axis");
}

// ---- windows

struct AxisFacts {
  Number in, out, kernel, stride, padding, dilation;
  Flag overlap, reaches, gap, ceil_adds, divides, upsampled;
  Number rest;  // elements behind the last whole window; of adaptive windows, in mod out
};

AxisFacts AxisFactsOf(const Call& call, const std::optional<WindowAttributes>& attributes,
                      std::size_t axis) {
  AxisFacts facts;
  const OperatorInfo& info = InfoOf(call.op);
  const auto skipped = static_cast<std::size_t>(3 - info.spatial_rank);
  const auto extent = [&](const TensorSpec* tensor) -> Number {
    if (tensor == nullptr || tensor->shape.size() < static_cast<std::size_t>(info.spatial_rank)) {
      return std::nullopt;
    }
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
    return facts;
  }
  if (!attributes) return facts;
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
  number(facts.in, kCounted, "in_", "");
  number(facts.out, kCounted, "out_", "output ");
  number(facts.kernel, kCounted, "kernel_", "kernel ");
  number(facts.stride, kCounted, "stride_", "stride ");
  number(facts.padding, kCounted, "padding_", "padding ");
  number(facts.dilation, kCounted, "dilation_", "dilation ");
  number(facts.rest, kDerived, "rest_", "the rest of the windows along ");
  flag(facts.overlap, kPlain, "overlap_", {"windows overlap along ", text},
       {"windows do not overlap along ", text});
  flag(facts.reaches, kCounted, "reaches_", {"windows reach further than stride ", text},
       {"windows do not reach further than stride ", text});
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
  for (const int modulus : {2, 4, 8, 16}) {
    teller.TellNumber(Modulo(facts.in, modulus), kOdd, {"in_", name, "_mod_", modulus},
                      {text, " mod ", "", modulus});
    teller.TellNumber(Modulo(facts.out, modulus), kOdd, {"out_", name, "_mod_", modulus},
                      {"output ", text, " mod ", modulus});
  }
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
                  "padding is half of no even kernel");
  teller.TellFlag(AnyAxis(axes, from,
                          [](const AxisFacts& facts) -> Flag {
                            if (!facts.kernel || !facts.padding) return std::nullopt;
                            return *facts.kernel > 0 && *facts.padding > *facts.kernel / 2;
                          }),
                  kCounted, "padding_above_half", "padding is above half of a kernel",
                  "padding is above half of no kernel");
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

void TellSizes(const Call& call, const std::array<AxisFacts, 3>& axes, Teller& teller) {
  const OperatorInfo& info = InfoOf(call.op);
  const auto from = static_cast<std::size_t>(3 - info.spatial_rank);
  const TensorSpec* self = OperandOf(call, Role::kSelf);
  const auto spatial = static_cast<std::size_t>(info.spatial_rank);
  Number batch;
  Number channels;
  if (self != nullptr && self->shape.size() == spatial + 2) batch = self->shape[0];
  if (self != nullptr && self->shape.size() == spatial + 1) batch = 1;
  if (self != nullptr && self->shape.size() > spatial) {
    channels = self->shape[self->shape.size() - spatial - 1];
  }
  const Number planes = Times(batch, channels);
  const Number plane = ProductOf(axes, from, &AxisFacts::in);
  const Number outputs = ProductOf(axes, from, &AxisFacts::out);
  const auto number = [&](Number value, int effort, const char* name, const char* text) {
    teller.TellNumber(value, effort, name, text);
  };
  number(batch, kCounted, "n", "N");
  number(channels, kCounted, "c", "C");
  number(planes, kDerived, "planes", "N * C");
  number(plane, kDerived, "plane", "the elements of a plane");
  number(outputs, kDerived, "outputs", "the outputs of a plane");
  number(Times(plane, planes), kDerived, "elements", "the elements of self");
  number(Times(outputs, planes), kDerived, "all_outputs", "the elements of gradOutput");
  number(self != nullptr ? Times(Times(plane, planes), BytesOf(self->type)) : Number(), kDerived,
         "grad_input_bytes", "the bytes of gradInput");
  number(Times(axes[1].in, axes[2].in), kDerived, "in_hw", "H * W");
  number(Times(axes[1].out, axes[2].out), kDerived, "out_hw", "output H * W");
  number(ProductOf(axes, from, &AxisFacts::kernel), kDerived, "kernel", "the elements of a window");
  for (const int modulus : {8, 16, 32, 64}) {
    teller.TellNumber(Modulo(outputs, modulus), kOdd, {"outputs", "_mod_", "", modulus},
                      {"the outputs of a plane", " mod ", "", modulus});
    teller.TellNumber(Modulo(plane, modulus), kOdd, {"plane", "_mod_", "", modulus},
                      {"the elements of a plane", " mod ", "", modulus});
  }
  number(CountOf(axes, &AxisFacts::overlap), kPlain, "overlapping_axes",
         "the number of axes along which windows overlap");
  number(CountOf(axes, &AxisFacts::gap), kCounted, "gapped_axes",
         "the number of axes along which windows leave gaps");
  number(CountOf(axes, &AxisFacts::ceil_adds), kCounted, "ceil_axes",
         "the number of axes along which ceilMode adds a window");
  number(CountOf(axes, &AxisFacts::upsampled), kCounted, "upsampled_axes",
         "the number of axes with more outputs than inputs");
  TellAxesTogether(axes, from, teller);
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

void TellLists(const Call& call, Teller& teller) {
  struct Row {
    List list;
    const char* name;
    const char* text;
  };
  const Row rows[] = {{List::kKernelSize, "kernel_size", "kernelSize"},
                      {List::kStride, "stride", "stride"},
                      {List::kPadding, "padding", "padding"},
                      {List::kDilation, "dilation", "dilation"}};
  Number longest;
  Flag none;
  for (const Row& row : rows) {
    const auto& lists = InfoOf(call.op).lists;
    const bool has = std::find(lists.begin(), lists.end(), row.list) != lists.end();
    const std::optional<Dims>& values = call.list(row.list);
    if (has) none = none.value_or(false) || !values;
    const char* const name = row.name;
    const char* const text = row.text;
    teller.Tell(has ? Number(values ? 0 : 1) : Number(), [&] {
      return Circumstance{Circumstance::Kind::kFlag,
                          Join(name, "_null").Text(),
                          Join(text, " is null").Text(),
                          Join(text, " is not null").Text(),
                          {},
                          kCounted};
    });
    teller.TellNumber(has && values ? Number(static_cast<std::int64_t>(values->size())) : Number(),
                      kCounted, {name, "_length"}, {"the length of ", text});
    teller.Tell(
        has && values
            ? Number(values->size() == 1 || std::ssize(*values) == InfoOf(call.op).spatial_rank ||
                             (values->empty() && row.list == List::kStride)
                         ? 0
                         : 1)
            : Number(),
        [&] {
          return Circumstance{Circumstance::Kind::kFlag,
                              Join(name, "_misfit").Text(),
                              Join(text, " has a wrong length").Text(),
                              Join(text, " has a right length").Text(),
                              {},
                              kPlain};
        });
    if (has && values) longest = std::max(longest.value_or(0), std::ssize(*values));
    teller.TellNumber(has && values && !values->empty()
                          ? Number(*std::max_element(values->begin(), values->end()))
                          : Number(),
                      kDerived, {name, "_most"}, {"the largest value of ", text});
    teller.TellNumber(has && values && !values->empty()
                          ? Number(*std::min_element(values->begin(), values->end()))
                          : Number(),
                      kDerived, {name, "_least"}, {"the least value of ", text});
  }
  teller.TellFlag(none, kPlain, "list_null", "a list is null", "no list is null");
  teller.TellNumber(longest, kDerived, "longest_list", "the length of the longest list");
}

// ---- data

void TellData(const CellFacts& facts, Teller& teller) {
  teller.TellNumber(facts.coinciding, kDerived, "gradients_on_a_cell",
                    "the largest number of gradients on a cell");
  teller.TellNumber(facts.apart, kOdd, "equal_indices_apart",
                    "the least distance of outputs with equal indices");
  teller.TellNumber(facts.unnamed, kDerived, "cells_unnamed", "the cells that no index names");
  teller.TellNumber(facts.highest_index, kDerived, "highest_index", "the highest index");
  teller.TellFlag(facts.in_row, kDerived, "coincide_in_row", "indices coincide within a row",
                  "indices do not coincide within a row");
  teller.TellFlag(facts.across_rows, kDerived, "coincide_across_rows",
                  "indices coincide across rows", "indices do not coincide across rows");
  teller.TellFlag(facts.first_cell, kDerived, "first_cell_named", "the first cell is named",
                  "the first cell is not named");
  teller.TellFlag(facts.last_cell, kDerived, "last_cell_named", "the last cell is named",
                  "the last cell is not named");
  teller.TellFlag(facts.outside_plane, kDerived, "index_outside_plane",
                  "an index lies outside the plane", "all indices lie in the plane");
  teller.TellFlag(facts.nan, kCounted, "nan", "a gradient is NaN", "no gradient is NaN");
  teller.TellFlag(facts.infinity, kCounted, "infinity", "a gradient is infinite",
                  "no gradient is infinite");
  teller.TellFlag(facts.opposite_infinities, kDerived, "opposite_infinities",
                  "opposite infinities meet in a cell", "no opposite infinities meet in a cell");
  teller.TellFlag(facts.special_meets_other, kDerived, "special_meets",
                  "NaN or an infinity meets another gradient",
                  "neither NaN nor an infinity meets another gradient");
  teller.TellFlag(facts.minus_zero, kDerived, "minus_zero", "a gradient is -0",
                  "no gradient is -0");
  teller.TellFlag(facts.subnormal, kDerived, "subnormal", "a gradient is subnormal",
                  "no gradient is subnormal");
  teller.TellNumber(facts.group, kOdd, "equal_indices_group",
                    "the least aligned group of outputs that holds equal indices");
  teller.TellNumber(facts.significant_bits, kOdd, "significant_bits",
                    "the significant bits of a gradient");
  teller.TellFlag(facts.special, kCounted, "special", "a gradient is NaN or infinite",
                  "all gradients are finite");
  teller.TellFlag(facts.self_special, kDerived, "self_special", "self holds NaN or an infinity",
                  "self is finite");
  teller.TellFlag(facts.sum_rounded, kDerived, "sum_rounded", "a sum has to be rounded",
                  "no sum has to be rounded");
  teller.TellFlag(facts.sum_tie, kDerived, "sum_tie", "a sum lies halfway between two values",
                  "no sum lies halfway between two values");
  teller.TellFlag(facts.sum_overflows, kDerived, "sum_overflows",
                  "finite gradients add up to an infinity",
                  "no finite gradients add up to an infinity");
  teller.TellFlag(facts.sum_subnormal, kDerived, "sum_subnormal", "a sum is subnormal",
                  "no sum is subnormal");
  teller.TellNumber(facts.spread, kOdd, "exponents_apart",
                    "the span of exponents that meet in a cell");
}

void TellPlan(const Case& problem, Teller& teller) {
  teller.TellNumber(static_cast<std::int64_t>(problem.calls.size()), kCounted, "calls",
                    "the number of calls");
  for (const PlanMember& member : PlanMembers()) {
    teller.Tell(member.get(problem.plan), [&] {
      const std::string name(member.json_name);
      Circumstance row = {
          Circumstance::Kind::kNumber, name, "the plan's " + name, {}, {}, kDerived};
      if (member.kind == PlanMember::Kind::kFlag) {
        row.kind = Circumstance::Kind::kFlag;
        row.text = "the plan has " + name;
        row.negation = "the plan has no " + name;
      } else if (member.kind == PlanMember::Kind::kWord) {
        row.kind = Circumstance::Kind::kWord;
        for (const std::string_view word : member.words) row.words.emplace_back(word);
      }
      return row;
    });
  }
}

void TellAll(const Case& problem, std::size_t which, bool data, Teller& teller) {
  const Call& call = problem.calls[which];
  TellCall(call, teller);
  TellOperands(call, teller);
  const std::optional<WindowAttributes> attributes =
      InfoOf(call.op).windows == WindowRule::kFixed ? ExpandAttributes(call) : std::nullopt;
  std::array<AxisFacts, 3> axes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    axes[axis] = AxisFactsOf(call, attributes, axis);
    TellAxis(axes[axis], axis, teller);
  }
  TellSizes(call, axes, teller);
  TellLists(call, teller);
  CellFacts facts;
  facts.unknown = !data;
  if (data) facts = CellFactsOf(call, problem.plan);
  teller.of_data = true;
  teller.missing = facts.unknown ? kNotLookedAt : kNoValue;
  TellData(facts, teller);
  teller.of_data = false;
  teller.missing = kNoValue;
  TellPlan(problem, teller);
}

std::vector<Circumstance> MakeTable() {
  std::vector<Circumstance> table;
  Teller teller(&table);
  TellAll(Case{{Call()}, {}}, 0, false, teller);
  return table;
}

}  // namespace

std::span<const Circumstance> AllCircumstances() {
  static const std::vector<Circumstance> table = MakeTable();
  return table;
}

std::size_t CircumstanceOf(std::string_view name) {
  const std::span<const Circumstance> all = AllCircumstances();
  const auto place = std::find_if(all.begin(), all.end(),
                                  [&](const Circumstance& row) { return row.name == name; });
  return static_cast<std::size_t>(place - all.begin());
}

CircumstanceValues CircumstancesOf(const Case& problem, std::size_t call, bool data) {
  Teller teller(nullptr);
  TellAll(problem, call, data, teller);
  return teller.Take();
}

}  // namespace poolproof
