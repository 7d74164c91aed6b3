// SPDX-License-Identifier: Apache-2.0
//
// A short list of numbers, as extents, strides and window attributes are: a std::vector in what it
// offers, but up to kInline of them take no memory of the heap.
#ifndef POOLPROOF_CORE_DIMS_H_
#define POOLPROOF_CORE_DIMS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>
#if defined(__cpp_impl_three_way_comparison)
#include <compare>
#endif

namespace poolproof {

class Dims {
  // None where It is no iterator.
  template <typename It>
  using CategoryOf = typename std::iterator_traits<It>::iterator_category;

 public:
  // NOLINTBEGIN(readability-identifier-naming): what the standard library asks of a container
  using value_type = std::int64_t;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = std::int64_t&;
  using const_reference = const std::int64_t&;
  using pointer = std::int64_t*;
  using const_pointer = const std::int64_t*;
  using iterator = std::int64_t*;
  using const_iterator = const std::int64_t*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  // NOLINTEND(readability-identifier-naming)

  static constexpr std::size_t kInline = 5;

  Dims() = default;
  explicit Dims(std::size_t count, std::int64_t value = 0) { assign(count, value); }
  Dims(std::initializer_list<std::int64_t> values) { Append(values.begin(), values.size()); }
  template <typename It, typename Category = CategoryOf<It>>
  Dims(It first, It last) {
    assign(first, last);
  }
  Dims(const Dims& other) {
    if (other.heap_ == nullptr) {
      TakeInline(other);
    } else {
      Append(other.heap_, other.size_);
    }
  }
  Dims(Dims&& other) noexcept { Take(other); }
  Dims& operator=(const Dims& other) {
    if (this == &other) return *this;
    clear();
    if (heap_ == nullptr && other.heap_ == nullptr) {
      TakeInline(other);
    } else {
      Append(other.data(), other.size());
    }
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    if (this != &other) {
      delete[] heap_;
      Take(other);
    }
    return *this;
  }
  ~Dims() { delete[] heap_; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::int64_t* data() { return heap_ != nullptr ? heap_ : inline_.data(); }
  [[nodiscard]] const std::int64_t* data() const {
    return heap_ != nullptr ? heap_ : inline_.data();
  }

  [[nodiscard]] iterator begin() { return data(); }
  [[nodiscard]] iterator end() { return data() + size_; }
  [[nodiscard]] const_iterator begin() const { return data(); }
  [[nodiscard]] const_iterator end() const { return data() + size_; }
  [[nodiscard]] const_iterator cbegin() const { return begin(); }
  [[nodiscard]] const_iterator cend() const { return end(); }
  [[nodiscard]] reverse_iterator rbegin() { return reverse_iterator(end()); }
  [[nodiscard]] reverse_iterator rend() { return reverse_iterator(begin()); }
  [[nodiscard]] const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
  [[nodiscard]] const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }

  std::int64_t& operator[](std::size_t i) { return data()[i]; }
  const std::int64_t& operator[](std::size_t i) const { return data()[i]; }
  std::int64_t& front() { return data()[0]; }
  [[nodiscard]] const std::int64_t& front() const { return data()[0]; }
  std::int64_t& back() { return data()[size_ - 1]; }
  [[nodiscard]] const std::int64_t& back() const { return data()[size_ - 1]; }

  void clear() { size_ = 0; }
  void reserve(std::size_t count) {
    if (count > capacity_) Grow(count);
  }
  void resize(std::size_t count, std::int64_t value = 0);
  void assign(std::size_t count, std::int64_t value);
  template <typename It, typename Category = CategoryOf<It>>
  void assign(It first, It last) {
    clear();
    if constexpr (std::is_base_of_v<std::forward_iterator_tag, Category>) {
      reserve(static_cast<std::size_t>(std::distance(first, last)));
    }
    for (; first != last; ++first) push_back(static_cast<std::int64_t>(*first));
  }
  void push_back(std::int64_t value) {
    if (size_ == capacity_) Grow(size_ + 1);
    data()[size_++] = value;
  }
  void pop_back() { --size_; }
  iterator insert(const_iterator at, std::int64_t value) { return insert(at, 1, value); }
  iterator insert(const_iterator at, std::size_t count, std::int64_t value);
  template <typename It, typename Category = CategoryOf<It>>
  iterator insert(const_iterator at, It first, It last) {
    const Dims inserted(first, last);  // may be of this list
    std::int64_t* const gap = MakeGap(at, inserted.size());
    for (std::size_t i = 0; i < inserted.size(); ++i) gap[i] = inserted[i];
    return gap;
  }
  iterator insert(const_iterator at, std::initializer_list<std::int64_t> values) {
    return insert(at, values.begin(), values.end());
  }
  iterator erase(const_iterator at) { return erase(at, at + 1); }
  iterator erase(const_iterator first, const_iterator last);

  friend bool operator==(const Dims& a, const Dims& b);
  friend bool operator!=(const Dims& a, const Dims& b) { return !(a == b); }  // not given in C++17
#if defined(__cpp_impl_three_way_comparison)
  friend std::strong_ordering operator<=>(const Dims& a, const Dims& b);
#endif

 private:
  void Append(const std::int64_t* values, std::size_t count);
  // Room for so many and, where they come one by one, for more.
  void Grow(std::size_t count);
  // So many elements, still to be written, before `at`.
  std::int64_t* MakeGap(const_iterator at, std::size_t count);
  // Requires that both are inline. All of them: a few moves, whatever the size.
  void TakeInline(const Dims& other) noexcept {
    inline_ = other.inline_;
    size_ = other.size_;
  }
  void Take(Dims& other) noexcept {
    heap_ = std::exchange(other.heap_, nullptr);
    capacity_ = std::exchange(other.capacity_, kInline);
    TakeInline(other);
    other.size_ = 0;
  }

  std::int64_t* heap_ = nullptr;  // null: the list is inline
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInline;
  std::array<std::int64_t, kInline> inline_ = {};
};

}  // namespace poolproof

#endif  // POOLPROOF_CORE_DIMS_H_
