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

constexpr std::string_view kAccepts = "accepts";

template <typename T>
bool Contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// What `dtypes` says of gradients or of indices, in the words of `accepts`; nullopt: nothing. Of
// both, types that are not listed say nothing where none is.
std::optional<AcceptRule> AcceptedTypes(const DeclaredCapabilities& declared, bool of_indices) {
  std::string text;
  for (const DataType type : declared.types.value_or(std::vector<DataType>())) {
    if (IsIndexType(type) != of_indices) continue;
    if (!text.empty()) text += " or ";
    text += (of_indices ? "index_dtype == " : "dtype == ") + DataTypeName(type);
  }
  Result<Predicate> predicate = Predicate::Parse(text);
  if (!predicate.ok()) return std::nullopt;
  return AcceptRule{std::nullopt, std::move(text), std::move(predicate).value()};
}

// The first of them that mentions the call and does not hold for it.
const AcceptRule* RefusedBy(const std::vector<AcceptRule>& accepts, const Call& call,
                            const Case& problem, Told told) {
  for (const AcceptRule& accepted : accepts) {
    if (accepted.op && *accepted.op != call.op) continue;
    if (!accepted.predicate.MayHold(call, problem, told)) return &accepted;
  }
  return nullptr;
}

// Those of the operands' types that the page lists, beside `always`.
std::vector<DataType> TypesIn(const Call& call, const std::vector<SupportedType>& rows,
                              bool of_indices, const TensorSpec& always) {
  std::vector<DataType> types;
  const auto add = [&](const TensorSpec& tensor) {
    const bool listed = std::any_of(rows.begin(), rows.end(), [&](const SupportedType& row) {
      return row.type == tensor.type;
    });
    if (listed && !tensor.null && !Contains(types, tensor.type)) types.push_back(tensor.type);
  };
  add(always);
  for (const Role role : InfoOf(call.op).tensors) {
    if ((role == Role::kIndices) == of_indices) add(call.tensor(role));
  }
  return types;
}

// The calls of one gradient type and one index type that represent `call`, which was made of
// `base`. Types that no page lists must be refused whatever is accepted: they play no part.
std::vector<Call> Readings(const Call& call, const Call& base, Told told) {
  const OperatorInfo& info = InfoOf(call.op);
  const Role output = info.is_forward ? Role::kOut : Role::kGradOutput;
  std::vector<Call> readings = {base};
  const auto read = [&](Role role, const std::vector<DataType>& types) {
    std::vector<Call> next;
    for (const Call& reading : readings) {
      for (const DataType type : types) {
        next.push_back(reading);
        TensorSpec& tensor = next.back().tensor(role);
        tensor.type = type;
        if (told == Told::kTypes) tensor.null = false;
      }
      if (types.empty()) {
        // Nothing is known: a null tensor has no type.
        next.push_back(reading);
        if (told != Told::kAll) next.back().tensor(role).null = true;
      }
    }
    readings = std::move(next);
  };
  read(output, TypesIn(call, info.value_types, false, base.tensor(output)));
  read(Role::kIndices, TypesIn(call, info.index_types, true, base.tensor(Role::kIndices)));
  return readings;
}

// The indices that the forward's rule gives on the call's self, each its own, which a tensor with a
// stride of 0 cannot hold; empty where there are none.
std::vector<std::int64_t> ForwardIndices(const Call& call) {
  Call forward = call;
  TensorSpec& indices = forward.tensor(Role::kIndices);
  indices = MakeTensor(indices.type, indices.shape);
  indices.data = {.kind = DataKind::kArgmax, .literal = {}, .patches = {}};
  Result<MaterializedCall> made = MaterializeCall(forward, {});
  if (!made.ok()) return {};
  return std::move(made.value().indices);
}

}  // namespace

bool Capabilities::Has(Operator op) const { return Contains(operators, op); }

bool Capabilities::Exports(const Case& problem) const {
  return std::all_of(problem.calls.begin(), problem.calls.end(),
                     [&](const Call& call) { return Contains(exported, call.op); });
}

std::vector<DataType> Capabilities::MissingTypes(Operator op) const {
  std::vector<DataType> missing;
  if (accepts.empty()) return missing;
  const OperatorInfo& info = InfoOf(op);
  const auto accepted = [&](DataType type) {
    for (const SupportedType& index_type : info.index_types) {
      for (const BaseGeometry& geometry : InfoOf(info.backward).bases) {
        Case problem;
        problem.calls.push_back(MakeBackward(info.backward, type, index_type.type, geometry));
        if (info.is_forward) problem.calls.front() = MakeForward(problem.calls.front());
        problem.calls.front().tensor(Role::kIndices).type = index_type.type;
        if (!RefusedBy(accepts, problem.calls.front(), problem, Told::kAll)) return true;
      }
    }
    return false;
  };
  for (const SupportedType& row : info.value_types) {
    if (!accepted(row.type)) missing.push_back(row.type);
  }
  if (missing.size() == info.value_types.size()) missing.clear();
  return missing;
}

Capabilities CapabilitiesOf(const std::vector<std::string>& exported,
                            DeclaredCapabilities declared) {
  Capabilities capabilities;
  for (const std::string& name : exported) {
    const std::optional<Operator> op = ParseOperator(name);
    if (!op) continue;
    capabilities.exported.push_back(*op);
    if (declared.operators && !Contains(*declared.operators, *op)) continue;
    capabilities.operators.push_back(*op);
  }
  capabilities.accepts = declared.accepts;
  for (const bool of_indices : {false, true}) {
    std::optional<AcceptRule> types = AcceptedTypes(declared, of_indices);
    if (types) capabilities.accepts.push_back(*std::move(types));
  }
  capabilities.declared = std::move(declared);
  return capabilities;
}

std::optional<std::string> OutsideCapabilities(const Capabilities& capabilities,
                                               const Case& problem, const CaseFacts& facts) {
  for (const Call& call : problem.calls) {
    if (!capabilities.Has(call.op)) return std::string(InfoOf(call.op).name) + " is not offered";
    if (capabilities.accepts.empty()) continue;
    const bool has_base = facts.base != nullptr && facts.base->op == call.op;
    for (const Call& reading : Readings(call, has_base ? *facts.base : call, facts.told)) {
      if (const AcceptRule* refused =
              RefusedBy(capabilities.accepts, reading, problem, facts.told)) {
        return "outside the declared capabilities: " +
               (refused->op ? std::string(InfoOf(*refused->op).name) + " accepts "
                            : std::string("accepts ")) +
               refused->text;
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
    const TensorSpec& indices = call.tensor(Role::kIndices);
    if (indices.data.kind == DataKind::kArgmax && indices.data.patches.empty() &&
        IsInjective(indices.shape, StridesOf(indices))) {
      continue;
    }
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
  for (const AcceptRule& accepted : capabilities.accepts) {
    std::string key(kAccepts);
    if (accepted.op) key += "." + std::string(InfoOf(*accepted.op).name);
    declared.emplace_back(std::move(key), accepted.text);
  }
  if (capabilities.forward_indices_only) declared.emplace_back("indices", "forward");
  if (capabilities.refuses_nothing) declared.emplace_back("refusals", "none");
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
    if (key == "refusals" && text == "none") {
      capabilities.refuses_nothing = true;
      continue;
    }
    if (key.starts_with(kAccepts)) {
      const std::optional<Operator> op =
          ParseOperator(std::string_view(key).substr(std::min(key.size(), kAccepts.size() + 1)));
      Result<Predicate> predicate = Predicate::Parse(text);
      if (!predicate.ok() || (key != kAccepts && !op)) return wrong;
      capabilities.accepts.push_back({op, text, std::move(predicate).value()});
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
