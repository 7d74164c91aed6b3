// SPDX-License-Identifier: Apache-2.0
#include "conformance/properties/cells.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "conformance/judge/membership.h"
#include "conformance/judge/values.h"
#include "core/float_bits.h"
#include "core/shape.h"

namespace poolproof {
namespace {

constexpr double kAnything = std::numeric_limits<double>::infinity();

// Whether cells of equal contributions may both be within their bounds.
bool Agree(const Cell& a, const Cell& b) {
  switch (a.rule.kind) {
    case SumKind::kFree:
      return true;
    case SumKind::kInfinity:
      return a.rule.allow_nan || SameBits(a.bits, b.bits, a.rule.type);
    default:
      break;
  }
  if (a.Determined()) return SameBits(a.bits, b.bits, a.rule.type);
  if (!a.finite() || !b.finite()) return SameBits(a.bits, b.bits, a.rule.type);
  const double slack = ComparisonSlack(std::fabs(a.value()) + std::fabs(b.value()));
  return std::fabs(a.value() - b.value()) <= a.Error() + b.Error() + slack;
}

}  // namespace

double Cell::value() const { return DecodeFloat(bits, rule.type); }
bool Cell::finite() const { return std::isfinite(value()); }

double Cell::Error() const {
  const double flush = std::max(rule.flush_below, rule.flush_above);
  switch (rule.kind) {
    case SumKind::kZero:
      return 0;
    case SumKind::kExact: {
      const double rounded = DecodeFloat(EncodeFloat(rule.value, rule.type), rule.type);
      if (!std::isfinite(rounded)) return kAnything;
      return std::fabs(rounded - rule.value) + flush;
    }
    case SumKind::kBounded:
      return rule.bound + flush;
    case SumKind::kNan:
    case SumKind::kInfinity:
    case SumKind::kFree:
      break;
  }
  return kAnything;
}

bool Cell::Determined() const {
  return rule.kind == SumKind::kZero || rule.kind == SumKind::kNan ||
         (rule.kind == SumKind::kExact && !rule.may_flush) ||
         (rule.kind == SumKind::kInfinity && !rule.allow_nan);
}

bool Cell::Informative() const {
  return (rule.kind == SumKind::kExact || rule.kind == SumKind::kBounded) && !rule.MayBeZero();
}

std::vector<Cell> CellsOf(const CallResult& result) {
  const std::optional<Membership> membership = Membership::Of(result.call);
  if (!membership.has_value()) return {};
  const PlaneGeometry& geometry = membership->geometry();
  const TensorSpec& tensor = result.call.tensor(Role::kGradInput);
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  const auto plane_size = static_cast<std::size_t>(geometry.PlaneSize());
  const auto outputs = static_cast<std::size_t>(geometry.OutputSize());
  std::vector<Cell> cells(static_cast<std::size_t>(geometry.planes) * plane_size);
  ForEachOffset(
      tensor.shape, StridesOf(tensor), tensor.offset, [&](std::int64_t i, std::int64_t at) {
        std::memcpy(&cells[static_cast<std::size_t>(i)].bits,
                    result.grad_input.data() + static_cast<std::size_t>(at) * width, width);
      });
  // Contributions in the order of their destinations, those of one destination in a row.
  std::vector<std::pair<std::size_t, std::uint32_t>> sorted(result.data.indices.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sorted[i] = {i / outputs * plane_size + static_cast<std::size_t>(result.data.indices[i]),
                 result.data.grad_output[i]};
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::uint32_t> own;
  std::size_t next = 0;
  for (std::size_t position = 0; position < cells.size(); ++position) {
    own.clear();
    for (; next < sorted.size() && sorted[next].first == position; ++next) {
      own.push_back(sorted[next].second);
    }
    cells[position].rule = RuleFor(own, tensor.type);
    cells[position].contributions = std::ssize(own);
  }
  return cells;
}

bool SameBits(std::uint32_t a, std::uint32_t b, DataType type) {
  return a == b || (IsZeroBits(a, type) && IsZeroBits(b, type)) ||
         (IsNanBits(a, type) && IsNanBits(b, type));
}

std::string CellText(const CallResult& result, const Cell& cell, std::int64_t position) {
  return "gradInput" + CoordinateText(result.call.tensor(Role::kGradInput).shape, position) +
         " is " + HexBits(cell.bits, cell.rule.type);
}

double ComparisonSlack(double magnitude) { return std::ldexp(magnitude, -48); }

Comparison NothingToCompare() {
  return {RelationState::kDiscarded, "no element has a finite expectation other than zero",
          std::nullopt};
}

Comparison Broken(std::string text, const Cell& cell, std::int64_t position, std::string expected) {
  return {RelationState::kBroken, std::move(text),
          Mismatch{position, std::move(expected), HexBits(cell.bits, cell.rule.type),
                   static_cast<int>(cell.contributions)}};
}

Comparison CompareEqual(const CallResult& first, const CallResult& second,
                        const std::function<std::int64_t(std::int64_t)>& place) {
  const std::vector<Cell> left = CellsOf(first);
  const std::vector<Cell> right = CellsOf(second);
  bool informative = false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::int64_t there = place(static_cast<std::int64_t>(i));
    const Cell& other = right[static_cast<std::size_t>(there)];
    informative = informative || left[i].Informative();
    if (Agree(left[i], other)) continue;
    return Broken(CellText(first, left[i], static_cast<std::int64_t>(i)) +
                      " in call 1, and its counterpart " + CellText(second, other, there) +
                      " in call 2",
                  left[i], static_cast<std::int64_t>(i), HexBits(other.bits, other.rule.type));
  }
  if (!informative) return NothingToCompare();
  return {};
}

Comparison CompareEqual(const CallResult& first, const CallResult& second) {
  return CompareEqual(first, second, [](std::int64_t i) { return i; });
}

}  // namespace poolproof
