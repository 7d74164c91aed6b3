// SPDX-License-Identifier: Apache-2.0
#include "reports/export/cpp_text.h"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "core/float_bits.h"

namespace poolproof {

std::string Format(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::array<char, 256> text = {};  // numbers and their names
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  return text.data();
}

std::string StringLiteral(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) {
      quoted += Format("\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string DimsLiteral(std::span<const std::int64_t> dims) {
  std::string text;
  for (const std::int64_t value : dims) {
    // The lowest integer has no literal of its own.
    text += (text.empty() ? "" : ", ") +
            (value == INT64_MIN ? std::string("INT64_MIN") : std::to_string(value));
  }
  return "{" + text + "}";
}

std::string SnakeCase(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !text.empty()) text += '_';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

std::string DecimalText(std::uint32_t bits, DataType type) {
  const double value = DecodeFloat(bits, type);
  if (std::isnan(value)) return "NaN";
  return Format("%.9g", value);
}

Words WordsOf(const TensorSpec& tensor, std::span<const std::byte> bytes) {
  Words words;
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  if (width == 2 || width == 4 || width == 8) words.width = width;
  words.values.resize(bytes.size() / words.width);
  for (std::size_t i = 0; i < words.values.size(); ++i) {
    std::memcpy(&words.values[i], bytes.data() + i * words.width, words.width);
  }
  return words;
}

std::string_view WordType(const TensorSpec& tensor, std::size_t width) {
  if (tensor.type == DataType::kInt32) return "int32_t";
  if (tensor.type == DataType::kInt64) return "int64_t";
  switch (width) {
    case 2:
      return "uint16_t";
    case 4:
      return "uint32_t";
    case 8:
      return "uint64_t";
    default:
      return "unsigned char";
  }
}

std::string WordText(const TensorSpec& tensor, std::size_t width, std::uint64_t word) {
  if (tensor.type == DataType::kInt32) {
    const auto value = static_cast<std::int32_t>(static_cast<std::uint32_t>(word));
    return value == INT32_MIN ? "INT32_MIN" : std::to_string(value);
  }
  if (tensor.type == DataType::kInt64) {
    const auto value = static_cast<std::int64_t>(word);
    return value == INT64_MIN ? "INT64_MIN" : std::to_string(value);
  }
  return Format("0x%0*llx", static_cast<int>(2 * width), static_cast<unsigned long long>(word));
}

std::string AbiName(DataType type) {
  for (const DataTypeInfo& info : AllDataTypes()) {
    if (info.type == type) return std::string(info.abi_name);
  }
  return "no type of the ABI";
}

}  // namespace poolproof
