// SPDX-License-Identifier: Apache-2.0
#include "conformance/circumstance/data_facts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "conformance/case/materialize.h"
#include "conformance/case/windows.h"
#include "conformance/circumstance/circumstances.h"
#include "core/float_bits.h"
#include "core/shape.h"

namespace poolproof {
namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 20;

const TensorSpec* GivenOperand(const Call& call, Role role) {
  const TensorSpec& tensor = call.tensor(role);
  return tensor.null ? nullptr : &tensor;
}

constexpr int kStoredBits = std::numeric_limits<double>::digits - 1;

// Of a number of a gradient type, finite and not zero, which as a double is normal.
int ExponentOf(double value) {
  constexpr int kBias = std::numeric_limits<double>::max_exponent - 1;
  return static_cast<int>((std::bit_cast<std::uint64_t>(value) >> kStoredBits) & 0x7ffU) - kBias;
}

// Bits of its significand from the first one, which is hidden, to the last one that is set.
std::int64_t SignificantBits(double value) {
  const std::uint64_t hidden = std::uint64_t{1} << kStoredBits;
  return kStoredBits + 1 - std::countr_zero(std::bit_cast<std::uint64_t>(value) | hidden);
}

// What meets in one cell.
struct Meeting {
  std::int64_t plane = 0;
  std::int64_t count = 0;
  std::int64_t last = 0;
  int least = 0;
  int most = 0;
  bool finite = false;
  bool nan = false;
  bool plus = false;
  bool minus = false;
  bool zero = false;
  bool exact = true;  // `sum` is the sum
  double sum = 0;
  double magnitude = 0;  // sum of the absolute values
  double smallest = 0;   // absolute value, except for zero
  int last_bit = 0;      // exponent of the lowest bit that is set in one of them

  // `lowest`: exponent of the value's lowest bit.
  void Add(double value, int lowest) {
    if (value != 0) {
      const double size = std::fabs(value);
      last_bit = magnitude == 0 ? lowest : std::min(last_bit, lowest);
      smallest = magnitude == 0 ? size : std::min(smallest, size);
      magnitude += size;
    }
    const double next = sum + value;
    const double own = next - sum;
    exact = exact && next - own == sum && own == value;
    sum = next;
  }
};

// Whether sums in the type, in some order, may be as far off as the loss of one gradient puts them.
bool Hides(const Meeting& cell, DataType type) {
  if (cell.count < 2 || cell.magnitude == 0) return false;
  const int bits = TraitsOf(type).precision;
  if (cell.magnitude <= std::ldexp(1.0, cell.last_bit + bits))
    return false;  // every order is exact
  return static_cast<double>(cell.count) * std::ldexp(cell.magnitude, -bits) >= cell.smallest;
}

// Whether a gradient of the cell that gets lost or changed hardly shows: zeros are like lost ones,
// subnormal ones may count as zero, and beside NaNs and infinities there are no numbers.
bool IsSpecial(const Meeting& cell, DataType type) {
  const bool overflows = std::fabs(cell.sum) > TraitsOf(type).max_finite;
  return overflows || cell.zero || cell.nan || cell.plus || cell.minus ||
         (cell.finite && cell.least < TraitsOf(type).min_exponent);
}

// Whether each cell of each plane gets the same sum, so that none that arrives in a wrong cell
// shows. `cells` are those that an index names, plane by plane.
bool HidesMoves(const std::vector<Meeting>& cells, std::int64_t planes, std::int64_t plane_size) {
  if (plane_size < 2 || std::ssize(cells) != planes * plane_size) return false;
  const auto differ = [](const Meeting& a, const Meeting& b) {
    return a.plane == b.plane && (a.nan != b.nan || a.plus != b.plus || a.minus != b.minus ||
                                  (!a.nan && !a.plus && !a.minus && a.sum != b.sum));
  };
  return std::adjacent_find(cells.begin(), cells.end(), differ) == cells.end();
}

// Whether an output of the first half of a plane and the one half a plane behind it name one cell.
bool HalfApart(const std::vector<std::int64_t>& indices, std::int64_t outputs) {
  const auto half = static_cast<std::size_t>(outputs / 2);
  for (std::size_t i = 0; i + half < indices.size(); ++i) {
    if (half > 0 && i % static_cast<std::size_t>(outputs) < half &&
        indices[i] == indices[i + half]) {
      return true;
    }
  }
  return false;
}

// Adds what happens to a finite sum that is stored.
void AddSum(const Meeting& cell, DataType type, CellFacts& facts) {
  if (cell.nan || cell.plus || cell.minus || !std::isfinite(cell.sum)) return;
  const std::uint32_t bits = EncodeFloat(cell.sum, type);
  const double stored = DecodeFloat(bits, type);
  if (cell.exact && stored == cell.sum) {
    if (cell.sum != 0 && std::ilogb(cell.sum) < TraitsOf(type).min_exponent) {
      facts.sum_subnormal = true;
    }
    return;
  }
  facts.sum_rounded = true;
  if (std::isinf(stored)) {
    facts.sum_overflows = true;
    return;
  }
  if (cell.sum != 0 && std::ilogb(cell.sum) < TraitsOf(type).min_exponent) {
    facts.sum_subnormal = true;
  }
  const bool below = std::fabs(stored) < std::fabs(cell.sum);
  if (!below && stored == 0) return;
  const double other = DecodeFloat(below ? bits + 1 : bits - 1, type);
  if (!cell.exact || stored == cell.sum) return;
  const double beside = std::fabs((other - cell.sum) - (cell.sum - stored));
  if (beside == 0) {
    facts.sum_tie = true;
  } else if (beside <= std::fabs(other - stored) / 4) {
    facts.sum_near_tie = true;
  }
}

// Values of self in row-major order; empty where they are not those of a gradient type.
std::vector<double> ValuesOf(const TensorSpec& self, const std::vector<std::byte>& storage) {
  std::vector<double> values;
  const std::optional<std::int64_t> elements = CheckedNumel(self.shape);
  if (!IsGradientType(self.type) || !elements) return values;
  const std::size_t size = self.type == DataType::kFloat ? 4 : 2;
  values.reserve(static_cast<std::size_t>(*elements));
  ForEachOffset(self.shape, StridesOf(self), self.offset, [&](std::int64_t, std::int64_t at) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &storage[static_cast<std::size_t>(at) * size], size);
    values.push_back(DecodeFloat(bits, self.type));
  });
  return values;
}

// How often the window of the output holds its maximum; 0 where it holds NaN.
int MaximaOf(const Windows& windows, std::int64_t output, const double* plane) {
  const std::array<WindowSpan, 3> spans = windows.Of(output);
  double most = -std::numeric_limits<double>::infinity();
  int count = 0;
  for (std::int64_t d = spans[0].first; d < spans[0].end; d += spans[0].step) {
    for (std::int64_t h = spans[1].first; h < spans[1].end; h += spans[1].step) {
      for (std::int64_t w = spans[2].first; w < spans[2].end; w += spans[2].step) {
        const double value = plane[windows.Flat(d, h, w)];
        if (std::isnan(value)) return 0;
        if (value > most) count = 0;
        most = std::max(most, value);
        count += value == most ? 1 : 0;
      }
    }
  }
  return count;
}

void AddMaxima(const Call& call, const CallPlan& plan, CellFacts& facts) {
  const TensorSpec* self = GivenOperand(call, Role::kSelf);
  if (self == nullptr) return;
  if (StorageElements(*self).value_or(kMostLookedAt + 1) > kMostLookedAt) {
    facts.unknown = true;
    return;
  }
  const std::optional<Windows> windows = WindowsOf(call);
  if (!windows) return;
  if (WindowCells(*windows) > kMostWindowCellsLookedAt) {
    facts.unknown = true;
    return;
  }
  const Result<MaterializedCall> data = MaterializeCall(call, plan);
  if (!data.ok()) return;
  const std::vector<double> values =
      ValuesOf(*self, data->storage[static_cast<std::size_t>(Role::kSelf)]);
  if (std::ssize(values) != windows->planes * windows->PlaneSize()) return;
  bool tied = false;
  for (std::int64_t plane = 0; plane < windows->planes && !tied; ++plane) {
    for (std::int64_t output = 0; output < windows->OutputSize() && !tied; ++output) {
      tied = MaximaOf(*windows, output,
                      &values[static_cast<std::size_t>(plane * windows->PlaneSize())]) > 1;
    }
  }
  facts.tied = tied;
}

}  // namespace

CellFacts CellFactsOf(const Call& call, const CallPlan& plan) {
  CellFacts facts;
  const OperatorInfo& info = InfoOf(call.op);
  if (plan.descriptors_only) return facts;
  if (info.is_forward) {
    AddMaxima(call, plan, facts);
    return facts;
  }
  const TensorSpec* grad = GivenOperand(call, Role::kGradOutput);
  const TensorSpec* self = GivenOperand(call, Role::kSelf);
  const TensorSpec* indices = GivenOperand(call, Role::kIndices);
  if (grad == nullptr || self == nullptr || indices == nullptr || !IsGradientType(grad->type)) {
    return facts;
  }
  for (const TensorSpec& tensor : call.tensors) {
    if (tensor.null) continue;
    if (StorageElements(tensor).value_or(kMostLookedAt + 1) > kMostLookedAt) {
      facts.unknown = true;
      return facts;
    }
  }
  const std::optional<std::int64_t> plane = PlaneElements(self->shape, info.spatial_rank);
  const std::optional<std::int64_t> outputs = PlaneElements(grad->shape, info.spatial_rank);
  if (!plane || !outputs || *plane <= 0 || *outputs <= 0) return facts;
  if (indices->data.kind == DataKind::kArgmax) {
    const std::optional<Windows> windows = WindowsOf(call);
    if (windows && WindowCells(*windows) > kMostWindowCellsLookedAt) {
      facts.unknown = true;
      return facts;
    }
  }
  // What self holds matters to indices of maxima, and where it may be no number.
  const bool self_tells = self->data.MayBeSpecial();
  Call lean = call;
  if (indices->data.kind != DataKind::kArgmax && !self_tells) {
    lean.tensor(Role::kSelf).data = {DataKind::kConstant, 0, {}, {}};
  }
  const Result<MaterializedCall> data = MaterializeCall(lean, plan);
  if (!data.ok() || data->indices.empty() || data->indices.size() != data->grad_output.size()) {
    return facts;
  }
  facts.coinciding = facts.unnamed = facts.highest_index = facts.significant_bits = 0;
  facts.in_row = facts.across_rows = facts.first_cell = facts.last_cell = false;
  facts.outside_plane = facts.opposite_infinities = facts.special_meets_other = false;
  facts.hides = facts.sum_rounded = facts.sum_tie = facts.sum_near_tie = facts.sum_overflows =
      facts.sum_subnormal = false;
  facts.spread = facts.meeting = facts.alike_neighbours = 0;
  facts.nans = facts.infinities = facts.minus_zeros = facts.subnormals = 0;
  const std::int64_t row = grad->shape.back();
  const int least_exponent = TraitsOf(grad->type).min_exponent;
  const std::int64_t planes = std::ssize(data->indices) / *outputs;
  // Operands that do not fit together may have any number of planes.
  if (planes < 1 || *plane > kMostCells / planes) return CellFacts();
  std::vector<std::int32_t> places(static_cast<std::size_t>(planes * *plane), -1);
  std::vector<Meeting> cells;  // that are named
  facts.alike = std::all_of(data->grad_output.begin(), data->grad_output.end(),
                            [&](auto bits) { return bits == data->grad_output.front(); });
  facts.half_apart = HalfApart(data->indices, *outputs);
  std::int64_t apart = std::numeric_limits<std::int64_t>::max();
  std::int64_t group = apart;
  for (std::size_t i = 0; i < data->indices.size(); ++i) {
    const auto output = static_cast<std::int64_t>(i);
    const std::int64_t index = data->indices[i];
    const double value = DecodeFloat(data->grad_output[i], grad->type);
    const bool counts = value != 0 && std::isfinite(value);
    const int exponent = counts ? ExponentOf(value) : 0;
    *facts.nans += std::isnan(value) ? 1 : 0;
    *facts.infinities += std::isinf(value) ? 1 : 0;
    *facts.minus_zeros += value == 0 && std::signbit(value) ? 1 : 0;
    *facts.subnormals += counts && exponent < least_exponent ? 1 : 0;
    if (counts)
      facts.top_exponent = std::max<std::int64_t>(facts.top_exponent.value_or(exponent), exponent);
    if (output % *outputs > 0 && index == data->indices[i - 1]) ++*facts.alike_neighbours;
    const std::int64_t bits = counts ? SignificantBits(value) : 0;
    facts.significant_bits = std::max(*facts.significant_bits, bits);
    facts.highest_index = std::max(*facts.highest_index, index);
    if (index < 0 || index >= *plane) {
      facts.outside_plane = true;
      continue;
    }
    if (index == 0) facts.first_cell = true;
    if (index == *plane - 1) facts.last_cell = true;
    std::int32_t& place = places[static_cast<std::size_t>(output / *outputs * *plane + index)];
    if (place < 0) {
      place = static_cast<std::int32_t>(cells.size());
      cells.emplace_back();
      cells.back().plane = output / *outputs;
    }
    Meeting& cell = cells[static_cast<std::size_t>(place)];
    if (cell.count > 0) {
      ++*facts.meeting;
      apart = std::min(apart, output - cell.last);
      const auto now = static_cast<std::uint64_t>(output % *outputs);
      const auto before = static_cast<std::uint64_t>(cell.last % *outputs);
      group = std::min(group, std::int64_t{1} << std::bit_width(now ^ before));
      (output / row == cell.last / row ? facts.in_row : facts.across_rows) = true;
    }
    ++cell.count;
    cell.last = output;
    cell.nan = cell.nan || std::isnan(value);
    cell.plus = cell.plus || (std::isinf(value) && value > 0);
    cell.minus = cell.minus || (std::isinf(value) && value < 0);
    cell.zero = cell.zero || value == 0;
    if (std::isfinite(value)) cell.Add(value, exponent - static_cast<int>(bits) + 1);
    if (counts) {
      cell.least = cell.finite ? std::min(cell.least, exponent) : exponent;
      cell.most = cell.finite ? std::max(cell.most, exponent) : exponent;
      cell.finite = true;
    }
  }
  std::int64_t special = 0;
  for (const Meeting& cell : cells) {
    facts.coinciding = std::max(*facts.coinciding, cell.count);
    if (cell.finite) facts.spread = std::max<std::int64_t>(*facts.spread, cell.most - cell.least);
    if (cell.plus && cell.minus) facts.opposite_infinities = true;
    special += IsSpecial(cell, grad->type) ? 1 : 0;
    if (Hides(cell, grad->type)) facts.hides = true;
    // A gradient that meets no other is stored as it is.
    if (cell.count == 1) {
      if (cell.finite && cell.least < least_exponent) facts.sum_subnormal = true;
      continue;
    }
    if (cell.nan || cell.plus || cell.minus) facts.special_meets_other = true;
    AddSum(cell, grad->type, facts);
  }
  if (2 * special >= std::ssize(cells)) facts.hides = true;
  facts.hides_moves = HidesMoves(cells, planes, *plane);
  facts.nan = *facts.nans > 0;
  facts.infinity = *facts.infinities > 0;
  facts.minus_zero = *facts.minus_zeros > 0;
  facts.subnormal = *facts.subnormals > 0;
  facts.special = *facts.nan || *facts.infinity;
  if (*facts.coinciding > 1) {
    facts.apart = apart;
    facts.group = group;
  }
  facts.self_special = false;
  facts.self_nans = 0;
  const std::vector<std::byte>& stored = data->storage[static_cast<std::size_t>(Role::kSelf)];
  for (const double value : self_tells ? ValuesOf(*self, stored) : std::vector<double>()) {
    *facts.self_nans += std::isnan(value) ? 1 : 0;
    if (!std::isfinite(value)) facts.self_special = true;
  }
  facts.unnamed = planes * *plane - std::ssize(cells);
  return facts;
}

}  // namespace poolproof
