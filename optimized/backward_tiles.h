// SPDX-License-Identifier: Apache-2.0
//
// Cuts a plane into tiles for the backward: which outputs are expected to name which inputs.
#ifndef POOLPROOF_OPTIMIZED_BACKWARD_TILES_H_
#define POOLPROOF_OPTIMIZED_BACKWARD_TILES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/pool_geometry.h"
#include "optimized/tier.h"

namespace poolproof {

using PlaneExtents = std::array<std::int64_t, 3>;

// Windows are those of `axes`, else adaptive ones. Pieces of at most `tile_bytes` of sums are
// joined; a plane of at most `whole_plane_bytes` is one tile. lo and hi never fall from one tile
// to the next; together the tiles hold all outputs in order.
std::vector<BackwardTile> BackwardTiles(const PlaneExtents& inputs, const PlaneExtents& outputs,
                                        const std::optional<std::array<PoolAxis, 3>>& axes,
                                        std::int64_t whole_plane_bytes, std::int64_t tile_bytes);

// Elements of a circular buffer that holds any tile, and the one before it where that is wanted.
std::int64_t RingElements(const std::vector<BackwardTile>& tiles, std::int64_t plane_inputs,
                          bool with_the_one_before);

// Whether no two windows overlap.
bool DisjointWindows(const PlaneExtents& inputs, const PlaneExtents& outputs,
                     const std::optional<std::array<PoolAxis, 3>>& axes);

// Of each input of a plane the output in whose window it lies, else ~0. Requires windows that do
// not overlap.
std::vector<std::uint32_t> OwnerOfInput(const PlaneExtents& inputs, const PlaneExtents& outputs,
                                        const std::optional<std::array<PoolAxis, 3>>& axes);

// The kernel along D and H where windows tile the plane and are 2 wide; else nullopt.
std::optional<std::array<std::int64_t, 2>> UnpoolRows(
    const PlaneExtents& inputs, const PlaneExtents& outputs,
    const std::optional<std::array<PoolAxis, 3>>& axes);

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_BACKWARD_TILES_H_
