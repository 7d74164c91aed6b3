// SPDX-License-Identifier: Apache-2.0
//
// Element types and formats of the aclnn ABI as numbers with names. The suite, the kernels and the
// runtime share these values; they equal aclDataType and aclFormat (checked in tests).
#ifndef POOLPROOF_CORE_DATA_TYPE_H_
#define POOLPROOF_CORE_DATA_TYPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace poolproof {

// Any int32 value can be held: calls with unknown types are test cases too.
enum class DataType : std::int32_t {
  kUndefined = -1,
  kFloat = 0,
  kFloat16 = 1,
  kInt8 = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 6,
  kUint16 = 7,
  kUint32 = 8,
  kInt64 = 9,
  kUint64 = 10,
  kDouble = 11,
  kBool = 12,
  kString = 13,
  kComplex64 = 16,
  kComplex128 = 17,
  kBf16 = 27,
  kInt4 = 29,
  kUint1 = 30,
  kComplex32 = 33,
};

enum class Format : std::int32_t {
  kUndefined = -1,
  kNchw = 0,
  kNhwc = 1,
  kNd = 2,
  kNc1hwc0 = 3,
  kFractalZ = 4,
  kNc1hwc0C04 = 12,
  kHwcn = 16,
  kNdhwc = 27,
  kFractalNz = 29,
  kNcdhw = 30,
  kNdc1hwc0 = 32,
  kFractalZ3d = 33,
  kNc = 35,
  kNcl = 47,
};

struct DataTypeInfo {
  DataType type;
  std::string_view name;      // short name of case lines: "f32", "bf16", ...
  std::string_view abi_name;  // "ACL_FLOAT", ...
  int bytes;                  // storage of one element; 0 where an element is less than a byte
};

struct FormatInfo {
  Format format;
  std::string_view name;  // "ND", "NCDHW", ...
  bool is_private;        // a blocked layout of the device, unsupported by every operator here
};

// Every type and format that the ABI of CANN 8.1 lists, ascending by value.
std::span<const DataTypeInfo> AllDataTypes();
std::span<const FormatInfo> AllFormats();

// Short name, or "t<value>" for a value outside the table.
std::string DataTypeName(DataType type);
std::optional<DataType> ParseDataType(std::string_view name);
// Name, or "f<value>" for a value outside the table.
std::string FormatName(Format format);
std::optional<Format> ParseFormat(std::string_view name);

// Bytes of one element in storage; 1 for sub-byte and unknown types, so that a buffer can exist.
int StorageBytes(DataType type);

bool IsPrivateFormat(Format format);

// FLOAT32, FLOAT16 and BFLOAT16: the types in which gradients exist.
constexpr bool IsGradientType(DataType type) {
  return type == DataType::kFloat || type == DataType::kFloat16 || type == DataType::kBf16;
}
constexpr bool IsIndexType(DataType type) {
  return type == DataType::kInt32 || type == DataType::kInt64;
}

}  // namespace poolproof

#endif  // POOLPROOF_CORE_DATA_TYPE_H_
