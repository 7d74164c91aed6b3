// SPDX-License-Identifier: Apache-2.0
//
// Circumstances: what can be said of a case by itself, as flags, numbers and words with the names
// that a kernel's author would use. They follow from the case and its data alone. Rules on when a
// library fails are made of them.
#ifndef POOLPROOF_CONFORMANCE_CIRCUMSTANCE_CIRCUMSTANCES_H_
#define POOLPROOF_CONFORMANCE_CIRCUMSTANCE_CIRCUMSTANCES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"

namespace poolproof {

struct Circumstance {
  enum class Kind : std::uint8_t { kFlag, kNumber, kWord };

  Kind kind = Kind::kFlag;
  std::string name;  // "overlap_d", "kernel_w", "dtype"
  // A number or a word: what it is of, "kernel W". A flag: what holds, "windows overlap along D".
  std::string text;
  std::string negation = {};            // of a flag: "windows do not overlap along D"
  std::vector<std::string> words = {};  // of a word: by value
  // What a person has to think of to read a sentence about it: of two rules that separate cases
  // equally well, the one with less effort is reported.
  int effort = 1;
  bool of_data = false;    // takes a look at the data of the call
  bool of_recipe = false;  // says how the suite makes data, of which a library sees nothing
  // A length that the call states: two of them can be compared, extents be multiplied, too. A count
  // of elements has remainders alone.
  enum class Measure : std::uint8_t { kNone, kExtent, kWindow, kCount };
  Measure measure = Measure::kNone;
};

// The same for all cases, in a fixed order.
std::span<const Circumstance> AllCircumstances();
// Position of a name. Requires one of the names.
std::size_t CircumstanceOf(std::string_view name);

// What a case does not have: the number of elements of a null tensor, the overlap of no windows.
inline constexpr std::int64_t kNoValue = std::numeric_limits<std::int64_t>::min();
// What it has and nobody looked at: of data above kMostLookedAt.
inline constexpr std::int64_t kNotLookedAt = kNoValue + 1;
constexpr bool IsValue(std::int64_t value) { return value > kNotLookedAt; }

// Values in the order of AllCircumstances(). Flags are 0 or 1.
using CircumstanceValues = std::vector<std::int64_t>;
// Whether the call may pass with a gradient lost, with all of them astray, or with its work done
// elsewhere than on its stream, but not while anybody looked: that it does says little.
bool MayHideAFault(const CircumstanceValues& values);
// Whether the circumstance says of data that they hide something, and so is no reason why anything
// fails.
bool IsOfHiding(std::size_t circumstance);

// Elements of a call whose data are looked at: those of more are kNotLookedAt.
inline constexpr std::int64_t kMostLookedAt = std::int64_t{1} << 16;
// And cells of all windows together, where these are looked through.
inline constexpr double kMostWindowCellsLookedAt = 1 << 22;

// Of one call of the case and its plan. Requires `call` < number of calls. Without `data` those of
// the data are kNotLookedAt.
CircumstanceValues CircumstancesOf(const Case& problem, std::size_t call, bool data = true);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CIRCUMSTANCE_CIRCUMSTANCES_H_
