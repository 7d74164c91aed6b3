// SPDX-License-Identifier: Apache-2.0
#include "conformance/gen/status_faults.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <utility>

#include "conformance/case/passed_axes.h"
#include "conformance/gen/case_bases.h"

namespace poolproof {
namespace {

constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();

// Parts of a call that a fault changes or relies on. Two faults can be in one call where their
// parts are disjoint.
constexpr unsigned kTypeBit = 1U << 0;    // one bit per role
constexpr unsigned kFormatBit = 1U << 4;  // one bit per role
constexpr unsigned kShapeBit = 1U << 8;   // one bit per role
constexpr unsigned kListBit = 1U << 12;   // one bit per list

constexpr unsigned OfRole(unsigned bit, Role role) { return bit << static_cast<unsigned>(role); }
constexpr unsigned OfList(List list) { return kListBit << static_cast<unsigned>(list); }
constexpr unsigned WholeTensor(Role role) {
  return OfRole(kTypeBit, role) | OfRole(kFormatBit, role) | OfRole(kShapeBit, role);
}
constexpr unsigned kOutputShapes =
    OfRole(kShapeBit, Role::kGradOutput) | OfRole(kShapeBit, Role::kIndices);
constexpr unsigned kInputShapes =
    OfRole(kShapeBit, Role::kSelf) | OfRole(kShapeBit, Role::kGradInput);
constexpr unsigned kGradientTypeBits = OfRole(kTypeBit, Role::kGradOutput) |
                                       OfRole(kTypeBit, Role::kSelf) |
                                       OfRole(kTypeBit, Role::kGradInput);

// Every type of the ABI, and values that no or only a later release defines.
std::vector<DataType> AllTypeValues() {
  std::vector<DataType> types;
  for (const DataTypeInfo& info : AllDataTypes()) types.push_back(info.type);
  for (const std::int32_t value :
       {-2, 5, 14, 15, 18, 28, 34, 35, 36, 37, 38, 39, 40, 41, 100, 0x7fffffff}) {
    types.push_back(static_cast<DataType>(value));
  }
  return types;
}

std::vector<Format> PrivateFormats() {
  std::vector<Format> formats;
  for (const FormatInfo& info : AllFormats()) {
    if (info.is_private) formats.push_back(info.format);
  }
  return formats;
}

// Shapes gradOutput and indices by the attributes, where those give a shape of sensible size.
void ShapeByAttributes(Call& call) {
  Call shaped = call;
  if (!DeriveOutputs(shaped)) return;
  const Dims& shape = shaped.tensor(Role::kGradOutput).shape;
  if (std::all_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent <= 100; })) {
    call = std::move(shaped);
  }
}

// gradOutput shaped by windows whose `list` is `value` on each axis: of whatever length that list
// is then given, and whichever of its values a library takes, the shapes agree with them. A library
// that looks at shapes alone must not be taken for one that looks at lengths.
void ShapeByUniform(Call& call, List list, std::size_t axes, std::int64_t value) {
  call.list(list) = Dims(axes, value);
  if (list == List::kKernelSize) call.list(List::kPadding) = Dims(axes, 0);
  if (list == List::kPadding) call.list(List::kKernelSize) = Dims(axes, 2);
  ShapeByAttributes(call);
}

// `shape` brought to another rank: leading axes dropped, or ones put in front.
Dims WithRank(const Dims& shape, std::size_t rank) {
  if (rank <= shape.size()) {
    return Dims(shape.end() - static_cast<std::ptrdiff_t>(rank), shape.end());
  }
  Dims longer(rank - shape.size(), 1);
  longer.insert(longer.end(), shape.begin(), shape.end());
  return longer;
}

// The other of an operator's two ranks: the first axis dropped, or a 1 put in front.
Dims WithOtherLegalRank(const Dims& shape, std::size_t axes) {
  const std::size_t low = axes + 1;
  return WithRank(shape, shape.size() == low ? low + 1 : low);
}

// Makes the faults of one operator under one profile.
class FaultMaker {
 public:
  FaultMaker(const ProfileRules& rules, Operator op)
      : rules_(rules),
        op_(op),
        info_(InfoOf(op)),
        axes_(static_cast<std::size_t>(info_.spatial_rank)) {}

  std::vector<Fault> Run() {
    AddNulls();
    AddTypes();
    AddUnequalTypes();
    AddFormats();
    AddRanks();
    AddShapes();
    if (info_.windows == WindowRule::kFixed) {
      AddListLengths();
      AddListValues();
      AddValuesOnExtentOne();
      AddPaddingBounds();
      AddDilations();
      AddDerivedShapes();
    }
    return std::move(faults_);
  }

 private:
  void Add(Condition condition, std::string what, unsigned parts, std::function<void(Call&)> apply,
           std::string member = "") {
    faults_.push_back({condition, std::move(what), parts, std::move(apply), std::move(member)});
  }
  [[nodiscard]] bool Applies(Condition condition) const { return rules_.Applies(op_, condition); }

  // The list with `value` on one axis; the axis behind the last represents a list of length 1.
  [[nodiscard]] Dims WithValue(std::int64_t other, std::size_t axis, std::int64_t value) const {
    return ListWithValue(axes_, other, axis, value);
  }
  [[nodiscard]] std::string Word(std::size_t axis) const { return AxisWord(axes_, axis); }
  // What is written for D, H and W, for the axes that the plane has: the first ones.
  [[nodiscard]] Dims Axes(Dims values) const {
    if (values.size() > axes_) values.resize(axes_);
    return values;
  }
  // self and gradInput with the extent on every axis of the plane.
  static void SetPlane(Call& call, std::int64_t extent) {
    for (const Role role : {Role::kSelf, Role::kGradInput}) {
      Dims& shape = call.tensor(role).shape;
      std::fill(shape.end() - InfoOf(call.op).spatial_rank, shape.end(), extent);
    }
  }

  static void SetExtentOne(Call& call, std::size_t axis) {
    const auto axes = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
    for (const Role role : {Role::kSelf, Role::kGradInput}) {
      Dims& shape = call.tensor(role).shape;
      shape[shape.size() - axes + axis] = 1;
    }
  }

  void AddNulls() {
    for (const Role role : BackwardRoles()) {
      Add(NullCondition(role), "null-" + std::string(RoleName(role)), WholeTensor(role),
          [=](Call& call) { call.tensor(role).null = true; });
    }
    for (const List list : info_.lists) {
      Add(Condition::kNullList, "null-" + std::string(ListName(list)), OfList(list),
          [=](Call& call) { call.list(list).reset(); });
    }
  }

  void AddTypes() {
    for (const DataType type : AllTypeValues()) {
      const bool is_double = type == DataType::kDouble && Applies(Condition::kDoubleType);
      if (!rules_.TakesValues(op_, type)) {
        const Condition condition = is_double ? Condition::kDoubleType : Condition::kGradientType;
        // First, so that every set has it: a library may compute in the type.
        Add(
            condition, "all-" + DataTypeName(type), kGradientTypeBits,
            [=](Call& call) { SetGradientType(call, type); }, DataTypeName(type));
        for (const Role role : GradientRoles()) {
          Add(
              condition, std::string(RoleName(role)) + "-" + DataTypeName(type),
              OfRole(kTypeBit, role), [=](Call& call) { call.tensor(role).type = type; },
              DataTypeName(type));
        }
      }
      if (rules_.TakesIndices(op_, type)) continue;
      const bool is_wide = type == DataType::kInt64 && Applies(Condition::kIndexTypeInt64);
      Add(
          is_wide     ? Condition::kIndexTypeInt64
          : is_double ? Condition::kDoubleType
                      : Condition::kIndexType,
          "indices-" + DataTypeName(type), OfRole(kTypeBit, Role::kIndices),
          [=](Call& call) { call.tensor(Role::kIndices).type = type; },
          "indices " + DataTypeName(type));
    }
  }

  // Supported but unequal types.
  void AddUnequalTypes() {
    const std::vector<DataType> types = rules_.ValueTypes(op_);
    for (const DataType type : types) {
      for (const DataType other : types) {
        if (type == other) continue;
        for (const Role role : GradientRoles()) {
          const auto rule = std::find_if(
              info_.type_rules.begin(), info_.type_rules.end(), [&](const TypeRule& candidate) {
                return candidate.role == role && rules_.Holds(op_, candidate);
              });
          Add((rule == info_.type_rules.end() ? info_.type_rules.front() : *rule).breached,
              std::string(RoleName(role)) + "-" + DataTypeName(type) + "-" + DataTypeName(other),
              kGradientTypeBits,
              [=](Call& call) {
                SetGradientType(call, type);
                call.tensor(role).type = other;
              },
              DataTypeName(type) + " and " + DataTypeName(other));
        }
      }
    }
  }

  void AddFormats() {
    constexpr unsigned kAllFormats =
        OfRole(kFormatBit, Role::kGradOutput) | OfRole(kFormatBit, Role::kSelf) |
        OfRole(kFormatBit, Role::kIndices) | OfRole(kFormatBit, Role::kGradInput);
    for (const Format format : PrivateFormats()) {
      for (const Role role : BackwardRoles()) {
        Add(
            Condition::kPrivateFormat, std::string(RoleName(role)) + "-" + FormatName(format),
            OfRole(kFormatBit, role), [=](Call& call) { call.tensor(role).format = format; },
            FormatName(format));
      }
      Add(
          Condition::kPrivateFormat, "all-" + FormatName(format), kAllFormats,
          [=](Call& call) { SetAllFormats(call, format); }, FormatName(format));
    }
    const auto of_indices = [](const FormatRule& rule) {
      return rule.breached == Condition::kEqualIndicesFormat;
    };
    // Where a clause of its own compares indices with self, they go with it.
    const bool apart =
        std::any_of(info_.format_rules.begin(), info_.format_rules.end(), of_indices);
    for (const Format format : PublicFormats()) {
      if (format == Format::kNd) continue;
      for (const Role role : BackwardRoles()) {
        Add(apart && role == Role::kIndices ? Condition::kEqualIndicesFormat
                                            : Condition::kEqualFormats,
            std::string(RoleName(role)) + "-" + FormatName(format), kAllFormats, [=](Call& call) {
              call.tensor(role).format = format;
              if (apart && role == Role::kSelf) call.tensor(Role::kIndices).format = format;
            });
      }
    }
    if (!apart) return;
    // D2's own table; the clause on indices is breached as well.
    Add(Condition::kEqualFormats, "indices-gradInput-NCDHW", kAllFormats, [](Call& call) {
      call.tensor(Role::kIndices).format = Format::kNcdhw;
      call.tensor(Role::kGradInput).format = Format::kNcdhw;
    });
  }

  void AddRanks() {
    for (const std::size_t rank : std::initializer_list<std::size_t>{0, 1, 2, 3, 5, 6, 7, 8, 25}) {
      if (rank == axes_ + 1 || rank == axes_ + 2) continue;
      const auto add = [&](const std::string& who, unsigned parts, std::vector<Role> roles) {
        Add(
            Condition::kRank, who + "-rank-" + std::to_string(rank), parts,
            [rank, roles = std::move(roles)](Call& call) {
              for (const Role role : roles) {
                call.tensor(role).shape = WithRank(call.tensor(role).shape, rank);
              }
            },
            "rank " + std::to_string(rank));
      };
      add("all", kOutputShapes | kInputShapes,
          {Role::kGradOutput, Role::kSelf, Role::kIndices, Role::kGradInput});
      add("output", kOutputShapes, {Role::kGradOutput, Role::kIndices});
      add("input", kInputShapes, {Role::kSelf, Role::kGradInput});
      for (const Role role : BackwardRoles()) {
        const bool of_output = role == Role::kGradOutput || role == Role::kIndices;
        add(std::string(RoleName(role)), of_output ? kOutputShapes : kInputShapes, {role});
      }
    }
  }

  // Shapes that must agree and do not: that of `changed` is made to differ from its partner's.
  void AddUnequalShapes(Condition condition, Role changed, unsigned parts) {
    const auto add = [&](const std::string& what, std::function<void(Dims&)> change) {
      Add(condition, std::string(RoleName(changed)) + "-" + what, parts,
          [=](Call& call) { change(call.tensor(changed).shape); });
    };
    // Axes are counted from the last, so that the same fault fits both ranks.
    for (std::size_t back = 1; back <= 5; ++back) {
      const std::string axis = "axis-" + std::to_string(back) + "-from-last";
      add(axis + "-longer", [=](Dims& shape) {
        if (back <= shape.size()) ++shape[shape.size() - back];
      });
      add(axis + "-shorter", [=](Dims& shape) {
        if (back <= shape.size() && shape[shape.size() - back] > 1) --shape[shape.size() - back];
      });
      add(axis + "-one", [=](Dims& shape) {
        if (back <= shape.size()) shape[shape.size() - back] = 1;
      });
    }
    add("last-axes-swapped",
        [](Dims& shape) { std::swap(shape[shape.size() - 1], shape[shape.size() - 2]); });
    add("same-count", [](Dims& shape) {
      // As many elements, otherwise divided.
      std::int64_t numel = 1;
      for (std::int64_t& extent : shape) {
        numel *= extent;
        extent = 1;
      }
      shape.back() = numel;
    });
    add("other-rank", [axes = axes_](Dims& shape) { shape = WithOtherLegalRank(shape, axes); });
  }

  void AddShapes() {
    AddUnequalShapes(Condition::kOutputShapes, Role::kIndices, kOutputShapes);
    AddUnequalShapes(Condition::kInputShapes, Role::kGradInput, kInputShapes);
    // gradOutput against self, indices going with gradOutput. Adaptive outputs are free within the
    // plane.
    const std::size_t free_axes = info_.windows == WindowRule::kFixed ? 0 : axes_;
    for (std::size_t back = 1 + free_axes; back <= 5; ++back) {
      const std::string axis = "axis-" + std::to_string(back) + "-from-last";
      for (const int step : {1, -1, 7}) {
        Add(Condition::kDerivedShape,
            axis + (step < 0 ? "-shorter" : "-longer-by-" + std::to_string(step)),
            kOutputShapes | kInputShapes, [=](Call& call) {
              Dims shape = call.tensor(Role::kGradOutput).shape;
              if (back > shape.size()) return;
              std::int64_t& extent = shape[shape.size() - back];
              if (extent + step >= 1) extent += step;
              SetOutputShape(call, shape);
            });
      }
    }
    Add(Condition::kDerivedShape, "other-rank", kOutputShapes | kInputShapes,
        [axes = axes_](Call& call) {
          SetOutputShape(call, WithOtherLegalRank(call.tensor(Role::kGradOutput).shape, axes));
        });
  }

  // --- Attribute lists of fixed windows

  void AddListLengths() {
    for (const ListRule& rule : info_.list_rules) {
      const bool of_dilation = rule.list == List::kDilation;
      const std::int64_t value = rule.list == List::kKernelSize ? 2
                                 : rule.list == List::kStride   ? 1
                                                                : rule.lowest;
      unsigned parts = OfList(rule.list) | kOutputShapes | kInputShapes;
      if (rule.list == List::kPadding || rule.list == List::kKernelSize) {
        parts |= OfList(List::kPadding) | OfList(List::kKernelSize);
      }
      for (const std::size_t length : std::initializer_list<std::size_t>{0, 2, 3, 4, 5, 25}) {
        if (std::find(rule.lengths.begin(), rule.lengths.end(), length) != rule.lengths.end()) {
          continue;
        }
        for (const std::int64_t filled : {value, value + 1}) {
          if (of_dilation && filled != 1) continue;  // another clause's fault
          Add(
              rule.wrong_length,
              "length-" + std::to_string(length) +
                  (length == 0 ? "" : "-of-" + std::to_string(filled)),
              parts,
              [list = rule.list, length, filled, axes = axes_](Call& call) {
                if (length > 0) ShapeByUniform(call, list, axes, filled);
                call.list(list) = Dims(length, filled);
              },
              "length " + std::to_string(length));
          if (length == 0) break;
        }
      }
    }
  }

  void AddListValues() {
    // 2 - 2^32 is 2 in its low 32 bits.
    for (std::size_t axis = 0; axis <= axes_; ++axis) {
      for (const std::int64_t value :
           {std::int64_t{0}, std::int64_t{-1}, -kTwo31, 2 - kTwo32, kInt64Min}) {
        const std::string what = Word(axis) + "-" + ValueWord(value);
        Add(Condition::kKernelValue, what, OfList(List::kKernelSize) | OfList(List::kPadding),
            [list = WithValue(2, axis, value)](Call& call) {
              call.list(List::kKernelSize) = list;
              call.list(List::kPadding) = Dims{0};
            });
        Add(Condition::kStrideValue, what, OfList(List::kStride),
            [list = WithValue(2, axis, value)](Call& call) { call.list(List::kStride) = list; });
        if (value == 0) continue;
        Add(Condition::kPaddingNegative, what, OfList(List::kPadding),
            [list = WithValue(0, axis, value)](Call& call) { call.list(List::kPadding) = list; });
      }
    }
  }

  // Wrong values of an axis of extent 1, over which a library may not look at windows.
  void AddValuesOnExtentOne() {
    const auto add = [&](Condition condition, List list, std::size_t axis, std::int64_t value) {
      Add(condition, Word(axis) + "-" + ValueWord(value) + "-on-extent-1",
          kOutputShapes | kInputShapes | OfList(List::kKernelSize) | OfList(List::kStride) |
              OfList(List::kPadding),
          [=, axes = axes_](Call& call) {
            SetExtentOne(call, axis);
            call.list(List::kKernelSize) = Dims(axes, 1);
            call.list(List::kStride) = Dims(axes, 1);
            call.list(List::kPadding) = Dims(axes, 0);
            ShapeByAttributes(call);
            (*call.list(list))[axis] = value;
          });
    };
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      for (const std::int64_t value : {0, -1}) {
        add(Condition::kKernelValue, List::kKernelSize, axis, value);
        add(Condition::kStrideValue, List::kStride, axis, value);
      }
      add(Condition::kPaddingNegative, List::kPadding, axis, -1);
    }
  }

  void AddPaddingBounds() {
    constexpr unsigned kParts =
        OfList(List::kKernelSize) | OfList(List::kPadding) | kOutputShapes | kInputShapes;
    const auto add = [&](const std::string& what, bool above_kernel, const Dims& kernel,
                         const Dims& padding) {
      Add(above_kernel && Applies(Condition::kPaddingAboveKernel) ? Condition::kPaddingAboveKernel
                                                                  : Condition::kPaddingAboveHalf,
          what, kParts, [=](Call& call) {
            call.list(List::kKernelSize) = kernel;
            call.list(List::kPadding) = Dims{0};
            // What is left of a huge padding cut to 32 bits is 0 or 1.
            ShapeByAttributes(call);
            call.list(List::kPadding) = padding;
            ShapeByAttributes(call);
          });
    };
    for (std::size_t axis = 0; axis <= axes_; ++axis) {
      for (std::int64_t k = 1; k <= 4; ++k) {
        for (const std::int64_t p : {k / 2 + 1, k, 2 * k}) {
          if (p <= k / 2 || (p == k && k / 2 + 1 == k)) continue;
          add(Word(axis) + "-kernel-" + std::to_string(k) + "-padding-" + std::to_string(p), p > k,
              WithValue(2, axis, k), WithValue(axis == axes_ ? p : 1, axis, p));
        }
      }
      for (const std::int64_t p : {kTwo31, kTwo32, kTwo32 + 1, kInt64Max}) {
        add(Word(axis) + "-padding-" + ValueWord(p), true, WithValue(2, axis, 2),
            WithValue(0, axis, p));
      }
    }
    // Over an axis of extent 1 too.
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      Add(Condition::kPaddingAboveHalf, Word(axis) + "-kernel-3-padding-2-on-extent-1", kParts,
          [list = WithValue(0, axis, 2), kernel = WithValue(1, axis, 3), axis](Call& call) {
            SetExtentOne(call, axis);
            call.list(List::kKernelSize) = kernel;
            call.list(List::kPadding) = list;
            ShapeByAttributes(call);
          });
    }
    // The bound is that of the same axis, after both lists are expanded.
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      add("next-to-large-kernels-" + Word(axis), false, WithValue(8, axis, 2),
          WithValue(0, axis, 2));
    }
    add("one-padding-above-last-axes", false, Axes({4, 2, 2}), {2});
    add("one-padding-above-first-axis", false, Axes({2, 4, 4}), {2});
    add("one-kernel-below-one-axis", false, {3}, axes_ == 3 ? Dims{1, 1, 2} : Dims{1, 2});
    add("permuted", false, Axes({2, 3, 4}), Axes({2, 1, 1}));
  }

  void AddDilations() {
    constexpr unsigned kParts = OfList(List::kDilation) | kOutputShapes | kInputShapes |
                                OfList(List::kKernelSize) | OfList(List::kPadding);
    const bool one_only = Applies(Condition::kDilationNotOne);
    const Condition condition = one_only ? Condition::kDilationNotOne : Condition::kDilationValue;
    for (std::size_t axis = 0; axis <= axes_; ++axis) {
      for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{2},
                                       std::int64_t{3}, 1 - kTwo32, kInt64Min}) {
        if (value > 0 && !one_only) continue;
        Add(condition, Word(axis) + "-" + ValueWord(value), kParts,
            [list = WithValue(1, axis, value)](Call& call) {
              call.list(List::kDilation) = list;
              ShapeByAttributes(call);
            });
      }
      // On a kernel of 1 any dilation leaves the windows as they are.
      for (const std::int64_t value :
           {std::int64_t{0}, std::int64_t{-1}, std::int64_t{2}, kTwo31, kTwo32 + 1, kInt64Max}) {
        if (value > 0 && !one_only) continue;
        Add(condition, Word(axis) + "-" + ValueWord(value) + "-on-kernel-1", kParts,
            [list = WithValue(1, axis, value)](Call& call) {
              call.list(List::kKernelSize) = Dims{1};
              call.list(List::kPadding) = Dims{0};
              call.list(List::kDilation) = list;
              ShapeByAttributes(call);
            });
      }
    }
  }

  // Outputs that do not follow from the attributes.
  void AddDerivedShapes() {
    constexpr unsigned kParts = kOutputShapes | kInputShapes | OfList(List::kKernelSize) |
                                OfList(List::kStride) | OfList(List::kPadding);
    const auto add = [&](const std::string& what, std::function<void(Call&)> apply) {
      Add(Condition::kDerivedShape, what, kParts, std::move(apply));
    };
    add("other-ceil-mode", [](Call& call) {
      // Extent 6, kernel 3, stride 2: two windows or three.
      call.list(List::kKernelSize) = Dims{3};
      call.list(List::kStride) = Dims{2};
      call.list(List::kPadding) = Dims{0};
      SetPlane(call, 6);
      ShapeByAttributes(call);
      call.ceil_mode = !call.ceil_mode;
    });
    for (std::size_t axis = 0; axis <= axes_; ++axis) {
      // 2^32 + 2 is 2 in its low 32 bits; the kernel exceeds the padded input.
      for (const std::int64_t kernel : {std::int64_t{40}, kTwo31, kTwo32 + 2, kInt64Max}) {
        add(Word(axis) + "-kernel-" + ValueWord(kernel),
            [list = WithValue(2, axis, kernel)](Call& call) {
              call.list(List::kPadding) = Dims{0};
              call.list(List::kKernelSize) = Dims{2};
              ShapeByAttributes(call);
              call.list(List::kKernelSize) = list;
            });
      }
      // Two windows on the axis if the stride is cut to 32 bits, one if it is not.
      add(Word(axis) + "-stride-" + ValueWord(kTwo32 + 1),
          [list = WithValue(1, axis, kTwo32 + 1)](Call& call) {
            call.list(List::kKernelSize) = Dims{2};
            call.list(List::kPadding) = Dims{0};
            call.list(List::kStride) = Dims{1};
            ShapeByAttributes(call);
            call.list(List::kStride) = list;
          });
    }
    // A last window that would start beyond input and left padding is dropped in ceil mode.
    add("ceil-keeps-outside-window", [](Call& call) {
      call.list(List::kKernelSize) = Dims{2};
      call.list(List::kStride) = Dims{2};
      call.list(List::kPadding) = Dims{1};
      call.ceil_mode = true;
      SetPlane(call, 5);
      ShapeByAttributes(call);
      Dims output = call.tensor(Role::kGradOutput).shape;
      ++output.back();
      SetOutputShape(call, output);
    });
  }

  const ProfileRules& rules_;
  const Operator op_;
  const OperatorInfo& info_;
  const std::size_t axes_;
  std::vector<Fault> faults_;
};

}  // namespace

bool Fault::IsOfLists() const { return (parts / kListBit) != 0; }

std::string ValueWord(std::int64_t value) {
  if (value == kInt64Min) return "int64-min";
  if (value == kInt64Max) return "int64-max";
  if (value < 0) return "minus-" + std::to_string(-value);
  return std::to_string(value);
}

std::string DimsWord(const Dims& dims) {
  std::string text;
  for (const std::int64_t extent : dims) {
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  return text;
}

Dims ListWithValue(std::size_t axes, std::int64_t other, std::size_t axis, std::int64_t value) {
  if (axis == axes) return {value};
  Dims list(axes, other);
  list[axis] = value;
  return list;
}

std::string AxisWord(std::size_t axes, std::size_t axis) {
  constexpr std::array<const char*, 4> kWords = {"d", "h", "w", "all"};
  return kWords[3 - axes + axis];
}

std::vector<Format> PublicFormats() {
  std::vector<Format> formats;
  for (const FormatInfo& info : AllFormats()) {
    if (!info.is_private && info.format != Format::kUndefined) formats.push_back(info.format);
  }
  return formats;
}

void SetAllFormats(Call& call, Format format) { SetFormats(call, format); }

std::vector<Fault> AllFaults(const ProfileRules& rules, Operator op) {
  return FaultMaker(rules, op).Run();
}

}  // namespace poolproof
