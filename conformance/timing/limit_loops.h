// SPDX-License-Identifier: Apache-2.0
//
// What no kernel can do without, and nothing else: moving the bytes of a pass, and adding one
// number after the other to memory. Used by bench/ and by Limit.
#ifndef POOLPROOF_CONFORMANCE_TIMING_LIMIT_LOOPS_H_
#define POOLPROOF_CONFORMANCE_TIMING_LIMIT_LOOPS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace poolproof {

// Ways to write, of which the fastest counts.
enum class Store : std::uint8_t { kStream, kOrdinary, kCopy };
std::span<const Store> StoresOfThisMachine();

// What is written, over and over: on some machines a line's content decides how fast it can be
// written.
struct alignas(64) SamplePage {
  std::array<std::byte, 4096> bytes{};
};

// Buffers of one pass, each as many planes long. Aligned to pages.
struct MovedBuffers {
  std::array<std::span<const std::byte>, 2> read;
  std::array<std::span<std::byte>, 2> written;
  std::array<const SamplePage*, 2> samples;
};

// The pass in small steps, in which reads and writes take turns.
std::int64_t MoveSteps(const MovedBuffers& buffers, Store store);
// Steps [begin, end) of so many.
void Move(const MovedBuffers& buffers, Store store, std::int64_t steps, std::int64_t begin,
          std::int64_t end);

// So many sums into memory that is near, none of which waits for another.
void AddOneByOne(std::int64_t additions);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TIMING_LIMIT_LOOPS_H_
