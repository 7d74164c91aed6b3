// SPDX-License-Identifier: Apache-2.0
//
// Every constant of the optimized kernels, so that tests can put the borders where they want them.
#ifndef POOLPROOF_OPTIMIZED_TUNING_H_
#define POOLPROOF_OPTIMIZED_TUNING_H_

#include <cstdint>
#include <optional>

#include "optimized/parallel_for.h"
#include "optimized/tiers.h"

namespace poolproof {

struct Tuning {
  Parallelism parallelism = {};
  const Tier* tier = nullptr;  // null: DefaultTier()

  // Outputs that are taken in, added and followed by finished lines at a time.
  std::int64_t block_outputs = 256;
  // A plane with at most so many bytes of sums is not cut; in larger ones, pieces are joined up to
  // `tile_bytes`.
  std::int64_t whole_plane_bytes = std::int64_t{32} << 10;
  std::int64_t tile_bytes = std::int64_t{16} << 10;
  // Planes of fewer outputs are summed as one with others, up to so many outputs.
  std::int64_t group_outputs = 256;
  // Where a plane has so many inputs for each output, zeros are looked for.
  std::int64_t sparse_inputs = 256;
  // Where a plane has so many inputs for each output and its windows do not overlap, 16-bit
  // gradients are stored, not summed, if there are enough planes for a table of a plane's owners.
  std::int64_t scatter_store_inputs = 32;
  std::int64_t scatter_store_planes = 8;
  std::int64_t scatter_store_table_bytes = std::int64_t{1} << 20;
  // Windows that need a larger circular buffer are summed where they lie.
  std::int64_t most_ring_bytes = std::int64_t{4} << 20;
  // From so many bytes of grad_input on, stores are non-temporal.
  std::int64_t stream_bytes = std::int64_t{4} << 20;
  // How far ahead gradients and indices are fetched.
  std::int64_t prefetch_bytes = 1024;
  // Windows of width and stride 2 are unpooled where a row has at least so many of them; else the
  // tier says how many.
  std::optional<std::int64_t> unpool_outputs = std::nullopt;
  // Work is cut into so many ranges per thread, so that one that is held up does not hold up all.
  std::int64_t ranges_per_thread = 8;
};

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_TUNING_H_
