// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "conformance/judge/membership.h"
#include "conformance/judge/sum_rule.h"
#include "core/float_bits.h"
#include "core/shape.h"

namespace poolproof {
namespace {

constexpr std::size_t kMaxDescribedCells = 32;
constexpr std::size_t kMaxSearched = 4096;  // contributions of a plane looked through for a story

// Contributions of one plane grouped by destination (a counting sort): those of position p are
// elements[start[p]] .. elements[start[p + 1]], in row-major order of gradOutput.
class PlaneGroups {
 public:
  PlaneGroups(std::span<const std::int64_t> indices, std::int64_t plane_size)
      : start_(static_cast<std::size_t>(plane_size) + 1, 0), elements_(indices.size()) {
    for (const std::int64_t index : indices) ++start_[static_cast<std::size_t>(index) + 1];
    for (std::size_t p = 1; p < start_.size(); ++p) start_[p] += start_[p - 1];
    std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      elements_[static_cast<std::size_t>(next[static_cast<std::size_t>(indices[i])]++)] =
          static_cast<std::int64_t>(i);
    }
  }
  [[nodiscard]] std::span<const std::int64_t> At(std::int64_t position) const {
    const auto p = static_cast<std::size_t>(position);
    return std::span(elements_).subspan(static_cast<std::size_t>(start_[p]),
                                        static_cast<std::size_t>(start_[p + 1] - start_[p]));
  }

 private:
  std::vector<std::int64_t> start_;
  std::vector<std::int64_t> elements_;
};

std::uint32_t LoadBits(std::span<const std::byte> storage, std::int64_t element, int width) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, storage.data() + element * width, static_cast<std::size_t>(width));
  return bits;
}

bool IsFiniteBits(std::uint32_t bits, DataType type) {
  return !IsNanBits(bits, type) && !IsInfinityBits(bits, type);
}

std::string WindowText(std::int64_t element) {
  return "gradOutput element " + std::to_string(element);
}

// Everything that a story about one wrong element may need.
struct CellContext {
  DataType type;
  std::uint32_t poison;
  std::span<const std::uint32_t> plane_gradients;  // of the element's plane
  std::span<const std::int64_t> plane_indices;
  std::int64_t first_element;  // gradOutput number of the plane's first
  std::int64_t position;       // within the plane
};

bool SameSum(std::span<const std::uint32_t> bits, std::uint32_t got, DataType type) {
  return RuleFor(bits, type, false).Accepts(got);
}

// Looks for a gradient of another destination that explains `got` here, alone or added to what
// belongs here. The addition must be exact: with rounding, any small gradient would explain a last
// bit.
std::optional<std::string> FindForeign(const CellContext& context, std::uint32_t got,
                                       std::span<const std::uint32_t> own, double own_sum) {
  const std::size_t limit = std::min(context.plane_gradients.size(), kMaxSearched);
  const double surplus = DecodeFloat(got, context.type) - own_sum;
  for (std::size_t i = 0; i < limit; ++i) {
    if (context.plane_indices[i] == context.position) continue;
    const std::uint32_t foreign = context.plane_gradients[i];
    if (IsZeroBits(foreign, context.type)) continue;
    const bool added = !own.empty() && DecodeFloat(foreign, context.type) == surplus &&
                       surplus + own_sum == DecodeFloat(got, context.type);
    if (got == foreign || added) {
      return WindowText(context.first_element + static_cast<std::int64_t>(i)) +
             ", whose index is " + std::to_string(context.plane_indices[i]) + ", arrived here";
    }
  }
  return std::nullopt;
}

FaultyCell DescribeUnnamed(const CellContext& context, std::uint32_t got) {
  FaultyCell cell;
  cell.fault = CellFault::kNotZero;
  cell.story = "no index names it";
  if (got == context.poison) {
    cell.fault = CellFault::kPoisonKept;
    cell.story = "no index names it, and it still holds what was there before the call";
    return cell;
  }
  if (const std::optional<std::string> foreign = FindForeign(context, got, {}, 0)) {
    cell.fault = CellFault::kMoved;
    cell.story = *foreign;
    return cell;
  }
  if (!IsFiniteBits(got, context.type) && !IsNanBits(context.poison, context.type)) {
    cell.fault = CellFault::kSpecialLeak;
    cell.story = "no index names it, but a NaN or an infinity reached it";
  }
  return cell;
}

FaultyCell DescribeNamed(const CellContext& context, std::uint32_t got, const SumRule& rule,
                         std::span<const std::int64_t> elements,
                         std::span<const std::uint32_t> own) {
  FaultyCell cell;
  const DataType type = context.type;
  const bool untouched = got == context.poison;
  if (rule.kind == SumKind::kNan || rule.kind == SumKind::kInfinity) {
    cell.fault = rule.kind == SumKind::kNan ? CellFault::kWrongNan : CellFault::kWrongInfinity;
    cell.story = untouched ? "it still holds what was there before the call" : "";
    return cell;
  }
  if (untouched) {
    cell.fault = CellFault::kLost;
    cell.story = "it still holds what was there before the call";
    return cell;
  }
  if (!IsFiniteBits(got, type)) {
    cell.fault = CellFault::kSpecialLeak;
    cell.story = "only finite gradients meet here";
    return cell;
  }
  if (IsZeroBits(got, type)) {
    cell.fault = CellFault::kLost;
    cell.story = WindowText(context.first_element + elements.front()) +
                 (elements.size() > 1 ? " and the others that name it are missing" : " is missing");
    return cell;
  }
  if (own.size() > 1 && own.size() <= 64) {
    std::vector<std::uint32_t> rest;
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (IsZeroBits(own[k], type)) continue;
      if (got == own[k]) {
        cell.fault = CellFault::kPartlyLost;
        cell.story = "only " + WindowText(context.first_element + elements[k]) + " of " +
                     std::to_string(own.size()) + " arrived";
        return cell;
      }
      rest.assign(own.begin(), own.end());
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      if (SameSum(rest, got, type)) {
        cell.fault = CellFault::kPartlyLost;
        cell.story = WindowText(context.first_element + elements[k]) + " is missing";
        return cell;
      }
    }
  }
  if (own.size() <= 64) {
    std::vector<std::uint32_t> more(own.begin(), own.end());
    more.push_back(0);
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (IsZeroBits(own[k], type)) continue;
      more.back() = own[k];
      if (SameSum(more, got, type)) {
        cell.fault = CellFault::kDoubled;
        cell.story = WindowText(context.first_element + elements[k]) + " was counted twice";
        return cell;
      }
    }
  }
  // Foreign gradients explain a wrong sum only where sums are exact and well missed: an interval
  // fits too easily, and among many gradients one lies near every sum.
  const double miss = std::fabs(DecodeFloat(got, type) - rule.value);
  const bool near = miss <= std::ldexp(std::fabs(rule.value), 3 - TraitsOf(type).precision);
  if (rule.kind == SumKind::kExact && !near) {
    if (const std::optional<std::string> foreign = FindForeign(context, got, own, rule.value)) {
      cell.fault = CellFault::kMoved;
      cell.story = *foreign;
      return cell;
    }
  }
  cell.fault = own.size() == 1 ? CellFault::kWrongCopy : CellFault::kWrongSum;
  cell.story = own.size() == 1
                   ? WindowText(context.first_element + elements.front()) + " was altered"
                   : std::to_string(own.size()) + " gradients meet here";
  return cell;
}

}  // namespace

bool ValueReport::Has(CellFault fault) const {
  return std::any_of(cells.begin(), cells.end(),
                     [&](const FaultyCell& cell) { return cell.fault == fault; });
}

bool ValueReport::AnySingle() const {
  return std::any_of(cells.begin(), cells.end(), [](const FaultyCell& cell) {
    return cell.fault == CellFault::kMoved || cell.fault == CellFault::kWrongCopy ||
           (cell.contributions == 1 &&
            (cell.fault == CellFault::kLost || cell.fault == CellFault::kDoubled));
  });
}

DataFacts FactsOf(const Call& call, const MaterializedCall& data) {
  DataFacts facts;
  const std::optional<Membership> membership = Membership::Of(call);
  // Operands that do not fit together, or without numbers, have no destinations.
  if (!membership.has_value() || data.indices.empty() ||
      data.grad_output.size() != data.indices.size() ||
      static_cast<std::int64_t>(data.indices.size()) !=
          membership->geometry().planes * membership->geometry().OutputSize()) {
    return facts;
  }
  const PlaneGeometry& geometry = membership->geometry();
  const std::int64_t plane_size = geometry.PlaneSize();
  const std::int64_t outputs = geometry.OutputSize();
  const DataType type = call.tensor(Role::kGradOutput).type;
  for (std::size_t i = 0; i < data.indices.size(); ++i) {
    const std::int64_t index = data.indices[i];
    if (index < 0 || index >= plane_size) {
      facts.in_plane = false;
      facts.in_window = false;
      return facts;
    }
    if (facts.in_window && !membership->Covers(static_cast<std::int64_t>(i) % outputs, index)) {
      facts.in_window = false;
    }
  }
  // Destinations of one plane, each a run of equal indices in sorted order.
  std::vector<std::pair<std::int64_t, std::uint32_t>> sorted(static_cast<std::size_t>(outputs));
  std::vector<std::uint32_t> own;
  for (std::int64_t plane = 0; plane < geometry.planes; ++plane) {
    const auto first = static_cast<std::size_t>(plane * outputs);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      sorted[i] = {data.indices[first + i], data.grad_output[first + i]};
    }
    std::sort(sorted.begin(), sorted.end());
    std::int64_t destinations = 0;
    for (std::size_t i = 0; i < sorted.size();) {
      own.clear();
      std::int64_t nonzero = 0;
      const std::int64_t destination = sorted[i].first;
      for (; i < sorted.size() && sorted[i].first == destination; ++i) {
        own.push_back(sorted[i].second);
        if (!IsZeroBits(sorted[i].second, type)) ++nonzero;
      }
      ++destinations;
      const SumRule rule = RuleFor(own, type, false);
      facts.nan = facts.nan || rule.kind == SumKind::kNan;
      facts.infinity = facts.infinity || rule.kind == SumKind::kInfinity;
      facts.any_inexact = facts.any_inexact || rule.kind == SumKind::kBounded;
      facts.any_named = facts.any_named || !(rule.kind == SumKind::kExact && rule.value == 0);
      facts.any_merge = facts.any_merge || nonzero >= 2;
    }
    facts.any_unnamed = facts.any_unnamed || destinations < plane_size;
    // Later planes of a large case prove no more than the first ones.
    if (plane >= 64 && facts.any_named && facts.any_unnamed) break;
  }
  return facts;
}

ValueReport CheckValues(const Call& call, const MaterializedCall& data, Poison poison, bool flushes,
                        std::span<const std::byte> grad_input) {
  ValueReport report;
  const std::optional<Membership> membership = Membership::Of(call);
  if (!membership.has_value()) return report;
  const PlaneGeometry& geometry = membership->geometry();
  const TensorSpec& tensor = call.tensor(Role::kGradInput);
  const DataType type = tensor.type;
  const int width = StorageBytes(type);
  const std::int64_t plane_size = geometry.PlaneSize();
  const std::int64_t outputs = geometry.OutputSize();
  const Dims strides = StridesOf(tensor);

  std::vector<std::uint32_t> got;
  got.reserve(static_cast<std::size_t>(geometry.planes * plane_size));
  ForEachOffset(tensor.shape, strides, tensor.offset, [&](std::int64_t, std::int64_t at) {
    got.push_back(LoadBits(grad_input, at, width));
  });

  std::vector<std::uint32_t> own;
  for (std::int64_t plane = 0; plane < geometry.planes; ++plane) {
    const auto first = static_cast<std::size_t>(plane * outputs);
    CellContext context{
        .type = type,
        .poison = PoisonBits(poison, type),
        .plane_gradients =
            std::span(data.grad_output).subspan(first, static_cast<std::size_t>(outputs)),
        .plane_indices = std::span(data.indices).subspan(first, static_cast<std::size_t>(outputs)),
        .first_element = plane * outputs,
        .position = 0};
    const PlaneGroups groups(context.plane_indices, plane_size);
    for (std::int64_t position = 0; position < plane_size; ++position) {
      const std::uint32_t bits = got[static_cast<std::size_t>(plane * plane_size + position)];
      const std::span<const std::int64_t> elements = groups.At(position);
      if (elements.empty() && IsZeroBits(bits, type)) continue;
      own.clear();
      for (const std::int64_t element : elements) {
        own.push_back(context.plane_gradients[static_cast<std::size_t>(element)]);
      }
      if (own.size() == 1 && bits == own[0]) continue;
      const SumRule rule = RuleFor(own, type, flushes);
      if (rule.Accepts(bits)) continue;
      ++report.faulty;
      // Describing costs a search; the first cells and the first of each kind tell the story.
      if (report.cells.size() >= kMaxDescribedCells) continue;
      context.position = position;
      FaultyCell cell = own.empty() ? DescribeUnnamed(context, bits)
                                    : DescribeNamed(context, bits, rule, elements, own);
      cell.position = plane * plane_size + position;
      cell.contributions = std::ssize(own);
      cell.expected = rule.ExpectedText();
      cell.got = HexBits(bits, type);
      report.cells.push_back(std::move(cell));
    }
  }
  return report;
}

std::optional<std::int64_t> FirstDirtyGap(const TensorSpec& tensor, Poison poison,
                                          std::span<const std::byte> storage) {
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  const std::size_t elements = storage.size() / width;
  if (static_cast<std::int64_t>(elements) == CheckedNumel(tensor.shape).value_or(-1) &&
      IsContiguousView(tensor)) {
    return std::nullopt;
  }
  std::vector<bool> addressed(elements, false);
  ForEachOffset(tensor.shape, StridesOf(tensor), tensor.offset, [&](std::int64_t, std::int64_t at) {
    if (at >= 0 && at < static_cast<std::int64_t>(elements)) {
      addressed[static_cast<std::size_t>(at)] = true;
    }
  });
  const std::byte wanted = PoisonByte(poison);
  for (std::size_t element = 0; element < elements; ++element) {
    if (addressed[element]) continue;
    for (std::size_t k = 0; k < width; ++k) {
      if (storage[element * width + k] != wanted) {
        return static_cast<std::int64_t>(element * width + k);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> FirstDifference(const TensorSpec& tensor, std::span<const std::byte> a,
                                            std::span<const std::byte> b) {
  std::optional<std::int64_t> first;
  if (a.size() != b.size()) return 0;
  const int width = StorageBytes(tensor.type);
  ForEachOffset(tensor.shape, StridesOf(tensor), tensor.offset,
                [&](std::int64_t i, std::int64_t at) {
                  if (first.has_value()) return;
                  const std::uint32_t left = LoadBits(a, at, width);
                  const std::uint32_t right = LoadBits(b, at, width);
                  if (left == right) return;
                  if (IsNanBits(left, tensor.type) && IsNanBits(right, tensor.type)) return;
                  first = i;
                });
  return first;
}

std::uint32_t PoisonBits(Poison poison, DataType type) {
  const auto byte = std::to_integer<std::uint32_t>(PoisonByte(poison));
  const std::uint32_t half = (byte << 8) | byte;
  return StorageBytes(type) == 4 ? (half << 16) | half : half;
}

std::string CoordinateText(const Dims& shape, std::int64_t position) {
  Dims at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    at[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return DimsText(at);
}

}  // namespace poolproof
