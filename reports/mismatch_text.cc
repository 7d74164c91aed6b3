// SPDX-License-Identifier: Apache-2.0
#include "reports/mismatch_text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "conformance/case/case_text.h"
#include "core/decimal_text.h"
#include "core/float_bits.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

std::optional<std::string> DecimalOfWord(std::string_view word, DataType type, int digits) {
  std::uint32_t bits = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, bits, 16);
  const auto width = static_cast<std::size_t>(StorageBytes(type)) * 2;
  if (error != std::errc() || stop != end || word.size() != width || !IsGradientType(type)) {
    return std::nullopt;
  }
  return DecimalText(DecodeFloat(bits, type), digits);
}

std::string WithBits(const std::string& words, DataType type) {
  const std::string decimal = DecimalText(words, type);
  return decimal == words ? words : decimal + " (" + words + ")";
}

}  // namespace

std::string DecimalText(const std::string& words, DataType type, int digits) {
  if (words == "zero") return "0";
  // "3f800000 or NaN": the rest stays behind.
  const std::size_t space = words.find(' ');
  if (space != std::string::npos) {
    const std::string first = words.substr(0, space);
    const std::string decimal = DecimalText(first, type, digits);
    return decimal == first ? words : decimal + words.substr(space);
  }
  const std::size_t dots = words.find("..");
  if (dots != std::string::npos) {
    const auto low = DecimalOfWord(std::string_view(words).substr(0, dots), type, digits);
    const auto high = DecimalOfWord(std::string_view(words).substr(dots + 2), type, digits);
    return low && high ? *low + " .. " + *high : words;
  }
  return DecimalOfWord(words, type, digits).value_or(words);
}

namespace {

std::string GradientsText(int count) {
  if (count < 1) return "";
  return count == 1 ? ", one gradient" : ", sum of " + std::to_string(count) + " gradients";
}

}  // namespace

std::string ElementText(const Dims& shape, std::int64_t position) {
  Dims at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] < 1) return std::to_string(position);
    at[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return DimsText(at);
}

std::string MismatchText(const Case& problem, const Mismatch& mismatch) {
  const std::size_t call =
      std::min(static_cast<std::size_t>(std::max(0, mismatch.call)), problem.calls.size() - 1);
  const Call& made = problem.calls[call];
  const bool forward = InfoOf(made.op).is_forward;
  const TensorSpec& tensor = made.tensor(forward ? Role::kOut : Role::kGradInput);
  return "element " + ElementText(tensor.shape, mismatch.position) + ": expected " +
         WithBits(mismatch.expected, tensor.type) + ", got " + WithBits(mismatch.got, tensor.type) +
         GradientsText(mismatch.contributions);
}

std::string WhatHappened(const Failure& failure) {
  const std::string& message = ShownMessage(failure);
  if (failure.mismatches.empty()) return message;
  const Mismatch& first = failure.mismatches.front();
  const std::string numbers = MismatchText(ShownCase(failure), first);
  const std::string told = numbers.substr(numbers.find("expected "));
  if (message.find(told) != std::string::npos) return message;
  const std::string bits = "expected " + first.expected + ", got " + first.got;
  const std::size_t place = message.find(bits);
  if (place == std::string::npos) return message + "; " + numbers;
  return message.substr(0, place) + told + message.substr(place + bits.size());
}

}  // namespace poolproof
