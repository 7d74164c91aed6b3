// SPDX-License-Identifier: Apache-2.0
#include "conformance/spec/operators.h"

#include <array>
#include <cstddef>

namespace poolproof {
namespace {

constexpr std::array kBackwardTensors = {Role::kGradOutput, Role::kSelf, Role::kIndices,
                                         Role::kGradInput};
constexpr std::array kForwardTensors = {Role::kSelf, Role::kOut, Role::kIndices};
constexpr std::array kWindowLists = {List::kKernelSize, List::kStride, List::kPadding,
                                     List::kDilation};
constexpr std::array kOutputSizeList = {List::kOutputSize};

constexpr std::array<OperatorInfo, kOperatorCount> kOperators = {{
    {.op = Operator::kMaxPool3dWithArgmaxBackward,
     .name = "MaxPool3dWithArgmaxBackward",
     .clause_prefix = "MP3",
     .backward = Operator::kMaxPool3dWithArgmaxBackward,
     .is_forward = false,
     .is_adaptive = false,
     .spatial_rank = 3,
     .tensors = kBackwardTensors,
     .lists = kWindowLists},
    {.op = Operator::kAdaptiveMaxPool3dBackward,
     .name = "AdaptiveMaxPool3dBackward",
     .clause_prefix = "AMP3",
     .backward = Operator::kAdaptiveMaxPool3dBackward,
     .is_forward = false,
     .is_adaptive = true,
     .spatial_rank = 3,
     .tensors = kBackwardTensors,
     .lists = {}},
    {.op = Operator::kAdaptiveMaxPool2dBackward,
     .name = "AdaptiveMaxPool2dBackward",
     .clause_prefix = "AMP2",
     .backward = Operator::kAdaptiveMaxPool2dBackward,
     .is_forward = false,
     .is_adaptive = true,
     .spatial_rank = 2,
     .tensors = kBackwardTensors,
     .lists = {}},
    {.op = Operator::kMaxPool3dWithArgmax,
     .name = "MaxPool3dWithArgmax",
     .clause_prefix = "MP3",
     .backward = Operator::kMaxPool3dWithArgmaxBackward,
     .is_forward = true,
     .is_adaptive = false,
     .spatial_rank = 3,
     .tensors = kForwardTensors,
     .lists = kWindowLists},
    {.op = Operator::kAdaptiveMaxPool3d,
     .name = "AdaptiveMaxPool3d",
     .clause_prefix = "AMP3",
     .backward = Operator::kAdaptiveMaxPool3dBackward,
     .is_forward = true,
     .is_adaptive = true,
     .spatial_rank = 3,
     .tensors = kForwardTensors,
     .lists = kOutputSizeList},
    {.op = Operator::kAdaptiveMaxPool2d,
     .name = "AdaptiveMaxPool2d",
     .clause_prefix = "AMP2",
     .backward = Operator::kAdaptiveMaxPool2dBackward,
     .is_forward = true,
     .is_adaptive = true,
     .spatial_rank = 2,
     .tensors = kForwardTensors,
     .lists = kOutputSizeList},
}};

constexpr std::array<std::string_view, kRoleCount> kRoleNames = {"gradOutput", "self", "indices",
                                                                 "gradInput", "out"};
constexpr std::array<std::string_view, kListCount> kListNames = {"kernelSize", "stride", "padding",
                                                                 "dilation", "outputSize"};

}  // namespace

std::span<const OperatorInfo> AllOperators() { return kOperators; }

const OperatorInfo& InfoOf(Operator op) { return kOperators[static_cast<std::size_t>(op)]; }

std::optional<Operator> ParseOperator(std::string_view name) {
  for (const OperatorInfo& info : kOperators) {
    if (info.name == name) return info.op;
  }
  return std::nullopt;
}

std::string_view RoleName(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }
std::string_view ListName(List list) { return kListNames[static_cast<std::size_t>(list)]; }

}  // namespace poolproof
