// SPDX-License-Identifier: Apache-2.0
#include "conformance/gen/case_bases.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/random.h"

namespace poolproof {
namespace {

// Strides of a storage in which axes vary from slowest to fastest in the given order, with
// `row_gap` unused elements after each run of the fastest axis.
Dims StridesInOrder(const Dims& shape, const std::vector<std::size_t>& order,
                    std::int64_t row_gap) {
  Dims strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= std::max<std::int64_t>(shape[order[i]], 1);
    if (i + 1 == order.size()) step += row_gap;
  }
  return strides;
}

// Contiguous strides where those of axes of extent 1, which are free, do not overflow.
void SetStridesWithoutOverflow(TensorSpec& tensor) {
  tensor.strides.assign(tensor.shape.size(), 1);
  tensor.storage = tensor.shape;
  std::int64_t step = 1;
  for (std::size_t axis = tensor.shape.size(); axis-- > 0;) {
    if (tensor.shape[axis] == 1) continue;
    tensor.strides[axis] = step;
    if (__builtin_mul_overflow(step, tensor.shape[axis], &step)) step = 1;
  }
}

// Every other element, and the next axis that has two by an odd step no longer than the first is
// long: no two elements meet, and no axis' stride exceeds what the shorter ones reach. Contiguous
// where there are no two such axes.
Dims InterleavedStrides(const Dims& shape) {
  std::size_t row = shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] >= 3) row = axis;
  }
  std::size_t next = shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis != row && shape[axis] >= 2) next = axis;
  }
  if (row == shape.size() || next == shape.size()) return ContiguousStrides(shape);
  Dims strides(shape.size(), 1);
  strides[row] = 2;
  strides[next] = shape[row] | 1;
  std::int64_t step = 1 + 2 * (shape[row] - 1) + strides[next] * (shape[next] - 1);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (axis == row || axis == next) continue;
    strides[axis] = step;
    step *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

}  // namespace

Call BaseCall(const ProfileRules& rules, Operator op, int variant) {
  const BaseGeometry& geometry = InfoOf(op).bases[static_cast<std::size_t>(variant)];
  const DataType type = rules.TakesValues(op, geometry.type) ? geometry.type : DataType::kFloat;
  return MakeBackward(op, type, DataType::kInt32, geometry);
}

Call PlaneCall(Operator op, DataType type, DataType index_type, const Dims& plane, bool high_rank) {
  Dims self(high_rank ? 2 : 1, 1);
  self.insert(self.end(), plane.begin(), plane.end());
  const Dims ones(plane.size(), 1);
  Call call = MakeBackward(op, type, index_type,
                           {.self = std::move(self),
                            .kernel = {1},
                            .stride = plane,
                            .padding = {0},
                            .dilation = {1},
                            .output = ones});
  for (const Role role : {Role::kSelf, Role::kGradInput}) {
    if (!CheckedNumel(call.tensor(role).shape).has_value()) {
      SetStridesWithoutOverflow(call.tensor(role));
    }
  }
  return call;
}

std::vector<Dims> PlanesAtLimit(int spatial_rank) {
  if (spatial_rank == 2) {
    return {{kTwo31 - 1, 1}, {1, kTwo31 - 1}, {46340, 46340}, {65536, 32767}};
  }
  return {{kTwo31 - 1, 1, 1}, {1, kTwo31 - 1, 1}, {1, 1, kTwo31 - 1},
          {46340, 46340, 1},  {1290, 1290, 1290}, {1, 65536, 32767}};
}

DataType NarrowType(const ProfileRules& rules, Operator op) {
  return rules.TakesValues(op, DataType::kFloat16) ? DataType::kFloat16 : DataType::kFloat;
}

void SeedData(Call& call, std::uint64_t seed) {
  const OperatorInfo& info = InfoOf(call.op);
  for (const Role role : info.tensors) {
    if (!IsOutput(info, role)) call.tensor(role).data.seed = seed;
  }
}

std::uint64_t SeedOfName(std::string_view name) {
  std::uint64_t seed = name.size();
  for (const char c : name) seed = Scramble(seed * 31 + static_cast<unsigned char>(c));
  return seed % 1000000;  // short in a case line
}

std::string ClauseOfName(const Spec& spec, std::string_view name) {
  const std::string_view id = name.substr(0, name.find('/'));
  return spec.Find(id) != nullptr ? std::string(id) : std::string();
}

void GiveMagnitudes(Call& call) {
  TensorSpec& gradients = call.tensor(Role::kGradOutput);
  if (gradients.data.kind != DataKind::kExact) return;
  if (!IsInjective(gradients.shape, StridesOf(gradients))) return;
  gradients.data.kind = DataKind::kMagnitudes;
}

void SetGradientType(Call& call, DataType type) {
  for (const Role role : GradientRoles()) {
    call.tensor(role).type = type;
  }
}

void SetOutputShape(Call& call, const Dims& shape) {
  call.tensor(Role::kGradOutput).shape = shape;
  call.tensor(Role::kIndices).shape = shape;
}

std::string_view LayoutName(Layout layout) {
  constexpr std::array<std::string_view, kLayouts.size()> kNames = {
      "channels-last", "transposed",       "reversed",    "gaps",     "padded-rows",
      "offset",        "size-one-strides", "interleaved", "broadcast"};
  return kNames[static_cast<std::size_t>(layout)];
}

void ApplyLayout(TensorSpec& tensor, Layout layout, int spatial_rank) {
  const std::size_t rank = tensor.shape.size();
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t channel = rank - static_cast<std::size_t>(spatial_rank) - 1;
  switch (layout) {
    case Layout::kChannelsLast:
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(channel));
      order.push_back(channel);
      tensor.strides = StridesInOrder(tensor.shape, order, 0);
      break;
    case Layout::kTransposed:
      std::swap(order[rank - 1], order[rank - 2]);
      tensor.strides = StridesInOrder(tensor.shape, order, 0);
      break;
    case Layout::kReversed:
      std::reverse(order.begin(), order.end());
      tensor.strides = StridesInOrder(tensor.shape, order, 0);
      break;
    case Layout::kGaps:
    case Layout::kOffset:
      tensor.strides = ContiguousStrides(tensor.shape);
      for (std::int64_t& stride : tensor.strides) stride *= 2;
      if (layout == Layout::kOffset) {
        tensor.offset = 3;
        const Reach reach = ViewReach(tensor.shape, tensor.strides, tensor.offset).value();
        tensor.storage = {reach.last + 6};
      }
      break;
    case Layout::kPaddedRows:
    case Layout::kSizeOneStrides:
      tensor.strides = StridesInOrder(tensor.shape, order, 3);
      if (layout == Layout::kPaddedRows) break;
      for (std::size_t axis = 0; axis < rank; ++axis) {
        if (tensor.shape[axis] == 1) tensor.strides[axis] = 1001;
      }
      break;
    case Layout::kInterleaved:
      tensor.strides = InterleavedStrides(tensor.shape);
      break;
    case Layout::kBroadcast: {
      const auto longest = static_cast<std::size_t>(
          std::max_element(tensor.shape.begin(), tensor.shape.end()) - tensor.shape.begin());
      Dims packed = tensor.shape;
      packed[longest] = 1;
      tensor.strides = ContiguousStrides(packed);
      tensor.strides[longest] = 0;
      break;
    }
  }
}

}  // namespace poolproof
