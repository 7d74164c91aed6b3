// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/sum_rule.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/float_bits.h"
#include "core/text.h"

namespace poolproof {
namespace {

std::uint32_t MagnitudeMask(DataType type) {
  return type == DataType::kFloat ? 0x7fffffffU : 0x7fffU;
}

std::uint32_t InfinityBits(DataType type) {
  const FloatTraits& traits = TraitsOf(type);
  return static_cast<std::uint32_t>(2 * traits.max_exponent + 1) << (traits.precision - 1);
}

// Exponent of the lowest set bit of a finite, nonzero value.
int LowestBit(std::uint32_t bits, DataType type) {
  const FloatTraits& traits = TraitsOf(type);
  const int stored = traits.precision - 1;
  const std::uint32_t magnitude = bits & MagnitudeMask(type);
  const auto field = static_cast<int>(magnitude >> stored);
  std::uint32_t significand = magnitude & ((1U << stored) - 1U);
  if (field > 0) significand |= 1U << stored;
  const int exponent = traits.min_exponent + std::max(field, 1) - 1 - stored;
  return exponent + std::countr_zero(significand);
}

// Sum and error-free remainder (Knuth's two-sum), so that the reference is far below any bound.
class WideSum {
 public:
  void Add(double x) {
    const double sum = high_ + x;
    const double part = sum - high_;
    low_ += (high_ - (sum - part)) + (x - part);
    high_ = sum;
    absolute_ += std::fabs(x);
  }
  [[nodiscard]] double value() const { return high_ + low_; }
  [[nodiscard]] double absolute() const { return absolute_; }

 private:
  double high_ = 0;
  double low_ = 0;
  double absolute_ = 0;
};

// The widest distance within the error bound (numerics E3, amended): every addition rounds in the
// storage type or in a wider one whose result may be converted on the spot, and the root may be
// converted once more.
double ErrorBound(double n, double sum, double absolute, DataType type) {
  const FloatTraits& traits = TraitsOf(type);
  const double storage = traits.unit_roundoff;
  const double wide = 0x1p-24;
  double error = (n - 1) * storage * absolute;
  if (type != DataType::kFloat) {
    error = (error + (n - 1) * wide * absolute) * (1 + n * storage);
    error += storage * (std::fabs(sum) + error) + traits.min_subnormal / 2;
  }
  return error * (1 + 0x1p-20) + absolute * 0x1p-48;
}

}  // namespace

bool IsNanBits(std::uint32_t bits, DataType type) {
  return (bits & MagnitudeMask(type)) > InfinityBits(type);
}
bool IsZeroBits(std::uint32_t bits, DataType type) { return (bits & MagnitudeMask(type)) == 0; }
bool IsInfinityBits(std::uint32_t bits, DataType type) {
  return (bits & MagnitudeMask(type)) == InfinityBits(type);
}

std::string HexBits(std::uint32_t bits, DataType type) {
  return HexText(bits, 2 * static_cast<std::size_t>(StorageBytes(type)));
}

SumRule RuleFor(std::span<const std::uint32_t> contributions, DataType type) {
  SumRule rule;
  rule.type = type;
  rule.contributions = std::ssize(contributions);
  if (contributions.empty()) return rule;
  const FloatTraits& traits = TraitsOf(type);
  WideSum sum;
  bool nan = false;
  bool plus = false;
  bool minus = false;
  bool positive = false;
  bool negative = false;
  std::int64_t nonzero = 0;
  int lowest_bit = std::numeric_limits<int>::max();
  for (const std::uint32_t bits : contributions) {
    const double value = DecodeFloat(bits, type);
    if (std::isnan(value)) {
      nan = true;
    } else if (std::isinf(value)) {
      (value > 0 ? plus : minus) = true;
    } else if (value != 0) {
      sum.Add(value);
      ++nonzero;
      lowest_bit = std::min(lowest_bit, LowestBit(bits, type));
      (value > 0 ? positive : negative) = true;
      if (IsSubnormalBits(bits, type)) {
        (value > 0 ? rule.flush_below : rule.flush_above) += std::fabs(value);
      }
    }
  }
  const auto n = static_cast<double>(contributions.size());
  const double reach = sum.absolute() * (1 + n * traits.unit_roundoff);
  const bool may_overflow = contributions.size() > 2 && reach > traits.max_finite;
  if (nan || (plus && minus)) {
    rule.kind = SumKind::kNan;
    return rule;
  }
  if (plus || minus) {
    rule.kind = SumKind::kInfinity;
    rule.value = plus ? HUGE_VAL : -HUGE_VAL;
    // A storage-type accumulator may reach the other infinity first.
    rule.allow_nan = may_overflow;
    return rule;
  }
  rule.value = sum.value();
  // Terms of one sign add up to a subnormal only where all of them are; terms of both may cancel
  // down to one unless they are multiples of a normal number. A sum that counts as zero takes two
  // terms at least that did not, so that there are no more of them than pairs of terms.
  if (positive && negative && lowest_bit < traits.min_exponent) {
    const bool sum_is_normal = std::fabs(rule.value) >= traits.min_normal;
    const double of_sums =
        nonzero == 2 && sum_is_normal ? 0 : static_cast<double>(nonzero / 2) * traits.min_normal;
    rule.flush_below += of_sums;
    rule.flush_above += of_sums;
  }
  rule.may_flush = rule.flush_below > 0 || rule.flush_above > 0;
  if (contributions.size() <= 2) {
    rule.kind = SumKind::kExact;  // a copy, or one rounding of a commutative sum
    for (std::size_t i = 0; i < contributions.size(); ++i) {
      rule.terms[i] = DecodeFloat(contributions[i], type);
    }
    return rule;
  }
  // Multiples of one quantum with a total within the significand: no partial sum ever rounds.
  if (sum.absolute() == 0 ||
      sum.absolute() <= std::ldexp(1.0, std::min(traits.precision + lowest_bit, 1000))) {
    if (reach <= traits.max_finite) {
      rule.kind = SumKind::kExact;
      return rule;
    }
  }
  rule.kind = may_overflow ? SumKind::kFree : SumKind::kBounded;
  rule.absolute = sum.absolute();
  rule.bound = ErrorBound(n, rule.value, sum.absolute(), type);
  return rule;
}

bool SumRule::AcceptsKept(std::uint32_t bits) const {
  switch (kind) {
    case SumKind::kZero:
      return IsZeroBits(bits, type);
    case SumKind::kNan:
      return IsNanBits(bits, type);
    case SumKind::kInfinity:
      if (IsNanBits(bits, type)) return allow_nan;
      return DecodeFloat(bits, type) == value;
    case SumKind::kExact: {
      const std::uint32_t wanted = EncodeFloat(value, type);
      return wanted == bits || (IsZeroBits(wanted, type) && IsZeroBits(bits, type));
    }
    case SumKind::kBounded:
    case SumKind::kFree: {
      const double got = DecodeFloat(bits, type);
      if (std::isnan(got) || std::isinf(got)) return kind == SumKind::kFree;
      return std::fabs(got - value) <= bound;
    }
  }
  return false;
}

bool SumRule::AcceptsFlushed(std::uint32_t bits) const {
  if (contributions <= 2) return AcceptsFlushedPair(bits);
  const double got = DecodeFloat(bits, type);
  return std::isfinite(got) && got >= value - bound - flush_below &&
         got <= value + bound + flush_above;
}

bool SumRule::AcceptsFlushedPair(std::uint32_t bits) const {
  const double least = TraitsOf(type).min_normal;
  const auto flush = [&](double x) { return std::fabs(x) < least ? 0.0 : x; };
  for (const double a : {terms[0], flush(terms[0])}) {
    for (const double b : {terms[1], flush(terms[1])}) {
      const std::uint32_t sum = EncodeFloat(a + b, type);
      if (sum == bits) return true;
      if (IsZeroBits(bits, type) && flush(DecodeFloat(sum, type)) == 0) return true;
    }
  }
  return false;
}

Flushing SumRule::FlushingOf(std::uint32_t bits) const {
  if (!may_flush) return Flushing::kUntold;
  if (!AcceptsKept(bits)) return Flushing::kFlushed;
  // A zero sum is zero either way, and within a bound nothing shows.
  if (kind != SumKind::kExact || IsZeroBits(bits, type)) return Flushing::kUntold;
  // Beside a large gradient a subnormal leaves no trace.
  const bool traceless = EncodeFloat(terms[0], type) == bits || EncodeFloat(terms[1], type) == bits;
  return contributions == 2 && traceless ? Flushing::kUntold : Flushing::kKept;
}

bool SumRule::IsCorrectlyRounded(std::uint32_t bits) const {
  // The sum is known far better than to a last place of the type, but near a tie not which way.
  const double doubt = std::fabs(value) * 0x1p-50 + absolute * 0x1p-100;
  const double got = DecodeFloat(bits, type);
  return got >= DecodeFloat(EncodeFloat(value - doubt, type), type) &&
         got <= DecodeFloat(EncodeFloat(value + doubt, type), type);
}

bool SumRule::IsWithinAcc32(std::uint32_t bits) const {
  const double got = DecodeFloat(bits, type);
  if (!std::isfinite(got)) return false;
  double error = static_cast<double>(contributions - 1) * 0x1p-24 * absolute;
  if (type != DataType::kFloat) {
    const FloatTraits& traits = TraitsOf(type);
    error += traits.unit_roundoff * (std::fabs(value) + error) + traits.min_subnormal / 2;
  }
  error = error * (1 + 0x1p-20) + absolute * 0x1p-48;
  return got >= value - error - flush_below && got <= value + error + flush_above;
}

std::string SumRule::ExpectedText() const {
  switch (kind) {
    case SumKind::kZero:
      return "zero";
    case SumKind::kNan:
      return "NaN";
    case SumKind::kInfinity:
      return HexBits(EncodeFloat(value, type), type) + (allow_nan ? " or NaN" : "");
    case SumKind::kExact:
      return HexBits(EncodeFloat(value, type), type) + (may_flush ? " or flushed" : "");
    case SumKind::kBounded:
    case SumKind::kFree:
      break;
  }
  return HexBits(EncodeFloat(value - bound - flush_below, type), type) + ".." +
         HexBits(EncodeFloat(value + bound + flush_above, type), type) +
         (kind == SumKind::kFree ? " or overflow" : "");
}

}  // namespace poolproof
