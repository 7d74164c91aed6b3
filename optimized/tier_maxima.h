// SPDX-License-Identifier: Apache-2.0
//
// The forward of a tier over a vector type V (tier_body.h). Included by tier files only: all is
// internal to each.
#ifndef POOLPROOF_OPTIMIZED_TIER_MAXIMA_H_
#define POOLPROOF_OPTIMIZED_TIER_MAXIMA_H_

#include <cstddef>
#include <cstdint>

#include "optimized/tier.h"
#include "optimized/tier_planes.h"

namespace poolproof {
namespace {

// A row of outputs in two steps. Columns: for every position along W, the maximum over the window's
// rows, by vectors. Windows: the maximum among columns; of equal ones that with the smallest index,
// which is the first in D,H,W order, and of NaNs that with the greatest.
template <typename V, Storage kStorage>
class RowPooler {
 public:
  RowPooler(const ForwardJob& job, const ForwardScratch& scratch)
      : job_(job), scratch_(scratch), width_(job.self.extents[2]) {
    inside_ = V::Less(V::Iota(), V::SetU(static_cast<std::uint32_t>(width_)));
    // What lies outside the plane never wins, neither by value nor by index.
    for (std::int64_t i = 0; i < job.columns + kSlack; ++i) {
      scratch.column_values[i] = -__builtin_inff();
      scratch.column_where[i] = kNowhere;
    }
  }

  void Row(std::int64_t row) {
    const std::int64_t height = job_.out.extents[1];
    const std::int64_t depth = job_.out.extents[0];
    const std::int64_t h = row % height;
    const std::int64_t d = row / height % depth;
    const std::int64_t plane = row / height / depth;
    nan_ = V::SetU(0);
    Columns(plane, job_.windows[0][d], job_.windows[1][h]);
    const bool nan = V::Any(nan_);
    if (job_.stride == 1) {
      nan ? Windows<1, true>() : Windows<1, false>();
    } else if (job_.stride == 2) {
      nan ? Windows<2, true>() : Windows<2, false>();
    } else {
      WindowsOneByOne();
    }
    // Rounding leaves NaNs as they are; those of fp16 come quiet from its conversions.
    if (kStorage == Storage::kBf16 && nan) QuietNans();
    Put(plane, d, h);
  }

 private:
  static constexpr std::uint32_t kNowhere = ~0U;
  static constexpr std::int64_t kSlack = 64;

  void Columns(std::int64_t plane, const AxisWindow& depth, const AxisWindow& height) {
    const std::byte* data = job_.self.data + PlaneStart(job_.self, plane) * kElementBytes<kStorage>;
    std::int64_t w = 0;
    for (; w + 2 * V::kLanes <= width_; w += 2 * V::kLanes) {
      ColumnVectors<2>(data, depth, height, w);
    }
    for (; w + V::kLanes <= width_; w += V::kLanes) ColumnVectors<1>(data, depth, height, w);
    if (w == width_) return;
    if (width_ >= V::kLanes) {  // once more for some columns, which changes nothing
      ColumnVectors<1>(data, depth, height, width_ - V::kLanes);
    } else {
      ColumnVectors<0>(data, depth, height, 0);
    }
  }

  // kCount vectors of columns from `w` on; 0: the only, incomplete one.
  template <int kCount>
  void ColumnVectors(const std::byte* data, const AxisWindow& depth, const AxisWindow& height,
                     std::int64_t w) {
    constexpr std::size_t kVectors = kCount == 0 ? 1 : kCount;
    constexpr std::size_t kLanes = V::kLanes;
    constexpr std::size_t kVectorBytes = kLanes * kElementBytes<kStorage>;
    typename V::F best[kVectors];
    typename V::U where[kVectors];
    for (std::size_t k = 0; k < kVectors; ++k) {
      best[k] = V::SetF(-__builtin_inff());
      where[k] = V::SetU(kNowhere);
    }
    bool first = true;
    for (std::int64_t i = 0; i < depth.count; ++i) {
      const std::int64_t d = depth.first + i * depth.step;
      for (std::int64_t j = 0; j < height.count; ++j) {
        const std::int64_t h = height.first + j * height.step;
        const std::byte* row = data + (d * job_.self.strides[0] + h * job_.self.strides[1] + w) *
                                          kElementBytes<kStorage>;
        const auto element =
            static_cast<std::uint32_t>((d * job_.self.extents[1] + h) * width_ + w);
        for (std::size_t k = 0; k < kVectors; ++k) {
          const auto x =
              kCount == 0 ? LoadSome(row) : V::template Decode<kStorage>(row + k * kVectorBytes);
          const auto position =
              V::SetU(element + static_cast<std::uint32_t>(k * kLanes)) + V::Iota();
          if (first) {
            best[k] = x;
            where[k] = position;
            nan_ = nan_ | V::IsNan(x);
          } else {
            const auto nan = V::IsNan(x);
            const auto wins = V::GreaterF(x, best[k]) | nan;
            best[k] = V::ChooseF(wins, x, best[k]);
            where[k] = V::Choose(wins, position, where[k]);
            nan_ = nan_ | nan;
          }
        }
        first = false;
      }
    }
    float* values = scratch_.column_values + job_.before + w;
    std::uint32_t* to = scratch_.column_where + job_.before + w;
    for (std::size_t k = 0; k < kVectors; ++k) {
      if (kCount == 0) {
        V::StoreF(values, best[0]);
        V::StoreU(to, V::Choose(inside_, where[0], V::SetU(kNowhere)));
      } else {
        V::StoreF(values + k * kLanes, best[k]);
        V::StoreU(to + k * kLanes, where[k]);
      }
    }
  }

  // A row shorter than a vector; what lies behind it never wins.
  typename V::F LoadSome(const std::byte* row) const {
    return V::ChooseF(inside_, V::template DecodeSome<kStorage>(row, width_),
                      V::SetF(-__builtin_inff()));
  }

  // Windows at equal distances, a vector of them at a time.
  template <int kStride, bool kNan>
  void Windows() {
    const std::int64_t outputs = job_.out.extents[2];
    for (std::int64_t w = 0; w < outputs; w += V::kLanes) {
      typename V::F best = V::SetF(-__builtin_inff());
      typename V::U where = V::SetU(kNowhere);
      for (std::int64_t k = 0; k < job_.width; ++k) {
        const std::int64_t at = w * kStride + k * job_.step;
        const auto x = LoadColumns<kStride>(scratch_.column_values + at);
        const auto position = LoadColumns<kStride>(scratch_.column_where + at);
        auto wins = V::GreaterF(x, best) | (V::EqualF(x, best) & V::Less(position, where));
        if constexpr (kNan) {
          wins = wins | (V::IsNan(x) & (~V::IsNan(best) | V::Less(where, position)));
        }
        best = V::ChooseF(wins, x, best);
        where = V::Choose(wins, position, where);
      }
      V::StoreF(scratch_.row_values + w, best);
      V::StoreU(scratch_.row_where + w, where);
    }
  }

  static auto LoadVector(const float* from) {
    return V::template Decode<Storage::kFp32>(reinterpret_cast<const std::byte*>(from));
  }
  static auto LoadVector(const std::uint32_t* from) {
    return V::LoadU(reinterpret_cast<const std::byte*>(from));
  }
  template <int kStride, typename T>
  static auto LoadColumns(const T* from) {
    if constexpr (kStride == 1) {
      return LoadVector(from);
    } else {
      return V::Even(LoadVector(from), LoadVector(from + V::kLanes));
    }
  }

  void WindowsOneByOne() {
    const std::int64_t outputs = job_.out.extents[2];
    for (std::int64_t w = 0; w < outputs; ++w) {
      const AxisWindow& window = job_.windows[2][w];
      float best = -__builtin_inff();
      std::uint32_t where = kNowhere;
      const float* values = scratch_.column_values + job_.before + window.first;
      const std::uint32_t* positions = scratch_.column_where + job_.before + window.first;
      for (std::int64_t k = 0; k < window.count; ++k) {
        const float x = values[k * window.step];
        const std::uint32_t position = positions[k * window.step];
        const bool better = x > best || (x == best && position < where);
        const bool nan = x != x && (best == best || position > where);
        best = better || nan ? x : best;
        where = better || nan ? position : where;
      }
      scratch_.row_values[w] = best;
      scratch_.row_where[w] = where;
    }
  }

  void QuietNans() {
    for (std::int64_t w = 0; w < job_.out.extents[2]; w += V::kLanes) {
      const auto x = LoadVector(scratch_.row_values + w);
      const auto quiet = reinterpret_cast<typename V::U>(x) | V::SetU(0x400000U);
      V::StoreF(scratch_.row_values + w,
                V::ChooseF(V::IsNan(x), reinterpret_cast<typename V::F>(quiet), x));
    }
  }

  void Put(std::int64_t plane, std::int64_t d, std::int64_t h) {
    const std::int64_t outputs = job_.out.extents[2];
    const std::int64_t out =
        PlaneStart(job_.out, plane) + d * job_.out.strides[0] + h * job_.out.strides[1];
    const std::int64_t indices =
        PlaneStart(job_.indices, plane) + d * job_.indices.strides[0] + h * job_.indices.strides[1];
    constexpr std::int64_t kLine = kLineElements<kStorage>;
    for (std::int64_t w = 0; w < outputs; w += kLine) {
      alignas(64) std::byte line[kLineBytes];
      V::template PutLine<kStorage, false>(line, scratch_.row_values + w);
      PutElements<kElementBytes<kStorage>>(job_.out, out, w, Least(kLine, outputs - w), line);
    }
    constexpr std::int64_t kSome = 8;
    for (std::int64_t w = 0; w < outputs; w += kSome) {
      std::int64_t wide[kSome];
      std::uint32_t narrow[kSome];
      for (std::int64_t i = 0; i < kSome; ++i) {
        const std::uint32_t where = scratch_.row_where[w + i];
        narrow[i] = where == kNowhere ? 0 : where;  // nothing of the window is inside
        wide[i] = narrow[i];
      }
      const std::int64_t count = Least(kSome, outputs - w);
      if (job_.wide_indices) {
        PutElements<8>(job_.indices, indices, w, count, reinterpret_cast<const std::byte*>(wide));
      } else {
        PutElements<4>(job_.indices, indices, w, count, reinterpret_cast<const std::byte*>(narrow));
      }
    }
  }

  template <std::int64_t kBytes>
  static void PutElements(const PlaneTensor& to, std::int64_t row, std::int64_t w,
                          std::int64_t count, const std::byte* from) {
    const std::int64_t stride = to.strides[2];
    std::byte* at = to.data + (row + w * stride) * kBytes;
    if (stride == 1 || count == 1) {
      __builtin_memcpy(at, from, static_cast<std::size_t>(count * kBytes));
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      __builtin_memcpy(at + i * stride * kBytes, from + i * kBytes, kBytes);
    }
  }

  const ForwardJob& job_;
  const ForwardScratch& scratch_;
  const std::int64_t width_;
  typename V::U inside_;  // lanes of a row shorter than a vector
  typename V::U nan_;
};

template <typename V, Storage kStorage>
void PoolRows(const ForwardJob& job, std::int64_t first, std::int64_t end,
              const ForwardScratch& scratch) {
  RowPooler<V, kStorage> pooler(job, scratch);
  for (std::int64_t row = first; row < end; ++row) pooler.Row(row);
}

template <typename V>
void RunMaxima(const ForwardJob& job, std::int64_t first, std::int64_t end,
               const ForwardScratch& scratch) {
  switch (job.storage) {
    case Storage::kFp16:
      return PoolRows<V, Storage::kFp16>(job, first, end, scratch);
    case Storage::kBf16:
      return PoolRows<V, Storage::kBf16>(job, first, end, scratch);
    case Storage::kFp32:
      return PoolRows<V, Storage::kFp32>(job, first, end, scratch);
  }
}

}  // namespace
}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_TIER_MAXIMA_H_
