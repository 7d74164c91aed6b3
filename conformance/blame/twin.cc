// SPDX-License-Identifier: Apache-2.0
#include "conformance/blame/twin.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "conformance/blame/edit.h"
#include "conformance/judge/prepared_case.h"

namespace poolproof {
namespace {

// The value of an axis, whether the list has one for all of them or one for each.
std::optional<std::int64_t> ValueOf(const std::optional<Dims>& list, std::size_t axis,
                                    std::size_t axes) {
  if (!list || (list->size() != 1 && list->size() != axes)) return std::nullopt;
  return (*list)[list->size() == 1 ? 0 : axis];
}

std::int64_t Within(std::optional<std::int64_t> value, std::int64_t least, std::int64_t most,
                    std::int64_t otherwise) {
  return value && *value >= least && *value <= most ? *value : otherwise;
}

// Windows on `self` with those values of the call that are in order.
BaseGeometry Mended(const Call& call, const Dims& self) {
  const auto axes = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  BaseGeometry geometry;
  geometry.self = self;
  geometry.ceil_mode = call.ceil_mode;
  const Dims output = SpatialOutput(call);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t extent = self[self.size() - axes + axis];
    const auto value = [&](List list) { return ValueOf(call.list(list), axis, axes); };
    const std::int64_t kernel =
        Within(value(List::kKernelSize), 1, extent, std::min<std::int64_t>(2, extent));
    geometry.kernel.push_back(kernel);
    geometry.stride.push_back(Within(value(List::kStride), 1, INT32_MAX, kernel));
    geometry.padding.push_back(Within(value(List::kPadding), 0, kernel / 2, 0));
    geometry.dilation.push_back(1);
    geometry.output.push_back(
        Within(axis < output.size() ? std::optional(output[axis]) : std::nullopt, 1, INT32_MAX, 1));
  }
  return geometry;
}

}  // namespace

std::optional<Case> LegalTwin(const ProfileRules& rules, const Case& problem) {
  if (problem.calls.size() != 1) return std::nullopt;
  const Call& call = problem.calls.front();
  const OperatorInfo& info = InfoOf(call.op);
  const auto axes = static_cast<std::size_t>(info.spatial_rank);
  const TensorSpec& self = call.tensor(Role::kSelf);
  Dims plain(axes + 2, 4);
  plain[0] = plain[1] = 1;
  std::array<Dims, 2> shapes = {self.shape, std::move(plain)};
  for (const Dims& shape : shapes) {
    const bool whole = std::all_of(shape.begin(), shape.end(), [](auto n) { return n > 0; });
    if (!whole || shape.size() < axes) continue;
    for (const DataType type : {self.type, DataType::kFloat}) {
      for (const DataType index : {call.tensor(Role::kIndices).type, DataType::kInt32}) {
        Call twin = MakeBackward(info.backward, type, index, Mended(call, shape));
        if (info.is_forward) twin = MakeForward(twin);
        if (!IsValid(rules, twin, {})) continue;
        Case legal;
        legal.calls = {std::move(twin)};
        return legal;
      }
    }
  }
  return std::nullopt;
}

std::vector<Case> WithAFaultMended(const Case& problem) {
  std::vector<Case> mended;
  if (problem.calls.size() != 1) return mended;
  const Call& call = problem.calls.front();
  const OperatorInfo& info = InfoOf(call.op);
  const auto keep = [&](auto change) {
    Case other = problem;
    change(other.calls.front());
    if (other != problem) mended.push_back(std::move(other));
  };
  for (const Role role : info.tensors) {
    const DataType type = role == Role::kIndices ? DataType::kInt32 : DataType::kFloat;
    keep([&](Call& other) { other.tensor(role).null = false; });
    keep([&](Call& other) { other.tensor(role).type = type; });
    keep([&](Call& other) { other.tensor(role).format = Format::kNd; });
  }
  for (const List list : info.lists) {
    if (list == List::kOutputSize) continue;
    keep([&](Call& other) { other.list(list) = Dims{list == List::kPadding ? 0 : 1}; });
  }
  return mended;
}

}  // namespace poolproof
