// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/support.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace poolproof {
namespace {

template <typename T>
bool Contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// The indices that the forward's rule gives on the call's self; empty where there are none.
std::vector<std::int64_t> ForwardIndices(const Call& call) {
  Case problem;
  problem.calls.push_back(call);
  Data& data = problem.calls.front().tensor(Role::kIndices).data;
  data = Data();
  data.kind = DataKind::kArgmax;
  Result<Materialized> made = Materialize(problem);
  if (!made.ok()) return {};
  return std::move(made.value().calls.front().indices);
}

}  // namespace

bool Offer::Has(Operator op) const { return Contains(operators, op); }

std::vector<DataType> Offer::MissingGradientTypes() const {
  std::vector<DataType> missing;
  if (!declared.types) return missing;
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    if (!Contains(*declared.types, type)) missing.push_back(type);
  }
  return missing;
}

Offer MakeOffer(const std::vector<std::string>& exported, Capabilities declared) {
  Offer offer;
  for (const std::string& name : exported) {
    const std::optional<Operator> op = ParseOperator(name);
    if (!op) continue;
    if (declared.operators && !Contains(*declared.operators, *op)) continue;
    offer.operators.push_back(*op);
  }
  offer.declared = std::move(declared);
  return offer;
}

std::optional<std::string> OutsideOffer(const Offer& offer, const Case& problem) {
  const std::vector<DataType> missing = offer.MissingGradientTypes();
  // A manifest that names no index type says nothing about them.
  const std::vector<DataType> types = offer.declared.types.value_or(std::vector<DataType>());
  const bool index_types_declared =
      Contains(types, DataType::kInt32) || Contains(types, DataType::kInt64);
  for (const Call& call : problem.calls) {
    const OperatorInfo& info = InfoOf(call.op);
    if (!offer.Has(call.op)) return std::string(info.name) + " is not offered";
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

std::optional<std::string> IndicesOutsideOffer(const Offer& offer, const Case& problem,
                                               const Materialized& data) {
  if (!offer.declared.forward_indices_only || problem.plan.descriptors_only) return std::nullopt;
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

bool MayDoDamage(const NamedCase& named, const Materialized& data) {
  if (named.problem.plan.descriptors_only) return false;
  if (named.name.starts_with("SAF-04/") || named.family.starts_with("SAF-04/")) return true;
  for (std::size_t i = 0; i < named.problem.calls.size(); ++i) {
    const Call& call = named.problem.calls[i];
    const OperatorInfo& info = InfoOf(call.op);
    if (info.is_forward) continue;
    // An implementation may take the plane from either tensor.
    for (const Role role : {Role::kSelf, Role::kGradInput}) {
      const TensorSpec& tensor = call.tensor(role);
      if (tensor.null) continue;
      const std::optional<std::int64_t> plane = PlaneElements(tensor.shape, info.spatial_rank);
      if (!plane) continue;
      const bool outside =
          std::any_of(data.calls[i].indices.begin(), data.calls[i].indices.end(),
                      [&](std::int64_t index) { return index < 0 || index >= *plane; });
      if (outside) return true;
    }
  }
  return false;
}

}  // namespace poolproof
