// SPDX-License-Identifier: Apache-2.0
//
// libtorch on CPUs: its _out functions on the operands themselves. Indices are int64 there: those
// of int32 are converted.
#include <ATen/ATen.h>
#include <poolproof/kit.h>

#include <vector>

// The operand as it lies in memory; without D where the operator is of planes.
static at::Tensor Operand(const PoolproofTensor& tensor, bool planar) {
  std::vector<int64_t> shape(tensor.shape, tensor.shape + 5);
  std::vector<int64_t> strides(tensor.strides, tensor.strides + 5);
  if (planar) {
    shape.erase(shape.begin() + 2);
    strides.erase(strides.begin() + 2);
  }
  const at::ScalarType type = tensor.type == POOLPROOF_F32    ? at::kFloat
                              : tensor.type == POOLPROOF_F16  ? at::kHalf
                              : tensor.type == POOLPROOF_BF16 ? at::kBFloat16
                              : tensor.type == POOLPROOF_F64  ? at::kDouble
                              : tensor.type == POOLPROOF_I64  ? at::kLong
                                                              : at::kInt;
  return at::from_blob(tensor.data, shape, strides, type);
}

template <typename Function>
static const char* Run(const PoolproofCall* call, bool planar, const Function& function) {
  at::NoGradGuard no_gradients;
  const auto list = [&](const int64_t(&axes)[3]) {
    return at::IntArrayRef(axes + planar, axes + 3);
  };
  const auto operand = [&](const PoolproofTensor& tensor) { return Operand(tensor, planar); };
  try {
    function(operand, list);
    return nullptr;
  } catch (const c10::Error& error) {
    return poolproof_fail(0, error.what_without_backtrace());
  }
}

// Fixed windows, forward and backward, and adaptive ones.
#define POOLPROOF_TORCH(name, function, planar)                                                  \
  static const char* name(const PoolproofCall* call) {                                           \
    return Run(call, planar, [&](const auto& operand, const auto& list) {                        \
      at::Tensor out = operand(call->out), indices = operand(call->indices);                     \
      at::Tensor wide = indices.to(at::kLong);                                                   \
      at::function##_out(out, wide, operand(call->self), list(call->kernel), list(call->stride), \
                         list(call->padding), list(call->dilation), call->ceil_mode != 0);       \
      if (!wide.is_same(indices)) indices.copy_(wide);                                           \
    });                                                                                          \
  }                                                                                              \
  static const char* name##Backward(const PoolproofCall* call) {                                 \
    return Run(call, planar, [&](const auto& operand, const auto& list) {                        \
      at::Tensor grad_input = operand(call->grad_input);                                         \
      at::function##_backward_out(grad_input, operand(call->grad_output), operand(call->self),   \
                                  list(call->kernel), list(call->stride), list(call->padding),   \
                                  list(call->dilation), call->ceil_mode != 0,                    \
                                  operand(call->indices).to(at::kLong));                         \
    });                                                                                          \
  }                                                                                              \
  POOLPROOF_OFFER(name, name)                                                                    \
  POOLPROOF_OFFER(name##Backward, name##Backward)
#define POOLPROOF_TORCH_ADAPTIVE(name, function, planar)                                       \
  static const char* name(const PoolproofCall* call) {                                         \
    return Run(call, planar, [&](const auto& operand, const auto&) {                           \
      at::Tensor out = operand(call->out), indices = operand(call->indices);                   \
      at::Tensor wide = indices.to(at::kLong);                                                 \
      const std::vector<int64_t> size(call->out.shape + 2 + planar, call->out.shape + 5);      \
      at::function##_out(out, wide, operand(call->self), size);                                \
      if (!wide.is_same(indices)) indices.copy_(wide);                                         \
    });                                                                                        \
  }                                                                                            \
  static const char* name##Backward(const PoolproofCall* call) {                               \
    return Run(call, planar, [&](const auto& operand, const auto&) {                           \
      at::Tensor grad_input = operand(call->grad_input);                                       \
      at::function##_backward_out(grad_input, operand(call->grad_output), operand(call->self), \
                                  operand(call->indices).to(at::kLong));                       \
    });                                                                                        \
  }                                                                                            \
  POOLPROOF_OFFER(name, name)                                                                  \
  POOLPROOF_OFFER(name##Backward, name##Backward)

POOLPROOF_TORCH(MaxPool2dWithIndices, max_pool2d_with_indices, true)
POOLPROOF_TORCH(MaxPool3dWithArgmax, max_pool3d_with_indices, false)
POOLPROOF_TORCH_ADAPTIVE(AdaptiveMaxPool2d, adaptive_max_pool2d, true)
POOLPROOF_TORCH_ADAPTIVE(AdaptiveMaxPool3d, adaptive_max_pool3d, false)
