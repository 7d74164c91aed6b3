// SPDX-License-Identifier: Apache-2.0
#include "conformance/circumstance/words.h"

#include <algorithm>
#include <array>

#include "conformance/case/case_words.h"

namespace poolproof {

std::vector<std::string> OperatorWords() {
  std::vector<std::string> words;
  for (const OperatorInfo& info : AllOperators()) words.emplace_back(info.name);
  return words;
}
std::vector<std::string> TypeWords() {
  std::vector<std::string> words;
  for (const DataTypeInfo& info : AllDataTypes()) words.emplace_back(info.name);
  words.emplace_back("an unknown type");
  return words;
}
std::int64_t TypeWord(DataType type) {
  std::int64_t word = 0;
  for (const DataTypeInfo& info : AllDataTypes()) {
    if (info.type == type) return word;
    ++word;
  }
  return word;
}
namespace {

constexpr std::array<Format, 15> kFormats = {
    Format::kNchw,     Format::kNhwc,       Format::kNd,         Format::kNc1hwc0,
    Format::kFractalZ, Format::kHwcn,       Format::kNdhwc,      Format::kFractalNz,
    Format::kNcdhw,    Format::kNdc1hwc0,   Format::kFractalZ3d, Format::kNc,
    Format::kNcl,      Format::kNc1hwc0C04, Format::kUndefined};

}  // namespace

std::vector<std::string> FormatWords() {
  std::vector<std::string> words;
  for (const Format format : kFormats) words.push_back(FormatName(format));
  words.emplace_back("an unknown format");
  return words;
}
std::int64_t FormatWord(Format format) {
  return std::find(kFormats.begin(), kFormats.end(), format) - kFormats.begin();
}
std::vector<std::string> DataWords() {
  std::vector<std::string> words;
  for (int kind = 0; kind <= static_cast<int>(DataKind::kPlane); ++kind) {
    words.emplace_back(KindName(static_cast<DataKind>(kind)));
  }
  return words;
}

}  // namespace poolproof
