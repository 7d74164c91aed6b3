// SPDX-License-Identifier: Apache-2.0
//
// What the written forms of a case have in common: the names of its parts, what may be left out,
// and how elements are written. Private to the folder.
#ifndef POOLPROOF_CONFORMANCE_CASE_CASE_WORDS_H_
#define POOLPROOF_CONFORMANCE_CASE_CASE_WORDS_H_

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "core/status.h"

namespace poolproof {

// Bounds that keep a hostile or mistyped text from costing more than it is worth.
inline constexpr std::size_t kMaxRank = 64;
inline constexpr std::size_t kMaxListValues = std::size_t{1} << 17;
inline constexpr std::size_t kMaxElements = std::size_t{1} << 20;  // literal words and patches
inline constexpr std::size_t kMaxCalls = 4096;

// --- Names ---------------------------------------------------------------------------------------

// The parts of a call with their names in case lines, in the order of these; self comes first.
struct RoleField {
  Role role;
  std::string_view name;
};
inline constexpr std::array kRoleFields = {
    RoleField{Role::kSelf, "self"},    RoleField{Role::kGradOutput, "go"},
    RoleField{Role::kOut, "out"},      RoleField{Role::kIndices, "ix"},
    RoleField{Role::kGradInput, "gi"},
};
struct ListField {
  List list;
  std::string_view name;
};
inline constexpr std::array kListFields = {
    ListField{List::kKernelSize, "k"}, ListField{List::kStride, "s"},
    ListField{List::kPadding, "p"},    ListField{List::kDilation, "d"},
    ListField{List::kOutputSize, "o"},
};

std::string_view KindName(DataKind kind);
std::optional<DataKind> KindOf(std::string_view name);
// kConstant and kLiteral, which have spellings of their own in the line.
bool IsLiteralKind(DataKind kind);
// The names of all other kinds, each followed by ", ".
std::string KindList();
std::string OperatorList();

template <typename Part>
bool Contains(const std::vector<Part>& parts, Part part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

// The text in quotes, shortened and free of control characters, for a message.
std::string Quoted(std::string_view text);

// --- Defaults ------------------------------------------------------------------------------------

// What a tensor is where the text does not say otherwise. Printer and parser both start here.
struct TensorDefault {
  TensorSpec spec;
  bool shape_required = false;  // no shape follows from the rest: the text must give it
};

// Requires the tensors and attributes that come earlier in the order self, lists, gradOutput or
// out, indices, gradInput.
TensorDefault DefaultOf(const Call& call, Role role);

// --- Elements ------------------------------------------------------------------------------------

// Indices are signed decimals, other elements hex storage bits.
enum class WordForm : std::uint8_t { kHex, kInteger };
WordForm FormOf(DataType type);
std::int64_t AsSigned(std::uint64_t bits);
std::string WordText(std::uint64_t bits, DataType type);
std::string WordsText(const std::vector<std::uint64_t>& words, DataType type, char separator);

// errors: kInvalidArgument naming the text and what was wanted.
Result<std::uint64_t> ParseWord(std::string_view text, WordForm form);
Result<std::vector<std::uint64_t>> ParseWords(std::string_view text, char separator, WordForm form);

// The whole text as a number.
template <typename Integer>
std::optional<Integer> ParseInteger(std::string_view text, int base = 10) {
  Integer value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

// Calls accept(piece) for each piece between separators, until it returns an error.
template <typename Accept>
Status ForEachPiece(std::string_view text, char separator, Accept accept) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (Status status = accept(text.substr(0, end)); !status.ok()) return status;
    if (end == std::string_view::npos) return OkStatus();
    text.remove_prefix(end + 1);
  }
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_CASE_WORDS_H_
