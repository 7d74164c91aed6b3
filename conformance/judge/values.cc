// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "conformance/judge/membership.h"
#include "conformance/judge/plane.h"
#include "conformance/judge/sum_rule.h"
#include "core/float_bits.h"
#include "core/shape.h"

namespace poolproof {
namespace {

constexpr std::size_t kMaxDescribedCells = 32;
constexpr std::size_t kMaxSearched = 4096;  // contributions of a plane looked through for a story

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
  const OutputElements& got;   // gradInput
  std::int64_t first_got;      // of the plane
  std::int64_t plane_size;
  const PlaneGroups& groups;

  [[nodiscard]] std::uint32_t GotAt(std::int64_t place) const { return got[first_got + place]; }
};

std::vector<std::uint32_t> ContributionsTo(const CellContext& context, std::int64_t position) {
  std::vector<std::uint32_t> own;
  for (const std::int64_t element : context.groups.At(position)) {
    own.push_back(context.plane_gradients[static_cast<std::size_t>(element)]);
  }
  return own;
}

// What another place of the plane holds beyond the exact sum of its own gradients; nullopt where
// that cannot be told to the bit.
std::optional<double> SurplusAt(const CellContext& context, std::int64_t position) {
  const std::vector<std::uint32_t> own = ContributionsTo(context, position);
  const SumRule rule = RuleFor(own, context.type);
  const double got = DecodeFloat(context.GotAt(position), context.type);
  if (!std::isfinite(got) || (rule.kind != SumKind::kExact && rule.kind != SumKind::kZero)) {
    return std::nullopt;
  }
  const double surplus = got - rule.value;
  if (rule.value + surplus != got) return std::nullopt;
  return surplus;
}

// The place at which a gradient that is missing here arrived: it holds just that much too much.
std::optional<std::int64_t> WhereTo(const CellContext& context, std::uint32_t gradient) {
  const double value = DecodeFloat(gradient, context.type);
  const std::int64_t limit =
      std::min(context.plane_size, static_cast<std::int64_t>(kMaxSearched / 4));
  for (std::int64_t position = 0; position < limit; ++position) {
    if (position == context.position || IsZeroBits(context.GotAt(position), context.type)) continue;
    if (SurplusAt(context, position) == value) return position;
  }
  return std::nullopt;
}

// The gradients except for zeros, ascending, with their numbers, where every subset has a sum of
// its own (magnitudes above the sum of all smaller ones, as coded data are); nullopt: not such
// data.
using Terms = std::vector<std::pair<double, std::size_t>>;
std::optional<Terms> CodedTerms(std::span<const std::uint32_t> gradients, DataType type) {
  constexpr std::size_t kMostCodes = 300;  // more than the exponents that a type has
  if (gradients.size() > kMostCodes) return std::nullopt;
  Terms terms;
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const double value = DecodeFloat(gradients[k], type);
    if (value != 0) terms.emplace_back(value, k);
  }
  std::sort(terms.begin(), terms.end());
  double below = 0;
  for (const auto& [value, k] : terms) {
    if (!(value > below)) return std::nullopt;
    below += value;
  }
  return terms;
}

// Positions in `own` of the coded gradients that make up `amount`; nullopt: none, or not such data.
std::optional<std::vector<std::size_t>> Decode(std::span<const std::uint32_t> own, double amount,
                                               DataType type) {
  const std::optional<Terms> terms = CodedTerms(own, type);
  if (!terms) return std::nullopt;
  std::vector<std::size_t> found;
  std::for_each(terms->rbegin(), terms->rend(), [&](const auto& term) {
    if (term.first > amount) return;
    amount -= term.first;
    found.push_back(term.second);
  });
  if (amount != 0 || found.empty()) return std::nullopt;
  std::sort(found.begin(), found.end());
  return found;
}

// Whether a gradient that explains a wrong sum of these must be the one that went astray. Where
// several meet and data have few values, their losses and each other's look like gradients from
// elsewhere.
bool IsTelling(const CellContext& context, std::span<const std::uint32_t> own) {
  return own.size() < 2 || CodedTerms(context.plane_gradients, context.type).has_value();
}

// By the usual rules: what may count as zero explains too much.
bool SameSum(std::span<const std::uint32_t> bits, std::uint32_t got, DataType type) {
  return RuleFor(bits, type).AcceptsKept(got);
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
             ", whose index is " + std::to_string(context.plane_indices[i]) + ", was added here";
    }
  }
  return std::nullopt;
}

// "gradOutput elements 3, 5 and 7 more".
std::string ElementsText(const CellContext& context, std::span<const std::int64_t> elements,
                         const std::vector<std::size_t>& which) {
  constexpr std::size_t kListed = 6;
  if (which.size() == 1) return WindowText(context.first_element + elements[which[0]]);
  std::string text = "gradOutput elements ";
  for (std::size_t i = 0; i < which.size() && i < kListed; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(context.first_element + elements[which[i]]);
  }
  if (which.size() > kListed) text += " and " + std::to_string(which.size() - kListed) + " more";
  return text;
}

// What is missing here, and, of a single gradient, where it went.
std::string MissingText(const CellContext& context, std::span<const std::int64_t> elements,
                        std::span<const std::uint32_t> own, const std::vector<std::size_t>& which) {
  std::string text = ElementsText(context, elements, which);
  text += which.size() == 1 ? " was not added" : " were not added";
  if (which.size() == 1 && IsTelling(context, own)) {
    if (const std::optional<std::int64_t> there = WhereTo(context, own[which[0]])) {
      text += "; it was added at position " + std::to_string(*there) + " of the plane";
    }
  }
  return text;
}

// Of several gradients that should meet here, the few whose loss explains `got`, or all but a few.
// Exact data of 16 bits have few values: what a loss explains needs no gradient from elsewhere.
std::optional<std::vector<std::size_t>> FindLoss(std::span<const std::uint32_t> own, double got,
                                                 double surplus, DataType type) {
  constexpr std::size_t kMostInPairs = 8;
  if (own.size() < 2 || own.size() > 64) return std::nullopt;
  std::vector<double> values;
  for (const std::uint32_t bits : own) values.push_back(DecodeFloat(bits, type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == -surplus) return std::vector<std::size_t>{i};
  }
  for (std::size_t i = 0; values.size() <= kMostInPairs && i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      if (values[i] + values[j] == -surplus) return std::vector<std::size_t>{i, j};
    }
  }
  for (std::size_t arrived = 0; arrived < values.size(); ++arrived) {
    if (values[arrived] != got) continue;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != arrived) missing.push_back(i);
    }
    return missing;
  }
  return std::nullopt;
}

// A gradient of another destination that is too much here and missing there.
std::optional<std::string> FindMisrouted(const CellContext& context, double surplus) {
  const std::size_t limit = std::min(context.plane_gradients.size(), kMaxSearched);
  for (std::size_t i = 0; surplus != 0 && i < limit; ++i) {
    const std::int64_t index = context.plane_indices[i];
    if (index == context.position ||
        DecodeFloat(context.plane_gradients[i], context.type) != surplus) {
      continue;
    }
    if (SurplusAt(context, index) != -surplus) continue;
    return WindowText(context.first_element + static_cast<std::int64_t>(i)) + ", whose index is " +
           std::to_string(index) + ", was added here";
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

// Whether gradients are named here and nothing of them arrived.
bool IsLost(const CellContext& context, std::uint32_t got, const SumRule& rule,
            std::span<const std::uint32_t> own) {
  const bool special = rule.kind == SumKind::kNan || rule.kind == SumKind::kInfinity;
  return !own.empty() && !special && (got == context.poison || IsZeroBits(got, context.type));
}

FaultyCell DescribeNamed(const CellContext& context, std::uint32_t got, const SumRule& rule,
                         std::span<const std::int64_t> elements,
                         std::span<const std::uint32_t> own) {
  FaultyCell cell;
  const DataType type = context.type;
  const bool untouched = got == context.poison;
  if (untouched) cell.story = "it still holds what was there before the call";
  if (rule.kind == SumKind::kNan || rule.kind == SumKind::kInfinity) {
    cell.fault = rule.kind == SumKind::kNan ? CellFault::kWrongNan : CellFault::kWrongInfinity;
    return cell;
  }
  if (IsLost(context, got, rule, own)) {
    cell.fault = CellFault::kLost;
    if (untouched) return cell;
    cell.story = elements.size() > 1 ? WindowText(context.first_element + elements.front()) +
                                           " and the others that name it were not added"
                                     : MissingText(context, elements, own, {0});
    return cell;
  }
  if (!IsFiniteBits(got, type)) {
    cell.fault = CellFault::kSpecialLeak;
    cell.story = "only finite gradients meet here";
    return cell;
  }
  const double surplus = DecodeFloat(got, type) - rule.value;
  // Of a sum beyond the type any number may be what is left.
  const bool fits = IsFiniteBits(EncodeFloat(rule.value, type), type);
  if (rule.kind == SumKind::kExact && fits && rule.value + surplus == DecodeFloat(got, type)) {
    if (const auto missing = FindLoss(own, DecodeFloat(got, type), surplus, type)) {
      cell.fault = CellFault::kPartlyLost;
      cell.story = MissingText(context, elements, own, *missing);
      return cell;
    }
    const std::optional<std::string> misrouted =
        IsTelling(context, own) ? FindMisrouted(context, surplus) : std::nullopt;
    if (misrouted) {
      cell.fault = CellFault::kMoved;
      cell.story = *misrouted;
      return cell;
    }
    if (own.size() > 2) {
      if (const auto missing = Decode(own, -surplus, type)) {
        cell.fault = CellFault::kPartlyLost;
        cell.story = MissingText(context, elements, own, *missing);
        return cell;
      }
      if (const auto doubled = Decode(own, surplus, type)) {
        cell.fault = CellFault::kDoubled;
        cell.story = ElementsText(context, elements, *doubled) +
                     (doubled->size() == 1 ? " was" : " were") + " added twice";
        return cell;
      }
    }
  }
  if (own.size() > 1 && own.size() <= 64) {
    std::vector<std::uint32_t> rest;
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (IsZeroBits(own[k], type)) continue;
      if (got == own[k]) {
        cell.fault = CellFault::kPartlyLost;
        cell.story = "only " + WindowText(context.first_element + elements[k]) + " of " +
                     std::to_string(own.size()) + " was added";
        return cell;
      }
      rest.assign(own.begin(), own.end());
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      if (SameSum(rest, got, type)) {
        cell.fault = CellFault::kPartlyLost;
        cell.story = MissingText(context, elements, own, {k});
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
        cell.story = WindowText(context.first_element + elements[k]) + " was added twice";
        return cell;
      }
    }
  }
  // Foreign gradients explain a wrong sum only where sums are exact and well missed: an interval
  // fits too easily, and among many gradients one lies near every sum.
  const double miss = std::fabs(DecodeFloat(got, type) - rule.value);
  const bool near = miss <= std::ldexp(std::fabs(rule.value), 3 - TraitsOf(type).precision);
  if (rule.kind == SumKind::kExact && !near && IsTelling(context, own)) {
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

// The tolerance of the vendor's ecosystem standard, which decides nothing here: elements within an
// absolute and a relative part, all but one in a hundred, and a greatest error for the rest.
class EcosystemTolerance {
 public:
  explicit EcosystemTolerance(DataType type) : type_(type) {
    switch (type) {
      case DataType::kFloat16:
        absolute_ = relative_ = 0x1p-9;
        most_ = 1e-1;
        break;
      case DataType::kBf16:
        absolute_ = relative_ = 0x1p-6;
        most_ = 1.0;
        break;
      default:
        absolute_ = 0x1p-16;
        relative_ = 0x1p-10;
        most_ = 1e-2;
        break;
    }
  }
  // Elements that are right need not be shown to it where no sum rounds.
  void Add(const SumRule& rule, std::uint32_t bits, bool in_bound) {
    if (too_far_ || (in_bound && rule.kind != SumKind::kBounded)) return;
    const double got = DecodeFloat(bits, type_);
    const double error = std::fabs(got - rule.value);
    if (error <= absolute_ + relative_ * std::fabs(rule.value)) return;
    ++beyond_;
    // 32 units in the last place are enough, too.
    const double units = std::fabs(rule.value) * 64 * TraitsOf(type_).unit_roundoff;
    if (!(error <= std::max(most_, units))) too_far_ = true;
  }
  // Nothing that is added changes the answer.
  [[nodiscard]] bool decided() const { return too_far_; }
  [[nodiscard]] bool Met(std::int64_t elements) const {
    return !too_far_ && beyond_ * 100 <= elements;
  }

 private:
  DataType type_;
  double absolute_ = 0;
  double relative_ = 0;
  double most_ = 0;
  std::int64_t beyond_ = 0;
  bool too_far_ = false;
};

// Whether an element holds the one gradient that is named there, which may count as zero where it
// is a subnormal.
bool IsCopy(std::uint32_t bits, std::uint32_t gradient, DataType type) {
  return bits == gradient || (IsNanBits(bits, type) && IsNanBits(gradient, type)) ||
         (IsZeroBits(bits, type) &&
          (IsZeroBits(gradient, type) || IsSubnormalBits(gradient, type)));
}

// Whether windows of the call share cells, so that gradients may meet.
bool WindowsOverlap(const Membership& membership) {
  const PlaneGeometry& geometry = membership.geometry();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::int64_t o = 1; o < geometry.output[axis]; ++o) {
      const WindowSpan before = membership.AxisSpan(axis, o - 1);
      const WindowSpan span = membership.AxisSpan(axis, o);
      if (span.first < before.end && before.first < before.end && span.first < span.end)
        return true;
    }
  }
  return false;
}

// Where a call kept subnormals, and where it took them for zero.
class SubnormalCount {
 public:
  SubnormalCount(const Membership& membership, SumFacts& facts)
      : membership_(membership), facts_(facts) {}

  void Add(const SumRule& rule, std::uint32_t bits) {
    const Flushing told = rule.FlushingOf(bits);
    if (told == Flushing::kUntold) return;
    if (!overlap_) overlap_ = WindowsOverlap(membership_);
    const SubnormalPlace place = rule.contributions > 1 ? SubnormalPlace::kMet
                                 : *overlap_            ? SubnormalPlace::kAlone
                                                        : SubnormalPlace::kApart;
    FlushCount& count = facts_.subnormals[static_cast<std::size_t>(place)];
    ++(told == Flushing::kKept ? count.kept : count.flushed);
    (told == Flushing::kKept ? kept_ : flushed_) = true;
  }
  void End() {
    if (kept_ && flushed_) ++facts_.both;
  }

 private:
  const Membership& membership_;
  SumFacts& facts_;
  std::optional<bool> overlap_;
  bool kept_ = false;
  bool flushed_ = false;
};

// The windows that a dilated call would have if it were not; nullopt: it is not.
std::optional<Membership> WithoutDilation(const Call& call) {
  const std::optional<Dims>& dilation = call.list(List::kDilation);
  if (!dilation.has_value() || std::all_of(dilation->begin(), dilation->end(),
                                           [](std::int64_t value) { return value == 1; })) {
    return std::nullopt;
  }
  Call close = call;
  close.list(List::kDilation) = Dims(dilation->size(), 1);
  return Membership::Of(close);
}

// Whether the elements add up to the gradients. Sums of doubles are exact for exact data alone.
bool IsConserved(const CellContext& context) {
  double balance = 0;
  double most = 0;
  const auto add = [&](std::uint32_t bits, double sign) {
    const double value = DecodeFloat(bits, context.type);
    balance += sign * value;
    most += std::fabs(value);
  };
  for (std::int64_t position = 0; position < context.plane_size; ++position) {
    position = context.got.FirstNonzero(context.first_got + position,
                                        context.first_got + context.plane_size) -
               context.first_got;
    if (position < context.plane_size) add(context.GotAt(position), 1);
  }
  for (const std::uint32_t bits : context.plane_gradients) add(bits, -1);
  return balance == 0 && std::isfinite(most);
}

}  // namespace

bool ValueReport::AnySingle() const {
  return std::any_of(cells.begin(), cells.end(), [](const FaultyCell& cell) {
    return cell.fault == CellFault::kMoved || cell.fault == CellFault::kWrongCopy ||
           (cell.contributions == 1 &&
            (cell.fault == CellFault::kLost || cell.fault == CellFault::kDoubled));
  });
}

namespace {

// Gradients of one plane, by groups.destinations()[place].
void GradientsOf(const PlaneGroups& groups, std::size_t place,
                 std::span<const std::uint32_t> grad_output, std::vector<std::uint32_t>& own) {
  own.clear();
  for (const std::int64_t element : groups.Of(place)) {
    own.push_back(grad_output[static_cast<std::size_t>(element)]);
  }
}

// Bits of the sum from the given one on and around, rounded to the type at each step.
std::uint32_t AddFrom(std::size_t begin, std::span<const std::uint32_t> own, DataType type) {
  double sum = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double next = DecodeFloat(own[(begin + i) % own.size()], type);
    sum = DecodeFloat(EncodeFloat(sum + next, type), type);
  }
  return EncodeFloat(sum, type);
}

// Of three, these are all sums that there are.
bool OrderShowsIn(std::span<const std::uint32_t> own, DataType type) {
  if (own.size() <= 2) return false;
  const std::uint32_t sum = AddFrom(0, own, type);
  const std::vector<std::uint32_t> back(own.rbegin(), own.rend());
  return AddFrom(1, own, type) != sum || AddFrom(2, own, type) != sum ||
         AddFrom(own.size() / 2, own, type) != sum || AddFrom(0, back, type) != sum;
}

}  // namespace

bool OrderShows(const Call& call, const MaterializedCall& data, const Membership& membership) {
  const PlaneGeometry& geometry = membership.geometry();
  const DataType type = call.tensor(Role::kGradOutput).type;
  const auto outputs = static_cast<std::size_t>(geometry.OutputSize());
  std::vector<std::uint32_t> own;
  for (std::int64_t plane = 0; plane < geometry.planes; ++plane) {
    const std::size_t first = static_cast<std::size_t>(plane) * outputs;
    const PlaneGroups groups(std::span(data.indices).subspan(first, outputs), geometry.PlaneSize());
    for (std::size_t place = 0; place < groups.destinations().size(); ++place) {
      GradientsOf(groups, place, std::span(data.grad_output).subspan(first, outputs), own);
      std::sort(own.begin(), own.end());
      if (OrderShowsIn(own, type)) return true;
    }
  }
  return false;
}

DataFacts FactsOf(const Call& call, const MaterializedCall& data,
                  const std::optional<Membership>& membership) {
  DataFacts facts;
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
  if (const std::optional<Membership> close = WithoutDilation(call)) {
    for (std::size_t i = 0; i < data.indices.size() && !facts.dilation_tells; ++i) {
      const std::uint32_t gradient = data.grad_output[i];
      if (IsZeroBits(gradient, type) || IsSubnormalBits(gradient, type)) continue;
      facts.dilation_tells =
          !close->Covers(static_cast<std::int64_t>(i) % outputs, data.indices[i]);
    }
  }
  std::vector<std::uint32_t> own;
  for (std::int64_t plane = 0; plane < geometry.planes; ++plane) {
    const auto first = static_cast<std::size_t>(plane * outputs);
    const auto count = static_cast<std::size_t>(outputs);
    const PlaneGroups groups(std::span(data.indices).subspan(first, count), plane_size);
    std::optional<SumRule> first_rule;
    bool alike = true;
    for (std::size_t place = 0; place < groups.destinations().size(); ++place) {
      GradientsOf(groups, place, std::span(data.grad_output).subspan(first, count), own);
      const auto telling = std::count_if(own.begin(), own.end(), [&](std::uint32_t gradient) {
        return !IsZeroBits(gradient, type) && !IsSubnormalBits(gradient, type);
      });
      const SumRule rule = RuleFor(own, type);
      facts.nan = facts.nan || rule.kind == SumKind::kNan;
      facts.infinity = facts.infinity || rule.kind == SumKind::kInfinity;
      facts.any_inexact = facts.any_inexact || rule.kind == SumKind::kBounded;
      // What may be zero looks like gradients that never came: those that cancel, and subnormals.
      const bool named = !rule.MayBeZero();
      const bool like_first =
          first_rule && (named ? rule.kind == first_rule->kind && rule.value == first_rule->value
                               : first_rule->MayBeZero());
      alike = alike && (!first_rule || like_first);
      if (!first_rule) first_rule = rule;
      facts.any_named = facts.any_named || named;
      facts.any_merge = facts.any_merge || (named && telling >= 2);
    }
    const std::int64_t destinations = std::ssize(groups.destinations());
    facts.any_unnamed = facts.any_unnamed || destinations < plane_size;
    const bool zeros = first_rule && first_rule->MayBeZero();
    alike = alike && (destinations == plane_size || zeros);
    facts.any_placed = facts.any_placed || !alike || plane_size == 1;
    // Later planes of a large case prove no more than the first ones.
    if (plane >= 64 && facts.any_named && facts.any_unnamed && facts.any_placed) break;
  }
  return facts;
}

ValueReport CheckValues(const Call& call, const MaterializedCall& data, Poison poison,
                        std::span<const std::byte> grad_input) {
  ValueReport report;
  const std::optional<Membership> membership = Membership::Of(call);
  if (!membership.has_value()) return report;
  const PlaneGeometry& geometry = membership->geometry();
  const TensorSpec& tensor = call.tensor(Role::kGradInput);
  const DataType type = tensor.type;
  const std::int64_t plane_size = geometry.PlaneSize();
  const std::int64_t outputs = geometry.OutputSize();
  const OutputElements got(tensor, grad_input);

  report.sums.op = call.op;
  report.sums.type = type;
  EcosystemTolerance ecosystem(type);
  SubnormalCount subnormals(*membership, report.sums);
  std::vector<std::uint32_t> own;
  for (std::int64_t plane = 0; plane < geometry.planes; ++plane) {
    const auto first = static_cast<std::size_t>(plane * outputs);
    const std::span<const std::int64_t> indices =
        std::span(data.indices).subspan(first, static_cast<std::size_t>(outputs));
    const PlaneGroups groups(indices, plane_size);
    CellContext context{
        .type = type,
        .poison = PoisonBits(poison, type),
        .plane_gradients =
            std::span(data.grad_output).subspan(first, static_cast<std::size_t>(outputs)),
        .plane_indices = indices,
        .first_element = plane * outputs,
        .position = 0,
        .got = got,
        .first_got = plane * plane_size,
        .plane_size = plane_size,
        .groups = groups};
    const std::int64_t faulty_before = report.faulty;
    const auto check = [&](std::int64_t position, std::span<const std::int64_t> elements) {
      const std::uint32_t bits = context.GotAt(position);
      // Of a plane that is wrong all over, most elements are but counted.
      const bool is_told = report.cells.size() >= kMaxDescribedCells && report.lost;
      if (elements.size() == 1) {
        const std::uint32_t gradient =
            context.plane_gradients[static_cast<std::size_t>(elements.front())];
        if (bits == gradient && !IsSubnormalBits(gradient, type)) return;
        if (is_told && ecosystem.decided()) {
          if (!IsCopy(bits, gradient, type)) ++report.faulty;
          return;
        }
      }
      own.clear();
      for (const std::int64_t element : elements) {
        own.push_back(context.plane_gradients[static_cast<std::size_t>(element)]);
      }
      const SumRule rule = RuleFor(own, type);
      const bool in_bound = rule.Accepts(bits);
      ecosystem.Add(rule, bits, in_bound);
      if (rule.kind == SumKind::kBounded) {
        ++report.sums.sums;
        if (!rule.IsCorrectlyRounded(bits)) ++report.sums.misrounded;
        if (!rule.IsWithinAcc32(bits)) ++report.sums.beyond_acc32;
      }
      if (in_bound) {
        subnormals.Add(rule, bits);
        return;
      }
      ++report.faulty;
      report.lost = report.lost || IsLost(context, bits, rule, own);
      // Describing costs a search; the first cells tell the story.
      if (report.cells.size() >= kMaxDescribedCells) return;
      context.position = position;
      FaultyCell cell = own.empty() ? DescribeUnnamed(context, bits)
                                    : DescribeNamed(context, bits, rule, elements, own);
      cell.position = plane * plane_size + position;
      cell.contributions = std::ssize(own);
      cell.expected = rule.ExpectedText();
      cell.got = HexBits(bits, type);
      report.cells.push_back(std::move(cell));
    };
    // Zeros where no index names the element, of whatever sign, are right.
    std::int64_t position = 0;
    const auto check_unnamed = [&](std::int64_t end) {
      for (;; ++position) {
        position = got.FirstNonzero(context.first_got + position, context.first_got + end) -
                   context.first_got;
        if (position >= end) break;
        if (!IsZeroBits(context.GotAt(position), type)) check(position, {});
      }
    };
    for (std::size_t place = 0; place < groups.destinations().size(); ++place) {
      check_unnamed(groups.destinations()[place]);
      check(position, groups.Of(place));
      ++position;
    }
    check_unnamed(plane_size);
    if (report.faulty == faulty_before) continue;
    report.conserved = (faulty_before == 0 || report.conserved) && IsConserved(context);
  }
  subnormals.End();
  report.sums.out_of_bound = report.faulty;
  report.sums.results = 1;
  report.sums.ecosystem = ecosystem.Met(geometry.planes * plane_size) ? 1 : 0;
  return report;
}

std::optional<std::int64_t> FirstDirtyGap(const TensorSpec& tensor,
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
  for (std::size_t element = 0; element < elements; ++element) {
    if (addressed[element]) continue;
    for (std::size_t k = 0; k < width; ++k) {
      if (storage[element * width + k] != kGapByte) {
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
  // Of mixed contents the part that is not zero: where zero was, nothing can be told.
  const Poison told = poison == Poison::kMixed ? Poison::kFinite : poison;
  const auto byte = std::to_integer<std::uint32_t>(PoisonByte(told, 0));
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

bool StorageHoldsSpecial(const TensorSpec& tensor, std::span<const std::byte> storage) {
  if (tensor.null || !IsGradientType(tensor.type) || !tensor.data.MayBeSpecial()) return false;
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  bool found = false;
  ForEachOffset(tensor.shape, StridesOf(tensor), tensor.offset, [&](std::int64_t, std::int64_t at) {
    if (found) return;
    std::uint32_t bits = 0;
    std::memcpy(&bits, storage.data() + static_cast<std::size_t>(at) * width, width);
    found = IsNanBits(bits, tensor.type) || IsInfinityBits(bits, tensor.type);
  });
  return found;
}

}  // namespace poolproof
