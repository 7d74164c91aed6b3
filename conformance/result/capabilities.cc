// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/capabilities.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <utility>

namespace poolproof {
namespace {

template <typename T>
bool Contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// The indices that the forward's rule gives on the call's self; empty where there are none.
std::vector<std::int64_t> ForwardIndices(const Call& call) {
  Call forward = call;
  forward.tensor(Role::kIndices).data = {.kind = DataKind::kArgmax, .literal = {}, .patches = {}};
  Result<MaterializedCall> made = MaterializeCall(forward, {});
  if (!made.ok()) return {};
  return std::move(made.value().indices);
}

}  // namespace

bool Capabilities::Has(Operator op) const { return Contains(operators, op); }

std::vector<DataType> Capabilities::MissingGradientTypes() const {
  std::vector<DataType> missing;
  if (!declared.types) return missing;
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    if (!Contains(*declared.types, type)) missing.push_back(type);
  }
  return missing;
}

Capabilities CapabilitiesOf(const std::vector<std::string>& exported,
                            DeclaredCapabilities declared) {
  Capabilities capabilities;
  for (const std::string& name : exported) {
    const std::optional<Operator> op = ParseOperator(name);
    if (!op) continue;
    if (declared.operators && !Contains(*declared.operators, *op)) continue;
    capabilities.operators.push_back(*op);
  }
  capabilities.declared = std::move(declared);
  return capabilities;
}

std::optional<std::string> OutsideCapabilities(const Capabilities& capabilities,
                                               const Case& problem) {
  const std::vector<DataType> missing = capabilities.MissingGradientTypes();
  // A manifest that names no index type says nothing about them.
  const std::vector<DataType> types = capabilities.declared.types.value_or(std::vector<DataType>());
  const bool index_types_declared =
      Contains(types, DataType::kInt32) || Contains(types, DataType::kInt64);
  for (const Call& call : problem.calls) {
    const OperatorInfo& info = InfoOf(call.op);
    if (!capabilities.Has(call.op)) return std::string(info.name) + " is not offered";
    for (const Role role : info.tensors) {
      const TensorSpec& tensor = call.tensor(role);
      if (tensor.null) continue;
      // Types that the documents refuse are still put to it: it must refuse them.
      const bool undeclared_index = role == Role::kIndices && index_types_declared &&
                                    IsIndexType(tensor.type) && !Contains(types, tensor.type);
      if (undeclared_index || Contains(missing, tensor.type)) {
        return "data type " + DataTypeName(tensor.type) + " is not among the declared capabilities";
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> IndicesOutsideCapabilities(const Capabilities& capabilities,
                                                      const Case& problem,
                                                      const Materialized& data) {
  if (!capabilities.declared.forward_indices_only || problem.plan.descriptors_only)
    return std::nullopt;
  for (std::size_t i = 0; i < problem.calls.size(); ++i) {
    const Call& call = problem.calls[i];
    if (InfoOf(call.op).is_forward || data.calls[i].indices.empty()) continue;
    const Data& indices = call.tensor(Role::kIndices).data;
    if (indices.kind == DataKind::kArgmax && indices.patches.empty()) continue;
    if (ForwardIndices(call) != data.calls[i].indices) {
      return "indices are not those of the forward, and the manifest declares no others";
    }
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> DescribeCapabilities(
    const DeclaredCapabilities& capabilities) {
  std::vector<std::pair<std::string, std::string>> declared;
  const auto add = [&](const char* key, const auto& values, const auto& name_of) {
    std::string text;
    for (const auto value : values) {
      if (!text.empty()) text += ",";
      text += name_of(value);
    }
    declared.emplace_back(key, text);
  };
  if (capabilities.operators) {
    add("operators", *capabilities.operators, [](Operator op) { return InfoOf(op).name; });
  }
  if (capabilities.types) {
    add("dtypes", *capabilities.types, [](DataType type) { return DataTypeName(type); });
  }
  if (capabilities.forward_indices_only) declared.emplace_back("indices", "forward");
  return declared;
}

Result<DeclaredCapabilities> ParseDeclaredCapabilities(
    const std::vector<std::pair<std::string, std::string>>& declared) {
  DeclaredCapabilities capabilities;
  for (const auto& [key, text] : declared) {
    const Status wrong = InvalidArgument("declared capability " + key + ": '" + text + "'");
    if (key == "indices" && text == "forward") {
      capabilities.forward_indices_only = true;
      continue;
    }
    if (key == "operators") capabilities.operators.emplace();
    if (key == "dtypes") capabilities.types.emplace();
    if (!capabilities.operators && !capabilities.types) return wrong;
    std::stringstream names(text);
    for (std::string name; std::getline(names, name, ',');) {
      const std::optional<Operator> op = ParseOperator(name);
      const std::optional<DataType> type = ParseDataType(name);
      if (key == "operators" && op) {
        capabilities.operators->push_back(*op);
      } else if (key == "dtypes" && type) {
        capabilities.types->push_back(*type);
      } else {
        return wrong;
      }
    }
  }
  return capabilities;
}

}  // namespace poolproof
