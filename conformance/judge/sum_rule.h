// SPDX-License-Identifier: Apache-2.0
//
// SumRule: which bits one destination of the scatter may hold, from its contributions alone.
// The rules are those of floating-point summation in unknown order: round-to-nearest additions,
// each in the storage type or wider, in any association (Jeannerod and Rump 2013; Lange and Rump
// 2017). No document mentions subnormals: whatever is one on the way, a contribution, a partial
// sum or the result, may be kept or count as zero, each by itself.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_SUM_RULE_H_
#define POOLPROOF_CONFORMANCE_JUDGE_SUM_RULE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "core/data_type.h"

namespace poolproof {

enum class SumKind : std::uint8_t {
  kZero,      // no contribution: zero of either sign
  kExact,     // one value: a copy, a once-rounded sum of two, or a sum that no order rounds
  kBounded,   // an interval of values
  kNan,       // NaN of any payload
  kInfinity,  // that infinity
  kFree,      // a storage-type accumulator may overflow: interval, infinity or NaN
};

// What a right result tells of subnormals.
enum class Flushing : std::uint8_t { kUntold, kKept, kFlushed };

struct SumRule {
  SumKind kind = SumKind::kZero;
  DataType type = DataType::kFloat;
  double value = 0;        // kExact: the value; kBounded, kFree: the sum; kInfinity: the infinity
  double bound = 0;        // kBounded, kFree: greatest distance from `value`, rounded upward
  double absolute = 0;     // kBounded, kFree: the sum of magnitudes
  bool allow_nan = false;  // kInfinity: finite terms may overflow to the other sign on the way
  // Some contribution, partial sum or result may be a subnormal; then the most that may lack of
  // the sum, or be too much, where such count as zero.
  bool may_flush = false;
  double flush_below = 0;
  double flush_above = 0;
  std::int64_t contributions = 0;
  std::array<double, 2> terms{};  // of up to two contributions

  [[nodiscard]] bool Accepts(std::uint32_t bits) const {
    return AcceptsKept(bits) || (may_flush && AcceptsFlushed(bits));
  }
  // By the usual rules, which keep subnormals.
  [[nodiscard]] bool AcceptsKept(std::uint32_t bits) const;
  // Zero is no sign that nothing arrived.
  [[nodiscard]] bool MayBeZero() const { return Accepts(0); }
  // Of a result that the rule accepts.
  [[nodiscard]] Flushing FlushingOf(std::uint32_t bits) const;
  // Standards stricter than the law, of kBounded: the exact sum rounded once; the bound of
  // accumulation in FLOAT32.
  [[nodiscard]] bool IsCorrectlyRounded(std::uint32_t bits) const;
  [[nodiscard]] bool IsWithinAcc32(std::uint32_t bits) const;
  // "3f800000", "zero", "NaN", "3f800000..3f800003".
  [[nodiscard]] std::string ExpectedText() const;

 private:
  // Requires may_flush.
  [[nodiscard]] bool AcceptsFlushed(std::uint32_t bits) const;
  [[nodiscard]] bool AcceptsFlushedPair(std::uint32_t bits) const;
};

// `contributions` are storage bits of `type`.
SumRule RuleFor(std::span<const std::uint32_t> contributions, DataType type);

bool IsNanBits(std::uint32_t bits, DataType type);
bool IsZeroBits(std::uint32_t bits, DataType type);
bool IsInfinityBits(std::uint32_t bits, DataType type);
// Not zero. Asked for every element.
inline bool IsSubnormalBits(std::uint32_t bits, DataType type) {
  const std::uint32_t least_normal = type == DataType::kFloat     ? 0x00800000U
                                     : type == DataType::kFloat16 ? 0x0400U
                                                                  : 0x0080U;
  const std::uint32_t magnitude = bits & (type == DataType::kFloat ? 0x7fffffffU : 0x7fffU);
  return magnitude != 0 && magnitude < least_normal;
}
// "3f800000" or "3c00": all bits of an element.
std::string HexBits(std::uint32_t bits, DataType type);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_SUM_RULE_H_
