// SPDX-License-Identifier: Apache-2.0
#include "conformance/timing/limit_loops.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define POOLPROOF_WIDE __attribute__((target("avx2")))
#endif

namespace poolproof {
namespace {

struct Part {
  const std::byte* data;
  std::size_t bytes;
};

// Whole lines only: what is left over is less than a page.
#if defined(__x86_64__)
POOLPROOF_WIDE void ReadPart(Part part) {
  __m256i all = _mm256_setzero_si256();
  for (std::size_t i = 0; i + 64 <= part.bytes; i += 64) {
    const auto* at = reinterpret_cast<const __m256i_u*>(part.data + i);
    all = _mm256_xor_si256(all, _mm256_loadu_si256(at));
    all = _mm256_xor_si256(all, _mm256_loadu_si256(at + 1));
  }
  __asm__ volatile("" : : "x"(all));
}

// At most a sample's bytes.
POOLPROOF_WIDE void WritePart(std::byte* to, const std::byte* sample, std::size_t bytes,
                              Store store) {
  if (store == Store::kCopy) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(sample), "+c"(bytes) : : "memory");
    return;
  }
  for (std::size_t i = 0; i + 64 <= bytes; i += 64) {
    const __m256i a = _mm256_load_si256(reinterpret_cast<const __m256i*>(sample + i));
    const __m256i b = _mm256_load_si256(reinterpret_cast<const __m256i*>(sample + i + 32));
    auto* const line = reinterpret_cast<__m256i*>(to + i);
    if (store == Store::kStream) {
      _mm256_stream_si256(line, a);
      _mm256_stream_si256(line + 1, b);
    } else {
      _mm256_store_si256(line, a);
      _mm256_store_si256(line + 1, b);
    }
  }
}
void FenceStores() { _mm_sfence(); }
#else
void ReadPart(Part part) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i + 8 <= part.bytes; i += 8) {
    std::uint64_t x;
    std::memcpy(&x, part.data + i, 8);
    all ^= x;
  }
  __asm__ volatile("" : : "r"(all));
}
void WritePart(std::byte* to, const std::byte* sample, std::size_t bytes, Store) {
  std::memcpy(to, sample, bytes);
}
void FenceStores() {}
#endif

// Another part of the page with every step.
void WriteAll(std::span<std::byte> to, const SamplePage& page, Store store, std::int64_t step) {
  std::size_t from = static_cast<std::size_t>(step) * 1024 % page.bytes.size();
  for (std::size_t at = 0; at < to.size(); from = 0) {
    const std::size_t part = std::min(to.size() - at, page.bytes.size() - from);
    WritePart(to.data() + at, page.bytes.data() + from, part, store);
    at += part;
  }
}

// Step `number` of so many of a buffer, in whole lines.
template <typename Byte>
std::span<Byte> ShareOf(std::span<Byte> buffer, std::int64_t steps, std::int64_t number) {
  const auto border = [&](std::int64_t step) {
    const auto bytes = static_cast<std::int64_t>(buffer.size());
    return static_cast<std::size_t>(step == steps ? bytes : bytes / steps * step / 64 * 64);
  };
  return buffer.subspan(border(number), border(number + 1) - border(number));
}

}  // namespace

std::span<const Store> StoresOfThisMachine() {
  static constexpr std::array<Store, 3> kAll = {Store::kStream, Store::kOrdinary, Store::kCopy};
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return {};
#endif
  return kAll;
}

std::int64_t MoveSteps(const MovedBuffers& buffers, Store store) {
  const std::size_t step = store == Store::kCopy ? sizeof(SamplePage) : std::size_t{1} << 10;
  return static_cast<std::int64_t>(std::max<std::size_t>(buffers.written[0].size() / step, 1));
}

void Move(const MovedBuffers& buffers, Store store, std::int64_t steps, std::int64_t begin,
          std::int64_t end) {
  for (std::int64_t number = begin; number < end; ++number) {
    for (const std::span<const std::byte>& buffer : buffers.read) {
      if (buffer.empty()) continue;
      const std::span<const std::byte> part = ShareOf(buffer, steps, number);
      ReadPart({part.data(), part.size()});
    }
    for (std::size_t i = 0; i < buffers.written.size(); ++i) {
      if (buffers.written[i].empty()) continue;
      WriteAll(ShareOf(buffers.written[i], steps, number), *buffers.samples[i], store, number);
    }
  }
  FenceStores();
}

void AddOneByOne(std::int64_t additions) {
  // In the nearest cache, and so long that no sum meets the one before. Volatile: the compiler
  // makes each sum by itself.
  constexpr std::int64_t kPlaces = 2048;
  static thread_local std::array<volatile float, kPlaces> places = {};
  for (std::int64_t done = 0; done < additions; done += kPlaces) {
    const std::int64_t count = std::min(kPlaces, additions - done);
    volatile float* const to = places.data();
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      to[i] = to[i] + 1.0F;
      to[i + 1] = to[i + 1] + 1.0F;
      to[i + 2] = to[i + 2] + 1.0F;
      to[i + 3] = to[i + 3] + 1.0F;
    }
    for (; i < count; ++i) to[i] = to[i] + 1.0F;
  }
}

}  // namespace poolproof
