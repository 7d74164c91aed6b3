// SPDX-License-Identifier: Apache-2.0
//
// Moves the bytes of a pass without computing: an empirical bound. Reads and writes take turns in
// small steps; three ways to write, of which the fastest counts.
#include <algorithm>
#include <cstring>

#include "bench/contender.h"
#include "optimized/parallel_for.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define POOLPROOF_BENCH_WIDE __attribute__((target("avx2")))
#else
#define POOLPROOF_BENCH_WIDE
#endif

namespace poolproof {
namespace {

enum class Store { kStream, kOrdinary, kSet };

struct Part {
  const std::byte* data;
  std::size_t bytes;
};

// Whole lines only: what is left over is less than a page.
#if defined(__x86_64__)
POOLPROOF_BENCH_WIDE void Read(Part part) {
  __m256i all = _mm256_setzero_si256();
  for (std::size_t i = 0; i + 64 <= part.bytes; i += 64) {
    const auto* at = reinterpret_cast<const __m256i_u*>(part.data + i);
    all = _mm256_xor_si256(all, _mm256_loadu_si256(at));
    all = _mm256_xor_si256(all, _mm256_loadu_si256(at + 1));
  }
  __asm__ volatile("" : : "x"(all));
}

POOLPROOF_BENCH_WIDE void Write(std::byte* to, std::size_t bytes, Store store) {
  const __m256i zero = _mm256_setzero_si256();
  if (store == Store::kSet) {
    std::memset(to, 0, bytes);
  } else if (store == Store::kStream) {
    for (std::size_t i = 0; i + 64 <= bytes; i += 64) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i), zero);
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i + 32), zero);
    }
  } else {
    for (std::size_t i = 0; i + 64 <= bytes; i += 64) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(to + i), zero);
      _mm256_store_si256(reinterpret_cast<__m256i*>(to + i + 32), zero);
    }
  }
}
void Fence() { _mm_sfence(); }
#else
void Read(Part part) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i + 8 <= part.bytes; i += 8) {
    std::uint64_t x;
    std::memcpy(&x, part.data + i, 8);
    all ^= x;
  }
  __asm__ volatile("" : : "r"(all));
}
void Write(std::byte* to, std::size_t bytes, Store) { std::memset(to, 0, bytes); }
void Fence() {}
#endif

class SpeedOfLight : public Contender {
 public:
  SpeedOfLight(const Problem& problem, int threads, Store store)
      : problem_(problem), threads_(threads), store_(store) {}

  void Run(int i) override {
    const OperandSet& set = problem_.set(i);
    const bool backward = problem_.pass() == Pass::kBackward;
    const Buffer& a = backward ? set.pooled : set.plane_side;
    const Buffer& to = backward ? set.plane_side : set.pooled;
    const std::size_t step = store_ == Store::kSet ? std::size_t{16} << 10 : std::size_t{1} << 10;
    const auto steps = static_cast<std::int64_t>(std::max<std::size_t>(to.bytes() / step, 1));
    const auto share = [steps](const Buffer& buffer, std::int64_t number) {
      const auto bytes = static_cast<std::int64_t>(buffer.bytes());
      return static_cast<std::size_t>(number == steps ? bytes : bytes / steps * number / 64 * 64);
    };
    const auto move = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t number = begin; number < end; ++number) {
        for (const Buffer* buffer : {&a, &set.indices}) {
          if (!backward && buffer == &set.indices) continue;
          const std::size_t from = share(*buffer, number);
          Read({buffer->data() + from, share(*buffer, number + 1) - from});
        }
        const std::size_t at = share(to, number);
        Write(to.data() + at, share(to, number + 1) - at, store_);
        if (!backward) {
          const std::size_t index_at = share(set.indices, number);
          Write(set.indices.data() + index_at, share(set.indices, number + 1) - index_at, store_);
        }
      }
      Fence();
    };
    ParallelFor(steps, static_cast<std::int64_t>(step) / 4, {threads_, 1 << 16}, move);
  }
  bool IsRight() override { return true; }

 private:
  const Problem& problem_;
  int threads_;
  Store store_;
};

template <Store kStore>
std::unique_ptr<Contender> Make(const Problem& problem, int threads, const void*) {
  return std::make_unique<SpeedOfLight>(problem, threads, kStore);
}

}  // namespace

void AddSpeedOfLight(std::vector<ContenderEntry>& list) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return;
#endif
  list.push_back({"light_stream", &Make<Store::kStream>, nullptr});
  list.push_back({"light_ordinary", &Make<Store::kOrdinary>, nullptr});
  list.push_back({"light_set", &Make<Store::kSet>, nullptr});
}

}  // namespace poolproof
