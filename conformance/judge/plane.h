// SPDX-License-Identifier: Apache-2.0
//
// A plane of gradInput: its elements, and the gradients that belong to each. Planes of millions of
// elements that few gradients reach are looked through once, without a copy.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_PLANE_H_
#define POOLPROOF_CONFORMANCE_JUDGE_PLANE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/case/case.h"

namespace poolproof {

// The bits of a storage's element, of `width` bytes: 2 or 4.
std::uint32_t LoadBits(std::span<const std::byte> storage, std::int64_t element, int width);

// Elements of an output in row-major order. Refers to its storage, which outlives it.
class OutputElements {
 public:
  // Requires `storage` to hold all elements of the tensor's view.
  OutputElements(const TensorSpec& tensor, std::span<const std::byte> storage);

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::uint32_t operator[](std::int64_t element) const {
    return LoadBits(dense_, element, width_);
  }
  // The first element from `begin` on, before `end`, with other bits than zero; `end` if none.
  [[nodiscard]] std::int64_t FirstNonzero(std::int64_t begin, std::int64_t end) const;

 private:
  int width_;
  std::int64_t size_;
  std::vector<std::byte> gathered_;  // of a view with gaps or another order
  std::span<const std::byte> dense_;
};

// Gradients of one plane by their destination.
class PlaneGroups {
 public:
  // Requires each index to lie in the plane.
  PlaneGroups(std::span<const std::int64_t> indices, std::int64_t plane_size);

  // Positions that an index names, ascending.
  [[nodiscard]] std::span<const std::int64_t> destinations() const { return destinations_; }
  // Elements of gradOutput, of this plane, whose index is destinations()[place]: ascending.
  [[nodiscard]] std::span<const std::int64_t> Of(std::size_t place) const {
    return std::span(elements_).subspan(start_[place], start_[place + 1] - start_[place]);
  }
  // Of any position of the plane.
  [[nodiscard]] std::span<const std::int64_t> At(std::int64_t position) const;

 private:
  std::vector<std::int64_t> destinations_;
  std::vector<std::uint32_t> start_;  // data in memory has fewer elements than 2^32
  std::vector<std::int64_t> elements_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_PLANE_H_
