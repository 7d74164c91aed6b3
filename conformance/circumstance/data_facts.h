// SPDX-License-Identifier: Apache-2.0
//
// DataFacts: what the data of a call say that its shapes do not: which gradients meet in a cell,
// and what comes of them; of a forward, which maxima.
#ifndef POOLPROOF_CONFORMANCE_CIRCUMSTANCE_DATA_FACTS_H_
#define POOLPROOF_CONFORMANCE_CIRCUMSTANCE_DATA_FACTS_H_

#include <cstdint>
#include <optional>

#include "conformance/case/case.h"

namespace poolproof {

// nullopt: the call has no such data.
struct CellFacts {
  using Number = std::optional<std::int64_t>;
  using Flag = std::optional<bool>;

  bool unknown = false;  // the call has more data than are looked at (kMostLookedAt)
  Number coinciding;     // largest number of gradients on a cell
  Number apart;          // least distance of outputs with one index
  // Least 2^k for which two outputs of a plane's group of 2^k name one cell; groups start at
  // multiples of their size.
  Number group;
  Number unnamed;           // cells of the planes that no index names
  Number meeting;           // gradients whose cell an earlier one of the plane has
  Number alike_neighbours;  // outputs whose index is that of the output before, in one plane
  Number nans, infinities, minus_zeros, subnormals;  // gradients that are such
  Number top_exponent;                               // of the largest finite gradient
  Number self_nans;
  Number highest_index;
  Number significant_bits;  // most of them in a gradient
  Flag alike;               // all gradients are one value
  Flag half_apart;          // outputs half a plane apart name one cell
  Flag in_row, across_rows, first_cell, last_cell, outside_plane;
  Flag nan, infinity, special, opposite_infinities, minus_zero, subnormal, special_meets_other;
  Flag self_special;  // NaN or an infinity in self
  Flag sum_rounded;   // a sum is no value of the type
  Flag sum_tie;       // one lies halfway between two of them
  Flag sum_near_tie;  // one lies beside it, by less than an eighth of their distance
  Flag sum_overflows;
  Flag sum_subnormal;
  // A cell's sum may be as far off as the loss of one of its gradients puts it, or half of the
  // cells have zeros, subnormal numbers, NaNs or infinities.
  Flag hides;
  // Each cell of a plane of several gets the same sum: what arrives in a wrong one does not show.
  Flag hides_moves;
  Flag tied;      // of a forward: a window holds its maximum more than once
  Number spread;  // of the exponents that meet in a cell
};

CellFacts CellFactsOf(const Call& call, const CallPlan& plan);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CIRCUMSTANCE_DATA_FACTS_H_
