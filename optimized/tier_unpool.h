// SPDX-License-Identifier: Apache-2.0
//
// The unpool form of the backward (tier.h): windows that tile the planes and are 2 wide. Included
// by tier files only: all is internal to each.
#ifndef POOLPROOF_OPTIMIZED_TIER_UNPOOL_H_
#define POOLPROOF_OPTIMIZED_TIER_UNPOOL_H_

#include <cstddef>
#include <cstdint>

#include "optimized/tier.h"
#include "optimized/tier_planes.h"

namespace poolproof {
namespace {

// Bytes that follow each other in memory: gathered, and passed on as whole lines.
template <typename V>
class LineWriter {
 public:
  explicit LineWriter(bool streams) : streams_(streams) {}

  // What comes next belongs at `to`.
  void Start(std::byte* to) {
    if (to == base_ + end_) return;
    Drain();
    const auto phase = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % kLineBytes);
    base_ = to - phase;
    written_ = phase;
    end_ = phase;
  }

  // Room for at most kRoom bytes.
  [[nodiscard]] std::byte* room() { return bytes_ + end_; }
  void Add(std::int64_t bytes) {
    end_ += bytes;
    // Some distance: what is on its way to the cache can not be read yet.
    if (end_ - written_ >= kBehind + kStep) Pass(end_ - kBehind);
    if (end_ > kSize - kRoom) MoveToFront();
  }

  void Drain() {
    Pass(end_);
    if (written_ == end_) return;
    __builtin_memcpy(base_ + written_, bytes_ + written_,
                     static_cast<std::size_t>(end_ - written_));
    written_ = end_;
  }

  static constexpr std::int64_t kRoom = 2048;

 private:
  static constexpr std::int64_t kStep = 512;
  static constexpr std::int64_t kBehind = 1024;
  static constexpr std::int64_t kSize = 8192;

  // Whole lines before `end`.
  void Pass(std::int64_t end) {
    if (end - written_ < kLineBytes) return;
    const std::int64_t part = -written_ & (kLineBytes - 1);
    if (part != 0)
      __builtin_memcpy(base_ + written_, bytes_ + written_, static_cast<std::size_t>(part));
    const std::int64_t first = written_ + part;
    const std::int64_t lines = (end - first) / kLineBytes;
    if (streams_) {
      PutLines<true>(base_ + first, bytes_ + first, lines);
    } else {
      PutLines<false>(base_ + first, bytes_ + first, lines);
    }
    written_ = first + lines * kLineBytes;
  }

  template <bool kStream>
  static void PutLines(std::byte* to, const std::byte* from, std::int64_t lines) {
    for (; lines > 0; --lines, to += kLineBytes, from += kLineBytes) {
      V::template PutLine<Storage::kFp32, kStream>(to, reinterpret_cast<const float*>(from));
    }
  }

  void MoveToFront() {
    const std::int64_t by = written_ / kLineBytes * kLineBytes;
    __builtin_memmove(bytes_, bytes_ + by, static_cast<std::size_t>(end_ - by));
    base_ += by;
    written_ -= by;
    end_ -= by;
  }

  alignas(64) std::byte bytes_[kSize];
  const bool streams_;
  std::byte* base_ = nullptr;  // where bytes_[0] belongs; starts a line
  std::int64_t written_ = 0;
  std::int64_t end_ = 0;
};

// A vector of outputs, each with the two elements that its window has in a row. Vectors that can
// take in more outputs at a time have a specialization.
template <typename V, Storage kStorage>
class UnpoolStep {
  using U = typename V::U;

 public:
  static constexpr std::int64_t kOutputs = V::kLanes;

  // Elements of windows, counted from the first one of each: those of its first row.
  using Row = U;
  static Row FirstRow() { return V::Iota() & V::SetU(1); }
  // From a row to the next one.
  static Row RowStep(std::int64_t elements) {
    return V::SetU(static_cast<std::uint32_t>(elements));
  }
  static Row Next(Row row, Row row_step) { return row + row_step; }

  using Mask = U;
  static Mask Before(std::int64_t first) {
    return V::Less(V::Iota(), V::SetU(static_cast<std::uint32_t>(first)));
  }

  // `starts` are the first elements of the windows; bits of indices beyond 32 are added to `high`.
  template <typename Index>
  static UnpoolStep Take(const std::byte* indices, const std::byte* gradients, U starts, U& high) {
    // + 0: a lone -0 becomes +0, as in a sum.
    return {LoadIndices<V, Index>(indices, high) - starts,
            V::template Decode<kStorage>(gradients) + V::SetF(0)};
  }
  // These are not counted and put as zeros.
  void Ignore(Mask ignored) {
    offset_ = offset_ | ignored;
    Prepare();
  }

  // Those whose index is in the first kRows rows of the window.
  template <int kRows>
  void Count(typename V::Tally& found, Row row_step) const {
    V::template CountRows<kRows>(found, offset_ & V::SetU(~1U), row_step);
  }

  // 2 * kOutputs elements of a row: gradients where an index points to, else zeros.
  template <bool kStream>
  void Put(std::byte* to, Row row) const {
    V::template PutEqual<kStorage, kStream>(to, low_, high_, row, values_);
  }
  // The upper half of them.
  template <bool kStream>
  void PutUpperHalf(std::byte* to, Row row) const {
    static_assert(kStream && kStorage == Storage::kFp32);
    V::StreamFloats(to, V::Keep(V::Equal(high_, row), values_.high));
  }

 private:
  UnpoolStep(U offset, typename V::F gradient)
      : offset_(offset), values_(V::template Double<kStorage>(gradient)) {
    Prepare();
  }
  void Prepare() {
    low_ = V::TwiceLow(offset_);
    high_ = V::TwiceHigh(offset_);
  }

  U offset_;  // of the index from the first element of its window
  U low_;
  U high_;
  decltype(V::template Double<kStorage>(typename V::F{})) values_;
};

// Windows of rows[0] x rows[1] x 2 that tile the plane: every element is written once, by its own
// window's output, so that nothing is zeroed, added or kept.
template <typename V, Storage kStorage, typename Index>
class Unpooler {
  using Step = UnpoolStep<V, kStorage>;
  static constexpr std::int64_t kOutputs = Step::kOutputs;

 public:
  explicit Unpooler(const BackwardJob& job)
      : job_(job),
        width_(job.grad_output.extents[2]),
        row_bytes_(2 * width_ * kElementBytes<kStorage>),
        rest_(width_ % kOutputs),
        ignored_(Step::Before(kOutputs - rest_)),
        writer_(job.streams) {}
  ~Unpooler() { writer_.Drain(); }
  Unpooler(const Unpooler&) = delete;
  Unpooler& operator=(const Unpooler&) = delete;

  // False where an index is not in its window.
  bool Unpool(std::int64_t plane, const BackwardTile& tile) {
    counts_ = {V::NoTally(), V::SetU(0)};
    // A row of outputs is read once for as many rows of elements as are written at a time.
    if (job_.rows[1] % 2 == 0) {
      UnpoolTile<2>(plane, tile);
    } else {
      UnpoolTile<1>(plane, tile);
    }
    return V::Total(counts_.found) == tile.end - tile.first && !V::Any(counts_.high);
  }

 private:
  // Outputs of a long row whose elements are put in the writer at a time.
  static constexpr std::int64_t kChunk = LineWriter<V>::kRoom / 32;
  static_assert(kChunk % kOutputs == 0);

  // Indices that were in their windows, and each lane's bits of indices beyond 32. Counted in a
  // local copy: what is written to memory might change a member.
  struct Counts {
    typename V::Tally found;
    typename V::U high;
  };

  // Outputs of a plane from a row's first one on.
  struct Outputs {
    const std::byte* indices;
    const std::byte* gradients;
    [[nodiscard]] Outputs operator+(std::int64_t outputs) const {
      return {indices + outputs * std::int64_t{sizeof(Index)},
              gradients + outputs * kElementBytes<kStorage>};
    }
  };

  static auto WindowStarts(std::int64_t element) {
    return V::SetU(static_cast<std::uint32_t>(element)) + V::Iota() + V::Iota();
  }
  static auto Elements(std::int64_t count) { return V::SetU(static_cast<std::uint32_t>(count)); }

  static void Fetch(const std::byte* data, std::int64_t from, std::int64_t till) {
    for (; from < till; from += kLineBytes) __builtin_prefetch(data + from);
  }

  template <int kRows>
  void UnpoolTile(std::int64_t plane, const BackwardTile& tile) {
    const Outputs outputs = {
        job_.indices.data + PlaneStart(job_.indices, plane) * std::int64_t{sizeof(Index)},
        job_.grad_output.data + PlaneStart(job_.grad_output, plane) * kElementBytes<kStorage>};
    std::byte* const to =
        job_.grad_input.data + PlaneStart(job_.grad_input, plane) * kElementBytes<kStorage>;
    const bool direct = job_.streams && row_bytes_ % kLineBytes == 0 &&
                        reinterpret_cast<std::uintptr_t>(to) % kLineBytes == 0;
    const std::int64_t window_bytes = job_.rows[1] * row_bytes_;
    const bool long_rows = window_bytes > LineWriter<V>::kRoom;
    const std::int64_t height = job_.grad_output.extents[1];
    // What is read next is fetched in as many parts as this is read.
    const std::int64_t slice = height * width_;
    const std::int64_t ahead = job_.rows[0] > 1 ? slice : job_.prefetch_bytes / 4;
    const std::int64_t part = width_ / job_.rows[0] + 1;
    // Rows of outputs at a time.
    const std::int64_t group = Most(LineWriter<V>::kRoom / window_bytes, 1);
    const std::int64_t end = tile.end / width_;
    for (std::int64_t row = tile.first / width_; row < end;) {
      const std::int64_t d = row / height;
      const std::int64_t stop = Least(end, (d + 1) * height);
      for (std::int64_t i = 0; i < job_.rows[0]; ++i) {
        std::int64_t element = ((d * job_.rows[0] + i) * job_.grad_input.extents[1] +
                                (row - d * height) * job_.rows[1]) *
                               2 * width_;
        if (!direct) writer_.Start(to + element * kElementBytes<kStorage>);
        for (std::int64_t r = row; r < stop; r += group) {
          const std::int64_t count = Least(group, stop - r);
          const Outputs rows = outputs + r * width_;
          const std::int64_t from = ahead + i * count * part;
          const std::int64_t till = from + count * part;
          Fetch(rows.indices, from * std::int64_t{sizeof(Index)},
                till * std::int64_t{sizeof(Index)});
          Fetch(rows.gradients, from * kElementBytes<kStorage>, till * kElementBytes<kStorage>);
          if (direct) {
            UnpoolRows<kRows, true>(rows, count, element, to + element * kElementBytes<kStorage>);
          } else if (long_rows) {
            UnpoolLongRow(rows, element);
          } else {
            UnpoolRows<kRows, false>(rows, count, element, writer_.room());
            writer_.Add(count * window_bytes);
          }
          element += count * job_.rows[1] * 2 * width_;
        }
      }
      row = stop;
    }
  }

  // Rows of outputs into whole lines at their place, or into the writer.
  template <int kRows, bool kDirect>
  void UnpoolRows(const Outputs& rows, std::int64_t count, std::int64_t element, std::byte* to) {
    Counts counts = counts_;
    const std::int64_t whole = kDirect ? width_ - rest_ : width_;
    Outputs row = rows;
    for (std::int64_t r = 0; r < count; ++r) {
      for (std::int64_t j = 0; j < job_.rows[1]; j += kRows) {
        UnpoolOutputs<kRows, kDirect>(row, whole, element, to, counts);
        // Half a vector is left or nothing.
        if constexpr (kDirect && kLineElements<kStorage> < 2 * kOutputs) {
          if (rest_ != 0) UnpoolHalf<kRows>(row, element, to, counts);
        }
        element += kRows * 2 * width_;
        to += kRows * row_bytes_;
      }
      row = row + width_;
    }
    counts_ = counts;
  }

  // A long row of outputs into the writer, in pieces.
  void UnpoolLongRow(const Outputs& row, std::int64_t element) {
    Counts counts = counts_;
    for (std::int64_t j = 0; j < job_.rows[1]; ++j) {
      for (std::int64_t w = 0; w < width_;) {
        // The last piece is the longest, so that its vectors do not reach into the one before.
        const std::int64_t count = width_ - w < 2 * kChunk ? width_ - w : kChunk;
        UnpoolOutputs<1, false>(row + w, count, element + 2 * w, writer_.room(), counts);
        writer_.Add(2 * count * kElementBytes<kStorage>);
        w += count;
      }
      element += 2 * width_;
    }
    counts_ = counts;
  }

  // At least a vector of outputs into kRows rows of elements, the first of which is `element`.
  template <int kRows, bool kStream>
  __attribute__((always_inline)) void UnpoolOutputs(const Outputs& outputs, std::int64_t count,
                                                    std::int64_t element, std::byte* to,
                                                    Counts& counts) const {
    const auto row_step = Step::RowStep(2 * width_);
    // The last vector overlaps the one before. It is put first, with zeros where the other will be.
    if (!kStream && count % kOutputs != 0) {
      const std::int64_t k = count - kOutputs;
      Step step = TakeAt(outputs, k, WindowStarts(element + 2 * k), counts);
      step.Ignore(ignored_);
      PutRows<kRows, kStream>(step, row_step, to + 2 * k * kElementBytes<kStorage>, counts);
    }
    auto starts = WindowStarts(element);
    for (std::int64_t k = 0; k + kOutputs <= count; k += kOutputs) {
      PutRows<kRows, kStream>(TakeAt(outputs, k, starts, counts), row_step,
                              to + 2 * k * kElementBytes<kStorage>, counts);
      starts = starts + Elements(2 * kOutputs);
    }
  }

  // The last outputs of a row, half a vector of them.
  template <int kRows>
  void UnpoolHalf(const Outputs& row, std::int64_t element, std::byte* to, Counts& counts) const {
    const std::int64_t k = width_ - kOutputs;
    Step step = TakeAt(row, k, WindowStarts(element + 2 * k), counts);
    step.Ignore(ignored_);
    const auto row_step = Step::RowStep(2 * width_);
    step.template Count<kRows>(counts.found, row_step);
    to += 2 * (width_ - rest_) * kElementBytes<kStorage>;
    auto at = Step::FirstRow();
    for (int j = 0; j < kRows; ++j) {
      step.template PutUpperHalf<true>(to, at);
      at = Step::Next(at, row_step);
      to += row_bytes_;
    }
  }

  static Step TakeAt(const Outputs& outputs, std::int64_t k, typename V::U starts, Counts& counts) {
    const Outputs from = outputs + k;
    return Step::template Take<Index>(from.indices, from.gradients, starts, counts.high);
  }

  template <int kRows, bool kStream>
  __attribute__((always_inline)) void PutRows(const Step& step, typename Step::Row row_step,
                                              std::byte* to, Counts& counts) const {
    step.template Count<kRows>(counts.found, row_step);
    auto at = Step::FirstRow();
    for (int j = 0; j < kRows; ++j) {
      step.template Put<kStream>(to + j * row_bytes_, at);
      at = Step::Next(at, row_step);
    }
  }

  const BackwardJob& job_;
  const std::int64_t width_;
  const std::int64_t row_bytes_;
  const std::int64_t rest_;            // outputs of a row that make no whole vector
  const typename Step::Mask ignored_;  // of the vector that has them
  LineWriter<V> writer_;
  Counts counts_;
};

template <typename V, Storage kStorage, typename Index>
void UnpoolTiles(const BackwardJob& job, std::int64_t first, std::int64_t end,
                 const BackwardScratch& /*scratch*/) {
  {
    Unpooler<V, kStorage, Index> unpooler(job);
    for (std::int64_t tile = first; tile < end; ++tile) {
      const std::int64_t plane = tile / job.tile_count;
      if (!unpooler.Unpool(plane, job.tiles[tile % job.tile_count])) SetNeedsFallback(job, plane);
    }
  }
  V::Fence();
}

}  // namespace
}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_TIER_UNPOOL_H_
