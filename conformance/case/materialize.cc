// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/materialize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "conformance/case/windows.h"
#include "core/float_bits.h"
#include "core/random.h"

namespace poolproof {
namespace {

double RandomUniform(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(RandomBits(seed, index) >> 11) * 0x1p-52 - 1.0;
}

// --- Contributions per destination ---------------------------------------------------------------

// For each element its rank among those with the same destination, and their number.
struct Multiplicity {
  const std::vector<std::int64_t>* destination = nullptr;
  std::vector<std::int64_t> rank;
  std::vector<std::int64_t> count;
};

Multiplicity CountDestinations(const std::vector<std::int64_t>& indices, std::int64_t per_plane) {
  const std::size_t size = indices.size();
  Multiplicity result{&indices, std::vector<std::int64_t>(size), std::vector<std::int64_t>(size)};
  const auto plane_elements = static_cast<std::size_t>(std::max<std::int64_t>(per_plane, 1));
  std::vector<std::size_t> order;
  std::vector<std::int64_t> seen;  // gradients by index, from the lowest one
  constexpr std::uint64_t kFewTimes = 8;
  for (std::size_t begin = 0; begin < size; begin += plane_elements) {
    const std::size_t end = std::min(begin + plane_elements, size);
    const auto [low, high] =
        std::minmax_element(indices.begin() + static_cast<std::ptrdiff_t>(begin),
                            indices.begin() + static_cast<std::ptrdiff_t>(end));
    const std::int64_t first = *low;
    const std::uint64_t range =
        static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(first);
    if (range < kFewTimes * (end - begin)) {
      seen.assign(range + 1, 0);
      for (std::size_t i = begin; i < end; ++i) {
        result.rank[i] = seen[static_cast<std::size_t>(indices[i] - first)]++;
      }
      for (std::size_t i = begin; i < end; ++i) {
        result.count[i] = seen[static_cast<std::size_t>(indices[i] - first)];
      }
      continue;
    }
    order.resize(end - begin);
    std::iota(order.begin(), order.end(), begin);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return indices[a] < indices[b]; });
    for (std::size_t i = 0; i < order.size();) {
      std::size_t last = i;
      while (last < order.size() && indices[order[last]] == indices[order[i]]) ++last;
      for (std::size_t k = i; k < last; ++k) {
        result.rank[order[k]] = static_cast<std::int64_t>(k - i);
        result.count[order[k]] = static_cast<std::int64_t>(last - i);
      }
      i = last;
    }
  }
  return result;
}

// --- Values --------------------------------------------------------------------------------------

// Exponent of the quantum of exact data: the budget 2^precision * quantum stays finite and the
// quantum normal, so that flushing cannot act and no order of summation rounds (numerics E2).
int QuantumExponent(const FloatTraits& traits, std::uint64_t seed) {
  const int low = std::max(traits.min_exponent, -24);
  const int high = std::min(traits.max_exponent - traits.precision, 24);
  return low + static_cast<int>(
                   RandomBelow(seed, 0x5155414eULL, static_cast<std::uint64_t>(high - low + 1)));
}

// A quantum, and the bits of the greatest sum in it.
struct Quantum {
  int exponent;
  int bits;
};

// By classes of magnitude. Sums of the first stay subnormal, those of the last finite; no
// difference of normal numbers is subnormal.
Quantum QuantumOfMagnitude(const FloatTraits& traits, std::uint64_t magnitude) {
  const int largest = traits.max_exponent - traits.precision;
  switch (magnitude % 5) {
    case 0:
      return {traits.min_exponent - (traits.precision - 1), traits.precision - 2};
    case 1:
      return {traits.min_exponent, traits.precision};
    case 2:
      return {1 - traits.precision, traits.precision};
    case 3:
      return {largest - (traits.max_exponent - traits.min_exponent) / 8, traits.precision};
    default:
      return {largest, traits.precision};
  }
}

double ExactValue(int budget_bits, std::uint64_t seed, std::size_t i, std::int64_t rank,
                  std::int64_t count) {
  const std::int64_t budget = std::int64_t{1} << budget_bits;
  std::int64_t cap = count == 1 ? budget : budget / count;
  if (cap == 0) cap = rank < budget ? 1 : 0;
  if (cap == 0) return 0.0;
  const std::uint64_t bits = RandomBits(seed, i);
  const auto magnitude =
      1 + static_cast<std::int64_t>(
              RandomBelow(seed, ~static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(cap)));
  return (bits & 1U) != 0 ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
}

// As many powers of two as the smallest significand adds up without rounding, bf16's.
constexpr std::size_t kPowersPeriod = 8;

// Sign, exponent and fraction of numbers drawn bit by bit.
struct BitFields {
  explicit BitFields(DataType type)
      : sign_at(StorageBytes(type) * 8 - 1), stored(TraitsOf(type).precision - 1) {}
  [[nodiscard]] std::uint32_t Sign(std::uint64_t random) const {
    return static_cast<std::uint32_t>((random >> 63) << sign_at);
  }
  [[nodiscard]] std::uint32_t Fraction(std::uint64_t random) const {
    return static_cast<std::uint32_t>(random & ((1U << stored) - 1U));
  }
  int sign_at;
  int stored;
};

// Writes what `value_of` says of each element's number.
template <typename ValueOf>
void FillEach(std::vector<std::uint32_t>& values, const ValueOf& value_of) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(i);
}

void FillValues(const Data& data, DataType type, std::uint64_t seed,
                const Multiplicity* multiplicity, std::vector<std::uint32_t>& values) {
  const FloatTraits& traits = TraitsOf(type);
  const BitFields fields(type);
  const double quantum = std::ldexp(1.0, QuantumExponent(traits, seed));
  const auto rank_of = [&](std::size_t i) {
    return multiplicity != nullptr ? multiplicity->rank[i] : 0;
  };
  const auto count_of = [&](std::size_t i) {
    return multiplicity != nullptr ? multiplicity->count[i] : 1;
  };
  switch (data.kind) {
    case DataKind::kUniform:
      return FillEach(values,
                      [&](std::size_t i) { return EncodeFloat(RandomUniform(seed, i), type); });
    case DataKind::kWide: {
      // The top six binades stay free, so that a few dozen coinciding gradients cannot overflow.
      const auto exponents =
          static_cast<std::uint64_t>(traits.max_exponent - 6 - traits.min_exponent + 1);
      return FillEach(values, [&](std::size_t i) {
        const std::uint64_t random = RandomBits(seed, i);
        const auto exponent = static_cast<std::uint32_t>(1 + RandomBelow(seed, ~i, exponents));
        return fields.Sign(random) | (exponent << fields.stored) | fields.Fraction(random);
      });
    }
    case DataKind::kSubnormal:
      return FillEach(values, [&](std::size_t i) {
        const std::uint64_t random = RandomBits(seed, i);
        return fields.Sign(random) | std::max(fields.Fraction(random), 1U);
      });
    case DataKind::kTies:
      return FillEach(values, [&](std::size_t i) {
        return EncodeFloat(static_cast<double>(RandomBits(seed, i) % 3) - 1.0, type);
      });
    case DataKind::kConstant: {
      const std::uint64_t bits = data.literal.empty() ? 0 : data.literal.front();
      return std::fill(values.begin(), values.end(), static_cast<std::uint32_t>(bits));
    }
    case DataKind::kLiteral:
      return FillEach(values,
                      [&](std::size_t i) { return static_cast<std::uint32_t>(data.literal[i]); });
    case DataKind::kExact:
      return FillEach(values, [&](std::size_t i) {
        const double units = ExactValue(traits.precision, seed, i, rank_of(i), count_of(i));
        return EncodeFloat(units * quantum, type);
      });
    case DataKind::kMagnitudes:
      return FillEach(values, [&](std::size_t i) {
        const std::uint64_t place =
            multiplicity != nullptr ? static_cast<std::uint64_t>((*multiplicity->destination)[i])
                                    : i;
        const Quantum own = QuantumOfMagnitude(traits, seed % 5 + place % 5);
        const double units = ExactValue(own.bits, seed, i, rank_of(i), count_of(i));
        return EncodeFloat(std::ldexp(units, own.exponent), type);
      });
    case DataKind::kCoded:
      return FillEach(values, [&](std::size_t i) {
        // One bit stays free, so that doubling the highest contribution is representable too.
        const std::int64_t rank = rank_of(i);
        if (rank >= traits.precision - 1) return 0U;
        return EncodeFloat(static_cast<double>(1ULL << rank) * quantum, type);
      });
    case DataKind::kPowers:
      return FillEach(values, [&](std::size_t i) {
        return EncodeFloat(static_cast<double>(1U << i % kPowersPeriod), type);
      });
    default:
      return;
  }
}

Status CheckLiteral(const Data& data, std::size_t numel, std::string_view what) {
  if (data.kind == DataKind::kLiteral && data.literal.size() != numel) {
    return InvalidArgument(std::string(what) + " has " + std::to_string(data.literal.size()) +
                           " literal elements, expected " + std::to_string(numel));
  }
  for (const Patch& patch : data.patches) {
    if (patch.position < 0 || patch.position >= static_cast<std::int64_t>(numel)) {
      return InvalidArgument(std::string(what) + " has a patch at element " +
                             std::to_string(patch.position) + ", expected 0.." +
                             std::to_string(static_cast<std::int64_t>(numel) - 1));
    }
  }
  return OkStatus();
}

std::vector<std::uint32_t> MakeValues(const TensorSpec& tensor, Role role, std::size_t numel,
                                      const Multiplicity* multiplicity) {
  std::vector<std::uint32_t> values(numel);
  FillValues(tensor.data, tensor.type, StreamSeed(tensor.data, role), multiplicity, values);
  for (const Patch& patch : tensor.data.patches) {
    values[static_cast<std::size_t>(patch.position)] = static_cast<std::uint32_t>(patch.bits);
  }
  return values;
}

// --- Indices -------------------------------------------------------------------------------------

// First maximum in D,H,W order; a NaN wins over everything, the last NaN over earlier ones.
std::int64_t ArgmaxOf(const Windows& windows, const std::array<WindowSpan, 3>& span,
                      const std::uint32_t* plane, DataType type) {
  std::int64_t best = -1;
  double best_value = 0;
  for (std::int64_t d = span[0].first; d < span[0].end; d += span[0].step) {
    for (std::int64_t h = span[1].first; h < span[1].end; h += span[1].step) {
      for (std::int64_t w = span[2].first; w < span[2].end; w += span[2].step) {
        const std::int64_t flat = windows.Flat(d, h, w);
        const double value = DecodeFloat(plane[flat], type);
        if (best < 0 || value > best_value || std::isnan(value)) {
          best = flat;
          best_value = value;
        }
      }
    }
  }
  return best;
}

// A position of the plane that all windows of it name, or the nearest of their own to it.
std::array<std::int64_t, 3> SharedTarget(const Windows& windows, std::uint64_t seed,
                                         std::int64_t plane) {
  const auto target = static_cast<std::int64_t>(RandomBelow(
      seed, ~static_cast<std::uint64_t>(plane), static_cast<std::uint64_t>(windows.PlaneSize())));
  return {target / (windows.input[1] * windows.input[2]),
          target / windows.input[2] % windows.input[1], target % windows.input[2]};
}

// The index that window `span` of output `element`, counted over all planes, names.
std::int64_t IndexOf(const Windows& windows, DataKind kind, std::uint64_t seed,
                     const std::array<std::int64_t, 3>& shared,
                     const std::array<WindowSpan, 3>& span, std::uint64_t element) {
  std::array<std::int64_t, 3> at{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t count = span[axis].size();
    std::int64_t step = 0;
    switch (kind) {
      case DataKind::kWindow:
        step = static_cast<std::int64_t>(
            RandomBelow(seed, element * 3 + axis, static_cast<std::uint64_t>(count)));
        break;
      case DataKind::kLast:
        step = count - 1;
        break;
      case DataKind::kShared:
        step = std::clamp<std::int64_t>((shared[axis] - span[axis].first) / span[axis].step, 0,
                                        count - 1);
        break;
      default:
        break;
    }
    at[axis] = span[axis].first + step * span[axis].step;
  }
  return windows.Flat(at[0], at[1], at[2]);
}

// Calls `work` for each window of a plane, in the order of outputs.
template <typename Work>
void ForEachWindow(const Windows& windows, const Work& work) {
  for (const WindowSpan& d : windows.spans[0]) {
    for (const WindowSpan& h : windows.spans[1]) {
      for (const WindowSpan& w : windows.spans[2]) work(std::array<WindowSpan, 3>{d, h, w});
    }
  }
}

std::vector<std::int64_t> MakeIndices(const Call& call, std::size_t numel,
                                      const std::vector<std::uint32_t>& self) {
  const TensorSpec& indices = call.tensor(Role::kIndices);
  const Data& data = indices.data;
  std::vector<std::int64_t> result(numel, 0);
  const std::uint64_t seed = StreamSeed(data, Role::kIndices);
  if (data.kind == DataKind::kLiteral || data.kind == DataKind::kConstant) {
    for (std::size_t i = 0; i < numel; ++i) {
      const std::size_t from = data.kind == DataKind::kLiteral ? i : 0;
      if (from < data.literal.size()) result[i] = static_cast<std::int64_t>(data.literal[from]);
    }
  } else if (data.kind == DataKind::kPlane) {
    const std::int64_t plane =
        PlaneElements(call.tensor(Role::kSelf).shape, InfoOf(call.op).spatial_rank).value_or(0);
    for (std::size_t i = 0; i < numel && plane > 0; ++i) {
      result[i] =
          static_cast<std::int64_t>(RandomBelow(seed, i, static_cast<std::uint64_t>(plane)));
    }
  } else if (data.kind != DataKind::kZero) {
    // Where operands do not fit together no window is defined; index 0 lies in every plane.
    const std::optional<Windows> windows = WindowsOf(call);
    const bool argmax = data.kind == DataKind::kArgmax;
    if (windows.has_value() && (!argmax || !self.empty())) {
      const DataType type = call.tensor(Role::kSelf).type;
      std::size_t element = 0;
      for (std::int64_t plane = 0; plane < windows->planes; ++plane) {
        const std::uint32_t* const values =
            argmax ? self.data() + plane * windows->PlaneSize() : nullptr;
        const std::array<std::int64_t, 3> shared = SharedTarget(*windows, seed, plane);
        ForEachWindow(*windows, [&](const std::array<WindowSpan, 3>& span) {
          result[element] = argmax ? ArgmaxOf(*windows, span, values, type)
                                   : IndexOf(*windows, data.kind, seed, shared, span, element);
          ++element;
        });
      }
    }
  }
  for (const Patch& patch : data.patches) {
    result[static_cast<std::size_t>(patch.position)] = static_cast<std::int64_t>(patch.bits);
  }
  return result;
}

// --- Storage -------------------------------------------------------------------------------------

Status CheckStorage(const TensorSpec& tensor, std::string_view name) {
  const std::optional<std::int64_t> numel = CheckedNumel(tensor.shape);
  const std::optional<std::int64_t> elements = StorageElements(tensor);
  const std::int64_t bytes_each = StorageBytes(tensor.type);
  if (!numel.has_value() || !elements.has_value() || *elements > kMaxStorageBytes / bytes_each ||
      *numel > kMaxStorageBytes / bytes_each) {
    return InvalidArgument(
        std::string(name) + " " + DimsText(tensor.shape) +
        " needs more storage than the limit of " + std::to_string(kMaxStorageBytes) +
        " bytes, or a negative one; expected a smaller tensor or |run:descriptors");
  }
  if (*numel == 0) return OkStatus();
  const std::optional<Reach> reach = ViewReach(tensor.shape, StridesOf(tensor), tensor.offset);
  if (!reach.has_value() || reach->first < 0 || reach->last >= *elements) {
    return InvalidArgument("the view of " + std::string(name) + " leaves its storage of " +
                           std::to_string(*elements) + " elements");
  }
  return OkStatus();
}

// Writes `values` (low bytes of each) through the view into storage, then reads them back, since
// elements of an overlapping view share storage.
template <typename T>
void Scatter(const TensorSpec& tensor, std::vector<T>& values, std::vector<std::byte>& storage) {
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  const Dims strides = StridesOf(tensor);
  const std::size_t copied = std::min(width, sizeof(T));
  ForEachOffset(tensor.shape, strides, tensor.offset, [&](std::int64_t i, std::int64_t at) {
    std::memcpy(storage.data() + static_cast<std::size_t>(at) * width,
                &values[static_cast<std::size_t>(i)], copied);
  });
  if (IsInjective(tensor.shape, strides)) return;
  ForEachOffset(tensor.shape, strides, tensor.offset, [&](std::int64_t i, std::int64_t at) {
    T value = 0;
    std::memcpy(&value, storage.data() + static_cast<std::size_t>(at) * width, copied);
    if (std::numeric_limits<T>::is_signed && width == 4 && sizeof(T) == 8) {
      value = static_cast<T>(static_cast<std::int32_t>(value));
    }
    values[static_cast<std::size_t>(i)] = value;
  });
}

}  // namespace

std::uint64_t StreamSeed(const Data& data, Role role) {
  return Scramble(data.seed * 0x2545f4914f6cdd1dULL + static_cast<std::uint64_t>(role) + 1);
}

Result<MaterializedCall> MaterializeCall(const Call& call, const CallPlan& plan) {
  MaterializedCall result;
  const OperatorInfo& info = InfoOf(call.op);
  for (const Role role : info.tensors) {
    if (Status status = CheckStrides(call.tensor(role), RoleName(role)); !status.ok()) {
      return status;
    }
  }
  if (plan.descriptors_only) return result;
  for (const Role role : info.tensors) {
    const TensorSpec& tensor = call.tensor(role);
    if (tensor.null) continue;
    Status status = CheckStorage(tensor, RoleName(role));
    if (!status.ok()) return status;
    const auto bytes = static_cast<std::size_t>(*StorageElements(tensor)) *
                       static_cast<std::size_t>(StorageBytes(tensor.type));
    std::vector<std::byte>& storage = result.storage[static_cast<std::size_t>(role)];
    storage.assign(bytes, kGapByte);
    if (IsOutput(info, role)) {
      FillOutput(tensor.shape, tensor.strides, tensor.offset,
                 static_cast<std::size_t>(StorageBytes(tensor.type)), plan.output, storage);
    }
  }
  const auto storage = [&](Role role) -> std::vector<std::byte>& {
    return result.storage[static_cast<std::size_t>(role)];
  };
  const auto numel = [&](Role role) {
    return static_cast<std::size_t>(CheckedNumel(call.tensor(role).shape).value_or(0));
  };

  const TensorSpec& self = call.tensor(Role::kSelf);
  std::vector<std::uint32_t> self_values;
  if (!self.null && IsGradientType(self.type)) {
    Status status = CheckLiteral(self.data, numel(Role::kSelf), "self");
    if (!status.ok()) return status;
    const TensorSpec& indices = call.tensor(Role::kIndices);
    const bool values_needed = info.is_forward || indices.data.kind == DataKind::kArgmax;
    if (!IsInjective(self.shape, StridesOf(self)) && !values_needed) {
      // A stride-0 view may be far larger than its storage: fill the storage alone.
      TensorSpec flat = MakeTensor(self.type, {*StorageElements(self)});
      flat.data = self.data;
      flat.data.patches.clear();
      if (flat.data.kind == DataKind::kLiteral) flat.data.kind = DataKind::kUniform;
      std::vector<std::uint32_t> values =
          MakeValues(flat, Role::kSelf, static_cast<std::size_t>(flat.shape[0]), nullptr);
      Scatter(flat, values, storage(Role::kSelf));
    } else {
      self_values = MakeValues(self, Role::kSelf, numel(Role::kSelf), nullptr);
      Scatter(self, self_values, storage(Role::kSelf));
    }
  }
  if (info.is_forward) return result;

  const TensorSpec& indices = call.tensor(Role::kIndices);
  if (!indices.null && IsIndexType(indices.type)) {
    Status status = CheckLiteral(indices.data, numel(Role::kIndices), "indices");
    if (!status.ok()) return status;
    result.indices = MakeIndices(call, numel(Role::kIndices), self_values);
    Scatter(indices, result.indices, storage(Role::kIndices));
  }
  const TensorSpec& grad_output = call.tensor(Role::kGradOutput);
  if (!grad_output.null && IsGradientType(grad_output.type)) {
    const std::size_t size = numel(Role::kGradOutput);
    Status status = CheckLiteral(grad_output.data, size, "gradOutput");
    if (!status.ok()) return status;
    std::optional<Multiplicity> multiplicity;
    const DataKind kind = grad_output.data.kind;
    const bool counted =
        kind == DataKind::kExact || kind == DataKind::kCoded || kind == DataKind::kMagnitudes;
    if (counted && result.indices.size() == size) {
      multiplicity = CountDestinations(
          result.indices, PlaneElements(grad_output.shape, info.spatial_rank).value_or(0));
    }
    result.grad_output = MakeValues(grad_output, Role::kGradOutput, size,
                                    multiplicity.has_value() ? &*multiplicity : nullptr);
    Scatter(grad_output, result.grad_output, storage(Role::kGradOutput));
  }
  return result;
}

Result<Materialized> Materialize(const Case& problem) {
  Materialized result;
  for (std::size_t i = 0; i < problem.calls.size(); ++i) {
    Result<MaterializedCall> call = MaterializeCall(problem.calls[i], problem.plan);
    if (!call.ok()) {
      return problem.calls.size() == 1 ? call.status()
                                       : call.status().Annotate("call " + std::to_string(i + 1));
    }
    result.calls.push_back(std::move(call).value());
  }
  return result;
}

bool IndicesLeavePlane(const Case& problem, const Materialized& data) {
  if (problem.plan.descriptors_only) return false;
  for (std::size_t i = 0; i < problem.calls.size(); ++i) {
    const Call& call = problem.calls[i];
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
