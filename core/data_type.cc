// SPDX-License-Identifier: Apache-2.0
#include "core/data_type.h"

#include <array>
#include <limits>

namespace poolproof {
namespace {

constexpr std::array kDataTypes = {
    DataTypeInfo{DataType::kUndefined, "undefined", "ACL_DT_UNDEFINED", 0},
    DataTypeInfo{DataType::kFloat, "f32", "ACL_FLOAT", 4},
    DataTypeInfo{DataType::kFloat16, "f16", "ACL_FLOAT16", 2},
    DataTypeInfo{DataType::kInt8, "i8", "ACL_INT8", 1},
    DataTypeInfo{DataType::kInt32, "i32", "ACL_INT32", 4},
    DataTypeInfo{DataType::kUint8, "u8", "ACL_UINT8", 1},
    DataTypeInfo{DataType::kInt16, "i16", "ACL_INT16", 2},
    DataTypeInfo{DataType::kUint16, "u16", "ACL_UINT16", 2},
    DataTypeInfo{DataType::kUint32, "u32", "ACL_UINT32", 4},
    DataTypeInfo{DataType::kInt64, "i64", "ACL_INT64", 8},
    DataTypeInfo{DataType::kUint64, "u64", "ACL_UINT64", 8},
    DataTypeInfo{DataType::kDouble, "f64", "ACL_DOUBLE", 8},
    DataTypeInfo{DataType::kBool, "bool", "ACL_BOOL", 1},
    DataTypeInfo{DataType::kString, "string", "ACL_STRING", 0},
    DataTypeInfo{DataType::kComplex64, "c64", "ACL_COMPLEX64", 8},
    DataTypeInfo{DataType::kComplex128, "c128", "ACL_COMPLEX128", 16},
    DataTypeInfo{DataType::kBf16, "bf16", "ACL_BF16", 2},
    DataTypeInfo{DataType::kInt4, "i4", "ACL_INT4", 0},
    DataTypeInfo{DataType::kUint1, "u1", "ACL_UINT1", 0},
    DataTypeInfo{DataType::kComplex32, "c32", "ACL_COMPLEX32", 4},
};

constexpr std::array kFormats = {
    FormatInfo{Format::kUndefined, "undefined", false},
    FormatInfo{Format::kNchw, "NCHW", false},
    FormatInfo{Format::kNhwc, "NHWC", false},
    FormatInfo{Format::kNd, "ND", false},
    FormatInfo{Format::kNc1hwc0, "NC1HWC0", true},
    FormatInfo{Format::kFractalZ, "FRACTAL_Z", true},
    FormatInfo{Format::kNc1hwc0C04, "NC1HWC0_C04", true},
    FormatInfo{Format::kHwcn, "HWCN", false},
    FormatInfo{Format::kNdhwc, "NDHWC", false},
    FormatInfo{Format::kFractalNz, "FRACTAL_NZ", true},
    FormatInfo{Format::kNcdhw, "NCDHW", false},
    FormatInfo{Format::kNdc1hwc0, "NDC1HWC0", true},
    FormatInfo{Format::kFractalZ3d, "FRACTAL_Z_3D", true},
    FormatInfo{Format::kNc, "NC", false},
    FormatInfo{Format::kNcl, "NCL", false},
};

// "<prefix><int32>", the spelling of values that have no name.
std::optional<std::int32_t> ParseNumbered(char prefix, std::string_view text) {
  if (text.size() < 2 || text.front() != prefix) return std::nullopt;
  text.remove_prefix(1);
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
    if (value > std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1) return std::nullopt;
  }
  if (negative) value = -value;
  if (value > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::int32_t>(value);
}

}  // namespace

std::span<const DataTypeInfo> AllDataTypes() { return kDataTypes; }
std::span<const FormatInfo> AllFormats() { return kFormats; }

std::string DataTypeName(DataType type) {
  for (const DataTypeInfo& info : kDataTypes) {
    if (info.type == type) return std::string(info.name);
  }
  return std::string("t").append(std::to_string(static_cast<std::int32_t>(type)));
}

std::optional<DataType> ParseDataType(std::string_view name) {
  for (const DataTypeInfo& info : kDataTypes) {
    if (info.name == name) return info.type;
  }
  const std::optional<std::int32_t> value = ParseNumbered('t', name);
  if (!value.has_value()) return std::nullopt;
  return static_cast<DataType>(*value);
}

std::string FormatName(Format format) {
  for (const FormatInfo& info : kFormats) {
    if (info.format == format) return std::string(info.name);
  }
  return std::string("f").append(std::to_string(static_cast<std::int32_t>(format)));
}

std::optional<Format> ParseFormat(std::string_view name) {
  for (const FormatInfo& info : kFormats) {
    if (info.name == name) return info.format;
  }
  const std::optional<std::int32_t> value = ParseNumbered('f', name);
  if (!value.has_value()) return std::nullopt;
  return static_cast<Format>(*value);
}

int StorageBytes(DataType type) {
  switch (type) {  // the types of nearly all tensors
    case DataType::kFloat:
    case DataType::kInt32:
      return 4;
    case DataType::kFloat16:
    case DataType::kBf16:
      return 2;
    case DataType::kInt64:
      return 8;
    default:
      break;
  }
  for (const DataTypeInfo& info : kDataTypes) {
    if (info.type == type) return info.bytes > 0 ? info.bytes : 1;
  }
  return 1;
}

bool IsPrivateFormat(Format format) {
  for (const FormatInfo& info : kFormats) {
    if (info.format == format) return info.is_private;
  }
  return false;
}

}  // namespace poolproof
