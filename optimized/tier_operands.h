// SPDX-License-Identifier: Apache-2.0
//
// Operands and memory in the form that tiers take. Used by dispatch; tier files do not see it.
#ifndef POOLPROOF_OPTIMIZED_TIER_OPERANDS_H_
#define POOLPROOF_OPTIMIZED_TIER_OPERANDS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "core/tensor_view.h"
#include "optimized/tier.h"

namespace poolproof {

template <typename Pointer>
PlaneTensor TierTensor(const BasicTensorView<Pointer>& view) {
  PlaneTensor tensor{};
  tensor.data = static_cast<std::byte*>(const_cast<void*>(static_cast<const void*>(view.data))) +
                view.offset * StorageBytes(view.type);
  tensor.channels = std::max<std::int64_t>(view.shape[1], 1);
  tensor.step_n = view.strides[0];
  // The step from plane to plane where there is but one channel.
  tensor.step_c = view.shape[1] > 1 ? view.strides[1] : view.strides[0];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    tensor.extents[axis] = view.shape[axis + 2];
    tensor.strides[axis] = view.strides[axis + 2];
  }
  tensor.dense = IsContiguous(tensor.extents, tensor.strides);
  const std::int64_t size = tensor.extents[0] * tensor.extents[1] * tensor.extents[2];
  const std::int64_t planes = view.shape[0] * view.shape[1];
  if (planes <= 1) tensor.step_c = size;
  tensor.planes_contiguous = tensor.dense && tensor.step_c == size &&
                             (view.shape[0] <= 1 || view.shape[1] <= 1 ||
                              tensor.step_n == tensor.channels * tensor.step_c);
  return tensor;
}

inline Storage StorageOf(DataType type) {
  switch (type) {
    case DataType::kFloat16:
      return Storage::kFp16;
    case DataType::kBf16:
      return Storage::kBf16;
    default:
      return Storage::kFp32;
  }
}

// 64-byte aligned; small amounts need no allocation. What it holds is unspecified.
class AlignedFloats {
 public:
  explicit AlignedFloats(std::int64_t count) {
    if (count <= std::ssize(small_)) return;
    large_.reset(static_cast<float*>(
        ::operator new(static_cast<std::size_t>(count) * sizeof(float), kAlignment)));
  }
  [[nodiscard]] float* data() const {
    return large_ != nullptr ? large_.get() : const_cast<float*>(small_.data());
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(float* memory) const { ::operator delete(memory, kAlignment); }
  };
  alignas(64) std::array<float, 1088> small_;
  std::unique_ptr<float, Free> large_;
};

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_TIER_OPERANDS_H_
