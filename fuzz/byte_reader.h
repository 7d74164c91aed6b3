// SPDX-License-Identifier: Apache-2.0
//
// ByteReader: the bytes of an input as choices, one after the other, so that a mutation of a byte
// is another choice. Where they end every choice is the first one: short inputs are simple ones.
#ifndef POOLPROOF_FUZZ_BYTE_READER_H_
#define POOLPROOF_FUZZ_BYTE_READER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace poolproof {

class ByteReader {
 public:
  ByteReader(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

  [[nodiscard]] bool AtEnd() const { return bytes_.empty(); }

  std::uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  // Of `count` bytes, the lowest first.
  std::uint64_t Word(int count = 8) {
    std::uint64_t word = 0;
    for (int i = 0; i < count; ++i) word |= std::uint64_t{Byte()} << (8 * i);
    return word;
  }

  // Requires low <= high. Takes as many bytes as the range needs: one, two or eight.
  std::int64_t Between(std::int64_t low, std::int64_t high) {
    const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const std::uint64_t word = Word(range < 0x100 ? 1 : range < 0x10000 ? 2 : 8);
    const std::uint64_t step = range == ~std::uint64_t{0} ? word : word % (range + 1);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + step);
  }

  // False where the bytes have ended.
  bool OneIn(int n) { return Byte() % n == n - 1; }

  template <typename T>
  T Of(std::initializer_list<T> choices) {
    return choices.begin()[Byte() % choices.size()];
  }
  template <typename T, std::size_t N>
  T Of(const std::array<T, N>& choices) {
    return choices[Byte() % N];
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace poolproof

#endif  // POOLPROOF_FUZZ_BYTE_READER_H_
