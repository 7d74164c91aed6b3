// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/case_words.h"

#include <utility>

#include "conformance/case/passed_axes.h"
#include "core/text.h"

namespace poolproof {
namespace {

// By DataKind.
constexpr std::array<std::string_view, 17> kKindNames = {
    "zero",   "uniform", "wide",       "subnormal", "ties",    "exact",
    "coded",  "powers",  "magnitudes", "constant",  "literal", "argmax",
    "window", "first",   "last",       "shared",    "plane"};

}  // namespace

std::string_view KindName(DataKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<DataKind> KindOf(std::string_view name) {
  const auto* found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<DataKind>(found - kKindNames.begin());
}

bool IsLiteralKind(DataKind kind) {
  return kind == DataKind::kConstant || kind == DataKind::kLiteral;
}

std::string KindList() {
  std::string text;
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (!IsLiteralKind(static_cast<DataKind>(i))) text += std::string(kKindNames[i]) + ", ";
  }
  return text;
}

std::string OperatorList() {
  std::string text;
  for (const OperatorInfo& info : AllOperators()) {
    if (!text.empty()) text += ", ";
    text += info.name;
  }
  return text;
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string quoted = "\"";
  for (const char c : text.substr(0, kShown)) quoted += (c > ' ' && c <= '~') ? c : '?';
  if (text.size() > kShown) quoted += "...";
  return quoted + '"';
}

TensorDefault DefaultOf(const Call& call, Role role) {
  const OperatorInfo& info = InfoOf(call.op);
  TensorDefault result;
  TensorSpec& spec = result.spec;
  if (!Contains(info.tensors, role)) return result;
  if (role == Role::kSelf) {
    spec.data.kind = DataKind::kUniform;
    result.shape_required = true;
    return result;
  }
  const TensorSpec& self = call.tensor(Role::kSelf);
  spec.type = self.type;
  spec.format = self.format;
  spec.shape = self.shape;
  switch (role) {
    case Role::kGradOutput:
    case Role::kOut:
      if (std::optional<Dims> derived = PassedOutputShape(call)) {
        spec.shape = *std::move(derived);
      } else {
        result.shape_required = true;
      }
      if (role == Role::kGradOutput) spec.data.kind = DataKind::kExact;
      break;
    case Role::kIndices:
      spec.type = DataType::kInt32;
      spec.shape = call.tensor(info.is_forward ? Role::kOut : Role::kGradOutput).shape;
      if (!info.is_forward) spec.data.kind = DataKind::kArgmax;
      break;
    default:
      break;
  }
  return result;
}

WordForm FormOf(DataType type) { return IsIndexType(type) ? WordForm::kInteger : WordForm::kHex; }

std::int64_t AsSigned(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

std::string WordText(std::uint64_t bits, DataType type) {
  if (IsIndexType(type)) return std::to_string(AsSigned(bits));
  return HexText(bits, std::min<std::size_t>(16, 2 * static_cast<std::size_t>(StorageBytes(type))));
}

std::string WordsText(const std::vector<std::uint64_t>& words, DataType type, char separator) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += separator;
    text += WordText(words[i], type);
  }
  return text;
}

Result<std::uint64_t> ParseWord(std::string_view text, WordForm form) {
  if (form == WordForm::kInteger) {
    const auto value = ParseInteger<std::int64_t>(text);
    if (value.has_value()) return static_cast<std::uint64_t>(*value);
    return InvalidArgument(Quoted(text) + " is not a 64-bit integer");
  }
  const auto bits = ParseInteger<std::uint64_t>(text, 16);
  if (bits.has_value() && text.size() <= 16) return *bits;
  return InvalidArgument(Quoted(text) + " is not a word of 1 to 16 hex digits");
}

Result<std::vector<std::uint64_t>> ParseWords(std::string_view text, char separator,
                                              WordForm form) {
  std::vector<std::uint64_t> words;
  if (text.empty()) return words;
  const Status status = ForEachPiece(text, separator, [&](std::string_view piece) {
    if (words.size() == kMaxElements) {
      return InvalidArgument("data: expected at most " + std::to_string(kMaxElements) +
                             " elements");
    }
    const Result<std::uint64_t> word = ParseWord(piece, form);
    if (!word.ok()) return word.status().Annotate("data");
    words.push_back(*word);
    return OkStatus();
  });
  if (!status.ok()) return status;
  return words;
}

}  // namespace poolproof
