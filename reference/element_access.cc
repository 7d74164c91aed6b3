// SPDX-License-Identifier: Apache-2.0
#include "reference/element_access.h"

#include "core/float_bits.h"

namespace poolproof {

ElementOrder::ElementOrder(const Dims& shape, const Dims& strides, std::int64_t offset)
    : shape_(shape),
      strides_(strides),
      offset_(offset),
      contiguous_(IsContiguous(shape, strides)) {}

Reader::Reader(const TensorView& view)
    : data_(view.data), type_(view.type), order_(view.shape, view.strides, view.offset) {}

double Reader::Float(std::int64_t number) const {
  const std::int64_t element = order_.At(number);
  switch (type_) {
    case DataType::kFloat16:
      return HalfToFloat(LoadElement<std::uint16_t>(data_, element));
    case DataType::kBf16:
      return Bf16ToFloat(LoadElement<std::uint16_t>(data_, element));
    case DataType::kDouble:
      return LoadElement<double>(data_, element);
    default:
      return LoadElement<float>(data_, element);
  }
}

std::int64_t Reader::Integer(std::int64_t number) const {
  const std::int64_t element = order_.At(number);
  if (type_ == DataType::kInt64) return LoadElement<std::int64_t>(data_, element);
  return LoadElement<std::int32_t>(data_, element);
}

Writer::Writer(const MutableTensorView& view)
    : data_(view.data), type_(view.type), order_(view.shape, view.strides, view.offset) {}

void Writer::Float(std::int64_t number, float value) const {
  const std::int64_t element = order_.At(number);
  switch (type_) {
    case DataType::kFloat16:
      return StoreElement(data_, element, FloatToHalf(value));
    case DataType::kBf16:
      return StoreElement(data_, element, FloatToBf16(value));
    default:
      return StoreElement(data_, element, value);
  }
}

void Writer::Double(std::int64_t number, double value) const {
  if (type_ == DataType::kDouble) return StoreElement(data_, order_.At(number), value);
  Float(number, static_cast<float>(value));
}

void Writer::Integer(std::int64_t number, std::int64_t value) const {
  const std::int64_t element = order_.At(number);
  if (type_ == DataType::kInt64) return StoreElement(data_, element, value);
  StoreElement(data_, element, static_cast<std::int32_t>(value));
}

}  // namespace poolproof
