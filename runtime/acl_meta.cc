// SPDX-License-Identifier: Apache-2.0
//
// acl*: descriptors (tensors, scalars, lists) and what their getters tell.
#include "aclnn/acl_meta.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/boundary.h"
#include "runtime/handles.h"

namespace poolproof {
namespace {

constexpr std::uint64_t kMaxRank = 25;

Objection CheckLive(bool live, const char* name) {
  if (live) return std::nullopt;
  return Refusal{ACLNN_ERR_INNER, std::string(name) + " is not a living object of this library"};
}

Refusal NullPointer(std::string_view name) {
  return {ACLNN_ERR_PARAM_NULLPTR, Complaint(name, "null", "a valid pointer")};
}

template <typename T>
Objection CheckPointer(const T* handle, const char* name) {
  if (handle == nullptr) return NullPointer(name);
  return CheckLive(IsLive(handle), name);
}

struct TensorArguments {
  const std::int64_t* view_dims;
  std::uint64_t view_dims_num;
  aclDataType data_type;
  const std::int64_t* stride;
  std::int64_t offset;
  aclFormat format;
  const std::int64_t* storage_dims;
  std::uint64_t storage_dims_num;
  void* data;
};

Objection CheckDims(const char* name, const std::int64_t* dims, std::uint64_t count) {
  if (dims == nullptr && count > 0) return NullPointer(name);
  if (count > kMaxRank) {
    return Refusal{ACLNN_ERR_PARAM_INVALID,
                   Complaint(std::string(name) + "Num", std::to_string(count), "at most 25")};
  }
  return std::nullopt;
}

Objection Describe(const TensorArguments& arguments, aclTensor& tensor) {
  if (auto no = CheckDims("viewDims", arguments.view_dims, arguments.view_dims_num)) return no;
  if (auto no = CheckDims("storageDims", arguments.storage_dims, arguments.storage_dims_num)) {
    return no;
  }
  aclTensor made;
  made.shape.assign(arguments.view_dims, arguments.view_dims + arguments.view_dims_num);
  if (arguments.stride == nullptr) {
    made.strides = ContiguousStrides(made.shape);
  } else {
    made.strides.assign(arguments.stride, arguments.stride + arguments.view_dims_num);
  }
  made.offset = arguments.offset;
  made.type = static_cast<DataType>(arguments.data_type);
  made.format = static_cast<Format>(arguments.format);
  made.storage_shape.assign(arguments.storage_dims,
                            arguments.storage_dims + arguments.storage_dims_num);
  made.data = arguments.data;
  tensor = std::move(made);
  return std::nullopt;
}

// Values of a list: none where the pointer is null.
template <typename Array, typename T>
Array* CreateArray(const char* function, const T* value, std::uint64_t size) {
  return AtBoundaryOrNull(function, [=] {
    Array array;
    if (value != nullptr) array.values.assign(value, value + size);
    return NewHandle(std::move(array));
  });
}

template <typename List, typename T>
List* CreateList(const char* function, const T* const* value, std::uint64_t size) {
  return AtBoundaryOrNull(function, [=]() -> List* {
    List list;
    if (value != nullptr) list.elements.assign(value, value + size);
    for (const T* element : list.elements) {
      if (auto no = CheckPointer(element, "an element of value")) {
        LeaveMessage(function, no->message);
        return nullptr;
      }
    }
    return NewHandle(std::move(list));
  });
}

template <typename T>
aclnnStatus Destroy(const char* function, const T* handle) {
  return AtBoundary(function, kAclnnCodes, [=]() -> Objection {
    if (handle == nullptr) return std::nullopt;
    return CheckLive(TakeHandle(handle) != nullptr, "the argument");
  });
}

template <typename List>
aclnnStatus DestroyList(const char* function, const List* handle) {
  return AtBoundary(function, kAclnnCodes, [=]() -> Objection {
    if (handle == nullptr) return std::nullopt;
    const std::unique_ptr<List> list = TakeHandle(handle);
    if (auto no = CheckLive(list != nullptr, "the argument")) return no;
    for (const auto* element : list->elements) TakeHandle(element).reset();
    return std::nullopt;
  });
}

template <typename T, typename Values>
aclnnStatus GetSize(const char* function, const T* handle, std::uint64_t* size,
                    const Values& values_of) {
  return AtBoundary(function, kAclnnCodes, [&]() -> Objection {
    if (auto no = CheckPointer(handle, "the array")) return no;
    if (size == nullptr) return NullPointer("size");
    *size = values_of(*handle).size();
    return std::nullopt;
  });
}

// A copy that the caller ends with delete[].
aclnnStatus GetDims(const char* function, const aclTensor* tensor, Dims aclTensor::*member,
                    std::int64_t** values, std::uint64_t* count) {
  return AtBoundary(function, kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckPointer(tensor, "tensor")) return no;
    if (values == nullptr) return NullPointer("the array's out-pointer");
    if (count == nullptr) return NullPointer("the count's out-pointer");
    const Dims& dims = tensor->*member;
    auto copy = std::make_unique<std::int64_t[]>(dims.size());
    std::copy(dims.begin(), dims.end(), copy.get());
    *values = copy.release();
    *count = dims.size();
    return std::nullopt;
  });
}

template <typename T, typename Read>
aclnnStatus GetField(const char* function, const aclTensor* tensor, T* out, const Read& read) {
  return AtBoundary(function, kAclnnCodes, [&]() -> Objection {
    if (auto no = CheckPointer(tensor, "tensor")) return no;
    if (out == nullptr) return NullPointer("the out-pointer");
    *out = read(*tensor);
    return std::nullopt;
  });
}

}  // namespace
}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
  return AtBoundaryOrNull("aclCreateTensor", [=]() -> aclTensor* {
    aclTensor tensor;
    if (auto no = Describe({viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                            storageDimsNum, tensorData},
                           tensor)) {
      LeaveMessage("aclCreateTensor", no->message);
      return nullptr;
    }
    return NewHandle(std::move(tensor));
  });
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t* stride, int64_t offset,
                          aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                          void* tensorDataAddr) {
  return AtBoundary("aclInitTensor", kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckPointer(tensor, "tensor")) return no;
    return Describe({viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                     storageDimsNum, tensorDataAddr},
                    *tensor);
  });
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  return AtBoundaryOrNull("aclCreateScalar", [=]() -> aclScalar* {
    if (value == nullptr) {
      LeaveMessage("aclCreateScalar", NullPointer("value").message);
      return nullptr;
    }
    const auto* bytes = static_cast<const std::byte*>(value);
    const std::size_t size = aclDataTypeSize(dataType);
    return NewHandle(aclScalar{static_cast<DataType>(dataType), {bytes, bytes + size}});
  });
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return CreateArray<aclIntArray>("aclCreateIntArray", value, size);
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return CreateArray<aclFloatArray>("aclCreateFloatArray", value, size);
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return CreateArray<aclBoolArray>("aclCreateBoolArray", value, size);
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return CreateList<aclTensorList>("aclCreateTensorList", value, size);
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  return CreateList<aclScalarList>("aclCreateScalarList", value, size);
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  return Destroy("aclDestroyTensor", tensor);
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  return Destroy("aclDestroyScalar", scalar);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  return Destroy("aclDestroyIntArray", array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  return Destroy("aclDestroyFloatArray", array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  return Destroy("aclDestroyBoolArray", array);
}

aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  return DestroyList("aclDestroyTensorList", array);
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
  return DestroyList("aclDestroyScalarList", array);
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
  return GetDims("aclGetViewShape", tensor, &aclTensor::shape, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                               uint64_t* storageDimsNum) {
  return GetDims("aclGetStorageShape", tensor, &aclTensor::storage_shape, storageDims,
                 storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                              uint64_t* stridesNum) {
  return GetDims("aclGetViewStrides", tensor, &aclTensor::strides, stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return GetField("aclGetViewOffset", tensor, offset, [](const aclTensor& t) { return t.offset; });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return GetField("aclGetFormat", tensor, format,
                  [](const aclTensor& t) { return static_cast<aclFormat>(t.format); });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  return GetField("aclGetDataType", tensor, dataType,
                  [](const aclTensor& t) { return static_cast<aclDataType>(t.type); });
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  return GetField("aclGetRawTensorAddr", tensor, addr, [](const aclTensor& t) { return t.data; });
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  return AtBoundary("aclSetRawTensorAddr", kAclnnCodes, [=]() -> Objection {
    if (auto no = CheckPointer(tensor, "tensor")) return no;
    if (addr == nullptr) return NullPointer("addr");
    tensor->data = addr;
    return std::nullopt;
  });
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return GetSize(
      "aclGetIntArraySize", array, size,
      [](const aclIntArray& a) -> const auto& { return a.values; });
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return GetSize(
      "aclGetFloatArraySize", array, size,
      [](const aclFloatArray& a) -> const auto& { return a.values; });
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return GetSize(
      "aclGetBoolArraySize", array, size,
      [](const aclBoolArray& a) -> const auto& { return a.values; });
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
  return GetSize(
      "aclGetTensorListSize", tensorList, size,
      [](const aclTensorList& l) -> const auto& { return l.elements; });
}

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
  return GetSize(
      "aclGetScalarListSize", scalarList, size,
      [](const aclScalarList& l) -> const auto& { return l.elements; });
}
