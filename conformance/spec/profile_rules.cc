// SPDX-License-Identifier: Apache-2.0
#include "conformance/spec/profile_rules.h"

#include <algorithm>
#include <string_view>

namespace poolproof {
namespace {

template <typename T>
bool Contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

bool ProfileRules::Covers(Operator op) const {
  if (!Applies(op, Condition::kScatter)) return false;
  const std::string_view page = InfoOf(op).document;
  const std::vector<Document>& documents = spec_->documents();
  return std::none_of(documents.begin(), documents.end(), [&](const Document& document) {
    return document.id == page && !Contains(document.products, std::string(InfoOf(profile_).name));
  });
}

std::vector<Operator> ProfileRules::CoveredBackwards() const {
  std::vector<Operator> covered;
  for (const Operator op : BackwardOperators()) {
    if (Covers(op)) covered.push_back(op);
  }
  return covered;
}

std::vector<DataType> ProfileRules::ValueTypes(Operator op) const {
  return Supported(op, InfoOf(op).value_types);
}

std::vector<DataType> ProfileRules::IndexTypes(Operator op) const {
  return Supported(op, InfoOf(op).index_types);
}

bool ProfileRules::TakesValues(Operator op, DataType type) const {
  return Takes(op, InfoOf(op).value_types, type);
}

bool ProfileRules::TakesIndices(Operator op, DataType type) const {
  return Takes(op, InfoOf(op).index_types, type);
}

std::vector<DataType> ProfileRules::Supported(Operator op,
                                              const std::vector<SupportedType>& rows) const {
  std::vector<DataType> types;
  for (const SupportedType& row : rows) {
    if (Supports(op, row.by)) types.push_back(row.type);
  }
  return types;
}

// Asked for every operand of every case: no list is made.
bool ProfileRules::Takes(Operator op, const std::vector<SupportedType>& rows, DataType type) const {
  return std::any_of(rows.begin(), rows.end(), [&](const SupportedType& row) {
    return row.type == type && Supports(op, row.by);
  });
}

const SupportedFormat* ProfileRules::FormatRow(Operator op, Format format, std::size_t rank) const {
  const OperatorInfo& info = InfoOf(op);
  const bool unbatched = rank == static_cast<std::size_t>(info.spatial_rank) + 1;
  for (const SupportedFormat& row : info.formats) {
    const bool fits = row.rank == SupportedFormat::Rank::kAny ||
                      (row.rank == SupportedFormat::Rank::kUnbatched) == unbatched;
    if (row.format == format && fits && Supports(op, row.by)) return &row;
  }
  return nullptr;
}

bool ProfileRules::DocumentsSpecialValues(Operator op) const {
  return Applies(op, Condition::kNan) || Applies(op, Condition::kSpecialValues);
}

Condition ProfileRules::InfinityCondition(Operator op) const {
  return Applies(op, Condition::kInfinity) ? Condition::kInfinity : Condition::kSpecialValues;
}

Condition ProfileRules::NanCondition(Operator op) const {
  return Applies(op, Condition::kNan) ? Condition::kNan : Condition::kSpecialValues;
}

}  // namespace poolproof
