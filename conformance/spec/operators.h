// SPDX-License-Identifier: Apache-2.0
//
// The operators that the suite knows: one row each, read by case parsing, generators, worker and
// judge. A new operator is a row here, its clauses in clauses.json and a reference kernel.
#ifndef POOLPROOF_CONFORMANCE_SPEC_OPERATORS_H_
#define POOLPROOF_CONFORMANCE_SPEC_OPERATORS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace poolproof {

enum class Operator : std::uint8_t {
  kMaxPool3dWithArgmaxBackward,
  kAdaptiveMaxPool3dBackward,
  kAdaptiveMaxPool2dBackward,
  kMaxPool3dWithArgmax,
  kAdaptiveMaxPool3d,
  kAdaptiveMaxPool2d,
};
inline constexpr int kOperatorCount = 6;

// A tensor argument's part in a call. The order is that of Call::tensors.
enum class Role : std::uint8_t { kGradOutput, kSelf, kIndices, kGradInput, kOut };
inline constexpr int kRoleCount = 5;

// An aclIntArray argument's part in a call. The order is that of Call::lists.
enum class List : std::uint8_t { kKernelSize, kStride, kPadding, kDilation, kOutputSize };
inline constexpr int kListCount = 5;

struct OperatorInfo {
  Operator op;
  std::string_view name;  // "MaxPool3dWithArgmaxBackward"; the ABI function is "aclnn" + name
  std::string_view clause_prefix;  // "MP3", "AMP3", "AMP2": of the clauses that judge it
  Operator backward;               // the backward that its clauses belong to; itself for backwards
  bool is_forward;
  bool is_adaptive;
  int spatial_rank;               // 3 or 2: the trailing axes that form a plane
  std::span<const Role> tensors;  // in the order of the C prototype
  std::span<const List> lists;    // in the order of the C prototype
};

std::span<const OperatorInfo> AllOperators();
const OperatorInfo& InfoOf(Operator op);
std::optional<Operator> ParseOperator(std::string_view name);

// "gradOutput", "self", ...: the ABI's own word.
std::string_view RoleName(Role role);
// "kernelSize", ...
std::string_view ListName(List list);

constexpr bool IsOutput(const OperatorInfo& info, Role role) {
  return role == Role::kGradInput || role == Role::kOut ||
         (info.is_forward && role == Role::kIndices);
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SPEC_OPERATORS_H_
