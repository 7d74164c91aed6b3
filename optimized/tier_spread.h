// SPDX-License-Identifier: Apache-2.0
//
// The spread form of the backward: windows that tile the planes and are 2 wide. Included by tier
// files only: all is internal to each.
#ifndef POOLPROOF_OPTIMIZED_TIER_SPREAD_H_
#define POOLPROOF_OPTIMIZED_TIER_SPREAD_H_

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
    gone_ = phase;
    end_ = phase;
  }

  // Room for at most kRoom bytes.
  [[nodiscard]] std::byte* room() { return bytes_ + end_; }
  void Add(std::int64_t bytes) {
    end_ += bytes;
    // Some distance: what is on its way to the cache can not be read yet.
    if (end_ - gone_ >= kBehind + kStep) Pass(end_ - kBehind);
    if (end_ > kSize - kRoom) MoveToFront();
  }

  void Drain() {
    Pass(end_);
    if (gone_ == end_) return;
    __builtin_memcpy(base_ + gone_, bytes_ + gone_, static_cast<std::size_t>(end_ - gone_));
    gone_ = end_;
  }

  static constexpr std::int64_t kRoom = 2048;

 private:
  static constexpr std::int64_t kStep = 512;
  static constexpr std::int64_t kBehind = 1024;
  static constexpr std::int64_t kSize = 8192;

  // Whole lines before `end`.
  void Pass(std::int64_t end) {
    if (end - gone_ < kLineBytes) return;
    const std::int64_t part = -gone_ & (kLineBytes - 1);
    if (part != 0) __builtin_memcpy(base_ + gone_, bytes_ + gone_, static_cast<std::size_t>(part));
    const std::int64_t first = gone_ + part;
    const std::int64_t lines = (end - first) / kLineBytes;
    if (streams_) {
      PutLines<true>(base_ + first, bytes_ + first, lines);
    } else {
      PutLines<false>(base_ + first, bytes_ + first, lines);
    }
    gone_ = first + lines * kLineBytes;
  }

  template <bool kStream>
  static void PutLines(std::byte* to, const std::byte* from, std::int64_t lines) {
    for (; lines > 0; --lines, to += kLineBytes, from += kLineBytes) {
      V::template PutLine<Storage::kFp32, kStream>(to, reinterpret_cast<const float*>(from));
    }
  }

  void MoveToFront() {
    const std::int64_t by = gone_ / kLineBytes * kLineBytes;
    __builtin_memmove(bytes_, bytes_ + by, static_cast<std::size_t>(end_ - by));
    base_ += by;
    gone_ -= by;
    end_ -= by;
  }

  alignas(64) std::byte bytes_[kSize];
  const bool streams_;
  std::byte* base_ = nullptr;  // where bytes_[0] belongs; starts a line
  std::int64_t gone_ = 0;
  std::int64_t end_ = 0;
};

// Windows of rows[0] x rows[1] x 2 that tile the plane: every element is written once, by its own
// window's output, so that nothing is zeroed, added or kept.
template <typename V, Storage kStorage, typename Index>
class Spreader {
 public:
  explicit Spreader(const BackwardJob& job)
      : job_(job),
        width_(job.grad_output.extents[2]),
        row_bytes_(2 * width_ * kElementBytes<kStorage>),
        writer_(job.streams) {
    alignas(64) std::uint32_t lanes[V::kLanes];
    for (int i = 0; i < V::kLanes; ++i) lanes[i] = static_cast<std::uint32_t>(i);
    iota_ = V::LoadU(reinterpret_cast<const std::byte*>(lanes));
  }
  ~Spreader() { writer_.Drain(); }
  Spreader(const Spreader&) = delete;
  Spreader& operator=(const Spreader&) = delete;

  // False where an index is not in its window.
  bool Spread(std::int64_t plane, const BackwardUnit& unit) {
    const std::byte* const indices =
        job_.indices.data + PlaneStart(job_.indices, plane) * std::int64_t{sizeof(Index)};
    const std::byte* const gradients =
        job_.grad_output.data + PlaneStart(job_.grad_output, plane) * kElementBytes<kStorage>;
    std::byte* const to =
        job_.grad_input.data + PlaneStart(job_.grad_input, plane) * kElementBytes<kStorage>;
    const bool direct = job_.streams && row_bytes_ % kLineBytes == 0 &&
                        reinterpret_cast<std::uintptr_t>(to) % kLineBytes == 0;
    const bool long_rows = !direct && job_.rows[1] * row_bytes_ > LineWriter<V>::kRoom;
    const std::int64_t height = job_.grad_output.extents[1];
    // What is read next is fetched in as many parts as this is read.
    const std::int64_t slice = height * width_;
    const std::int64_t ahead = job_.rows[0] > 1 ? slice : job_.prefetch_bytes / 4;
    const std::int64_t part = width_ / job_.rows[0] + 1;
    // Rows of outputs at a time.
    const std::int64_t group =
        direct || long_rows ? 1 : LineWriter<V>::kRoom / (job_.rows[1] * row_bytes_);
    counts_ = {V::NoTally(), V::SetU(0)};
    const std::int64_t end = unit.end / width_;
    for (std::int64_t row = unit.first / width_; row < end;) {
      const std::int64_t d = row / height;
      const std::int64_t stop = Least(end, (d + 1) * height);
      for (std::int64_t i = 0; i < job_.rows[0]; ++i) {
        std::int64_t element = ((d * job_.rows[0] + i) * job_.grad_input.extents[1] +
                                (row - d * height) * job_.rows[1]) *
                               2 * width_;
        if (!direct) writer_.Start(to + element * kElementBytes<kStorage>);
        for (std::int64_t r = row; r < stop; r += group) {
          const std::int64_t count = Least(group, stop - r);
          const std::int64_t from = ahead + i * count * part;
          const std::int64_t first = r * width_;
          const Rows outputs{indices + first * std::int64_t{sizeof(Index)},
                             gradients + first * kElementBytes<kStorage>, count};
          Fetch(outputs.indices, from * std::int64_t{sizeof(Index)},
                (from + count * part) * std::int64_t{sizeof(Index)});
          Fetch(outputs.gradients, from * kElementBytes<kStorage>,
                (from + count * part) * kElementBytes<kStorage>);
          if (direct) {
            SpreadDirectly(outputs, element, to + element * kElementBytes<kStorage>);
          } else if (long_rows) {
            SpreadLongRow(outputs, element);
          } else {
            SpreadRows(outputs, element);
          }
          element += count * job_.rows[1] * 2 * width_;
        }
      }
      row = stop;
    }
    return V::Total(counts_.found) == unit.end - unit.first && !V::Any(counts_.high);
  }

 private:
  // Outputs of a long row whose elements are put in the writer at a time.
  static constexpr std::int64_t kChunk = LineWriter<V>::kRoom / 32;

  // Elements that got a gradient, and each lane's bits of indices beyond 32. Counted in a local
  // copy: what is written to memory might change a member.
  struct Counts {
    typename V::Tally found;
    typename V::U high;
  };

  // Rows of outputs.
  struct Rows {
    const std::byte* indices;
    const std::byte* gradients;
    std::int64_t count;
  };

  static void Fetch(const std::byte* data, std::int64_t from, std::int64_t till) {
    for (; from < till; from += kLineBytes) __builtin_prefetch(data + from);
  }

  // The rows of elements under a row of outputs, the first of which is `element` of the plane, at
  // their place.
  void SpreadDirectly(const Rows& row, std::int64_t element, std::byte* to) {
    Counts counts = counts_;
    std::int64_t w = 0;
    for (; w + V::kLanes <= width_; w += V::kLanes) {
      Put<true>(IndicesAt(row, w, counts), GradientsAt(row, w), element + 2 * w, job_.rows[1],
                to + 2 * w * kElementBytes<kStorage>, counts);
    }
    counts_ = counts;
    // Rows are whole lines, so half a vector is left or nothing.
    if constexpr (kLineElements<kStorage> < 2 * V::kLanes) {
      if (w < width_) SpreadHalf(row, w, element, to + 2 * w * kElementBytes<kStorage>);
    }
  }

  // In the writer.
  void SpreadRows(const Rows& rows, std::int64_t element) {
    std::byte* to = writer_.room();
    Rows row = rows;
    for (std::int64_t r = 0; r < rows.count; ++r) {
      SpreadOutputs(row, 0, width_, element, job_.rows[1], to);
      row.indices += width_ * std::int64_t{sizeof(Index)};
      row.gradients += width_ * kElementBytes<kStorage>;
      element += job_.rows[1] * 2 * width_;
      to += job_.rows[1] * row_bytes_;
    }
    writer_.Add(rows.count * job_.rows[1] * row_bytes_);
  }

  // In the writer, one after another and in pieces.
  void SpreadLongRow(const Rows& row, std::int64_t element) {
    for (std::int64_t j = 0; j < job_.rows[1]; ++j) {
      for (std::int64_t w = 0; w < width_;) {
        // The last piece is the longest, so that its vectors do not reach into the one before.
        const std::int64_t count = width_ - w < 2 * kChunk ? width_ - w : kChunk;
        SpreadOutputs(row, w, count, element, 1, writer_.room());
        writer_.Add(2 * count * kElementBytes<kStorage>);
        w += count;
      }
      element += 2 * width_;
    }
  }

  // Outputs [w, w + count) of a row, a vector of them or more, into `rows` rows of elements.
  void SpreadOutputs(const Rows& row, std::int64_t w, std::int64_t count, std::int64_t element,
                     std::int64_t rows, std::byte* to) {
    element += 2 * w;
    Counts counts = counts_;
    // The last vector overlaps the one before. It is put first, with zeros and uncounted where the
    // other will be.
    if (const std::int64_t rest = count % V::kLanes; rest != 0) {
      const std::int64_t k = count - V::kLanes;
      const auto fresh =
          V::GreaterEqual(iota_, V::SetU(static_cast<std::uint32_t>(V::kLanes - rest)));
      Put<false>(V::Choose(fresh, IndicesAt(row, w + k, counts), V::SetU(~0U)),
                 GradientsAt(row, w + k), element + 2 * k, rows,
                 to + 2 * k * kElementBytes<kStorage>, counts);
    }
    for (std::int64_t k = 0; k + V::kLanes <= count; k += V::kLanes) {
      Put<false>(IndicesAt(row, w + k, counts), GradientsAt(row, w + k), element + 2 * k, rows,
                 to + 2 * k * kElementBytes<kStorage>, counts);
    }
    counts_ = counts;
  }

  static auto IndicesAt(const Rows& row, std::int64_t w, Counts& counts) {
    const std::byte* const indices = row.indices + w * std::int64_t{sizeof(Index)};
    if constexpr (sizeof(Index) == 8) {
      return V::LoadLow(indices, counts.high);
    } else {
      return V::LoadU(indices);
    }
  }
  // + 0: a lone -0 becomes +0, as in a sum.
  static auto GradientsAt(const Rows& row, std::int64_t w) {
    return V::template Decode<kStorage>(row.gradients + w * kElementBytes<kStorage>) + V::SetF(0);
  }

  // A vector of outputs into twice as many elements of each row, the first of which is `element`.
  template <bool kStream>
  void Put(typename V::U index, typename V::F gradient, std::int64_t element, std::int64_t rows,
           std::byte* to, Counts& counts) const {
    const auto low = V::TwiceLow(index);
    const auto high = V::TwiceHigh(index);
    const auto values = V::template Double<kStorage>(gradient);
    const auto row = V::SetU(static_cast<std::uint32_t>(2 * width_));
    auto at = V::SetU(static_cast<std::uint32_t>(element)) + iota_;
    for (std::int64_t j = 0; j < rows; ++j) {
      V::template PutEqual<kStorage, kStream>(to, low, high, at, at + V::SetU(V::kLanes), values,
                                              counts.found);
      at = at + row;
      to += row_bytes_;
    }
  }

  // The last outputs of a row, half a vector of them.
  void SpreadHalf(const Rows& row, std::int64_t w, std::int64_t element, std::byte* to) {
    const auto index = V::TwiceHigh(IndicesAt(row, w - V::kLanes / 2, counts_));
    const auto gradient = V::TwiceHigh(GradientsAt(row, w - V::kLanes / 2));
    for (std::int64_t j = 0; j < job_.rows[1]; ++j) {
      const auto here =
          V::Equal(index, V::SetU(static_cast<std::uint32_t>(element + 2 * w)) + iota_);
      V::Count(counts_.found, here);
      V::StreamFloats(to, V::Keep(here, gradient));
      element += 2 * width_;
      to += row_bytes_;
    }
  }

  const BackwardJob& job_;
  const std::int64_t width_;
  const std::int64_t row_bytes_;
  LineWriter<V> writer_;
  typename V::U iota_;
  Counts counts_;
};

template <typename V, Storage kStorage, typename Index>
void SpreadUnits(const BackwardJob& job, std::int64_t first, std::int64_t end,
                 const BackwardScratch& /*scratch*/) {
  {
    Spreader<V, kStorage, Index> spreader(job);
    for (std::int64_t unit = first; unit < end; ++unit) {
      const std::int64_t plane = unit / job.unit_count;
      if (!spreader.Spread(plane, job.units[unit % job.unit_count])) SetToDo(job, plane);
    }
  }
  V::Fence();
}

}  // namespace
}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_TIER_SPREAD_H_
