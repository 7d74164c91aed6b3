// SPDX-License-Identifier: Apache-2.0
//
// Elements of strided tensors by their row-major number, whatever the type. Used by the reference
// kernels only.
#ifndef POOLPROOF_REFERENCE_ELEMENT_ACCESS_H_
#define POOLPROOF_REFERENCE_ELEMENT_ACCESS_H_

#include <cstdint>

#include "core/tensor_view.h"

namespace poolproof {

// Where the element with a row-major number lies, in elements from the start of the storage.
class ElementOrder {
 public:
  ElementOrder(const Dims& shape, const Dims& strides, std::int64_t offset);
  [[nodiscard]] std::int64_t At(std::int64_t number) const {
    return contiguous_ ? offset_ + number : ElementOffset(shape_, strides_, offset_, number);
  }

 private:
  Dims shape_;
  Dims strides_;
  std::int64_t offset_;
  bool contiguous_;  // only saves the divisions
};

// Reads float, float16, bfloat16 and double (exactly), int32 and int64.
class Reader {
 public:
  explicit Reader(const TensorView& view);
  [[nodiscard]] double Float(std::int64_t number) const;
  [[nodiscard]] std::int64_t Integer(std::int64_t number) const;

 private:
  const void* data_;
  DataType type_;
  ElementOrder order_;
};

// Writes them; float16 and bfloat16 are rounded to nearest even.
class Writer {
 public:
  explicit Writer(const MutableTensorView& view);
  void Float(std::int64_t number, float value) const;
  void Double(std::int64_t number, double value) const;
  void Integer(std::int64_t number, std::int64_t value) const;

 private:
  void* data_;
  DataType type_;
  ElementOrder order_;
};

}  // namespace poolproof

#endif  // POOLPROOF_REFERENCE_ELEMENT_ACCESS_H_
