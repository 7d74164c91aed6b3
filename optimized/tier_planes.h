// SPDX-License-Identifier: Apache-2.0
//
// Where the elements of planes lie. Included by tier files only: all is internal to each.
#ifndef POOLPROOF_OPTIMIZED_TIER_PLANES_H_
#define POOLPROOF_OPTIMIZED_TIER_PLANES_H_

#include <cstddef>
#include <cstdint>

#include "optimized/tier.h"

namespace poolproof {
namespace {

constexpr std::int64_t kLineBytes = 64;

template <Storage kStorage>
constexpr std::int64_t kElementBytes = kStorage == Storage::kFp32 ? 4 : 2;

template <Storage kStorage>
constexpr std::int64_t kLineElements = kLineBytes / kElementBytes<kStorage>;

inline std::int64_t Least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t Most(std::int64_t a, std::int64_t b) { return a < b ? b : a; }

inline std::int64_t PlaneStart(const PlaneTensor& tensor, std::int64_t plane) {
  if (tensor.planes_contiguous) return plane * tensor.step_c;
  return plane / tensor.channels * tensor.step_n + plane % tensor.channels * tensor.step_c;
}

// Walks a plane in D,H,W order from position `at`, in runs along W.
class PlaneRuns {
 public:
  PlaneRuns(const PlaneTensor& tensor, std::int64_t plane, std::int64_t at)
      : tensor_(tensor), w_(at % tensor.extents[2]) {
    const std::int64_t row = at / tensor.extents[2];
    h_ = row % tensor.extents[1];
    const std::int64_t d = row / tensor.extents[1];
    element_ = PlaneStart(tensor, plane) + d * tensor.strides[0] + h_ * tensor.strides[1] +
               w_ * tensor.strides[2];
  }
  // The run starts at element() and has step() between its elements.
  [[nodiscard]] std::int64_t element() const { return element_; }
  [[nodiscard]] std::int64_t step() const { return tensor_.strides[2]; }
  [[nodiscard]] std::int64_t left() const { return tensor_.extents[2] - w_; }
  // Requires count <= left().
  void Advance(std::int64_t count) {
    w_ += count;
    element_ += count * tensor_.strides[2];
    if (w_ < tensor_.extents[2]) return;
    element_ += tensor_.strides[1] - w_ * tensor_.strides[2];
    w_ = 0;
    if (++h_ < tensor_.extents[1]) return;
    element_ += tensor_.strides[0] - h_ * tensor_.strides[1];
    h_ = 0;
  }

 private:
  const PlaneTensor& tensor_;
  std::int64_t w_;
  std::int64_t h_ = 0;
  std::int64_t element_ = 0;
};

template <typename T>
T Load(const std::byte* data) {
  T value;
  __builtin_memcpy(&value, data, sizeof(T));
  return value;
}

// A vector of indices; of int64 the low halves, and bits of the others are added to `high`.
template <typename V, typename Index>
auto LoadIndices(const std::byte* data, typename V::U& high) {
  if constexpr (sizeof(Index) == 8) {
    return V::LoadLow(data, high);
  } else {
    return V::LoadU(data);
  }
}

inline void SetNeedsFallback(const BackwardJob& job, std::int64_t plane) {
  __atomic_store_n(job.needs_fallback + plane, static_cast<unsigned char>(1), __ATOMIC_RELAXED);
}

}  // namespace
}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_TIER_PLANES_H_
