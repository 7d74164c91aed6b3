// SPDX-License-Identifier: Apache-2.0
#include "conformance/spec/operators.h"

#include <array>

namespace poolproof {
namespace {

constexpr std::array kBackwardRoles = {Role::kGradOutput, Role::kSelf, Role::kIndices,
                                       Role::kGradInput};
constexpr std::array kGradientRoles = {Role::kGradOutput, Role::kSelf, Role::kGradInput};
constexpr std::array<std::string_view, kRoleCount> kRoleNames = {"gradOutput", "self", "indices",
                                                                 "gradInput", "out"};
constexpr std::array<std::string_view, kListCount> kListNames = {"kernelSize", "stride", "padding",
                                                                 "dilation", "outputSize"};

}  // namespace

std::optional<Operator> ParseOperator(std::string_view name) {
  for (const OperatorInfo& info : AllOperators()) {
    if (info.name == name) return info.op;
  }
  return std::nullopt;
}

std::span<const Operator> BackwardOperators() {
  static const std::vector<Operator> backwards = [] {
    std::vector<Operator> list;
    for (const OperatorInfo& info : AllOperators()) {
      if (!info.is_forward) list.push_back(info.op);
    }
    return list;
  }();
  return backwards;
}

std::span<const Role> BackwardRoles() { return kBackwardRoles; }
std::span<const Role> GradientRoles() { return kGradientRoles; }

std::string_view RoleName(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }
std::string_view ListName(List list) { return kListNames[static_cast<std::size_t>(list)]; }

Condition NullCondition(Role role) {
  constexpr std::array kConditions = {Condition::kNullGradOutput, Condition::kNullSelf,
                                      Condition::kNullIndices, Condition::kNullGradInput};
  return kConditions[static_cast<std::size_t>(role)];
}

Condition ShortFormCondition(List list) {
  constexpr std::array kConditions = {Condition::kKernelForAllAxes, Condition::kStrideForAllAxes,
                                      Condition::kPaddingUpToHalf, Condition::kDilationOne};
  return kConditions[static_cast<std::size_t>(list)];
}

}  // namespace poolproof
