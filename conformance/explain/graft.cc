// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/graft.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "conformance/blame/edit.h"
#include "conformance/case/plan_members.h"
#include "core/shape.h"

namespace poolproof {
namespace {

constexpr std::array<const char*, 3> kAxisNames = {"D", "H", "W"};
constexpr std::size_t kBatch = 3;  // behind the axes D, H and W
constexpr std::size_t kChannels = 4;

bool TakesRole(const Call& call, Role role) {
  const auto& tensors = InfoOf(call.op).tensors;
  return std::find(tensors.begin(), tensors.end(), role) != tensors.end();
}

bool HasRole(const Call& call, Role role) {
  return TakesRole(call, role) && !call.tensor(role).null;
}

std::size_t SpatialRank(const Call& call) {
  return static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
}

// The position in self's shape of an axis, by D, H, W, N and C.
std::optional<std::size_t> PlaceOf(const Call& call, std::size_t axis) {
  const TensorSpec& self = call.tensor(Role::kSelf);
  const std::size_t spatial = SpatialRank(call);
  const std::size_t rank = self.shape.size();
  if (self.null || rank < spatial + 1 || rank > spatial + 2) return std::nullopt;
  if (axis == kBatch) return rank == spatial + 2 ? std::optional<std::size_t>(0) : std::nullopt;
  if (axis == kChannels) return rank - spatial - 1;
  if (axis + spatial < 3) return std::nullopt;
  return rank - 3 + axis;
}

// Whether gradOutput has a shape that goes with self, and all operands fit together.
bool IsRegular(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  const TensorSpec& self = call.tensor(Role::kSelf);
  const TensorSpec& indices = call.tensor(Role::kIndices);
  if (self.null || indices.null || !PlaceOf(call, kChannels)) return false;
  const auto same = [&](Role role, const Dims& shape) {
    return !TakesRole(call, role) || (!call.tensor(role).null && call.tensor(role).shape == shape);
  };
  if (!same(Role::kGradOutput, indices.shape) || !same(Role::kOut, indices.shape) ||
      !same(Role::kGradInput, self.shape)) {
    return false;
  }
  if (info.windows == WindowRule::kFixed) return HasDerivedOutput(call);
  return indices.shape.size() == self.shape.size();
}

bool Take(Case& to, std::optional<Call> changed) {
  if (!changed) return false;
  to.calls.front() = *std::move(changed);
  return true;
}

bool PutExtent(Case& to, const Case& from, std::size_t axis) {
  const Call& call = to.calls.front();
  const Call& other = from.calls.front();
  const auto place = PlaceOf(call, axis);
  const auto theirs = PlaceOf(other, axis);
  if (!place || !theirs) return false;
  Dims shape = call.tensor(Role::kSelf).shape;
  const std::int64_t before = shape[*place];
  shape[*place] = other.tensor(Role::kSelf).shape[*theirs];
  if (IsRegular(call)) return Take(to, Reshape(call, shape, SpatialOutput(call)));
  // What does not fit together stays so: the operands that share self's extent take the new one.
  Call changed = call;
  for (const Role role : InfoOf(call.op).tensors) {
    TensorSpec& tensor = changed.tensor(role);
    const bool shares = tensor.shape.size() == shape.size() && tensor.shape[*place] == before;
    const bool is_own = role == Role::kSelf || role == Role::kGradInput || axis >= kBatch;
    if (!shares || !is_own) continue;
    if (!tensor.strides.empty()) return false;
    tensor.shape[*place] = shape[*place];
  }
  return Take(to, std::move(changed));
}

bool PutRank(Case& to, const Case& from) {
  if (!IsRegular(to.calls.front()) || !PlaceOf(from.calls.front(), kChannels)) return false;
  if (PlaceOf(from.calls.front(), kBatch)) return Take(to, WithBatchAxis(to.calls.front()));
  const Call& call = to.calls.front();
  if (!PlaceOf(call, kBatch)) return false;
  Dims shape = call.tensor(Role::kSelf).shape;
  shape[0] = 1;
  const std::optional<Call> lone = Reshape(call, shape, SpatialOutput(call));
  return lone && Take(to, WithoutBatchAxis(*lone));
}

bool PutOutput(Case& to, const Case& from, std::size_t axis) {
  const Call& call = to.calls.front();
  const Call& other = from.calls.front();
  if (InfoOf(call.op).windows != WindowRule::kAdaptive || !IsRegular(call) || !IsRegular(other)) {
    return false;
  }
  Dims output = SpatialOutput(call);
  const Dims theirs = SpatialOutput(other);
  if (axis + output.size() < 3 || axis + theirs.size() < 3) return false;
  output[axis + output.size() - 3] = theirs[axis + theirs.size() - 3];
  return Take(to, Reshape(call, call.tensor(Role::kSelf).shape, output));
}

// With the shapes that follow, where they followed before.
bool TakeWindows(Case& to, Call changed) {
  if (!IsRegular(to.calls.front())) {
    to.calls.front() = std::move(changed);
    return true;
  }
  return Take(to, Reshape(changed, changed.tensor(Role::kSelf).shape, {}));
}

bool PutList(Case& to, const Case& from, List list) {
  const Call& other = from.calls.front();
  Call changed = to.calls.front();
  if (InfoOf(changed.op).windows != WindowRule::kFixed ||
      InfoOf(other.op).windows != WindowRule::kFixed) {
    return false;
  }
  if (SpatialRank(changed) != SpatialRank(other) && other.list(list) &&
      other.list(list)->size() > 1) {
    return false;
  }
  changed.list(list) = other.list(list);
  return TakeWindows(to, std::move(changed));
}

bool PutListAlong(Case& to, const Case& from, List list,
                  std::array<std::int64_t, 3> WindowAttributes::*member, std::size_t axis) {
  Call changed = to.calls.front();
  if (InfoOf(changed.op).windows != WindowRule::kFixed ||
      InfoOf(from.calls.front().op).windows != WindowRule::kFixed) {
    return false;
  }
  const auto own = ExpandAttributes(changed);
  const auto theirs = ExpandAttributes(from.calls.front());
  const std::size_t axes = SpatialRank(changed);
  if (!own || !theirs || axis + axes < 3) return false;
  Dims values(((*own).*member).end() - static_cast<std::ptrdiff_t>(axes), ((*own).*member).end());
  values[axis + axes - 3] = ((*theirs).*member)[axis];
  changed.list(list) = std::move(values);
  return TakeWindows(to, std::move(changed));
}

bool PutCeil(Case& to, const Case& from) {
  Call changed = to.calls.front();
  if (InfoOf(changed.op).windows != WindowRule::kFixed) return false;
  changed.ceil_mode = from.calls.front().ceil_mode;
  return TakeWindows(to, std::move(changed));
}

// Windows of the least length at even distances that give so many outputs: at least one.
void SetFixedWindows(Call& call, const Dims& in, const Dims& out) {
  Dims kernel;
  Dims stride;
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    const std::int64_t outputs = std::max<std::int64_t>(1, out[axis]);
    stride.push_back(std::max<std::int64_t>(1, in[axis] / outputs));
    kernel.push_back(in[axis] - (outputs - 1) * stride.back());
  }
  call.list(List::kPadding) = Dims(in.size(), 0);
  call.list(List::kDilation) = Dims(in.size(), 1);
  call.list(List::kKernelSize) = std::move(kernel);
  call.list(List::kStride) = std::move(stride);
}

// The operator, with an axis D of one element more or less, and windows that give the same outputs.
bool PutOperator(Case& to, const Case& from) {
  const Operator op = from.calls.front().op;
  Call call = to.calls.front();
  const OperatorInfo& own = InfoOf(call.op);
  const OperatorInfo& other = InfoOf(op);
  if (op == call.op || own.is_forward || other.is_forward || !IsRegular(call)) return false;
  const bool more = other.spatial_rank > own.spatial_rank;
  const bool less = other.spatial_rank < own.spatial_rank;
  const auto change = [&](Dims& values, std::size_t place, std::int64_t value) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
    if (more) values.insert(at, value);
    if (less) values.erase(at);
  };
  for (const Role role : own.tensors) {
    TensorSpec& tensor = call.tensor(role);
    if (tensor.shape.size() < SpatialRank(call) ||
        (!tensor.strides.empty() && tensor.strides.size() != tensor.shape.size())) {
      return false;
    }
    const std::size_t place = tensor.shape.size() - SpatialRank(call);
    if (less && tensor.shape[place] != 1) return false;
    if (more || less) tensor.format = Format::kNd;
    if (!tensor.strides.empty()) {
      std::int64_t step = 0;
      if (__builtin_mul_overflow(tensor.strides[place], tensor.shape[place], &step)) return false;
      change(tensor.strides, place, step);
    }
    change(tensor.shape, place, 1);
  }
  constexpr std::array<std::pair<List, std::int64_t>, 4> kPlain = {
      std::pair(List::kKernelSize, 1), std::pair(List::kStride, 1), std::pair(List::kPadding, 0),
      std::pair(List::kDilation, 1)};
  for (const auto& [list, value] : kPlain) {
    std::optional<Dims>& values = call.list(list);
    if (other.windows == WindowRule::kAdaptive) {
      values.reset();
    } else if (values && values->size() == SpatialRank(call) &&
               (more || values->front() == value)) {
      change(*values, 0, value);
    } else if (values && values->size() == 1 && more) {
      *values = {value, values->front(), values->front()};
    }
  }
  if (other.windows == WindowRule::kAdaptive) call.ceil_mode = false;
  call.op = op;
  if (own.windows == WindowRule::kAdaptive && other.windows == WindowRule::kFixed) {
    const Dims& self = call.tensor(Role::kSelf).shape;
    SetFixedWindows(call, {self.end() - other.spatial_rank, self.end()}, SpatialOutput(call));
  }
  call.tensor(Role::kIndices).type = from.calls.front().tensor(Role::kIndices).type;
  return Take(to, std::move(call));
}

// Types of the values all at once: calls in order have one type.
bool PutTypes(Case& to, const Case& from) {
  Call& call = to.calls.front();
  const Call& other = from.calls.front();
  for (const Role role : InfoOf(call.op).tensors) {
    if (role == Role::kIndices || call.tensor(role).null) continue;
    const Role theirs = HasRole(other, role) ? role : Role::kSelf;
    SetValueType(call.tensor(role), other.tensor(theirs).type);
  }
  return true;
}

bool PutType(Case& to, const Case& from, Role role) {
  if (!HasRole(to.calls.front(), role) || !HasRole(from.calls.front(), role)) return false;
  SetValueType(to.calls.front().tensor(role), from.calls.front().tensor(role).type);
  return true;
}

bool PutFormats(Case& to, const Case& from) {
  Call& call = to.calls.front();
  const Call& other = from.calls.front();
  const auto is_nhwc = [](const Call& of) {
    return std::any_of(of.tensors.begin(), of.tensors.end(), &IsNhwc);
  };
  const bool fits = call.tensor(Role::kSelf).shape.size() == other.tensor(Role::kSelf).shape.size();
  if (!fits || is_nhwc(call) || is_nhwc(other)) return false;
  for (const Role role : InfoOf(call.op).tensors) {
    const Role theirs = HasRole(other, role) ? role : Role::kSelf;
    if (!call.tensor(role).null) call.tensor(role).format = other.tensor(theirs).format;
  }
  return true;
}

// The order of the axes in memory, the innermost first, the step of the innermost, the offset and
// what the storage has beside the view.
bool PutLayout(Case& to, const Case& from, Role role) {
  if (!HasRole(to.calls.front(), role) || !HasRole(from.calls.front(), role)) return false;
  TensorSpec& tensor = to.calls.front().tensor(role);
  const TensorSpec& other = from.calls.front().tensor(role);
  const Dims theirs = StridesOf(other);
  if (IsNhwc(tensor) || IsNhwc(other) || theirs.size() != other.shape.size()) return false;
  const auto elements = CheckedNumel(other.shape);
  const auto storage = StorageElements(other);
  if (!elements || !storage || *elements < 1) return false;
  MakeContiguous(tensor);
  if (!IsPacked(other)) {
    if (tensor.shape.size() != other.shape.size()) return false;
    std::vector<std::size_t> order(theirs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return theirs[a] != theirs[b] ? theirs[a] < theirs[b] : a > b;
    });
    Dims strides(theirs.size(), 0);
    std::int64_t step = 0;
    for (const std::size_t axis : order) {
      if (theirs[axis] == 0 && other.shape[axis] > 1) continue;
      if (step == 0) step = std::max<std::int64_t>(1, theirs[axis]);
      strides[axis] = step;
      const std::int64_t extent = std::max<std::int64_t>(1, tensor.shape[axis]);
      if (__builtin_mul_overflow(step, extent, &step)) return false;
    }
    tensor.strides = std::move(strides);
  }
  tensor.offset = other.offset;
  if (!other.storage.empty()) {
    const auto reach = StorageElements(tensor);
    TensorSpec whole = other;
    whole.storage.clear();
    const auto needed = StorageElements(whole);
    if (reach && needed) {
      tensor.storage = {*reach + std::max<std::int64_t>(0, *storage - *needed)};
    }
  }
  return true;
}

bool PutData(Case& to, const Case& from, Role role) {
  if (!HasRole(to.calls.front(), role) || !HasRole(from.calls.front(), role)) return false;
  TensorSpec& tensor = to.calls.front().tensor(role);
  const TensorSpec& other = from.calls.front().tensor(role);
  const auto elements = CheckedNumel(tensor.shape);
  if (other.data.kind == DataKind::kLiteral || !elements) return false;
  tensor.data = other.data;
  ConvertData(tensor.data, other.type, tensor.type);
  std::erase_if(tensor.data.patches,
                [&](const Patch& patch) { return patch.position >= *elements; });
  return true;
}

bool PutNull(Case& to, const Case& from, Role role) {
  if (!TakesRole(to.calls.front(), role)) return false;
  to.calls.front().tensor(role).null = from.calls.front().tensor(role).null;
  return true;
}

std::vector<Graft> MakeGrafts() {
  std::vector<Graft> grafts;
  const auto add = [&](std::string name, auto put) {
    grafts.push_back({std::move(name), [put](Case& to, const Case& from) {
                        Case changed = to;
                        if (!put(changed, from)) return false;
                        to = std::move(changed);
                        return true;
                      }});
  };
  add("the operator", &PutOperator);
  add("the rank", &PutRank);
  struct Lists {
    List list;
    const char* name;
    std::array<std::int64_t, 3> WindowAttributes::*member;
  };
  const Lists lists[] = {{List::kKernelSize, "kernelSize", &WindowAttributes::kernel},
                         {List::kStride, "stride", &WindowAttributes::stride},
                         {List::kPadding, "padding", &WindowAttributes::padding},
                         {List::kDilation, "dilation", &WindowAttributes::dilation}};
  for (const Lists& row : lists) {
    add(row.name,
        [list = row.list](Case& to, const Case& from) { return PutList(to, from, list); });
    for (std::size_t axis = 0; axis < kAxisNames.size(); ++axis) {
      add(std::string(row.name) + " along " + kAxisNames[axis],
          [row, axis](Case& to, const Case& from) {
            return PutListAlong(to, from, row.list, row.member, axis);
          });
    }
  }
  add("ceilMode", &PutCeil);
  constexpr std::array<const char*, 5> kExtents = {"D", "H", "W", "N", "C"};
  for (std::size_t axis = 0; axis < kExtents.size(); ++axis) {
    add(kExtents[axis], [axis](Case& to, const Case& from) { return PutExtent(to, from, axis); });
  }
  for (std::size_t axis = 0; axis < kAxisNames.size(); ++axis) {
    add(std::string("output ") + kAxisNames[axis],
        [axis](Case& to, const Case& from) { return PutOutput(to, from, axis); });
  }
  add("the types of values", &PutTypes);
  add("the formats", &PutFormats);
  for (const Role role : {Role::kGradOutput, Role::kSelf, Role::kIndices, Role::kGradInput}) {
    const std::string name(RoleName(role));
    add("the type of " + name,
        [role](Case& to, const Case& from) { return PutType(to, from, role); });
    add("the layout of " + name,
        [role](Case& to, const Case& from) { return PutLayout(to, from, role); });
    grafts.back().layout = role;
    add("whether there is " + name,
        [role](Case& to, const Case& from) { return PutNull(to, from, role); });
    if (role == Role::kGradInput) continue;
    add("the data of " + name,
        [role](Case& to, const Case& from) { return PutData(to, from, role); });
    grafts.back().data = role;
  }
  for (const PlanMember& member : PlanMembers()) {
    if (!member.removable) continue;
    add("the plan's " + std::string(member.json_name), [&member](Case& to, const Case& from) {
      member.set(to.plan, member.get(from.plan));
      return true;
    });
  }
  return grafts;
}

}  // namespace

const std::vector<Graft>& Grafts() {
  static const std::vector<Graft> grafts = MakeGrafts();
  return grafts;
}

bool Mix(Case& to, const Case& from, int percent, RandomStream& random) {
  bool any = false;
  for (const Graft& graft : Grafts()) {
    if (static_cast<int>(random.Next() % 100) < percent) any = graft.put(to, from) || any;
  }
  return any;
}

}  // namespace poolproof
