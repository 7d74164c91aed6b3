// SPDX-License-Identifier: Apache-2.0
//
// Pieces of C++ that exported programs are put together of. Private to the export.
#ifndef POOLPROOF_REPORTS_EXPORT_CPP_TEXT_H_
#define POOLPROOF_REPORTS_EXPORT_CPP_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"

namespace poolproof {

// printf into a text of at most 255 characters: numbers and their names.
__attribute__((format(printf, 1, 2))) std::string Format(const char* format, ...);
// A string literal.
std::string StringLiteral(std::string_view text);
// "{1, 2, 3}".
std::string DimsLiteral(std::span<const std::int64_t> dims);
// "gradOutput" as "grad_output".
std::string SnakeCase(std::string_view name);
// The number that the bits represent.
std::string DecimalText(std::uint32_t bits, DataType type);

// Elements of a storage as words of their width; types of another width than a word's are bytes.
struct Words {
  std::size_t width = 1;
  std::vector<std::uint64_t> values;
};
Words WordsOf(const TensorSpec& tensor, std::span<const std::byte> bytes);
// The type of an array of such words, and one of them.
std::string_view WordType(const TensorSpec& tensor, std::size_t width);
std::string WordText(const TensorSpec& tensor, std::size_t width, std::uint64_t word);

// "ACL_FLOAT".
std::string AbiName(DataType type);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_EXPORT_CPP_TEXT_H_
