// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/plane.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/shape.h"

namespace poolproof {
namespace {

// Planes with more elements than so many for each gradient are sorted by gradients.
constexpr std::int64_t kSparse = 8;

}  // namespace

std::uint32_t LoadBits(std::span<const std::byte> storage, std::int64_t element, int width) {
  if (width == 2) {
    std::uint16_t half = 0;
    std::memcpy(&half, storage.data() + element * 2, sizeof half);
    return half;
  }
  std::uint32_t bits = 0;
  std::memcpy(&bits, storage.data() + element * 4, sizeof bits);
  return bits;
}

OutputElements::OutputElements(const TensorSpec& tensor, std::span<const std::byte> storage)
    : width_(StorageBytes(tensor.type)), size_(CheckedNumel(tensor.shape).value_or(0)) {
  const auto width = static_cast<std::size_t>(width_);
  const std::size_t bytes = static_cast<std::size_t>(size_) * width;
  if (size_ == 0) return;
  if (IsContiguousView(tensor)) {
    dense_ = storage.subspan(static_cast<std::size_t>(tensor.offset) * width, bytes);
    return;
  }
  gathered_.resize(bytes);
  ForEachOffset(tensor.shape, StridesOf(tensor), tensor.offset,
                [&](std::int64_t element, std::int64_t at) {
                  std::memcpy(gathered_.data() + static_cast<std::size_t>(element) * width,
                              storage.data() + static_cast<std::size_t>(at) * width, width);
                });
  dense_ = gathered_;
}

std::int64_t OutputElements::FirstNonzero(std::int64_t begin, std::int64_t end) const {
  constexpr std::size_t kBlock = 64;  // bytes
  const auto width = static_cast<std::size_t>(width_);
  const auto per_block = static_cast<std::int64_t>(kBlock / width);
  while (end - begin >= per_block) {
    std::uint64_t words[kBlock / sizeof(std::uint64_t)];
    std::memcpy(words, dense_.data() + static_cast<std::size_t>(begin) * width, kBlock);
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    if (any != 0) break;
    begin += per_block;
  }
  while (begin < end && (*this)[begin] == 0) ++begin;
  return begin;
}

PlaneGroups::PlaneGroups(std::span<const std::int64_t> indices, std::int64_t plane_size)
    : elements_(indices.size()) {
  const auto add = [&](std::int64_t destination, std::uint32_t start) {
    destinations_.push_back(destination);
    start_.push_back(start);
  };
  if (plane_size / kSparse > std::ssize(indices)) {
    std::iota(elements_.begin(), elements_.end(), 0);
    std::stable_sort(elements_.begin(), elements_.end(), [&](std::int64_t a, std::int64_t b) {
      return indices[static_cast<std::size_t>(a)] < indices[static_cast<std::size_t>(b)];
    });
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      const std::int64_t index = indices[static_cast<std::size_t>(elements_[i])];
      if (i == 0 || index != destinations_.back()) add(index, static_cast<std::uint32_t>(i));
    }
  } else {
    // A counting sort. Counts are two places on, so that placing leaves each start where it
    // belongs.
    std::vector<std::uint32_t> starts(static_cast<std::size_t>(plane_size) + 2, 0);
    for (const std::int64_t index : indices) ++starts[static_cast<std::size_t>(index) + 2];
    for (std::size_t p = 2; p < starts.size(); ++p) starts[p] += starts[p - 1];
    for (std::size_t i = 0; i < indices.size(); ++i) {
      elements_[starts[static_cast<std::size_t>(indices[i]) + 1]++] = static_cast<std::int64_t>(i);
    }
    for (std::int64_t position = 0; position < plane_size; ++position) {
      const std::uint32_t start = starts[static_cast<std::size_t>(position)];
      if (start != starts[static_cast<std::size_t>(position) + 1]) add(position, start);
    }
  }
  start_.push_back(static_cast<std::uint32_t>(elements_.size()));
}

std::span<const std::int64_t> PlaneGroups::At(std::int64_t position) const {
  const auto place = std::lower_bound(destinations_.begin(), destinations_.end(), position);
  if (place == destinations_.end() || *place != position) return {};
  return Of(static_cast<std::size_t>(place - destinations_.begin()));
}

}  // namespace poolproof
