// SPDX-License-Identifier: Apache-2.0
//
// Storage with a strided view in it, for tests of the kernels.
#ifndef POOLPROOF_TESTS_KERNELS_STRIDED_BUFFER_H_
#define POOLPROOF_TESTS_KERNELS_STRIDED_BUFFER_H_

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/float_bits.h"
#include "core/random.h"
#include "core/tensor_view.h"

namespace poolproof {

enum class Layout { kContiguous, kPermutedWithGaps, kReversed, kBroadcast };

inline constexpr std::byte kPoison{0xa5};

// A layout of `shape`; kBroadcast gives some axes stride 0 and is for inputs only.
class StridedBuffer {
 public:
  StridedBuffer(DataType type, const Dims& shape, Layout layout, RandomStream& random)
      : type_(type), shape_(shape), strides_(shape.size()) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), 0U);
    if (layout == Layout::kPermutedWithGaps) {
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.Below(i)]);
    }
    const bool gaps = layout == Layout::kPermutedWithGaps;
    std::int64_t step = gaps ? random.Between(1, 3) : 1;
    for (std::size_t i = order.size(); i-- > 0;) {
      strides_[order[i]] = step;
      step = step * std::max<std::int64_t>(shape[order[i]], 1) + (gaps ? random.Between(0, 2) : 0);
    }
    offset_ = gaps ? random.Between(0, 5) : 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (layout == Layout::kBroadcast && random.OneIn(2)) strides_[axis] = 0;
      if (layout == Layout::kReversed && random.OneIn(2)) {
        offset_ += std::max<std::int64_t>(shape[axis] - 1, 0) * strides_[axis];
        strides_[axis] = -strides_[axis];
      }
    }
    const auto elements = static_cast<std::size_t>(step + 16);
    bytes_.assign(elements * static_cast<std::size_t>(StorageBytes(type)), kPoison);
  }

  [[nodiscard]] TensorView view() const {
    return {bytes_.data(), type_, shape_, strides_, offset_};
  }
  [[nodiscard]] MutableTensorView mutable_view() {
    return {bytes_.data(), type_, shape_, strides_, offset_};
  }
  [[nodiscard]] std::int64_t numel() const { return CheckedNumel(shape_).value(); }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

  // Elements by their row-major number.
  void SetFloat(std::int64_t number, double value) {
    const std::int64_t at = ElementOffset(shape_, strides_, offset_, number);
    const std::uint32_t bits = type_ == DataType::kDouble ? 0 : EncodeFloat(value, type_);
    switch (type_) {
      case DataType::kDouble:
        return StoreElement(bytes_.data(), at, value);
      case DataType::kFloat:
        return StoreElement(bytes_.data(), at, bits);
      default:
        return StoreElement(bytes_.data(), at, static_cast<std::uint16_t>(bits));
    }
  }
  [[nodiscard]] double Float(std::int64_t number) const {
    const std::int64_t at = ElementOffset(shape_, strides_, offset_, number);
    if (type_ == DataType::kDouble) return LoadElement<double>(bytes_.data(), at);
    return DecodeFloat(Bits(number), type_);
  }
  [[nodiscard]] std::uint32_t Bits(std::int64_t number) const {
    const std::int64_t at = ElementOffset(shape_, strides_, offset_, number);
    if (type_ == DataType::kFloat) return LoadElement<std::uint32_t>(bytes_.data(), at);
    return LoadElement<std::uint16_t>(bytes_.data(), at);
  }
  void SetInteger(std::int64_t number, std::int64_t value) {
    const std::int64_t at = ElementOffset(shape_, strides_, offset_, number);
    if (type_ == DataType::kInt64) return StoreElement(bytes_.data(), at, value);
    StoreElement(bytes_.data(), at, static_cast<std::int32_t>(value));
  }
  [[nodiscard]] std::int64_t Integer(std::int64_t number) const {
    const std::int64_t at = ElementOffset(shape_, strides_, offset_, number);
    if (type_ == DataType::kInt64) return LoadElement<std::int64_t>(bytes_.data(), at);
    return LoadElement<std::int32_t>(bytes_.data(), at);
  }

  // True where every byte outside the view's elements is still poison.
  [[nodiscard]] bool GapsIntact() const {
    std::vector<bool> named(bytes_.size(), false);
    const auto size = static_cast<std::size_t>(StorageBytes(type_));
    for (std::int64_t i = 0; i < numel(); ++i) {
      const auto at = static_cast<std::size_t>(ElementOffset(shape_, strides_, offset_, i)) * size;
      for (std::size_t k = 0; k < size; ++k) named[at + k] = true;
    }
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (!named[i] && bytes_[i] != kPoison) return false;
    }
    return true;
  }

 private:
  DataType type_;
  Dims shape_;
  Dims strides_;
  std::int64_t offset_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_KERNELS_STRIDED_BUFFER_H_
