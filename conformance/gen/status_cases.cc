// SPDX-License-Identifier: Apache-2.0
//
// Status cases: for each status, constraint and support clause, calls that breach it and nothing
// else, beside their nearest legal neighbours. The part of a name after the clause id says what the
// case is for: "legal-..." must succeed, "open-..." has no documented answer, "pair-...-with-..."
// breaches two clauses; a support clause's cases must succeed, all others must be refused.
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "conformance/gen/case_bases.h"
#include "conformance/gen/sources.h"
#include "core/random.h"

namespace poolproof {
namespace {

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kTwo31 = std::int64_t{1} << 31;
constexpr std::int64_t kTwo32 = std::int64_t{1} << 32;
constexpr std::int64_t kTwo62 = std::int64_t{1} << 62;

// --- Faults --------------------------------------------------------------------------------------

// Parts of a call that a fault changes or relies on. Two faults can stand in one call where their
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

// One way to breach a clause, applied to a legal call.
struct Fault {
  std::string number;  // "S40"
  std::string what;    // "length-2"
  unsigned parts;
  std::function<void(Call&)> apply;
};

std::string TypeWord(DataType type) { return DataTypeName(type); }

std::string FormatWord(Format format) { return FormatName(format); }

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

std::vector<Format> PublicFormats() {
  std::vector<Format> formats;
  for (const FormatInfo& info : AllFormats()) {
    if (!info.is_private && info.format != Format::kUndefined) formats.push_back(info.format);
  }
  return formats;
}

std::vector<Format> PrivateFormats() {
  std::vector<Format> formats;
  for (const FormatInfo& info : AllFormats()) {
    if (info.is_private) formats.push_back(info.format);
  }
  return formats;
}

void SetAllFormats(Call& call, Format format) {
  for (const Role role : kBackwardRoles) call.tensor(role).format = format;
}

// Shapes gradOutput and indices by the attributes, where those give a shape of sensible size.
void ShapeByAttributes(Call& call) {
  const std::optional<Dims> shape = DerivedOutputShape(call);
  if (!shape.has_value()) return;
  for (const std::int64_t extent : *shape) {
    if (extent > 100) return;
  }
  SetOutputShape(call, *shape);
}

// The list with `value` on one axis; axis 3 stands for a list of length 1.
Dims WithValue(std::int64_t other, int axis, std::int64_t value) {
  if (axis == 3) return {value};
  Dims list(3, other);
  list[static_cast<std::size_t>(axis)] = value;
  return list;
}

std::string AxisWord(int axis) {
  constexpr std::array<const char*, 4> kWords = {"d", "h", "w", "all"};
  return kWords[static_cast<std::size_t>(axis)];
}

void AddNullFaults(Operator op, std::vector<Fault>& faults) {
  constexpr std::array<const char*, 4> kFixed = {"S03", "S01", "S02", "S04"};  // by Role
  constexpr std::array<const char*, 4> kAdaptive = {"S01", "S02", "S03", "S04"};
  const auto& numbers = InfoOf(op).is_adaptive ? kAdaptive : kFixed;
  for (const Role role : kBackwardRoles) {
    faults.push_back({numbers[static_cast<std::size_t>(role)],
                      "null-" + std::string(RoleName(role)), WholeTensor(role),
                      [=](Call& call) { call.tensor(role).null = true; }});
  }
  for (const List list : InfoOf(op).lists) {
    faults.push_back({"S05", "null-" + std::string(ListName(list)), OfList(list),
                      [=](Call& call) { call.list(list).reset(); }});
  }
}

void AddTypeFaults(Operator op, std::span<const DataType> index_types, std::vector<Fault>& faults) {
  const bool has_double_clause = !InfoOf(op).is_adaptive;  // MP3-S13
  for (const DataType type : AllTypeValues()) {
    const bool is_double = type == DataType::kDouble;
    if (!IsGradientType(type)) {
      const std::string number = is_double && has_double_clause ? "S13" : "S10";
      for (const Role role : {Role::kGradOutput, Role::kSelf, Role::kGradInput}) {
        faults.push_back({number, std::string(RoleName(role)) + "-" + TypeWord(type),
                          OfRole(kTypeBit, role),
                          [=](Call& call) { call.tensor(role).type = type; }});
      }
      faults.push_back({number, "all-" + TypeWord(type), kGradientTypeBits,
                        [=](Call& call) { SetGradientType(call, type); }});
    }
    if (std::find(index_types.begin(), index_types.end(), type) == index_types.end()) {
      std::string number = "S11";
      if (is_double && has_double_clause) number = "S13";
      if (type == DataType::kInt64) number = "S12";
      faults.push_back({number, "indices-" + TypeWord(type), OfRole(kTypeBit, Role::kIndices),
                        [=](Call& call) { call.tensor(Role::kIndices).type = type; }});
    }
  }
}

// Supported but unequal types.
void AddUnequalTypeFaults(Operator op, std::vector<Fault>& faults) {
  const bool is_2d = op == Operator::kAdaptiveMaxPool2dBackward;
  for (const DataType type : kGradientTypes) {
    for (const DataType other : kGradientTypes) {
      if (type == other) continue;
      const std::string types = TypeWord(type) + "-" + TypeWord(other);
      const auto differing = [&](const char* number, const std::string& what,
                                 std::vector<Role> roles) {
        faults.push_back({number, what + "-" + types, kGradientTypeBits,
                          [type, other, roles = std::move(roles)](Call& call) {
                            SetGradientType(call, type);
                            for (const Role role : roles) call.tensor(role).type = other;
                          }});
      };
      differing("S14", "gradOutput", {Role::kGradOutput});
      differing("S14", "self", {Role::kSelf});
      differing(is_2d ? "S15" : "S14", "gradInput", {Role::kGradInput});
    }
  }
}

void AddFormatFaults(Operator op, std::vector<Fault>& faults) {
  constexpr unsigned kAllFormats =
      OfRole(kFormatBit, Role::kGradOutput) | OfRole(kFormatBit, Role::kSelf) |
      OfRole(kFormatBit, Role::kIndices) | OfRole(kFormatBit, Role::kGradInput);
  for (const Format format : PrivateFormats()) {
    for (const Role role : kBackwardRoles) {
      faults.push_back({"S20", std::string(RoleName(role)) + "-" + FormatWord(format),
                        OfRole(kFormatBit, role),
                        [=](Call& call) { call.tensor(role).format = format; }});
    }
    faults.push_back({"S20", "all-" + FormatWord(format), kAllFormats,
                      [=](Call& call) { SetAllFormats(call, format); }});
  }
  for (const Format format : PublicFormats()) {
    if (format == Format::kNd) continue;
    for (const Role role : kBackwardRoles) {
      // MP3-S22 compares indices with self, MP3-S21 the others: where self differs, indices go
      // with it.
      const bool fixed = !InfoOf(op).is_adaptive;
      const std::string number = fixed && role == Role::kIndices ? "S22" : "S21";
      faults.push_back({number, std::string(RoleName(role)) + "-" + FormatWord(format), kAllFormats,
                        [=](Call& call) {
                          call.tensor(role).format = format;
                          if (fixed && role == Role::kSelf) {
                            call.tensor(Role::kIndices).format = format;
                          }
                        }});
    }
  }
  if (op == Operator::kMaxPool3dWithArgmaxBackward) {
    // D2's own table; S22 is breached as well.
    faults.push_back({"S21", "indices-gradInput-NCDHW", kAllFormats, [](Call& call) {
                        call.tensor(Role::kIndices).format = Format::kNcdhw;
                        call.tensor(Role::kGradInput).format = Format::kNcdhw;
                      }});
  }
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

void AddRankFaults(Operator op, std::vector<Fault>& faults) {
  const OperatorInfo& info = InfoOf(op);
  const std::string number = info.is_adaptive ? "S30" : "S32";
  const auto legal = static_cast<std::size_t>(info.spatial_rank) + 1;
  for (const std::size_t rank : std::initializer_list<std::size_t>{0, 1, 2, 3, 5, 6, 7, 8, 25}) {
    if (rank == legal || rank == legal + 1) continue;
    const auto add = [&](const std::string& who, unsigned parts, std::vector<Role> roles) {
      faults.push_back({number, who + "-rank-" + std::to_string(rank), parts,
                        [rank, roles = std::move(roles)](Call& call) {
                          for (const Role role : roles) {
                            call.tensor(role).shape = WithRank(call.tensor(role).shape, rank);
                          }
                        }});
    };
    add("all", kOutputShapes | kInputShapes,
        {Role::kGradOutput, Role::kSelf, Role::kIndices, Role::kGradInput});
    add("output", kOutputShapes, {Role::kGradOutput, Role::kIndices});
    add("input", kInputShapes, {Role::kSelf, Role::kGradInput});
    for (const Role role : kBackwardRoles) {
      const bool of_output = role == Role::kGradOutput || role == Role::kIndices;
      add(std::string(RoleName(role)), of_output ? kOutputShapes : kInputShapes, {role});
    }
  }
}

// The other of an operator's two ranks: the first axis dropped, or a 1 put in front.
Dims WithOtherLegalRank(const Dims& shape, int spatial_rank) {
  const auto low = static_cast<std::size_t>(spatial_rank) + 1;
  return WithRank(shape, shape.size() == low ? low + 1 : low);
}

// Shapes that must agree and do not: that of `changed` is made to differ from its partner's.
void AddUnequalShapeFaults(const std::string& number, Role changed, unsigned parts,
                           int spatial_rank, std::vector<Fault>& faults) {
  const std::string who = std::string(RoleName(changed));
  const auto add = [&](const std::string& what, std::function<void(Dims&)> change) {
    faults.push_back(
        {number, who + "-" + what, parts, [=](Call& call) { change(call.tensor(changed).shape); }});
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
  add("other-rank", [=](Dims& shape) { shape = WithOtherLegalRank(shape, spatial_rank); });
}

void AddShapeFaults(Operator op, std::vector<Fault>& faults) {
  const bool fixed = !InfoOf(op).is_adaptive;
  const int spatial_rank = InfoOf(op).spatial_rank;
  AddUnequalShapeFaults(fixed ? "S30" : "S31", Role::kIndices, kOutputShapes, spatial_rank, faults);
  AddUnequalShapeFaults(fixed ? "S31" : "S32", Role::kGradInput, kInputShapes, spatial_rank,
                        faults);
  // gradOutput against self, indices going with gradOutput.
  const std::string number = fixed ? "S33" : "S34";
  const std::size_t leading_only = fixed ? 0 : static_cast<std::size_t>(spatial_rank);
  for (std::size_t back = 1 + leading_only; back <= 5; ++back) {
    const std::string axis = "axis-" + std::to_string(back) + "-from-last";
    for (const int step : {1, -1, 7}) {
      faults.push_back({number,
                        axis + (step < 0 ? "-shorter" : "-longer-by-" + std::to_string(step)),
                        kOutputShapes | kInputShapes, [=](Call& call) {
                          Dims shape = call.tensor(Role::kGradOutput).shape;
                          if (back > shape.size()) return;
                          std::int64_t& extent = shape[shape.size() - back];
                          if (extent + step >= 1) extent += step;
                          SetOutputShape(call, shape);
                        }});
    }
  }
  faults.push_back({number, "other-rank", kOutputShapes | kInputShapes, [=](Call& call) {
                      SetOutputShape(call, WithOtherLegalRank(call.tensor(Role::kGradOutput).shape,
                                                              spatial_rank));
                    }});
}

// --- Attribute lists of the fixed windows --------------------------------------------------------

void AddListLengthFaults(std::vector<Fault>& faults) {
  struct Row {
    const char* number;
    List list;
    std::int64_t value;
    std::vector<std::size_t> lengths;
  };
  const std::vector<Row> rows = {{"S40", List::kKernelSize, 2, {0, 2, 4, 5, 25}},
                                 {"S42", List::kStride, 1, {2, 4, 5, 25}},
                                 {"S44", List::kPadding, 0, {0, 2, 4, 5, 25}},
                                 {"S47", List::kDilation, 1, {0, 2, 4, 5, 25}}};
  for (const Row& row : rows) {
    for (const std::size_t length : row.lengths) {
      for (const std::int64_t value : {row.value, row.value + 1}) {
        if (row.list == List::kDilation && value != 1) continue;  // MP3-S48
        unsigned parts = OfList(row.list);
        if (row.list == List::kPadding || row.list == List::kKernelSize) {
          parts = OfList(List::kPadding) | OfList(List::kKernelSize);
        }
        faults.push_back({row.number,
                          "length-" + std::to_string(length) +
                              (length == 0 ? "" : "-of-" + std::to_string(value)),
                          parts, [list = row.list, length, value](Call& call) {
                            call.list(list) = Dims(length, value);
                          }});
        if (length == 0) break;
      }
    }
  }
}

void AddListValueFaults(std::vector<Fault>& faults) {
  // 2 - 2^32 is 2 in its low 32 bits.
  for (int axis = 0; axis < 4; ++axis) {
    for (const std::int64_t value :
         {std::int64_t{0}, std::int64_t{-1}, -kTwo31, 2 - kTwo32, kInt64Min}) {
      const std::string what = AxisWord(axis) + "-" + ValueWord(value);
      faults.push_back(
          {"S41", what, OfList(List::kKernelSize) | OfList(List::kPadding), [=](Call& call) {
             call.list(List::kKernelSize) = WithValue(2, axis, value);
             call.list(List::kPadding) = Dims{0};
           }});
      faults.push_back({"S43", what, OfList(List::kStride),
                        [=](Call& call) { call.list(List::kStride) = WithValue(2, axis, value); }});
      if (value == 0) continue;
      faults.push_back({"S45", what, OfList(List::kPadding), [=](Call& call) {
                          call.list(List::kPadding) = WithValue(0, axis, value);
                        }});
    }
  }
}

void AddPaddingBoundFaults(std::vector<Fault>& faults) {
  constexpr unsigned kParts =
      OfList(List::kKernelSize) | OfList(List::kPadding) | kOutputShapes | kInputShapes;
  const auto add = [&](const std::string& what, const Dims& kernel, const Dims& padding) {
    faults.push_back({"S46", what, kParts, [=](Call& call) {
                        call.list(List::kKernelSize) = kernel;
                        call.list(List::kPadding) = Dims{0};
                        // What is left of a huge padding cut to 32 bits is 0 or 1.
                        ShapeByAttributes(call);
                        call.list(List::kPadding) = padding;
                        ShapeByAttributes(call);
                      }});
  };
  for (int axis = 0; axis < 4; ++axis) {
    for (std::int64_t k = 1; k <= 4; ++k) {
      for (const std::int64_t p : {k / 2 + 1, k, 2 * k}) {
        if (p <= k / 2 || (p == k && k / 2 + 1 == k)) continue;
        add(AxisWord(axis) + "-kernel-" + std::to_string(k) + "-padding-" + std::to_string(p),
            WithValue(2, axis, k), WithValue(axis == 3 ? p : 1, axis, p));
      }
    }
    for (const std::int64_t p : {kTwo31, kTwo32, kTwo32 + 1, kInt64Max}) {
      add(AxisWord(axis) + "-padding-" + ValueWord(p), WithValue(2, axis, 2),
          WithValue(0, axis, p));
    }
  }
  // The bound is that of the same axis, after both lists are expanded.
  add("one-padding-above-last-axes", {4, 2, 2}, {2});
  add("one-padding-above-first-axis", {2, 4, 4}, {2});
  add("one-kernel-below-one-axis", {3}, {1, 1, 2});
  add("permuted", {2, 3, 4}, {2, 1, 1});
}

void AddDilationFaults(std::vector<Fault>& faults) {
  for (int axis = 0; axis < 4; ++axis) {
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{2},
                                     std::int64_t{3}, 1 - kTwo32, kInt64Min}) {
      faults.push_back({"S48", AxisWord(axis) + "-" + ValueWord(value),
                        OfList(List::kDilation) | kOutputShapes | kInputShapes |
                            OfList(List::kKernelSize) | OfList(List::kPadding),
                        [=](Call& call) {
                          call.list(List::kDilation) = WithValue(1, axis, value);
                          ShapeByAttributes(call);
                        }});
    }
    // On a kernel of 1 any dilation leaves the windows as they are.
    for (const std::int64_t value : {std::int64_t{2}, kTwo31, kTwo32 + 1, kInt64Max}) {
      faults.push_back({"S48", AxisWord(axis) + "-" + ValueWord(value) + "-on-kernel-1",
                        OfList(List::kDilation) | kOutputShapes | kInputShapes |
                            OfList(List::kKernelSize) | OfList(List::kPadding),
                        [=](Call& call) {
                          call.list(List::kKernelSize) = Dims{1};
                          call.list(List::kPadding) = Dims{0};
                          call.list(List::kDilation) = WithValue(1, axis, value);
                          ShapeByAttributes(call);
                        }});
    }
  }
}

// Outputs that do not follow from the attributes.
void AddDerivedShapeFaults(std::vector<Fault>& faults) {
  constexpr unsigned kParts = kOutputShapes | kInputShapes | OfList(List::kKernelSize) |
                              OfList(List::kStride) | OfList(List::kPadding);
  faults.push_back({"S33", "other-ceil-mode", kParts, [](Call& call) {
                      // Extent 6, kernel 3, stride 2: two windows or three.
                      call.list(List::kKernelSize) = Dims{3};
                      call.list(List::kStride) = Dims{2};
                      call.list(List::kPadding) = Dims{0};
                      Dims shape = call.tensor(Role::kSelf).shape;
                      std::fill(shape.end() - 3, shape.end(), 6);
                      call.tensor(Role::kSelf).shape = shape;
                      call.tensor(Role::kGradInput).shape = shape;
                      ShapeByAttributes(call);
                      call.ceil_mode = !call.ceil_mode;
                    }});
  for (int axis = 0; axis < 4; ++axis) {
    // 2^32 + 2 is 2 in its low 32 bits; the kernel exceeds the padded input.
    for (const std::int64_t kernel : {std::int64_t{40}, kTwo31, kTwo32 + 2, kInt64Max}) {
      faults.push_back(
          {"S33", AxisWord(axis) + "-kernel-" + ValueWord(kernel), kParts, [=](Call& call) {
             call.list(List::kPadding) = Dims{0};
             call.list(List::kKernelSize) = Dims{2};
             ShapeByAttributes(call);
             call.list(List::kKernelSize) = WithValue(2, axis, kernel);
           }});
    }
    // Two windows on the axis if the stride is cut to 32 bits, one if it is not.
    faults.push_back(
        {"S33", AxisWord(axis) + "-stride-" + ValueWord(kTwo32 + 1), kParts, [=](Call& call) {
           call.list(List::kKernelSize) = Dims{2};
           call.list(List::kPadding) = Dims{0};
           call.list(List::kStride) = Dims{1};
           ShapeByAttributes(call);
           call.list(List::kStride) = WithValue(1, axis, kTwo32 + 1);
         }});
  }
  // A last window that would start beyond input and left padding is dropped in ceil mode.
  faults.push_back({"S33", "ceil-keeps-outside-window", kParts, [](Call& call) {
                      call.list(List::kKernelSize) = Dims{2};
                      call.list(List::kStride) = Dims{2};
                      call.list(List::kPadding) = Dims{1};
                      call.ceil_mode = true;
                      Dims shape = call.tensor(Role::kSelf).shape;
                      std::fill(shape.end() - 3, shape.end(), 5);
                      call.tensor(Role::kSelf).shape = shape;
                      call.tensor(Role::kGradInput).shape = shape;
                      ShapeByAttributes(call);
                      Dims output = call.tensor(Role::kGradOutput).shape;
                      ++output.back();
                      SetOutputShape(call, output);
                    }});
}

std::vector<Fault> AllFaults(Operator op, std::span<const DataType> index_types) {
  std::vector<Fault> faults;
  AddNullFaults(op, faults);
  AddTypeFaults(op, index_types, faults);
  AddUnequalTypeFaults(op, faults);
  AddFormatFaults(op, faults);
  AddRankFaults(op, faults);
  AddShapeFaults(op, faults);
  if (!InfoOf(op).is_adaptive) {
    AddListLengthFaults(faults);
    AddListValueFaults(faults);
    AddPaddingBoundFaults(faults);
    AddDilationFaults(faults);
    AddDerivedShapeFaults(faults);
  }
  return faults;
}

// --- Planes without storage ----------------------------------------------------------------------

// Contiguous strides where those of axes of extent 1, which are free, do not overflow.
void SetStridesWithoutOverflow(TensorSpec& tensor) {
  tensor.strides.assign(tensor.shape.size(), 1);
  tensor.storage = tensor.shape;
  std::int64_t step = 1;
  for (std::size_t axis = tensor.shape.size(); axis-- > 0;) {
    if (tensor.shape[axis] == 1) continue;
    tensor.strides[axis] = step;
    if (__builtin_mul_overflow(step, tensor.shape[axis], &step)) step = 1;
  }
}

// A call on a plane of the given extents with one window; for descriptor-only plans.
Call PlaneCall(Operator op, DataType type, DataType index_type, const Dims& plane, bool high_rank) {
  Dims self(high_rank ? 2 : 1, 1);
  self.insert(self.end(), plane.begin(), plane.end());
  const Dims ones(plane.size(), 1);
  Call call =
      InfoOf(op).is_adaptive
          ? MakeAdaptiveBackward(op, type, index_type, std::move(self), ones)
          : MakeFixedBackward(type, index_type, std::move(self), {1}, plane, {0}, {1}, false);
  for (const Role role : {Role::kSelf, Role::kGradInput}) {
    if (!CheckedNumel(call.tensor(role).shape).has_value()) {
      SetStridesWithoutOverflow(call.tensor(role));
    }
  }
  return call;
}

std::vector<Dims> PlanesAboveLimit(int spatial_rank) {
  if (spatial_rank == 2) {
    return {{kTwo31, 1},
            {1, kTwo31},
            {kTwo32, 1},
            {1, kTwo32},
            {kTwo32 + 2, 1},
            {1, kTwo32 + 2},
            {65536, 32768},
            {32768, 65536},
            {46341, 46341},
            {65536, 65536},
            {65537, 65537},
            {2, 1 << 30},
            {65535, 65537},
            {kTwo32, kTwo32},
            {kTwo31, kTwo31},
            {4, kTwo62},
            {kTwo62, 4},
            {kTwo62, 2},
            {kInt64Max, 1},
            {1, kInt64Max},
            {kTwo31 - 1, 2},
            {2, kTwo31 - 1},
            {kTwo32 + 1, kTwo32 + 1}};
  }
  return {{kTwo31, 1, 1},
          {1, kTwo31, 1},
          {1, 1, kTwo31},
          {kTwo32, 1, 1},
          {1, kTwo32, 1},
          {1, 1, kTwo32},
          {kTwo32 + 2, 1, 1},
          {1, kTwo32 + 2, 1},
          {1, 1, kTwo32 + 2},
          {65536, 32768, 1},
          {1, 65536, 32768},
          {32768, 1, 65536},
          {46341, 46341, 1},
          {1291, 1291, 1291},
          {65536, 65536, 1},
          {65537, 65537, 1},
          {1, 65537, 65537},
          {3, 5, 286331153},  // 2^32 - 1
          {2, 1, 1 << 30},
          {2, 32768, 32768},
          {65536, 65536, 65536},
          {kTwo32, kTwo32, 1},
          {kTwo32, 1, kTwo32},
          {1, kTwo32, kTwo32},
          {kTwo31, kTwo31, kTwo31},
          {1, 4, kTwo62},
          {kTwo62, 4, 1},
          {2, 1, kTwo62},
          {1 << 21, 1 << 21, 1 << 21},
          {kInt64Max, 1, 1},
          {1, kInt64Max, 1},
          {1, 1, kInt64Max},
          {kTwo31 - 1, 2, 1},
          {1, 2, kTwo31 - 1},
          {kTwo32 + 1, kTwo32 + 1, kTwo32 + 1}};
}

std::vector<Dims> PlanesAtLimit(int spatial_rank) {
  if (spatial_rank == 2) {
    return {{kTwo31 - 1, 1}, {1, kTwo31 - 1}, {46340, 46340}, {65536, 32767}};
  }
  return {{kTwo31 - 1, 1, 1}, {1, kTwo31 - 1, 1}, {1, 1, kTwo31 - 1},
          {46340, 46340, 1},  {1290, 1290, 1290}, {1, 65536, 32767}};
}

// --- The collection ------------------------------------------------------------------------------

class Collector {
 public:
  Collector(const Spec& spec, Profile profile, CaseSet set)
      : spec_(spec), profile_(profile), set_(set) {}

  std::vector<NamedCase> Run() {
    for (const Operator op : kBackwardOperators) {
      if (IsCovered(spec_, profile_, op)) {
        AddFaultCases(op);
        AddPairs(op);
        AddPlanes(op);
        AddOpenCases(op);
        AddLegalNeighbours(op);
        AddSupport(op);
      } else {
        AddPlatform(op);
      }
    }
    return Thin();
  }

 private:
  // Adds a case to the clause's group, unless the profile excludes the clause or a case of that
  // name is there already. Contents depend on the name.
  void Add(Operator op, const std::string& number, const std::string& what, Call call,
           Plan plan = {}) {
    if (!ClauseApplies(spec_, profile_, op, number)) return;
    std::string name = std::string(InfoOf(op).clause_prefix) + "-" + number + "/" + what;
    if (!names_.insert(name).second) return;
    SeedData(call, SeedOfName(name));
    cases_.push_back({"status", std::move(name), Case{{std::move(call)}, plan}});
  }
  void AddLegal(Operator op, const std::string& number, const std::string& what, Call call,
                Plan plan = {}) {
    Add(op, number, "legal-" + what, std::move(call), plan);
  }

  // Index 0 lies in every plane: an implementation that carries the call out does no damage.
  static void MakeHarmless(Call& call) { call.tensor(Role::kIndices).data.kind = DataKind::kZero; }

  static std::string VariantWord(int variant) { return "-v" + std::to_string(variant); }

  [[nodiscard]] int FaultVariants() const { return set_ == CaseSet::kNightly ? kBaseVariants : 2; }

  void AddFaultCases(Operator op) {
    for (const Fault& fault : AllFaults(op, IndexTypes(spec_, profile_, op))) {
      for (int variant = 0; variant < FaultVariants(); ++variant) {
        const Call base = BaseCall(op, variant);
        Call call = base;
        fault.apply(call);
        if (call == base) continue;  // the fault needs an axis or an extent that the base lacks
        MakeHarmless(call);
        Add(op, fault.number, fault.what + VariantWord(variant), std::move(call));
      }
    }
    AddOneElementFaults(op);
  }

  // Shapes of one element each that differ in rank: equal where only elements are counted.
  void AddOneElementFaults(Operator op) {
    const OperatorInfo& info = InfoOf(op);
    const auto high = static_cast<std::size_t>(info.spatial_rank) + 2;
    const Dims ones(static_cast<std::size_t>(info.spatial_rank), 1);
    Call call = PlaneCall(op, DataType::kFloat, DataType::kInt32, ones, true);
    MakeHarmless(call);
    Call indices = call;
    indices.tensor(Role::kIndices).shape = Dims(high - 1, 1);
    Add(op, info.is_adaptive ? "S31" : "S30", "one-element-other-rank", std::move(indices));
    Call grad_input = call;
    grad_input.tensor(Role::kGradInput).shape = Dims(high - 1, 1);
    Add(op, info.is_adaptive ? "S32" : "S31", "one-element-other-rank", std::move(grad_input));
  }

  // Two required clauses at once.
  void AddPairs(Operator op) {
    std::map<std::string, std::vector<Fault>> by_clause;
    for (Fault& fault : AllFaults(op, IndexTypes(spec_, profile_, op))) {
      const Clause* clause = spec_.Find(std::string(InfoOf(op).clause_prefix) + "-" + fault.number);
      if (clause == nullptr || clause->strength != Strength::kRequired) continue;
      by_clause[fault.number].push_back(std::move(fault));
    }
    const std::size_t of_each = set_ == CaseSet::kNightly ? 6 : 2;
    std::vector<Fault> faults;
    for (auto& [number, list] : by_clause) {
      for (std::size_t i = 0; i < std::min(of_each, list.size()); ++i) {
        faults.push_back(list[i * list.size() / of_each]);
      }
    }
    const Call base = BaseCall(op, 0);
    std::uint64_t count = 0;
    for (std::size_t a = 0; a < faults.size(); ++a) {
      for (std::size_t b = a + 1; b < faults.size(); ++b) {
        if (faults[a].number == faults[b].number) continue;
        if ((faults[a].parts & faults[b].parts) != 0) continue;
        if (set_ != CaseSet::kNightly && RandomBelow(1, count++, 2) != 0) continue;
        Call first = base;
        faults[a].apply(first);
        Call second = base;
        faults[b].apply(second);
        if (first == base || second == base) continue;
        faults[b].apply(first);
        MakeHarmless(first);
        Add(op, faults[a].number,
            "pair-" + faults[a].what + "-with-" + faults[b].number + "-" + faults[b].what,
            std::move(first));
      }
    }
  }

  void AddPlanes(Operator op) {
    const OperatorInfo& info = InfoOf(op);
    const std::string number = info.is_adaptive ? "S33" : "S50";
    const Plan descriptors{.descriptors_only = true};
    for (const DataType index_type : IndexTypes(spec_, profile_, op)) {
      const std::string suffix = index_type == DataType::kInt64 ? "-i64" : "";
      std::size_t turn = 0;
      for (const Dims& plane : PlanesAboveLimit(info.spatial_rank)) {
        const DataType type = kGradientTypes[turn++ % kGradientTypes.size()];
        for (const bool high_rank : {true, false}) {
          const std::string what = DimsWord(plane) + suffix + (high_rank ? "-batched" : "");
          Add(op, number, what, PlaneCall(op, type, index_type, plane, high_rank), descriptors);
          // MP3-B25: not a limit on Ascend 950. Views that int64 cannot count stay out.
          if (!info.is_adaptive && index_type == DataType::kInt64 &&
              CheckedNumel(plane).has_value()) {
            Add(op, "B25", what, PlaneCall(op, type, index_type, plane, high_rank), descriptors);
          }
        }
      }
      for (const Dims& plane : PlanesAtLimit(info.spatial_rank)) {
        const DataType type = kGradientTypes[turn++ % kGradientTypes.size()];
        for (const bool high_rank : {true, false}) {
          const std::string what = DimsWord(plane) + suffix + (high_rank ? "-batched" : "");
          AddLegal(op, number, what, PlaneCall(op, type, index_type, plane, high_rank),
                   descriptors);
          if (op == Operator::kAdaptiveMaxPool2dBackward) {
            Add(op, "C02", what, PlaneCall(op, type, index_type, plane, high_rank), descriptors);
          }
          if (!info.is_adaptive && index_type == DataType::kInt64) {
            Add(op, "B25", what, PlaneCall(op, type, index_type, plane, high_rank), descriptors);
          }
        }
      }
      AddManyPlanes(op, number, index_type, suffix);
    }
    if (op == Operator::kAdaptiveMaxPool2dBackward) AddNonDivisible();
  }

  // The limit is one plane's: more elements in all, or as many windows as elements, are legal.
  void AddManyPlanes(Operator op, const std::string& number, DataType index_type,
                     const std::string& suffix) {
    const OperatorInfo& info = InfoOf(op);
    const Plan descriptors{.descriptors_only = true};
    const Dims ones(static_cast<std::size_t>(info.spatial_rank), 1);
    for (const Dims& leading : std::vector<Dims>{{65536, 65536}, {kTwo32, 1}, {3, kTwo31}}) {
      Dims self = leading;
      self.insert(self.end(), ones.begin(), ones.end());
      Call call =
          info.is_adaptive
              ? MakeAdaptiveBackward(op, DataType::kFloat16, index_type, self, ones)
              : MakeFixedBackward(DataType::kFloat16, index_type, self, {1}, {1}, {0}, {1}, false);
      AddLegal(op, number, "planes-" + DimsWord(leading) + suffix, std::move(call), descriptors);
    }
    if (!info.is_adaptive) {
      AddLegal(op, number, "windows-2147483647" + suffix,
               MakeFixedBackward(DataType::kFloat, index_type, {1, 1, 1, 1, kTwo31 - 1}, {1}, {1},
                                 {0}, {1}, false),
               descriptors);
      AddLegal(op, number, "kernel-2147483647" + suffix,
               MakeFixedBackward(DataType::kFloat, index_type, {1, 1, 1, 1, kTwo31 - 1},
                                 {1, 1, kTwo31 - 1}, {1}, {0}, {1}, false),
               descriptors);
    }
  }

  // AMP2-C01 has no code, so whatever happens is recorded; up to 2^24 the call is legal in every
  // reading.
  void AddNonDivisible() {
    constexpr Operator kOp = Operator::kAdaptiveMaxPool2dBackward;
    const Plan descriptors{.descriptors_only = true};
    struct Row {
      Dims self;
      Dims output;
    };
    const std::vector<Row> above = {
        {{1, 1, 4097, 4097}, {3, 2}},       {{1, 1, (1 << 24) + 1, 1}, {2, 1}},
        {{1, 1, (1 << 24) + 1, 4}, {1, 3}}, {{1, 1, 3, 5}, {4099, 4099}},
        {{64, 64, 65, 65}, {2, 3}},         {{1, 8192, 4099}, {4096, 2}}};
    for (const Row& row : above) {
      Add(kOp, "C01", "open-" + DimsWord(row.self) + "-to-" + DimsWord(row.output),
          MakeAdaptiveBackward(kOp, DataType::kFloat16, DataType::kInt32, row.self, row.output),
          descriptors);
    }
    const std::vector<Row> at_limit = {{{1, 1, 4096, 4096}, {3, 5}},
                                       {{1, 1, 1 << 24, 1}, {3, 1}},
                                       {{1, 1 << 12, 1 << 12}, {3, 4096}},
                                       {{64, 64, 64, 64}, {3, 7}}};
    for (const Row& row : at_limit) {
      AddLegal(
          kOp, "C01", DimsWord(row.self) + "-to-" + DimsWord(row.output),
          MakeAdaptiveBackward(kOp, DataType::kFloat16, DataType::kInt32, row.self, row.output),
          descriptors);
    }
    AddLegal(
        kOp, "C01", "divisible",
        MakeAdaptiveBackward(kOp, DataType::kFloat, DataType::kInt64, {1, 1, 8192, 4096}, {512, 4}),
        descriptors);
  }

  // Calls to which the documents give no answer: recorded, and watched for memory alone.
  void AddOpenCases(Operator op) {
    for (int variant = 0; variant < FaultVariants(); ++variant) {
      std::vector<Format> formats = PublicFormats();
      formats.push_back(Format::kUndefined);
      formats.push_back(static_cast<Format>(99));
      for (const Format format : formats) {
        if (format == Format::kNd) continue;
        Call call = BaseCall(op, variant);
        SetAllFormats(call, format);
        const std::string what = "all-" + FormatWord(format) + VariantWord(variant);
        if (format == Format::kNcdhw && !InfoOf(op).is_adaptive) {
          Add(op, "B27", what, std::move(call));
        } else {
          Add(op, "S20", "open-" + what, std::move(call));
        }
      }
      AddEmpty(op, variant);
    }
  }

  // MP3-S51.
  void AddEmpty(Operator op, int variant) {
    const Call base = BaseCall(op, variant);
    const std::size_t rank = base.tensor(Role::kSelf).shape.size();
    for (std::size_t back = 1; back <= rank; ++back) {
      const std::string axis = "axis-" + std::to_string(back) + "-from-last" + VariantWord(variant);
      Call both = base;
      MakeHarmless(both);
      for (const Role role : kBackwardRoles) {
        Dims& shape = both.tensor(role).shape;
        shape[shape.size() - back] = 0;
      }
      Call output = base;
      MakeHarmless(output);
      Dims shape = output.tensor(Role::kGradOutput).shape;
      shape[shape.size() - back] = 0;
      SetOutputShape(output, shape);
      Add(op, "S51", "open-all-" + axis, std::move(both));
      Add(op, "S51", "open-output-" + axis, std::move(output));
    }
    AddLegal(
        op, "S51", "one-element" + VariantWord(variant),
        PlaneCall(op, kGradientTypes[static_cast<std::size_t>(variant) % 3], DataType::kInt32,
                  Dims(static_cast<std::size_t>(InfoOf(op).spatial_rank), 1), variant % 2 == 0));
  }

  // A platform that the product table marks as unsupported: the calls are right in all else.
  void AddPlatform(Operator op) {
    for (int variant = 0; variant < kBaseVariants; ++variant) {
      for (const DataType type : kGradientTypes) {
        Call call = BaseCall(op, variant);
        SetGradientType(call, type);
        MakeHarmless(call);
        Add(op, "S49", TypeWord(type) + VariantWord(variant), std::move(call));
      }
    }
    if (InfoOf(op).is_adaptive) return;  // their any-error may come after phase one
    Add(op, "S49", "descriptors",
        PlaneCall(op, DataType::kFloat16, DataType::kInt32, {64, 64, 64}, true),
        Plan{.descriptors_only = true});
  }

  // --- Legal neighbours --------------------------------------------------------------------------

  void AddLegalNeighbours(Operator op) {
    const bool fixed = !InfoOf(op).is_adaptive;
    for (int variant = 0; variant < kBaseVariants; ++variant) {
      const Call base = BaseCall(op, variant);
      const std::string suffix = VariantWord(variant);
      for (const char* number : {"S01", "S02", "S03", "S04", "S05"}) {
        AddLegal(op, number, "all-present" + suffix, base);
      }
      for (const DataType type : kGradientTypes) {
        Call call = base;
        SetGradientType(call, type);
        for (const char* number : {"S10", "S13", "S14", "S15"}) {
          AddLegal(op, number, "all-" + TypeWord(type) + suffix, call);
        }
      }
      for (const DataType index_type : IndexTypes(spec_, profile_, op)) {
        Call call = base;
        call.tensor(Role::kIndices).type = index_type;
        for (const char* number : {"S11", "S12"}) {
          AddLegal(op, number, "indices-" + TypeWord(index_type) + suffix, call);
        }
      }
      for (const char* number : {"S20", "S21", "S22"})
        AddLegal(op, number, "all-ND" + suffix, base);
      for (const char* number : {"S30", "S31", "S32", "S34"}) {
        AddLegal(op, number, "shapes" + suffix, base);
      }
      if (fixed) AddLegal(op, "S33", "shapes" + suffix, base);
    }
    if (fixed) AddLegalLists();
  }

  static Call Fixed(const Dims& self, const Dims& kernel, const Dims& stride, const Dims& padding,
                    const Dims& dilation, bool ceil_mode, std::size_t turn = 0) {
    return MakeFixedBackward(kGradientTypes[turn % kGradientTypes.size()], DataType::kInt32, self,
                             kernel, stride, padding, dilation, ceil_mode);
  }

  void AddLegalLists() {
    constexpr Operator kOp = Operator::kMaxPool3dWithArgmaxBackward;
    const Dims self = {2, 2, 6, 7, 5};
    std::size_t turn = 0;
    for (const bool ceil : {false, true}) {
      const std::string mode = ceil ? "-ceil" : "-floor";
      AddLegal(kOp, "S40", "length-1" + mode, Fixed(self, {2}, {1}, {1}, {1}, ceil, ++turn));
      AddLegal(kOp, "S40", "length-3" + mode, Fixed(self, {2, 3, 1}, {1}, {0}, {1}, ceil, ++turn));
      AddLegal(kOp, "S42", "length-0" + mode, Fixed(self, {2, 3, 1}, {}, {0}, {1}, ceil, ++turn));
      AddLegal(kOp, "S42", "length-1" + mode, Fixed(self, {2}, {2}, {0}, {1}, ceil, ++turn));
      AddLegal(kOp, "S42", "length-3" + mode, Fixed(self, {2}, {2, 1, 3}, {0}, {1}, ceil, ++turn));
      AddLegal(kOp, "S44", "length-1" + mode, Fixed(self, {2}, {1}, {1}, {1}, ceil, ++turn));
      AddLegal(kOp, "S44", "length-3" + mode, Fixed(self, {2}, {1}, {1, 0, 1}, {1}, ceil, ++turn));
      AddLegal(kOp, "S45", "zero" + mode, Fixed(self, {2}, {1}, {0}, {1}, ceil, ++turn));
      AddLegal(kOp, "S45", "zeros" + mode, Fixed(self, {2}, {1}, {0, 0, 0}, {1}, ceil, ++turn));
      AddLegal(kOp, "S47", "length-1" + mode, Fixed(self, {2}, {1}, {0}, {1}, ceil, ++turn));
      AddLegal(kOp, "S47", "length-3" + mode, Fixed(self, {2}, {1}, {0}, {1, 1, 1}, ceil, ++turn));
      AddLegal(kOp, "S48", "one" + mode, Fixed(self, {3}, {2}, {1}, {1}, ceil, ++turn));
      AddLegal(kOp, "S48", "ones" + mode, Fixed(self, {3}, {2}, {1}, {1, 1, 1}, ceil, ++turn));
      // Floor and ceil give different shapes.
      AddLegal(kOp, "S33", "rounding" + mode,
               Fixed({1, 2, 6, 6, 6}, {3}, {2}, {0}, {1}, ceil, ++turn));
      AddLegal(kOp, "S33", "dropped-window" + mode,
               Fixed({1, 2, 5, 5, 5}, {2}, {2}, {1}, {1}, ceil, ++turn));
      AddLegal(kOp, "S33", "kernel-equals-input" + mode,
               Fixed(self, {6, 7, 5}, {1}, {0}, {1}, ceil, ++turn));
      AddLegal(kOp, "S33", "kernel-equals-padded-input" + mode,
               Fixed({1, 2, 4, 4, 4}, {8, 8, 8}, {3}, {2}, {1}, ceil, ++turn));
    }
    for (int axis = 0; axis < 4; ++axis) {
      const std::string word = AxisWord(axis);
      AddLegal(kOp, "S41", word + "-1",
               Fixed(self, WithValue(2, axis, 1), {1}, {0}, {1}, false, ++turn));
      AddLegal(kOp, "S43", word + "-1",
               Fixed(self, {2}, WithValue(2, axis, 1), {0}, {1}, false, ++turn));
      // One window on an axis, wherever the next would start. Devices count in 32 bits, and no page
      // says up to where a stride is legal: nothing beyond is asked of anyone.
      for (const std::int64_t stride : {std::int64_t{100}, kTwo31 - 1}) {
        AddLegal(kOp, "S43", word + "-" + ValueWord(stride),
                 Fixed(self, {2}, WithValue(2, axis, stride), {0}, {1}, false, ++turn));
      }
      for (std::int64_t k = 1; k <= 6; ++k) {
        AddLegal(
            kOp, "S46", word + "-kernel-" + std::to_string(k) + "-padding-half",
            Fixed(self, WithValue(2, axis, k), {2}, WithValue(0, axis, k / 2), {1}, false, ++turn));
      }
    }
    AddLegal(kOp, "S46", "one-padding-at-last-axes",
             Fixed(self, {4, 2, 2}, {2}, {1}, {1}, false, ++turn));
    AddLegal(kOp, "S46", "one-padding-at-first-axis",
             Fixed(self, {2, 4, 4}, {2}, {1}, {1}, false, ++turn));
    AddLegal(kOp, "S46", "each-at-its-half",
             Fixed(self, {2, 3, 5}, {2}, {1, 1, 2}, {1}, true, ++turn));
  }

  // --- Support clauses ---------------------------------------------------------------------------

  void AddSupport(Operator op) {
    const bool fixed = !InfoOf(op).is_adaptive;
    constexpr std::array kIndexKinds = {DataKind::kArgmax, DataKind::kWindow, DataKind::kLast,
                                        DataKind::kShared};
    for (int variant = 0; variant < kBaseVariants; ++variant) {
      const Call base = BaseCall(op, variant);
      std::size_t turn = static_cast<std::size_t>(variant);
      for (const DataType type : kGradientTypes) {
        for (const DataKind kind : kIndexKinds) {
          Call call = base;
          SetGradientType(call, type);
          call.tensor(Role::kIndices).data.kind = kind;
          const std::string what =
              TypeWord(type) + "-" + std::to_string(turn++) + VariantWord(variant);
          for (const char* number : {"B20", "B22", "B23", "B26"}) Add(op, number, what, call);
          call.tensor(Role::kIndices).type = DataType::kInt64;
          Add(op, "B24", what, call);
        }
        AddLayouts(op, variant, type);
      }
    }
    if (fixed) AddAttributeForms();
  }

  // Each operand alone in each layout, and all together.
  void AddLayouts(Operator op, int variant, DataType type) {
    const int spatial_rank = InfoOf(op).spatial_rank;
    // The page names indices among the non-contiguous ones, or leaves them out (AMP3-B25).
    const bool indices_apart = op == Operator::kAdaptiveMaxPool3dBackward;
    for (const Layout layout : kLayouts) {
      const std::string suffix =
          "-" + std::string(LayoutName(layout)) + "-" + TypeWord(type) + VariantWord(variant);
      Call all = BaseCall(op, variant);
      SetGradientType(all, type);
      all.tensor(Role::kIndices).data.kind = DataKind::kWindow;
      const Call base = all;
      for (const Role role : kBackwardRoles) {
        // A broadcast gradInput is written more than once, broadcast indices leave their windows.
        if (layout == Layout::kBroadcast && (role == Role::kGradInput || role == Role::kIndices)) {
          continue;
        }
        Call one = base;
        ApplyLayout(one.tensor(role), layout, spatial_rank);
        if (layout == Layout::kBroadcast) one.tensor(role).data.kind = DataKind::kUniform;
        const bool apart = indices_apart && role == Role::kIndices;
        if (!apart) all.tensor(role) = one.tensor(role);
        Add(op, apart ? "B25" : "B21", std::string(RoleName(role)) + suffix, std::move(one));
      }
      Add(op, "B21", "together" + suffix, all);
      if (indices_apart && layout != Layout::kBroadcast) {
        ApplyLayout(all.tensor(Role::kIndices), layout, spatial_rank);
        Add(op, "B25", "together" + suffix, std::move(all));
      }
    }
    AddMixedLayouts(op, variant, type);
  }

  // Another layout for every operand: none may be read through the strides of its neighbour.
  void AddMixedLayouts(Operator op, int variant, DataType type) {
    constexpr std::array kMixed = {Layout::kChannelsLast, Layout::kGaps, Layout::kReversed,
                                   Layout::kOffset};
    for (std::size_t shift = 0; shift < kMixed.size(); ++shift) {
      Call call = BaseCall(op, variant);
      SetGradientType(call, type);
      call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
      for (std::size_t i = 0; i < kBackwardRoles.size(); ++i) {
        if (op == Operator::kAdaptiveMaxPool3dBackward && kBackwardRoles[i] == Role::kIndices) {
          continue;
        }
        ApplyLayout(call.tensor(kBackwardRoles[i]), kMixed[(i + shift) % kMixed.size()],
                    InfoOf(op).spatial_rank);
      }
      Add(op, "B21", "mixed-" + std::to_string(shift) + "-" + TypeWord(type) + VariantWord(variant),
          std::move(call));
    }
  }

  void AddAttributeForms() {
    constexpr Operator kOp = Operator::kMaxPool3dWithArgmaxBackward;
    std::size_t turn = 0;
    for (const Dims& self : std::vector<Dims>{{1, 2, 6, 7, 5}, {3, 5, 8, 6}}) {
      for (const bool ceil : {false, true}) {
        const std::string suffix =
            (ceil ? std::string("-ceil") : std::string("-floor")) + "-" + DimsWord(self);
        for (std::int64_t k = 1; k <= 4; ++k) {
          const std::string kernel = "kernel-" + std::to_string(k);
          // One kernel for all axes, whatever the form of the stride.
          Add(kOp, "B10", kernel + "-stride-none" + suffix,
              Fixed(self, {k}, {}, {0}, {1}, ceil, ++turn));
          Add(kOp, "B10", kernel + "-stride-one" + suffix,
              Fixed(self, {k}, {2}, {0}, {1}, ceil, ++turn));
          Add(kOp, "B10", kernel + "-stride-three" + suffix,
              Fixed(self, {k}, {2, 1, 3}, {k / 2}, {1}, ceil, ++turn));
          for (int axis = 0; axis < 3; ++axis) {
            const Dims kernels = WithValue(2, axis, k);
            Add(kOp, "B11", AxisWord(axis) + "-" + kernel + suffix,
                Fixed(self, kernels, {}, {0}, {1}, ceil, ++turn));
            Add(kOp, "B12", AxisWord(axis) + "-" + kernel + suffix,
                Fixed(self, kernels, {1 + k % 3}, {0}, {1}, ceil, ++turn));
            for (std::int64_t p = 0; p <= k / 2; ++p) {
              Add(kOp, "B13",
                  AxisWord(axis) + "-" + kernel + "-padding-" + std::to_string(p) + suffix,
                  Fixed(self, kernels, {2}, WithValue(0, axis, p), {1}, ceil, ++turn));
            }
          }
          for (std::int64_t p = 0; p <= k / 2; ++p) {
            Add(kOp, "B13", "all-" + kernel + "-padding-" + std::to_string(p) + suffix,
                Fixed(self, {k}, {1}, {p}, {1}, ceil, ++turn));
          }
          Add(kOp, "B14", "one-" + kernel + suffix,
              Fixed(self, {k}, {2}, {k / 2}, {1}, ceil, ++turn));
          Add(kOp, "B14", "three-" + kernel + suffix,
              Fixed(self, {k}, {2}, {k / 2}, {1, 1, 1}, ceil, ++turn));
        }
      }
    }
  }

  // --- Thinning ----------------------------------------------------------------------------------

  // Clause and aim of a case: every such group keeps some of its cases in every set.
  static std::string GroupOf(const NamedCase& named) {
    const std::size_t slash = named.name.find('/');
    std::string group = std::string(InfoOf(named.problem.calls.front().op).name) + "/" +
                        named.name.substr(0, slash + 1);
    for (const std::string_view aim : {"legal-", "open-", "pair-"}) {
      if (named.name.compare(slash + 1, aim.size(), aim) == 0) group += aim;
    }
    return group;
  }

  std::vector<NamedCase> Thin() {
    if (set_ != CaseSet::kSmoke) return std::move(cases_);
    std::map<std::string, std::size_t> sizes;
    for (const NamedCase& named : cases_) ++sizes[GroupOf(named)];
    std::map<std::string, std::size_t> seen;
    std::vector<NamedCase> kept;
    for (NamedCase& named : cases_) {
      const std::string group = GroupOf(named);
      const std::size_t position = seen[group]++;
      if (position == 0 || position == sizes[group] / 2 || position % 24 == 5) {
        kept.push_back(std::move(named));
      }
    }
    return kept;
  }

  const Spec& spec_;
  const Profile profile_;
  const CaseSet set_;
  std::set<std::string> names_;
  std::vector<NamedCase> cases_;
};

}  // namespace

std::vector<NamedCase> StatusCases(const Spec& spec, Profile profile, CaseSet set) {
  return Collector(spec, profile, set).Run();
}

}  // namespace poolproof
