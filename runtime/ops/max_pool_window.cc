// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/max_pool_window.h"

#include "aclnn/opdev/op_errno.h"
#include "runtime/kernel_binding.h"

namespace poolproof {

Objection CheckPadding(const aclIntArray& padding, const aclIntArray& kernel_size, int spatial_rank,
                       const char* clause) {
  if (!ChecksDocuments()) return std::nullopt;
  const std::array<std::int64_t, 3> pads = PerAxis(padding);
  const std::array<std::int64_t, 3> kernels = PerAxis(kernel_size);
  for (auto axis = static_cast<std::size_t>(3 - spatial_rank); axis < 3; ++axis) {
    if (pads[axis] <= kernels[axis] / 2) continue;
    return Refusal{
        ACLNN_ERR_PARAM_INVALID,
        Complaint(std::string("padding of axis ") + "DHW"[axis], std::to_string(pads[axis]),
                  "at most " + std::to_string(kernels[axis] / 2) + ", half of kernelSize " +
                      std::to_string(kernels[axis]),
                  clause)};
  }
  return std::nullopt;
}

Objection CheckAllOnes(const char* name, const aclIntArray& array, const char* clause) {
  if (!ChecksDocuments()) return CheckAtLeast(name, array, 1, nullptr);
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    if (array.values[i] == 1) continue;
    return Refusal{ACLNN_ERR_PARAM_INVALID,
                   Complaint(std::string(name) + "[" + std::to_string(i) + "]",
                             std::to_string(array.values[i]), "1", clause)};
  }
  return std::nullopt;
}

std::array<PoolAxis, 3> WindowAxes(const aclIntArray& kernel_size, const aclIntArray& stride,
                                   const aclIntArray& padding, const aclIntArray& dilation,
                                   int spatial_rank) {
  const std::array<std::int64_t, 3> kernels = PerAxis(kernel_size);
  const std::array<std::int64_t, 3> strides = PerAxis(stride, kernels);  // MP3-B11, MP2-B11
  const std::array<std::int64_t, 3> pads = PerAxis(padding);
  const std::array<std::int64_t, 3> dilations = PerAxis(dilation);
  std::array<PoolAxis, 3> axes;
  for (auto axis = static_cast<std::size_t>(3 - spatial_rank); axis < 3; ++axis) {
    axes[axis] = {kernels[axis], strides[axis], pads[axis], dilations[axis]};
  }
  return axes;
}

Objection CheckPooledShape(const Operand& pooled, const Operand& self,
                           const std::array<PoolAxis, 3>& axes, int spatial_rank, bool ceil_mode,
                           const char* clause) {
  if (!ChecksDocuments()) return std::nullopt;
  Dims wanted = self.tensor->shape;
  const std::size_t first = wanted.size() - 3;
  for (auto axis = static_cast<std::size_t>(3 - spatial_rank); axis < 3; ++axis) {
    std::int64_t& extent = wanted[first + axis];
    if (extent == 0) continue;
    const std::int64_t windows = PooledExtent(extent, axes[axis], ceil_mode);
    if (windows < 1) {
      return Refusal{
          ACLNN_ERR_PARAM_INVALID,
          Complaint(std::string("axis ") + "DHW"[axis] + " of " + self.name, std::to_string(extent),
                    "an extent into which one window of kernelSize " +
                        std::to_string(axes[axis].kernel) + " fits",
                    clause)};
    }
    extent = windows;
  }
  if (pooled.tensor->shape == wanted) return std::nullopt;
  return CheckShape(pooled, wanted,
                    std::string("to which self ") + DimsText(self.tensor->shape) + " is pooled",
                    clause);
}

ExecutionPlan PlanPooling(const char* function, const PoolingOperands& operands, int spatial_rank,
                          const std::array<PoolAxis, 3>& axes, bool ceil_mode,
                          void (*kernel)(const MaxPoolArgs&)) {
  ExecutionPlan plan;
  plan.function = function;
  plan.inputs = {{operands.self.name, *operands.self.tensor}};
  plan.outputs = {{operands.out.name, *operands.out.tensor},
                  {operands.indices.name, *operands.indices.tensor}};
  if (IsEmpty(*operands.out.tensor)) return plan;
  const CallNotes notes = NotesOf(*operands.self.tensor, ceil_mode);
  plan.run = [=](const ExecutionPlan& self) -> Objection {
    kernel({KernelInput(self.inputs[0], spatial_rank), axes,
            KernelOutput(self.outputs[0], spatial_rank),
            KernelOutput(self.outputs[1], spatial_rank), notes});
    return std::nullopt;
  };
  return plan;
}

}  // namespace poolproof
