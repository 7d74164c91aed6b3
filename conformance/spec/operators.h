// SPDX-License-Identifier: Apache-2.0
//
// OperatorInfo: the page of an operator, i.e. all that the suite knows of it beside the clauses.
// One folder of conformance/operators/ per page, with the clauses that say so; read by case
// parsing, generators, worker, judge and reports, which name no operator.
#ifndef POOLPROOF_CONFORMANCE_SPEC_OPERATORS_H_
#define POOLPROOF_CONFORMANCE_SPEC_OPERATORS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/spec/condition.h"
#include "core/data_type.h"
#include "core/shape.h"

namespace poolproof {

// Backwards first; the order is that of conformance/operators/registry.cc.
enum class Operator : std::uint8_t {
  kMaxPool3dWithArgmaxBackward,
  kAdaptiveMaxPool3dBackward,
  kAdaptiveMaxPool2dBackward,
  kMaxPool2dWithIndicesBackward,
  kMaxPool3dWithArgmax,
  kAdaptiveMaxPool3d,
  kAdaptiveMaxPool2d,
  kMaxPool2dWithIndices,
};
inline constexpr int kOperatorCount = 8;

// A tensor argument's part in a call. The order is that of Call::tensors.
enum class Role : std::uint8_t { kGradOutput, kSelf, kIndices, kGradInput, kOut };
inline constexpr int kRoleCount = 5;

// An aclIntArray argument's part in a call. The order is that of Call::lists.
enum class List : std::uint8_t { kKernelSize, kStride, kPadding, kDilation, kOutputSize };
inline constexpr int kListCount = 5;

// Where the windows of an operator come from: its attribute lists, or input and output extents.
enum class WindowRule : std::uint8_t { kFixed, kAdaptive };

// A data type that a page lists. It is supported under the profiles for which the operator's clause
// of this condition applies; without one, where the operator is.
struct SupportedType {
  DataType type = DataType::kUndefined;
  std::optional<Condition> by;
};

// Also a format, of tensors with or without a batch axis, or of both.
struct SupportedFormat {
  Format format = Format::kUndefined;
  std::optional<Condition> by;
  enum class Rank : std::uint8_t { kAny, kUnbatched, kBatched } rank = Rank::kAny;
};

// An attribute list: the lengths it may have and its lowest value, with what a breach breaches.
struct ListRule {
  List list = List::kKernelSize;
  std::vector<std::size_t> lengths;
  Condition wrong_length{};
  std::int64_t lowest = 0;
  Condition too_low{};
};

// `role` must have the type of at least one of `as`.
struct TypeRule {
  Role role = Role::kSelf;
  std::vector<Role> as;
  Condition breached{};
  // Not where a clause of this condition applies, which says it otherwise.
  std::optional<Condition> unless = {};
};

// `role` must have the format of `as`.
struct FormatRule {
  Role role = Role::kSelf;
  Role as = Role::kSelf;
  Condition breached{};
};

// A small legal geometry with different extents on different axes, from which cases are made.
struct BaseGeometry {
  DataType type = DataType::kFloat;  // where it is supported
  Dims self = {};
  Dims kernel = {}, stride = {}, padding = {}, dilation = {};  // fixed windows
  bool ceil_mode = false;
  Dims output = {};  // adaptive windows: the spatial output extents
};

// One with windows of attribute lists, and one with windows of input and output extents.
inline BaseGeometry FixedBase(DataType type, Dims self, Dims kernel, Dims stride, Dims padding,
                              Dims dilation, bool ceil_mode = false) {
  return {type,
          std::move(self),
          std::move(kernel),
          std::move(stride),
          std::move(padding),
          std::move(dilation),
          ceil_mode,
          {}};
}
inline BaseGeometry AdaptiveBase(DataType type, Dims self, Dims output) {
  return {type, std::move(self), {}, {}, {}, {}, false, std::move(output)};
}

struct OperatorInfo {
  Operator op{};
  std::string_view name;           // the ABI function is "aclnn" + name
  std::string_view clause_prefix;  // "MP3": of the clauses that judge it
  Operator backward{};             // the backward of the pair, to which the clauses belong
  Operator forward{};              // the forward of the pair
  bool is_forward = false;
  WindowRule windows = WindowRule::kFixed;
  int spatial_rank = 3;                    // the trailing axes that form a plane
  std::vector<Role> tensors;               // in the order of the C prototype
  std::vector<List> lists;                 // in the order of the C prototype
  std::string_view document = {};          // the page that alone says which products there are
  std::vector<SupportedType> value_types;  // of gradients, or self and out
  std::vector<SupportedType> index_types;
  std::vector<SupportedFormat> formats;  // where all tensors have it

  // Of backwards:
  std::vector<ListRule> list_rules = {};
  std::vector<TypeRule> type_rules = {};
  std::vector<FormatRule> format_rules = {};
  // By which clause indices may be a view; other operands may by `views`.
  Condition indices_view = Condition::kViews;
  // Elements above which windows that do not divide are outside what is supported, where a clause
  // of kNotDivisible applies.
  std::optional<std::int64_t> divisible_limit = {};
  // The operator that pools in the same way over planes of three axes, for planes of two.
  std::optional<Operator> deeper = {};
  // The operator with fixed windows over the same planes, for adaptive ones.
  std::optional<Operator> fixed = {};
  std::vector<BaseGeometry> bases = {};  // even ones with a batch axis, odd ones without
  // What overlaps along every axis, small and large.
  BaseGeometry overlapping = {}, overlapping_large = {};
};

std::span<const OperatorInfo> AllOperators();
const OperatorInfo& InfoOf(Operator op);
std::optional<Operator> ParseOperator(std::string_view name);
// The backwards, in the registry's order.
std::span<const Operator> BackwardOperators();

// The tensors of a backward, gradOutput, self, indices and gradInput, and those of them that hold
// values.
std::span<const Role> BackwardRoles();
std::span<const Role> GradientRoles();

// "gradOutput", "self", ...: the ABI's own word.
std::string_view RoleName(Role role);
// "kernelSize", ...
std::string_view ListName(List list);
// What a null pointer in the tensor's place breaches. Requires a role of backwards.
Condition NullCondition(Role role);
// The clause that lets the list of a fixed window be of length 1.
Condition ShortFormCondition(List list);

inline bool IsOutput(const OperatorInfo& info, Role role) {
  return role == Role::kGradInput || role == Role::kOut ||
         (info.is_forward && role == Role::kIndices);
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SPEC_OPERATORS_H_
