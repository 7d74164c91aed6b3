// SPDX-License-Identifier: Apache-2.0
//
// A strided view of elements in memory, as the kernels see their operands.
#ifndef POOLPROOF_CORE_TENSOR_VIEW_H_
#define POOLPROOF_CORE_TENSOR_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/data_type.h"
#include "core/shape.h"

namespace poolproof {

// Element i lies at data + (offset + sum of i[k] * strides[k]) elements. Strides may be 0 or
// negative on inputs. `data` need not be aligned to the element.
template <typename Pointer>
struct BasicTensorView {
  Pointer data = nullptr;
  DataType type = DataType::kUndefined;
  Dims shape;
  Dims strides;
  std::int64_t offset = 0;
};
using TensorView = BasicTensorView<const void*>;
using MutableTensorView = BasicTensorView<void*>;

// Extents and strides brought to N,C,D,H,W: what is missing in front has extent 1, and so has D
// where a plane has two axes (`spatial_rank` 2). Requires spatial_rank 2 or 3 and
// spatial_rank + 1 <= rank <= spatial_rank + 2.
Dims NcdhwShape(const Dims& shape, int spatial_rank);
Dims NcdhwStrides(const Dims& strides, int spatial_rank);

template <typename Pointer>
BasicTensorView<Pointer> ToNcdhw(const BasicTensorView<Pointer>& view, int spatial_rank) {
  return {view.data, view.type, NcdhwShape(view.shape, spatial_rank),
          NcdhwStrides(view.strides, spatial_rank), view.offset};
}

// Element number `element` of memory that holds Ts, at any alignment.
template <typename T>
T LoadElement(const void* data, std::int64_t element) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + element * std::int64_t{sizeof(T)},
              sizeof(T));
  return value;
}
template <typename T>
void StoreElement(void* data, std::int64_t element, T value) {
  std::memcpy(static_cast<std::byte*>(data) + element * std::int64_t{sizeof(T)}, &value, sizeof(T));
}

}  // namespace poolproof

#endif  // POOLPROOF_CORE_TENSOR_VIEW_H_
