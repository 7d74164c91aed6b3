// SPDX-License-Identifier: Apache-2.0
//
// A tier: the kernels compiled for one instruction set, and the plain structs that they take. Read
// by the tier files, which share no inline code with the rest: the linker keeps one copy of an
// inline function, and that may be one with instructions that the machine lacks.
#ifndef POOLPROOF_OPTIMIZED_TIER_H_
#define POOLPROOF_OPTIMIZED_TIER_H_

#include <cstddef>
#include <cstdint>

namespace poolproof {

// Three forms of the backward. Upper row: some outputs; lower row: the inputs that they write.
//
//   scatter-add       a  b  c     any windows: sums in a circular buffer of fp32; lines of inputs
//                      \/ \ \     that no later output can name are written out and leave it
//                     [+ + + +]
//   scatter-store     a  b  c     no two windows overlap, so that an input has one owner: stores
//                     |   \  \    without adding, in a circular buffer of 16-bit elements
//                     [=  = =]
//   unpool            a  b  c     windows of width 2 that tile the plane: every input is written
//                     a0 0b c0    once, as its output's gradient or zero; there is no buffer
//
// An index outside its tile (for the latter two: its window) sends the plane to the fallback in
// max_pool_backward.cc. Planes of fp32 that stay in the caches are summed in place.
enum class Storage { kFp32, kFp16, kBf16 };

// A tensor of planes: element (d, h, w) of plane (n, c) lies at data + (n * step_n + c * step_c +
// d * strides[0] + h * strides[1] + w * strides[2]) elements.
struct PlaneTensor {
  std::byte* data;  // inputs are only read
  std::int64_t channels;
  std::int64_t step_n;
  std::int64_t step_c;
  std::int64_t extents[3];
  std::int64_t strides[3];
  bool dense;              // the elements of a plane follow each other
  bool planes_contiguous;  // and so do the planes
};

// A piece of a plane: outputs [first, end) of it are expected to name inputs [lo, hi).
struct BackwardTile {
  std::int64_t first;
  std::int64_t end;
  std::int64_t lo;
  std::int64_t hi;
};

// What all ranges of one backward have in common. Tiles are numbered plane by plane.
struct BackwardJob {
  PlaneTensor grad_output;
  PlaneTensor indices;
  PlaneTensor grad_input;
  Storage storage;
  bool wide_indices;  // int64
  std::int64_t outputs;
  std::int64_t inputs;        // of a plane; below 2^31
  const BackwardTile* tiles;  // of one plane; lo and hi never fall
  std::int64_t tile_count;
  // Small planes are summed as one: what is added to the index of each output of such a group; else
  // null, and then plane_inputs is not read.
  const std::uint32_t* group_offsets;
  std::int64_t plane_inputs;
  std::int64_t ring_elements;  // holds any tile and the one before; a multiple of 32
  std::int64_t block_outputs;
  std::int64_t prefetch_bytes;
  bool sparse;           // few inputs are named by an output
  bool streams;          // with non-temporal stores
  std::int64_t rows[2];  // unpool: windows are rows[0] x rows[1] x 2
  // Scatter-store: the output whose window holds an input of the plane, else ~0.
  const std::uint32_t* owner_of_input;
  unsigned char* needs_fallback;  // per plane; set to 1 where an index is not in its tile's range
};

// Memory of one thread, 64-byte aligned.
struct BackwardScratch {
  float* ring;               // the circular buffer: ring_elements
  std::uint32_t* positions;  // block_outputs + 32
  float* gradients;          // the same
};

// Tiles [first, end) of a job: every element of grad_input that only they may name is written.
using BackwardKernel = void (*)(const BackwardJob& job, std::int64_t first, std::int64_t end,
                                const BackwardScratch& scratch);

// The positions first, first + step, ... that a window covers along an axis, `count` of them.
struct AxisWindow {
  std::int64_t first;
  std::int64_t count;
  std::int64_t step;
};

// What all rows of one forward have in common.
struct ForwardJob {
  PlaneTensor self;  // whose rows have no gaps
  PlaneTensor out;
  PlaneTensor indices;
  Storage storage;
  bool wide_indices;
  const AxisWindow* windows[3];  // of every output of an axis
  // Along W: windows of `width` positions at `step` whose starts are -`before`, `stride` - `before`
  // and so on; stride 0: windows[2] is read instead.
  std::int64_t stride;
  std::int64_t before;
  std::int64_t width;
  std::int64_t step;
  std::int64_t columns;  // before + W + what the last window reaches past it
};

// Memory of one thread, 64-byte aligned; each a multiple of 32 elements, and 64 more than said.
struct ForwardScratch {
  float* column_values;  // columns
  std::uint32_t* column_where;
  float* row_values;  // a row of outputs
  std::uint32_t* row_where;
};

// Rows [first, end) of outputs, counted over planes, D and H.
using ForwardKernel = void (*)(const ForwardJob& job, std::int64_t first, std::int64_t end,
                               const ForwardScratch& scratch);

// The rows of outputs that unpool takes.
struct UnpoolWidth {
  int least;       // a vector
  int break_even;  // from here on it is faster than sums, even if the elements are no whole lines
};

struct Tier {
  const char* name;
  unsigned needs;  // CpuFeature bits
  bool automatic;  // chosen where the machine has what it needs; else only by name
  UnpoolWidth fp32_width;
  UnpoolWidth narrow_width;  // of 16-bit elements
  BackwardKernel scatter_add;
  // Requires windows that tile the planes, planes
  // without gaps, and rows of at least UnpoolWidth::least outputs and at most kMostUnpoolElements.
  BackwardKernel unpool;
  // Requires 16-bit storage, windows that do not overlap, and dense operands with an aligned
  // grad_input.
  BackwardKernel scatter_store;
  // Planes [first, end): zeroed and summed where they lie. Requires dense, aligned fp32.
  BackwardKernel in_place;
  // Maxima of columns by vectors, then of windows among them.
  ForwardKernel maxima;
};

// Of grad_input: offsets within two rows have room in 16 bits.
constexpr std::int64_t kMostUnpoolElements = std::int64_t{1} << 14;

enum CpuFeature : unsigned { kCpuAvx2 = 1, kCpuAvx512 = 2, kCpuAvx512Bf16 = 4 };

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_TIER_H_
