// SPDX-License-Identifier: Apache-2.0
//
// aclnnMaxPool2dWithIndices and its backward: what phase one demands of both.
#ifndef POOLPROOF_RUNTIME_OPS_MAX_POOL2D_CHECKS_H_
#define POOLPROOF_RUNTIME_OPS_MAX_POOL2D_CHECKS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/ops/checks.h"
#include "runtime/ops/max_pool_window.h"

namespace poolproof {

inline constexpr int kMaxPool2dSpatialRank = 2;

struct MaxPool2dArguments {
  Operand self;
  Operand pooled;  // out or gradOutput
  Operand indices;
  std::optional<Operand> grad_input;  // of a backward
  const aclIntArray* kernel_size;
  const aclIntArray* stride;
  const aclIntArray* padding;
  const aclIntArray* dilation;
  bool ceil_mode;

  [[nodiscard]] const char* Clause(const char* id) const { return grad_input ? id : nullptr; }
  // The tensors of values, which have one type.
  [[nodiscard]] std::vector<Operand> Values() const {
    return grad_input ? std::vector{pooled, self, *grad_input} : std::vector{pooled, self};
  }
  [[nodiscard]] std::vector<Operand> Tensors() const {
    std::vector<Operand> all = Values();
    all.push_back(indices);
    return all;
  }
  [[nodiscard]] std::array<PoolAxis, 3> Axes() const {
    return WindowAxes(*kernel_size, *stride, *padding, *dilation, kMaxPool2dSpatialRank);
  }
};

// Checks and delivers the plan of a call, which is made of arguments with their channels first.
aclnnStatus MaxPool2dPhaseOne(const char* function, const MaxPool2dArguments& arguments,
                              ExecutionPlan (*plan_of)(const MaxPool2dArguments&),
                              std::uint64_t* workspace_size, aclOpExecutor** executor) noexcept;

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_OPS_MAX_POOL2D_CHECKS_H_
