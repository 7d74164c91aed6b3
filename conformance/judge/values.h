// SPDX-License-Identifier: Apache-2.0
//
// Values: compares gradInput with the definition of the scatter, destination by destination, and
// says what went wrong in the terms of the clauses.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_VALUES_H_
#define POOLPROOF_CONFORMANCE_JUDGE_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"
#include "conformance/judge/membership.h"
#include "conformance/result/verdict.h"

namespace poolproof {

// What the data of a valid backward call can prove, whatever the implementation does.
struct DataFacts {
  bool in_plane = true;    // every index names a position of the plane
  bool in_window = true;   // ... and of its own window
  bool any_named = false;  // some destination that must not be zero (B01)
  // ... in a plane where gradients in other cells than those named would show: not all of its
  // cells get the same sum (B01, views)
  bool any_placed = false;
  bool any_merge = false;    // ... with two or more contributions that may not count as zero (B02)
  bool any_unnamed = false;  // some coordinate that no index names (B03)
  bool any_inexact = false;  // some destination whose sum is rounded on the way
  // Some gradient that may not count as zero lies where the window would not reach without its
  // dilation.
  bool dilation_tells = false;
  bool infinity = false;  // some destination that must be infinite
  bool nan = false;       // some destination that must be NaN
};
DataFacts FactsOf(const Call& call, const MaterializedCall& data,
                  const std::optional<Membership>& membership);

// Whether the order in which gradients are added shows in some destination: in their own type,
// in another order, they give another number. Where one dwarfs the others they do not.
bool OrderShows(const Call& call, const MaterializedCall& data, const Membership& membership);

// Whether an element of an input is NaN or infinite.
bool StorageHoldsSpecial(const TensorSpec& tensor, std::span<const std::byte> storage);

// What is wrong with one element of gradInput.
enum class CellFault : std::uint8_t {
  kPoisonKept,   // unnamed, and still what it was before the call
  kNotZero,      // unnamed, and neither zero nor poison
  kSpecialLeak,  // NaN or infinity where only finite gradients meet, or none
  kMoved,        // holds a gradient of another destination
  kLost,         // no trace of any of its contributions
  kPartlyLost,   // the sum of a proper subset of its contributions
  kDoubled,      // a contribution counted twice
  kWrongSum,     // none of these
  kWrongCopy,    // a single contribution altered
  kWrongInfinity,
  kWrongNan,
};

struct FaultyCell {
  CellFault fault = CellFault::kWrongSum;
  std::int64_t position = 0;  // row-major number in gradInput
  std::int64_t contributions = 0;
  std::string expected;
  std::string got;
  std::string story;  // what the bits tell: "gradient of window 5 is missing"
};

struct ValueReport {
  std::int64_t faulty = 0;  // number of wrong elements
  SumFacts sums;
  std::vector<FaultyCell> cells;  // the first few, described
  bool lost = false;              // some element, described or not, is kLost
  // Every wrong plane holds as much in all as its gradients add up to: they went astray.
  bool conserved = false;
  // The first wrong element with fewer than two contributions or with a gradient from elsewhere:
  // such a fault cannot come of merging.
  [[nodiscard]] bool AnySingle() const;
};

// `grad_input` is the output's storage after the call.
ValueReport CheckValues(const Call& call, const MaterializedCall& data, Poison poison,
                        std::span<const std::byte> grad_input);

// First storage byte of an output that its view does not address and that no longer holds
// kGapByte; nullopt: the gaps are intact.
std::optional<std::int64_t> FirstDirtyGap(const TensorSpec& tensor,
                                          std::span<const std::byte> storage);

// First row-major element whose bits differ between two storages of `tensor`, any two NaNs being
// equal; nullopt: none.
std::optional<std::int64_t> FirstDifference(const TensorSpec& tensor, std::span<const std::byte> a,
                                            std::span<const std::byte> b);

// The element bits that a poisoned element of the type holds.
std::uint32_t PoisonBits(Poison poison, DataType type);

// "[n,c,d,h,w]" of a row-major element number.
std::string CoordinateText(const Dims& shape, std::int64_t position);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_VALUES_H_
