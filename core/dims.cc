// SPDX-License-Identifier: Apache-2.0
#include "core/dims.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace poolproof {

void Dims::resize(std::size_t count, std::int64_t value) {
  reserve(count);
  if (count > size_) std::fill(data() + size_, data() + count, value);
  size_ = static_cast<std::uint32_t>(count);
}

void Dims::assign(std::size_t count, std::int64_t value) {
  clear();
  resize(count, value);
}

Dims::iterator Dims::insert(const_iterator at, std::size_t count, std::int64_t value) {
  std::int64_t* const gap = MakeGap(at, count);
  std::fill(gap, gap + count, value);
  return gap;
}

Dims::iterator Dims::erase(const_iterator first, const_iterator last) {
  std::int64_t* const to = begin() + (first - begin());
  std::copy(last, cend(), to);
  size_ -= static_cast<std::uint32_t>(last - first);
  return to;
}

bool operator==(const Dims& a, const Dims& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

#if defined(__cpp_impl_three_way_comparison)
std::strong_ordering operator<=>(const Dims& a, const Dims& b) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}
#endif

void Dims::Append(const std::int64_t* values, std::size_t count) {
  reserve(size_ + count);
  std::copy(values, values + count, data() + size_);
  size_ += static_cast<std::uint32_t>(count);
}

void Dims::Grow(std::size_t count) {
  const std::size_t room = std::max<std::size_t>(count, std::size_t{2} * capacity_);
  if (room > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("a list of extents is too long");
  }
  auto* const grown = new std::int64_t[room];
  std::copy(begin(), end(), grown);
  delete[] heap_;
  heap_ = grown;
  capacity_ = static_cast<std::uint32_t>(room);
}

std::int64_t* Dims::MakeGap(const_iterator at, std::size_t count) {
  const std::ptrdiff_t where = at - begin();
  reserve(size_ + count);
  std::int64_t* const gap = begin() + where;
  std::copy_backward(gap, end(), end() + count);
  size_ += static_cast<std::uint32_t>(count);
  return gap;
}

}  // namespace poolproof
