// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a tier over a vector type V of its instruction set. Included by tier files only:
// all is internal to each, and nothing comes from elsewhere (see tier.h).
//
// V has kLanes lanes of 32 bits as F (float), U (unsigned) and M (mask), and the functions used
// below. Sums are made one by one in ascending order of outputs whatever V is, so that every tier
// gives the same bits.
#ifndef POOLPROOF_OPTIMIZED_TIER_BODY_H_
#define POOLPROOF_OPTIMIZED_TIER_BODY_H_

#include <cstddef>
#include <cstdint>

#include "optimized/tier.h"
#include "optimized/tier_maxima.h"
#include "optimized/tier_planes.h"
#include "optimized/tier_unpool.h"
#include "optimized/tier_vector.h"

namespace poolproof {
namespace {

// --- Outputs in ----------------------------------------------------------------------------------

// Where a block of outputs goes: index i to ring position (i - lo + at) mod ring.
struct Target {
  std::uint32_t lo;
  std::uint32_t size;  // indices of [lo, lo + size) are wanted
  std::uint32_t at;
  std::uint32_t ring;
  bool wraps;  // the positions may pass the end of the ring
};

// The indices of [lo, lo + size), or, in a group of planes, of each of them, go into a ring.
inline Target MakeTarget(const BackwardJob& job, std::int64_t lo, std::int64_t size,
                         std::int64_t at, std::int64_t ring) {
  const std::int64_t wanted = job.group_offsets == nullptr ? size : job.plane_inputs;
  return {static_cast<std::uint32_t>(lo), static_cast<std::uint32_t>(wanted),
          static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(ring), ring - at < size};
}

// Reads outputs: every index once, so that memory that changes meanwhile cannot get past the test.
// Take() is false where one is not wanted.
template <typename V, Storage kStorage, typename Index>
class OutputReader {
 public:
  OutputReader(const BackwardJob& job, const BackwardScratch& scratch)
      : job_(job),
        scratch_(scratch),
        dense_(job.grad_output.dense && job.indices.dense),
        // Gradients that can be read where they lie.
        direct_(kStorage == Storage::kFp32 && dense_ &&
                reinterpret_cast<std::uintptr_t>(job.grad_output.data) % alignof(float) == 0) {}

  void SetPlane(std::int64_t plane) {
    plane_ = plane;
    gradient_ =
        job_.grad_output.data + PlaneStart(job_.grad_output, plane) * kElementBytes<kStorage>;
    index_ = job_.indices.data + PlaneStart(job_.indices, plane) * std::int64_t{sizeof(Index)};
  }

  // Outputs [first, first + count) of the plane become positions() and gradients().
  bool Take(std::int64_t first, std::int64_t count, const Target& target) {
    if (!dense_) return TakeStrided(first, count, target);
    const std::byte* const gradients = Stored(first);
    if (direct_) {
      values_ = reinterpret_cast<const float*>(gradients);
    } else {
      Decode(gradients, count);
      values_ = scratch_.gradients;
    }
    return TakePositions(first, count, target);
  }

  // The same for positions() alone. Requires dense operands.
  bool TakePositions(std::int64_t first, std::int64_t count, const Target& target) {
    const std::byte* const indices = index_ + first * std::int64_t{sizeof(Index)};
    const std::byte* const gradients = Stored(first);
    if (job_.group_offsets == nullptr) {
      return target.wraps ? TakeDense<false, true>(indices, gradients, first, count, target)
                          : TakeDense<false, false>(indices, gradients, first, count, target);
    }
    return target.wraps ? TakeDense<true, true>(indices, gradients, first, count, target)
                        : TakeDense<true, false>(indices, gradients, first, count, target);
  }

  // Where the plane's gradients lie from output `first` on. Requires dense operands.
  [[nodiscard]] const std::byte* Stored(std::int64_t first) const {
    return gradient_ + first * kElementBytes<kStorage>;
  }
  [[nodiscard]] const std::uint32_t* positions() const { return scratch_.positions; }
  [[nodiscard]] const float* gradients() const { return values_; }

 private:
  static constexpr std::int64_t kStep = 16;  // outputs; a line of int32

  template <bool kGroup, bool kWraps>
  bool TakeDense(const std::byte* indices, const std::byte* gradients, std::int64_t first,
                 std::int64_t count, const Target& target) {
    const auto lo = V::SetU(target.lo);
    const auto at = V::SetU(target.at);
    const auto ring = V::SetU(target.ring);
    const std::uint32_t* offsets = kGroup ? job_.group_offsets + first : nullptr;
    // Local, since what is written might be a member as far as the compiler knows.
    std::uint32_t* const positions = scratch_.positions;
    const std::int64_t ahead = job_.prefetch_bytes;
    auto most = V::SetU(0);
    auto high = V::SetU(0);
    const auto take = [&](std::int64_t k) {
      auto x = LoadIndices<V, Index>(indices + k * std::int64_t{sizeof(Index)}, high) - lo;
      most = V::MostU(most, x);
      x = x + at;
      if constexpr (kGroup) x = x + V::LoadU(reinterpret_cast<const std::byte*>(offsets + k));
      if constexpr (kWraps) x = V::LeastU(x, x - ring);
      V::StoreU(positions + k, x);
    };
    std::int64_t i = 0;
    for (; i + kStep <= count; i += kStep) {
      __builtin_prefetch(indices + i * std::int64_t{sizeof(Index)} + ahead);
      __builtin_prefetch(gradients + i * kElementBytes<kStorage> + ahead);
      for (std::int64_t k = i; k < i + kStep; k += V::kLanes) take(k);
    }
    for (; i + V::kLanes <= count; i += V::kLanes) take(i);
    bool wanted = true;
    if (i < count && count >= V::kLanes) {
      take(count - V::kLanes);  // some once more, which changes nothing
    } else {
      for (; i < count; ++i) {
        wanted &= TakeOne(i, Load<Index>(indices + i * std::int64_t{sizeof(Index)}), target,
                          kGroup ? offsets[i] : 0);
      }
    }
    return wanted && !V::Any(V::GreaterEqual(most, V::SetU(target.size)) | high);
  }

  void Decode(const std::byte* data, std::int64_t count) {
    float* const gradients = scratch_.gradients;
    std::int64_t i = 0;
    for (; i + V::kLanes <= count; i += V::kLanes) {
      V::StoreF(gradients + i, V::template Decode<kStorage>(data + i * kElementBytes<kStorage>));
    }
    if (i < count) {
      V::StoreF(gradients + i,
                V::template DecodeSome<kStorage>(data + i * kElementBytes<kStorage>, count - i));
    }
  }

  bool TakeOne(std::int64_t i, Index index, const Target& target, std::uint32_t offset) {
    // Without signs, so that what is below `lo` is beyond any size.
    const std::uint64_t x = static_cast<std::uint64_t>(index) - target.lo;
    const bool wanted = x < target.size;
    const std::int64_t position = static_cast<std::int64_t>(wanted ? x : 0) + target.at + offset;
    scratch_.positions[i] = static_cast<std::uint32_t>(
        position < target.ring ? position : position - std::int64_t{target.ring});
    return wanted;
  }

  bool TakeStrided(std::int64_t first, std::int64_t count, const Target& target) {
    PlaneRuns gradients(job_.grad_output, plane_, first);
    PlaneRuns indices(job_.indices, plane_, first);
    alignas(64) std::byte elements[V::kLanes * 4] = {};
    bool wanted = true;
    for (std::int64_t i = 0; i < count;) {
      const std::int64_t run =
          Least(Least(gradients.left(), count - i), static_cast<std::int64_t>(V::kLanes));
      for (std::int64_t k = 0; k < run; ++k) {
        __builtin_memcpy(elements + k * kElementBytes<kStorage>,
                         job_.grad_output.data +
                             (gradients.element() + k * gradients.step()) * kElementBytes<kStorage>,
                         kElementBytes<kStorage>);
        wanted &= TakeOne(i + k,
                          Load<Index>(job_.indices.data + (indices.element() + k * indices.step()) *
                                                              std::int64_t{sizeof(Index)}),
                          target, 0);
      }
      V::StoreF(scratch_.gradients + i, V::template Decode<kStorage>(elements));
      gradients.Advance(run);
      indices.Advance(run);
      i += run;
    }
    values_ = scratch_.gradients;
    return wanted;
  }

  const BackwardJob& job_;
  const BackwardScratch& scratch_;
  const bool dense_;
  const bool direct_;
  std::int64_t plane_ = 0;
  const std::byte* gradient_ = nullptr;
  const std::byte* index_ = nullptr;
  const float* values_ = nullptr;
};

inline void AddAt(float* sums, std::uint64_t position, float gradient) {
  const float sum = sums[position] + gradient;
  // Hides that the address is the same, which else is made by an instruction of its own.
  __asm__("" : "+r"(position));
  sums[position] = sum;
}

// Positions are read two at a time: there are more loads to do than the machine has room for.
inline void Scatter(float* sums, const std::uint32_t* positions, const float* gradients,
                    std::int64_t count) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    std::uint64_t pairs[2];
    __builtin_memcpy(pairs, positions + i, sizeof(pairs));
    if constexpr (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
      pairs[0] = pairs[0] << 32 | pairs[0] >> 32;
      pairs[1] = pairs[1] << 32 | pairs[1] >> 32;
    }
    AddAt(sums, pairs[0] & 0xffffffffU, gradients[i]);
    AddAt(sums, pairs[0] >> 32, gradients[i + 1]);
    AddAt(sums, pairs[1] & 0xffffffffU, gradients[i + 2]);
    AddAt(sums, pairs[1] >> 32, gradients[i + 3]);
  }
  for (; i < count; ++i) sums[positions[i]] += gradients[i];
}

// --- Inputs out ----------------------------------------------------------------------------------

// A ring of sums, or of elements, through which grad_input passes in order. Positions count its
// elements so that multiples of a line are lines of memory.
template <typename V, Storage kStorage, bool kElements = kStorage == Storage::kFp32>
class InputWriter {
  static constexpr std::int64_t kCell = kElements ? kElementBytes<kStorage> : 4;  // bytes

 public:
  InputWriter(const BackwardJob& job, float* ring)
      : job_(job),
        tensor_(job.grad_input),
        ring_(reinterpret_cast<std::byte*>(ring)),
        size_(job.ring_elements) {
    __builtin_memset(ring_, 0, static_cast<std::size_t>(size_ * kCell));
  }

  // Position of element 0 of a plane. Where the planes do not follow each other, each is a stream
  // of its own that is drained before the next.
  std::int64_t Enter(std::int64_t plane) {
    plane_ = plane;
    const std::int64_t element = tensor_.planes_contiguous ? 0 : PlaneStart(tensor_, plane);
    data_ = tensor_.data + element * kElementBytes<kStorage>;
    const auto address = reinterpret_cast<std::uintptr_t>(data_);
    aligned_ = address % kElementBytes<kStorage> == 0;
    phase_ =
        aligned_ ? static_cast<std::int64_t>(address % kLineBytes) / kElementBytes<kStorage> : 0;
    return phase_ + (tensor_.planes_contiguous ? plane * job_.inputs : 0);
  }

  // Elements from `position` on are to come; those before `keep` are not ours to write.
  void Start(std::int64_t position, std::int64_t keep) {
    written_ = position;
    keep_ = keep;
    at_ = position % size_;
  }

  [[nodiscard]] std::int64_t written() const { return written_; }
  [[nodiscard]] std::int64_t at() const { return at_; }
  // Where in the ring a position lies that is less than the ring's size ahead.
  [[nodiscard]] std::int64_t RingOf(std::int64_t position) const {
    const std::int64_t at = at_ + (position - written_);
    return at < size_ ? at : at - size_;
  }

  // Whole lines before `end` leave.
  void Flush(std::int64_t end) { Drain(end - end % kLineElements<kStorage>); }

  // Everything before `end` leaves.
  void Drain(std::int64_t end) {
    while (written_ < end) {
      if (written_ < keep_) {
        const std::int64_t count = Least(Least(end, keep_) - written_, size_ - at_);
        __builtin_memset(ring_ + at_ * kCell, 0, static_cast<std::size_t>(count * kCell));
        Pass(count);
      } else if (tensor_.dense && written_ % kLineElements<kStorage> == 0 &&
                 end - written_ >= kLineElements<kStorage>) {
        const std::int64_t count = Least(end - written_, size_ - at_) / kLineElements<kStorage>;
        PutLines(count);
        Pass(count * kLineElements<kStorage>);
      } else {
        const std::int64_t line = written_ % kLineElements<kStorage>;
        const std::int64_t count = Least(kLineElements<kStorage> - line, end - written_);
        PutPart(line, count);
        Pass(count);
      }
    }
  }

 private:
  void Pass(std::int64_t count) {
    written_ += count;
    at_ += count;
    if (at_ == size_) at_ = 0;
  }

  void PutLines(std::int64_t count) {
    if (job_.streams && aligned_) {
      PutLinesBy<true>(count);
    } else {
      PutLinesBy<false>(count);
    }
  }

  template <bool kStream>
  void PutLinesBy(std::int64_t count) {
    std::byte* to = data_ + (written_ - phase_) * kElementBytes<kStorage>;
    auto* from = reinterpret_cast<float*>(ring_ + at_ * kCell);
    const bool look_for_zeros = job_.sparse || !V::kRoundsFast;
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr (kElements) {
        V::template PutLine<Storage::kFp32, kStream>(to, from);
        Clear<kLineBytes>(from);
      } else {
        PutNarrowLine<kStream>(to, from, look_for_zeros);
      }
      to += kLineBytes;
      from += kLineElements<kStorage> * kCell / 4;
    }
  }

  // Where windows are far apart most lines are zeros. Elsewhere the branch would be mispredicted
  // too often.
  template <bool kStream>
  static void PutNarrowLine(std::byte* to, float* from, bool look_for_zeros) {
    if (look_for_zeros) {
      auto all = V::LoadU(reinterpret_cast<const std::byte*>(from));
      for (std::int64_t i = V::kLanes; i < kLineElements<kStorage>; i += V::kLanes) {
        all = all | V::LoadU(reinterpret_cast<const std::byte*>(from + i));
      }
      if (!V::Any(all)) {
        V::template PutLine<Storage::kFp32, kStream>(to, from);  // sixteen zeros are as many bytes
        return;
      }
    }
    V::template PutLine<kStorage, kStream>(to, from);
    Clear<2 * kLineBytes>(from);
  }

  template <std::int64_t kBytes>
  static void Clear(float* line) {
    for (std::int64_t i = 0; i < kBytes; i += kLineBytes) V::ClearLine(line + i / 4);
  }

  // Elements of one line, of which [line, line + count) are wanted.
  void PutPart(std::int64_t line, std::int64_t count) {
    alignas(64) std::byte bytes[kLineBytes];
    const std::byte* const start = ring_ + (at_ - line) * kCell;  // the ring is made of lines
    if constexpr (kElements) {
      __builtin_memcpy(bytes, start, sizeof(bytes));
    } else {
      V::template PutLine<kStorage, false>(bytes, reinterpret_cast<const float*>(start));
    }
    const std::byte* from = bytes + line * kElementBytes<kStorage>;
    if (tensor_.dense) {
      __builtin_memcpy(data_ + (written_ - phase_) * kElementBytes<kStorage>, from,
                       static_cast<std::size_t>(count * kElementBytes<kStorage>));
    } else {
      PlaneRuns runs(tensor_, plane_, written_ - phase_);
      for (std::int64_t i = 0; i < count; ++i) {
        __builtin_memcpy(tensor_.data + runs.element() * kElementBytes<kStorage>,
                         from + i * kElementBytes<kStorage>, kElementBytes<kStorage>);
        runs.Advance(1);
      }
    }
    __builtin_memset(ring_ + at_ * kCell, 0, static_cast<std::size_t>(count * kCell));
  }

  const BackwardJob& job_;
  const PlaneTensor& tensor_;
  std::byte* ring_;
  std::int64_t size_;
  std::byte* data_ = nullptr;  // of position phase_
  std::int64_t plane_ = 0;
  std::int64_t phase_ = 0;
  bool aligned_ = false;
  std::int64_t written_ = 0;
  std::int64_t keep_ = 0;
  std::int64_t at_ = 0;
};

// --- Kernels -------------------------------------------------------------------------------------

// Takes in a tile's outputs block by block; between the blocks, lines that no output can name any
// more leave, so that computing and writing overlap. False where an index is not wanted.
template <typename Blocks>
bool Fill(const BackwardJob& job, const BackwardTile& tile, std::int64_t zero, Blocks& blocks,
          typename Blocks::Out& writer) {
  const Target target =
      MakeTarget(job, tile.lo, tile.hi - tile.lo, writer.RingOf(zero + tile.lo), job.ring_elements);
  const std::int64_t outputs = tile.end - tile.first;
  const std::int64_t begin = writer.written();
  std::int64_t part = zero + tile.lo - begin;
  if (outputs > job.block_outputs) {
    part /= (outputs + job.block_outputs - 1) / job.block_outputs;
  }
  std::int64_t leaving = begin;
  for (std::int64_t first = tile.first; first < tile.end; first += job.block_outputs) {
    if (!blocks.Take(first, Least(job.block_outputs, tile.end - first), target)) return false;
    leaving += part;
    writer.Flush(leaving);
  }
  return true;
}

// Adds gradients to sums.
template <typename V, Storage kStorage, typename Index>
class ScatterAdder {
 public:
  using Out = InputWriter<V, kStorage>;
  ScatterAdder(const BackwardJob& job, const BackwardScratch& scratch)
      : ring_(scratch.ring), reader_(job, scratch) {}
  void SetPlane(std::int64_t plane) { reader_.SetPlane(plane); }

  bool Take(std::int64_t first, std::int64_t count, const Target& target) {
    if (!reader_.Take(first, count, target)) return false;
    Scatter(ring_, reader_.positions(), reader_.gradients(), count);
    return true;
  }

 private:
  float* ring_;
  OutputReader<V, kStorage, Index> reader_;
};

// Stores gradients as elements: an input has one owner, so that none gets two as long as each index
// is in its own window.
template <typename V, Storage kStorage, typename Index>
class ScatterStorer {
 public:
  using Out = InputWriter<V, kStorage, true>;
  ScatterStorer(const BackwardJob& job, const BackwardScratch& scratch)
      : job_(job),
        scratch_(scratch),
        ring_(reinterpret_cast<std::byte*>(scratch.ring)),
        reader_(job, scratch) {}
  void SetPlane(std::int64_t plane) { reader_.SetPlane(plane); }

  // False where an index is not in its window.
  bool Take(std::int64_t first, std::int64_t count, const Target& target) {
    if (!reader_.TakePositions(first, count, target)) return false;
    return target.wraps ? Store<true>(first, count, target) : Store<false>(first, count, target);
  }

 private:
  template <bool kWraps>
  bool Store(std::int64_t first, std::int64_t count, const Target& target) {
    auto* const sums = reinterpret_cast<std::byte*>(scratch_.gradients);
    const std::byte* const from = reader_.Stored(first);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint16_t sum = AsSum(Load<std::uint16_t>(from + i * 2));
      __builtin_memcpy(sums + i * 2, &sum, sizeof(sum));
    }
    const std::uint32_t* const owner_of_input = job_.owner_of_input + target.lo;
    const std::uint32_t* const positions = reader_.positions();
    std::byte* const ring = ring_;
    auto output = static_cast<std::uint32_t>(first);
    std::uint32_t strays = 0;
    for (std::int64_t i = 0; i < count; ++i, ++output) {
      const std::uint32_t position = positions[i];
      std::int64_t index = std::int64_t{position} - target.at;
      if (kWraps && index < 0) index += target.ring;
      strays |= owner_of_input[index] ^ output;
      __builtin_memcpy(ring + std::int64_t{position} * 2, sums + i * 2, 2);
    }
    return strays == 0;
  }

  // 0 + a gradient: -0 becomes 0, and a NaN a quiet one.
  static std::uint16_t AsSum(std::uint16_t bits) {
    constexpr unsigned kInfinity = kStorage == Storage::kFp16 ? 0x7c00U : 0x7f80U;
    constexpr unsigned kQuiet = kStorage == Storage::kFp16 ? 0x200U : 0x40U;
    const unsigned magnitude = bits & 0x7fffU;
    const unsigned sum = magnitude == 0 ? 0 : bits;
    return static_cast<std::uint16_t>(magnitude > kInfinity ? sum | kQuiet : sum);
  }

  const BackwardJob& job_;
  const BackwardScratch& scratch_;
  std::byte* ring_;
  OutputReader<V, kStorage, Index> reader_;
};

// Fills the ring tile by tile. Planes with an index outside its tile are left to the fallback.
template <typename V, Storage kStorage, typename Blocks>
void ScatterTiles(const BackwardJob& job, std::int64_t first, std::int64_t end,
                  const BackwardScratch& scratch) {
  if (first >= end) return;
  typename Blocks::Out writer(job, scratch.ring);
  Blocks blocks(job, scratch);
  std::int64_t plane = first / job.tile_count;
  std::int64_t at = first % job.tile_count;
  // Tiles before the first that reach into our part of grad_input.
  const std::int64_t keep = at == 0 ? 0 : job.tiles[at].lo;
  const std::int64_t ours = at;
  while (at > 0 && job.tiles[at - 1].hi > keep) --at;
  std::int64_t zero = writer.Enter(plane);
  writer.Start(zero + (at == ours ? keep : Least(keep, job.tiles[at].lo)), zero + keep);
  blocks.SetPlane(plane);
  const std::int64_t last_plane = (end - 1) / job.tile_count;
  while (true) {
    const std::int64_t stop = plane == last_plane ? (end - 1) % job.tile_count + 1 : job.tile_count;
    for (; at < stop; ++at) {
      const BackwardTile& tile = job.tiles[at];
      // Room for the tile; a line more, since lines leave whole.
      const std::int64_t room = zero + tile.hi - job.ring_elements + kLineElements<kStorage>;
      if (room > writer.written()) writer.Flush(room);
      if (!Fill(job, tile, zero, blocks, writer)) {
        SetNeedsFallback(job, plane);
        break;
      }
      writer.Flush(zero + tile.lo);
    }
    const bool whole = stop == job.tile_count;
    if (plane == last_plane) {
      writer.Drain(zero + (whole ? job.inputs : job.tiles[stop].lo));
      break;
    }
    if (!job.grad_input.planes_contiguous) writer.Drain(zero + job.inputs);
    ++plane;
    at = 0;
    zero = writer.Enter(plane);
    if (!job.grad_input.planes_contiguous) writer.Start(zero, zero);
    blocks.SetPlane(plane);
  }
  V::Fence();
}

template <typename V, typename Index>
void SumInPlace(const BackwardJob& job, std::int64_t first, std::int64_t end,
                const BackwardScratch& scratch) {
  OutputReader<V, Storage::kFp32, Index> reader(job, scratch);
  // No ring: a size that no position reaches.
  const Target target = MakeTarget(job, 0, job.inputs, 0, std::int64_t{1} << 31);
  // Small planes are zeroed several at a time.
  constexpr std::int64_t kZeroed = 4096;
  std::int64_t zeroed = first;
  for (std::int64_t plane = first; plane < end; ++plane) {
    auto* sums = reinterpret_cast<float*>(job.grad_input.data) + PlaneStart(job.grad_input, plane);
    if (plane == zeroed) {
      zeroed = job.grad_input.planes_contiguous ? Least(end, plane + Most(kZeroed / job.inputs, 1))
                                                : plane + 1;
      __builtin_memset(sums, 0, static_cast<std::size_t>((zeroed - plane) * job.inputs) * 4);
    }
    reader.SetPlane(plane);
    for (std::int64_t i = 0; i < job.outputs; i += job.block_outputs) {
      const std::int64_t count = Least(job.block_outputs, job.outputs - i);
      if (!reader.Take(i, count, target)) {
        SetNeedsFallback(job, plane);
        break;
      }
      Scatter(sums, reader.positions(), reader.gradients(), count);
    }
  }
}

template <typename V, Storage kStorage>
void RunScatterAddIndexed(const BackwardJob& job, std::int64_t first, std::int64_t end,
                          const BackwardScratch& scratch) {
  if (job.wide_indices) {
    ScatterTiles<V, kStorage, ScatterAdder<V, kStorage, std::int64_t>>(job, first, end, scratch);
  } else {
    ScatterTiles<V, kStorage, ScatterAdder<V, kStorage, std::int32_t>>(job, first, end, scratch);
  }
}

template <typename V>
void RunScatterAdd(const BackwardJob& job, std::int64_t first, std::int64_t end,
                   const BackwardScratch& scratch) {
  switch (job.storage) {
    case Storage::kFp16:
      return RunScatterAddIndexed<V, Storage::kFp16>(job, first, end, scratch);
    case Storage::kBf16:
      return RunScatterAddIndexed<V, Storage::kBf16>(job, first, end, scratch);
    case Storage::kFp32:
      return RunScatterAddIndexed<V, Storage::kFp32>(job, first, end, scratch);
  }
}

template <typename V, Storage kStorage>
void RunScatterStoreIndexed(const BackwardJob& job, std::int64_t first, std::int64_t end,
                            const BackwardScratch& scratch) {
  if (job.wide_indices) {
    ScatterTiles<V, kStorage, ScatterStorer<V, kStorage, std::int64_t>>(job, first, end, scratch);
  } else {
    ScatterTiles<V, kStorage, ScatterStorer<V, kStorage, std::int32_t>>(job, first, end, scratch);
  }
}

template <typename V>
void RunScatterStore(const BackwardJob& job, std::int64_t first, std::int64_t end,
                     const BackwardScratch& scratch) {
  if (job.storage == Storage::kFp16) {
    RunScatterStoreIndexed<V, Storage::kFp16>(job, first, end, scratch);
  } else {
    RunScatterStoreIndexed<V, Storage::kBf16>(job, first, end, scratch);
  }
}

template <typename V, Storage kStorage>
void RunUnpoolIndexed(const BackwardJob& job, std::int64_t first, std::int64_t end,
                      const BackwardScratch& scratch) {
  if (job.wide_indices) {
    UnpoolTiles<V, kStorage, std::int64_t>(job, first, end, scratch);
  } else {
    UnpoolTiles<V, kStorage, std::int32_t>(job, first, end, scratch);
  }
}

template <typename V>
void RunUnpool(const BackwardJob& job, std::int64_t first, std::int64_t end,
               const BackwardScratch& scratch) {
  switch (job.storage) {
    case Storage::kFp16:
      return RunUnpoolIndexed<V, Storage::kFp16>(job, first, end, scratch);
    case Storage::kBf16:
      return RunUnpoolIndexed<V, Storage::kBf16>(job, first, end, scratch);
    case Storage::kFp32:
      return RunUnpoolIndexed<V, Storage::kFp32>(job, first, end, scratch);
  }
}

template <typename V>
void RunInPlace(const BackwardJob& job, std::int64_t first, std::int64_t end,
                const BackwardScratch& scratch) {
  if (job.wide_indices) {
    SumInPlace<V, std::int64_t>(job, first, end, scratch);
  } else {
    SumInPlace<V, std::int32_t>(job, first, end, scratch);
  }
}

// Rows that are unpooled: see UnpoolWidth::break_even.
template <typename V>
constexpr Tier MakeTier(const char* name, unsigned needs, bool automatic, int fp32_break_even,
                        int narrow_break_even) {
  static_assert(UnpoolStep<V, Storage::kFp16>::kOutputs == UnpoolStep<V, Storage::kBf16>::kOutputs);
  return {name,
          needs,
          automatic,
          {UnpoolStep<V, Storage::kFp32>::kOutputs, fp32_break_even},
          {UnpoolStep<V, Storage::kFp16>::kOutputs, narrow_break_even},
          &RunScatterAdd<V>,
          &RunUnpool<V>,
          &RunScatterStore<V>,
          &RunInPlace<V>,
          &RunMaxima<V>};
}

}  // namespace
}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_TIER_BODY_H_
