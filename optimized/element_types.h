// SPDX-License-Identifier: Apache-2.0
//
// Storage types of the optimized kernels and their arithmetic type, and planes of strided tensors.
#ifndef POOLPROOF_OPTIMIZED_ELEMENT_TYPES_H_
#define POOLPROOF_OPTIMIZED_ELEMENT_TYPES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/float_bits.h"
#include "core/tensor_view.h"

namespace poolproof {

struct Fp32 {
  using Bits = float;
  using Value = float;
  static Value Decode(Bits bits) { return bits; }
  static Bits Encode(Value value) { return value; }
};
struct Fp16 {
  using Bits = std::uint16_t;
  using Value = float;
  static Value Decode(Bits bits) { return HalfToFloat(bits); }
  static Bits Encode(Value value) { return FloatToHalf(value); }
};
struct Bf16 {
  using Bits = std::uint16_t;
  using Value = float;
  static Value Decode(Bits bits) { return Bf16ToFloat(bits); }
  static Bits Encode(Value value) { return FloatToBf16(value); }
};
struct Fp64 {
  using Bits = double;
  using Value = double;
  static Value Decode(Bits bits) { return bits; }
  static Bits Encode(Value value) { return value; }
};

// One (n, c) of an N,C,D,H,W view: where it starts, and how its elements follow.
class PlaneLayout {
 public:
  template <typename Pointer>
  explicit PlaneLayout(const BasicTensorView<Pointer>& view)
      : channels_(view.shape[1]),
        step_n_(view.strides[0]),
        step_c_(view.strides[1]),
        offset_(view.offset),
        extents_{view.shape[2], view.shape[3], view.shape[4]},
        strides_{view.strides[2], view.strides[3], view.strides[4]},
        contiguous_(IsContiguous(extents_, strides_)) {}

  [[nodiscard]] std::int64_t Start(std::int64_t plane) const {
    return offset_ + plane / channels_ * step_n_ + plane % channels_ * step_c_;
  }
  [[nodiscard]] std::int64_t size() const { return extents_[0] * extents_[1] * extents_[2]; }
  [[nodiscard]] bool contiguous() const { return contiguous_; }
  [[nodiscard]] std::int64_t extent(std::size_t axis) const { return extents_[axis]; }
  [[nodiscard]] std::int64_t stride(std::size_t axis) const { return strides_[axis]; }

 private:
  std::int64_t channels_;
  std::int64_t step_n_;
  std::int64_t step_c_;
  std::int64_t offset_;
  std::array<std::int64_t, 3> extents_;
  std::array<std::int64_t, 3> strides_;
  bool contiguous_;
};

// Walks a plane in D,H,W order, giving the element that each position has in storage.
class PlaneWalk {
 public:
  PlaneWalk(const PlaneLayout& layout, std::int64_t start) : layout_(layout), element_(start) {}
  [[nodiscard]] std::int64_t element() const { return element_; }
  void Advance() {
    for (std::size_t axis = 3; axis-- > 0;) {
      if (++index_[axis] < layout_.extent(axis)) {
        element_ += layout_.stride(axis);
        return;
      }
      element_ -= (index_[axis] - 1) * layout_.stride(axis);
      index_[axis] = 0;
    }
  }

 private:
  const PlaneLayout& layout_;
  std::int64_t element_;
  std::array<std::int64_t, 3> index_ = {};
};

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_ELEMENT_TYPES_H_
