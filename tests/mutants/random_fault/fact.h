// SPDX-License-Identifier: Apache-2.0
//
// Fact: what a library sees of a call through the ABI, as a number. Triggers of random faults are
// made of them. Seen and named here on their own: nothing is shared with what the suite says of
// cases.

#ifndef POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_FACT_H_
#define POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_FACT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace mutants::random_fault {

enum class Fact : int {
  kN,
  kC,
  kD,
  kH,
  kW,
  kOutD,
  kOutH,
  kOutW,
  kRank,
  kKernelD,
  kKernelH,
  kKernelW,
  kStrideD,
  kStrideH,
  kStrideW,
  kPaddingD,
  kPaddingH,
  kPaddingW,
  kCeil,
  kKernelLength,
  kStrideLength,
  kPaddingLength,
  kDilationLength,
  kDilation,  // the largest
  kDtype,     // of gradOutput
  kSelfDtype,
  kGradInputDtype,
  kIndexType,
  kFormat,  // of self
  kGradOutputPacked,
  kSelfPacked,
  kIndicesPacked,
  kGradInputPacked,
  kGradOutputOffset,
  kIndicesOffset,
  kGradInputOffset,
  kGradOutputStrideW,
  kIndicesStrideW,
  kGradInputStrideW,
  kGradInputSpare,  // elements of the storage beside those of the view
  kNulls,           // tensors that are null
  kDeterministic,
  kCallsBefore,  // in this process
  // Those from here on are known when the call is carried out alone.
  kRun,    // of its executor, the first being 0
  kAlign,  // address of gradInput modulo 64
  kNans,   // elements of gradOutput
  kInfinities,
  kMinusZeros,
  kSubnormals,
  kTopExponent,  // of the largest finite gradient
  kSelfNans,
  kShared,      // gradients whose cell another one has reached before
  kMostShared,  // gradients that meet in one cell
  kNamesFirst,  // the first cell of a plane is named
  kNamesLast,
  kRepeats,  // windows whose index is that of the window before
  kCount
};
inline constexpr std::size_t kFactCount = static_cast<std::size_t>(Fact::kCount);
inline constexpr Fact kFirstOfRun = Fact::kRun;

// What a call does not have.
inline constexpr int64_t kNone = std::numeric_limits<int64_t>::min();
using Facts = std::array<int64_t, kFactCount>;

// Families of facts: those of one measure are compared with one another.
enum class Family {
  kExtent,
  kOutExtent,
  kKernel,
  kStride,
  kPadding,
  kFlag,
  kLength,
  kType,
  kView,
  kOther,
  kData
};

struct Word {
  std::string_view text;
  int64_t value;
};

struct FactRow {
  Fact fact;
  std::string_view name;
  Family family;
  // Numbers that conditions name lie between these, small ones more often.
  int64_t least;
  int64_t most;
  std::span<const Word> words = {};  // of a fact that is a choice

  [[nodiscard]] bool IsOfRun() const { return fact >= kFirstOfRun; }
};

std::span<const FactRow> FactRows();  // in the order of Fact
const FactRow& RowOf(Fact fact);
std::optional<Fact> FactNamed(std::string_view name);

// The backward operators, by their names in texts of faults.
inline constexpr std::array<std::string_view, 4> kOperatorNames = {"mp3", "mp2", "amp3", "amp2"};

}  // namespace mutants::random_fault

#endif  // POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_FACT_H_
