// SPDX-License-Identifier: Apache-2.0

#include "partial.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mutants {
namespace {

using Call = CallArguments;
using Tensor = aclTensor;

std::array<const Tensor*, 4> Tensors(const Call& call) {
  return {call.grad_output, call.self, call.indices, call.grad_input};
}

template <typename Condition>
bool AnyTensor(const Call& call, const Condition& condition) {
  return std::ranges::any_of(Tensors(call), [&](const Tensor* one) { return condition(*one); });
}

bool HasDtype(const Call& call, aclDataType dtype) {
  return AnyTensor(call, [dtype](const Tensor& one) { return one.dtype == dtype; });
}
bool HasFormat(const Call& call, aclFormat format) {
  return AnyTensor(call, [format](const Tensor& one) { return one.format == format; });
}

bool IsStrided(const Tensor& tensor) {
  int64_t expected = 1;
  for (std::size_t axis = tensor.dims.size(); axis-- > 0;) {
    if (tensor.dims[axis] == 1) continue;
    if (tensor.strides[axis] != expected) return true;
    expected = SaturatingProduct(expected, tensor.dims[axis]);
  }
  return false;
}

// An inner axis lies further apart than an outer one.
bool IsPermuted(const Tensor& tensor) {
  int64_t before = 0;
  for (std::size_t axis = 0; axis < tensor.dims.size(); ++axis) {
    if (tensor.dims[axis] == 1) continue;
    if (before != 0 && tensor.strides[axis] > before) return true;
    before = tensor.strides[axis];
  }
  return false;
}

bool IsBroadcast(const Tensor& tensor) {
  for (std::size_t axis = 0; axis < tensor.dims.size(); ++axis) {
    if (tensor.dims[axis] > 1 && tensor.strides[axis] == 0) return true;
  }
  return false;
}

std::size_t BatchedRank(const Call& call) { return PlaneAxes(call.op) + 2; }

// Extent number `axis` from the end, 0 being the last; 1 where the tensor has not so many.
int64_t FromEnd(const Tensor& tensor, std::size_t axis) {
  return axis < tensor.dims.size() ? tensor.dims[tensor.dims.size() - 1 - axis] : 1;
}

int64_t PlaneElements(const Call& call) {
  int64_t product = 1;
  for (std::size_t axis = 0; axis < PlaneAxes(call.op); ++axis) {
    product = SaturatingProduct(product, FromEnd(*call.self, axis));
  }
  return product;
}

// Says whether an axis of the plane fulfils the condition on the extents of self and gradOutput.
template <typename Condition>
bool AnyAxis(const Call& call, const Condition& condition) {
  for (std::size_t axis = 0; axis < PlaneAxes(call.op); ++axis) {
    if (condition(FromEnd(*call.self, axis), FromEnd(*call.grad_output, axis))) return true;
  }
  return false;
}

// Says whether a value of a list fulfils the condition; for the adaptive operators none does.
template <typename Condition>
bool AnyValue(const aclIntArray* list, const Condition& condition) {
  return list != nullptr && std::ranges::any_of(list->values, condition);
}

// The same for the kernel and the stride of an axis.
template <typename Condition>
bool AnyWindow(const Call& call, const Condition& condition) {
  if (call.kernel_size == nullptr || call.kernel_size->values.empty()) return false;
  const std::vector<int64_t>& kernel = call.kernel_size->values;
  const bool stride_given = call.stride != nullptr && !call.stride->values.empty();
  const std::vector<int64_t>& stride = stride_given ? call.stride->values : kernel;
  for (std::size_t axis = 0; axis < PlaneAxes(call.op); ++axis) {
    if (condition(kernel[std::min(axis, kernel.size() - 1)],
                  stride[std::min(axis, stride.size() - 1)])) {
      return true;
    }
  }
  return false;
}

bool HasListOfOne(const Call& call) {
  for (const aclIntArray* list : {call.kernel_size, call.stride, call.padding, call.dilation}) {
    if (list != nullptr && list->values.size() == 1) return true;
  }
  return false;
}

bool IsAdaptive(const Call& call) { return !HasFixedWindows(call.op); }

// Clauses in the order MaxPool3d, MaxPool2d, adaptive 3-d, adaptive 2-d.
constexpr std::string_view kAllTypes = "MP3-B22 MP2-B22 AMP3-B22 AMP2-B22";
constexpr std::string_view kNarrowTypes = "MP3-B22 AMP3-B22 AMP2-B22";
constexpr std::string_view kInt32Clauses = "MP3-B23 MP2-B23 AMP3-B23 AMP2-B23";
constexpr std::string_view kRanks = "MP3-B20 MP2-B20 AMP3-B20 AMP2-B20";
constexpr std::string_view kFormatNd = "MP3-B26 MP2-B26 AMP3-B26 AMP2-B26";
constexpr std::string_view kViews = "MP3-B21 MP2-B21 AMP3-B21 AMP2-B21";

constexpr Partial kPartialTable[] = {
    // types
    {"partial_no_float32", "FLOAT is refused",
     [](const Call& call) { return HasDtype(call, kFloat); }, kAllTypes},
    {"partial_no_float16", "FLOAT16 is refused",
     [](const Call& call) { return HasDtype(call, kFloat16); }, kNarrowTypes},
    {"partial_no_bfloat16", "BFLOAT16 is refused",
     [](const Call& call) { return HasDtype(call, kBfloat16); }, kNarrowTypes},
    {"partial_no_16_bits", "FLOAT16 and BFLOAT16 are refused",
     [](const Call& call) { return HasDtype(call, kFloat16) || HasDtype(call, kBfloat16); },
     kNarrowTypes},
    {"partial_no_int32_indices", "INT32 indices are refused",
     [](const Call& call) { return call.indices->dtype == kInt32; }, kInt32Clauses},
    {"partial_no_int64_indices", "INT64 indices are refused",
     [](const Call& call) { return call.indices->dtype == kInt64; }, "AMP2-B24"},
    {"partial_no_int32_indices_on_950", "INT32 indices are refused",
     [](const Call& call) { return call.indices->dtype == kInt32; }, "MP3-B23 MP2-B23",
     "ascend-950"},
    // ranks and formats
    {"partial_no_unbatched", "tensors without a batch axis are refused",
     [](const Call& call) { return call.self->dims.size() + 1 == BatchedRank(call); }, kRanks},
    {"partial_no_batched", "tensors with a batch axis are refused",
     [](const Call& call) { return call.self->dims.size() == BatchedRank(call); }, kRanks},
    {"partial_batch_of_one", "a batch of more than one is refused",
     [](const Call& call) {
       return call.self->dims.size() == BatchedRank(call) && call.self->dims[0] > 1;
     }},
    {"partial_single_channel", "more than one channel is refused",
     [](const Call& call) { return FromEnd(*call.self, PlaneAxes(call.op)) > 1; }},
    {"partial_no_nd", "format ND is refused", [](const Call& call) { return HasFormat(call, kNd); },
     kFormatNd},
    {"partial_nd_only", "formats other than ND are refused",
     [](const Call& call) {
       return AnyTensor(call, [](const Tensor& one) { return one.format != kNd; });
     },
     "MP2-B27"},
    // layouts
    {"partial_no_views", "tensors that are not contiguous are refused",
     [](const Call& call) { return AnyTensor(call, IsStrided); }, kViews},
    {"partial_no_strided_grad_output", "a gradOutput that is not contiguous is refused",
     [](const Call& call) { return IsStrided(*call.grad_output); }, kViews},
    {"partial_no_strided_indices", "indices that are not contiguous are refused",
     [](const Call& call) { return IsStrided(*call.indices); }, "MP3-B21 MP2-B21 AMP2-B21"},
    {"partial_no_strided_grad_input", "a gradInput that is not contiguous is refused",
     [](const Call& call) { return IsStrided(*call.grad_input); }, kViews},
    {"partial_no_offsets", "an offset other than 0 is refused",
     [](const Call& call) {
       return AnyTensor(call, [](const Tensor& one) { return one.offset != 0; });
     },
     kViews},
    {"partial_no_permutations", "axes in another order than that of the shape are refused",
     [](const Call& call) { return AnyTensor(call, IsPermuted); }, kViews},
    {"partial_no_broadcasts", "a stride of 0 is refused",
     [](const Call& call) { return AnyTensor(call, IsBroadcast); }, kViews},
    // windows
    {"partial_no_ceil_mode", "ceilMode is refused", [](const Call& call) { return call.ceil_mode; },
     "MP3-B15 MP2-B15"},
    {"partial_no_padding", "padding other than 0 is refused",
     [](const Call& call) {
       return AnyValue(call.padding, [](int64_t value) { return value != 0; });
     },
     "MP3-B13 MP2-B13"},
    {"partial_no_dilation", "dilation other than 1 is refused",
     [](const Call& call) {
       return AnyValue(call.dilation, [](int64_t value) { return value != 1; });
     },
     "MP2-B17", "ascend-950"},
    {"partial_no_lists_of_one", "lists of length 1 are refused", HasListOfOne,
     "MP3-B10 MP3-B12 MP2-B10 MP2-B12"},
    {"partial_no_empty_stride", "an empty stride is refused",
     [](const Call& call) { return call.stride != nullptr && call.stride->values.empty(); },
     "MP3-B11 MP2-B11"},
    {"partial_square_kernels", "a kernel of different extents is refused",
     [](const Call& call) {
       const int64_t first = call.kernel_size == nullptr || call.kernel_size->values.empty()
                                 ? 0
                                 : call.kernel_size->values[0];
       return AnyValue(call.kernel_size, [first](int64_t value) { return value != first; });
     }},
    {"partial_kernels_to_3", "kernels above 3 are refused",
     [](const Call& call) {
       return AnyValue(call.kernel_size, [](int64_t value) { return value > 3; });
     }},
    {"partial_no_overlap", "windows that overlap are refused",
     [](const Call& call) {
       return AnyWindow(call, [](int64_t kernel, int64_t stride) { return kernel > stride; });
     }},
    {"partial_no_gaps", "windows that leave cells out are refused",
     [](const Call& call) {
       return AnyWindow(call, [](int64_t kernel, int64_t stride) { return kernel < stride; });
     }},
    {"partial_adaptive_divides", "an output extent that does not divide the input's is refused",
     [](const Call& call) {
       return IsAdaptive(call) && AnyAxis(call, [](int64_t in, int64_t out) {
                return out > 0 && out <= in && in % out != 0;
              });
     }},
    {"partial_no_upsampling", "an output extent above the input's is refused",
     [](const Call& call) {
       return IsAdaptive(call) && AnyAxis(call, [](int64_t in, int64_t out) { return out > in; });
     }},
    // extents and operators
    {"partial_planes_to_256", "planes above 256 elements are refused",
     [](const Call& call) { return PlaneElements(call) > 256; }, "AMP2-C02"},
    {"partial_planes_to_65536", "planes above 65536 elements are refused",
     [](const Call& call) { return PlaneElements(call) > 65536; }, "AMP2-C02"},
    {"partial_whole_rows", "a width that is no multiple of 8 is refused",
     [](const Call& call) { return FromEnd(*call.self, 0) % 8 != 0; }},
    {"partial_no_depth", "a depth above 1 is refused",
     [](const Call& call) { return PlaneAxes(call.op) == 3 && FromEnd(*call.self, 2) > 1; }},
    {"partial_no_max_pool2d", "every call of MaxPool2d is refused",
     [](const Call& call) { return call.op == Operator::kMaxPool2d; },
     "MP2-B20 MP2-B21 MP2-B22 MP2-B23 MP2-B26"},
    {"partial_no_adaptive", "every call of the adaptive operators is refused", IsAdaptive,
     "AMP3-B20 AMP3-B21 AMP3-B22 AMP3-B23 AMP3-B26 AMP2-B20 AMP2-B21 AMP2-B22 AMP2-B23 AMP2-B24 "
     "AMP2-B26"},
};

}  // namespace

std::span<const Partial> Partials() { return kPartialTable; }

const Partial* FindPartial(std::string_view name) {
  for (const Partial& row : kPartialTable) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace mutants
