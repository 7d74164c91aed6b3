// SPDX-License-Identifier: Apache-2.0
//
// Facets: what an implementation may not be able to do at all, as far as a call's descriptors and
// attributes show it. What every call with a facet fails, no call shows to be right.
#ifndef POOLPROOF_CONFORMANCE_RESULT_FACETS_H_
#define POOLPROOF_CONFORMANCE_RESULT_FACETS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "conformance/case/case.h"
#include "conformance/spec/condition.h"

namespace poolproof {

enum class Facet : std::uint8_t {
  kFloat,  // gradients, or values of a forward
  kHalf,
  kBfloat,
  kInt32,  // indices
  kInt64,
  kBatched,
  kUnbatched,
  kContiguous,  // all operands
  kView,        // some operand is not
  kViewGradOutput,
  kViewSelf,
  kViewIndices,
  kViewGradInput,
  kFloor,  // fixed windows
  kCeil,
  kUnpadded,
  kPadded,
  kDilated,
  kDivides,  // adaptive windows of equal sizes
  kUneven,
  kFormatNd,
  kFormatNamed,
  kManyBatches,
  // Of the plan of the calls; each belongs to one clause of the protocol.
  kRunAgain,
  kDescriptorsAgain,
  kInterleaved,
  kBehindOthers,
  kOtherContents,
  kOtherAddresses,
  kThreads,
  kStreams,
  kFilledLate,
};
inline constexpr std::size_t kFacetCount = 32;

// A set of them, bit i for Facet i.
using Facets = std::uint32_t;
constexpr Facets BitOf(Facet facet) { return Facets{1} << static_cast<unsigned>(facet); }

// In a sentence about calls: "bf16 values", "ceilMode".
std::string_view FacetName(Facet facet);
// The clause that a facet of the plan says something of; nullopt: any, as all of descriptors do.
std::optional<Condition> ConditionOf(Facet facet);

Facets FacetsOf(const Call& call);
// Of all calls of a case.
Facets FacetsOf(const Case& problem);
// Of its plan.
Facets PlanFacetsOf(const Case& problem);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_FACETS_H_
