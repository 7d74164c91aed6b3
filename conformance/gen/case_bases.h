// SPDX-License-Identifier: Apache-2.0
//
// Small legal calls that the fixed sources of cases start from, and the views they are given. Used
// by status_cases.cc, protocol_cases.cc and table_cases.cc.
#ifndef POOLPROOF_CONFORMANCE_GEN_CASE_BASES_H_
#define POOLPROOF_CONFORMANCE_GEN_CASE_BASES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/case_set.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {

// Where 16, 32 and 64 bits end.
inline constexpr std::int64_t kTwo16 = std::int64_t{1} << 16;
inline constexpr std::int64_t kTwo31 = std::int64_t{1} << 31;
inline constexpr std::int64_t kTwo32 = std::int64_t{1} << 32;
inline constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

// A legal call of a backward in each of its page's four geometries: even variants have the higher
// rank, odd ones the lower. Gradients are of the geometry's type where the profile has it.
inline constexpr int kBaseVariants = 4;
Call BaseCall(const ProfileRules& rules, Operator op, int variant);

// Planes of exactly 2^31 - 1 elements or little less, the most that is legal with INT32 indices.
std::vector<Dims> PlanesAtLimit(int spatial_rank);
// A call on a plane of the given extents with one window, with the higher rank or the lower; for
// plans of descriptors alone.
Call PlaneCall(Operator op, DataType type, DataType index_type, const Dims& plane, bool high_rank);

// FLOAT16 where the operator takes it, FLOAT otherwise.
DataType NarrowType(const ProfileRules& rules, Operator op);

// Gives the seed to the data of every operand, so that cases of different names differ in contents.
void SeedData(Call& call, std::uint64_t seed);
std::uint64_t SeedOfName(std::string_view name);

// The clause that a source named its case after, "2P-05" of "2P-05/both-null-v0"; empty for a name
// that starts otherwise.
std::string ClauseOfName(const Spec& spec, std::string_view name);

// One of them by the set, such as a number of variants.
template <typename T>
constexpr T BySet(CaseSet set, T smoke, T ci, T nightly) {
  if (set == CaseSet::kSmoke) return smoke;
  return set == CaseSet::kCi ? ci : nightly;
}

// Gives exact gradients every class of magnitude, where no two of them share memory: a cell's sum
// stays exact.
void GiveMagnitudes(Call& call);

// Sets the types of gradOutput, self and gradInput.
void SetGradientType(Call& call, DataType type);
// Sets the shapes of gradOutput and indices.
void SetOutputShape(Call& call, const Dims& shape);

// Ways to lay a tensor out other than row by row.
enum class Layout : std::uint8_t {
  kChannelsLast,    // the channel axis varies fastest
  kTransposed,      // the last two axes change places in storage
  kReversed,        // the first axis varies fastest
  kGaps,            // every other element
  kPaddedRows,      // three unused elements after each row
  kOffset,          // gaps, and an odd number of elements in front and behind
  kSizeOneStrides,  // rows padded; axes of extent 1 have strides that mean nothing
  kInterleaved,     // rows that start between the elements of the row before, where there are two
  kBroadcast,       // stride 0 on the longest axis (inputs only)
};
inline constexpr std::array kLayouts = {
    Layout::kChannelsLast,   Layout::kTransposed,  Layout::kReversed,
    Layout::kGaps,           Layout::kPaddedRows,  Layout::kOffset,
    Layout::kSizeOneStrides, Layout::kInterleaved, Layout::kBroadcast};
std::string_view LayoutName(Layout layout);
// Requires a tensor of legal rank for an operator with `spatial_rank` trailing axes.
void ApplyLayout(TensorSpec& tensor, Layout layout, int spatial_rank);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_GEN_CASE_BASES_H_
