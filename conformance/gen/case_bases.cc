// SPDX-License-Identifier: Apache-2.0
#include "conformance/gen/case_bases.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/random.h"

namespace poolproof {
namespace {

constexpr std::array kInt32Only = {DataType::kInt32};
constexpr std::array kBothIndexTypes = {DataType::kInt32, DataType::kInt64};

Call FixedBase(int variant) {
  constexpr DataType kIndex = DataType::kInt32;
  switch (variant) {
    case 0:
      return MakeFixedBackward(DataType::kFloat, kIndex, {1, 2, 5, 6, 7}, {3, 2, 4}, {2, 2, 3},
                               {1, 1, 2}, {1, 1, 1}, false);
    case 1:
      return MakeFixedBackward(DataType::kFloat16, kIndex, {2, 5, 6, 7}, {2, 3, 3}, {2, 1, 2},
                               {0, 1, 1}, {1}, true);
    case 2:
      return MakeFixedBackward(DataType::kBf16, kIndex, {2, 3, 4, 6, 5}, {2}, {}, {0}, {1}, false);
    default:
      return MakeFixedBackward(DataType::kFloat, kIndex, {3, 6, 6, 6}, {3}, {1}, {1}, {1, 1, 1},
                               true);
  }
}

Call AdaptiveBase(Operator op, int variant) {
  const bool is_3d = InfoOf(op).spatial_rank == 3;
  constexpr DataType kIndex = DataType::kInt32;
  switch (variant) {
    case 0:  // non-divisible, divisible and upsampled axes
      return is_3d ? MakeAdaptiveBackward(op, DataType::kFloat, kIndex, {1, 2, 5, 6, 4}, {2, 3, 7})
                   : MakeAdaptiveBackward(op, DataType::kFloat, kIndex, {1, 2, 5, 6}, {3, 8});
    case 1:
      return is_3d ? MakeAdaptiveBackward(op, DataType::kFloat16, kIndex, {2, 4, 6, 5}, {4, 4, 3})
                   : MakeAdaptiveBackward(op, DataType::kFloat16, kIndex, {3, 6, 7}, {4, 5});
    case 2:
      return is_3d ? MakeAdaptiveBackward(op, DataType::kBf16, kIndex, {2, 3, 4, 6, 9}, {2, 3, 3})
                   : MakeAdaptiveBackward(op, DataType::kBf16, kIndex, {2, 3, 4, 9}, {2, 3});
    default:
      return is_3d ? MakeAdaptiveBackward(op, DataType::kFloat, kIndex, {3, 2, 3, 5}, {5, 1, 5})
                   : MakeAdaptiveBackward(op, DataType::kFloat, kIndex, {2, 3, 5}, {7, 2});
  }
}

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

}  // namespace

Call BaseCall(Operator op, int variant) {
  return InfoOf(op).is_adaptive ? AdaptiveBase(op, variant) : FixedBase(variant);
}

bool ClauseApplies(const Spec& spec, Profile profile, Operator op, std::string_view number) {
  const Clause* clause =
      spec.Find(std::string(InfoOf(op).clause_prefix) + "-" + std::string(number));
  return clause != nullptr && clause->AppliesTo(profile);
}

bool IsCovered(const Spec& spec, Profile profile, Operator op) {
  return ClauseApplies(spec, profile, op, "S01");
}

std::span<const DataType> IndexTypes(const Spec& spec, Profile profile, Operator op) {
  if (ClauseApplies(spec, profile, op, "B24")) return kBothIndexTypes;
  return kInt32Only;
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

void SetGradientType(Call& call, DataType type) {
  for (const Role role : {Role::kGradOutput, Role::kSelf, Role::kGradInput}) {
    call.tensor(role).type = type;
  }
}

void SetOutputShape(Call& call, const Dims& shape) {
  call.tensor(Role::kGradOutput).shape = shape;
  call.tensor(Role::kIndices).shape = shape;
}

std::string_view LayoutName(Layout layout) {
  constexpr std::array<std::string_view, kLayouts.size()> kNames = {
      "channels-last", "transposed", "reversed",         "gaps",
      "padded-rows",   "offset",     "size-one-strides", "broadcast"};
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
