// SPDX-License-Identifier: Apache-2.0
//
// Moves the bytes of a pass without computing: an empirical bound. Reads and writes take turns in
// small steps; three ways to write, of which the fastest counts. What is written is a page of the
// result over and over, since on some machines a line's content decides how fast it can be written.
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

enum class Store { kStream, kOrdinary, kCopy };

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

// At most a sample's bytes.
POOLPROOF_BENCH_WIDE void Write(std::byte* to, const std::byte* sample, std::size_t bytes,
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
void Write(std::byte* to, const std::byte* sample, std::size_t bytes, Store) {
  std::memcpy(to, sample, bytes);
}
void Fence() {}
#endif

class Roofline : public Contender {
 public:
  Roofline(const Problem& problem, int threads, Store store)
      : problem_(problem), threads_(threads), store_(store) {
    Keep(problem.ResultSample(), result_);
    Keep(problem.IndexSample(), indices_);
  }

  void Run(int i) override {
    const OperandSet& set = problem_.set(i);
    const bool backward = problem_.pass() == Pass::kBackward;
    const Buffer& a = backward ? set.pooled : set.plane_side;
    const Buffer& to = backward ? set.plane_side : set.pooled;
    const std::size_t step = store_ == Store::kCopy ? Problem::kSampleBytes : std::size_t{1} << 10;
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
        WriteAll(to.data() + at, result_, share(to, number + 1) - at, number);
        if (!backward) {
          const std::size_t index_at = share(set.indices, number);
          WriteAll(set.indices.data() + index_at, indices_,
                   share(set.indices, number + 1) - index_at, number);
        }
      }
      Fence();
    };
    ParallelFor(steps, static_cast<std::int64_t>(step) / 4, {threads_, 1 << 16}, move);
  }
  // The result begins with the lines that were to be written.
  bool IsRight() override {
    const OperandSet& set = problem_.set(0);
    const Buffer& to = problem_.pass() == Pass::kBackward ? set.plane_side : set.pooled;
    const std::size_t lines = std::min<std::size_t>(to.bytes(), 1024) / 64;
    return std::memcmp(to.data(), result_.bytes, lines * 64) == 0;
  }

 private:
  struct alignas(64) Page {
    std::byte bytes[Problem::kSampleBytes];
  };
  static void Keep(const std::vector<std::byte>& sample, Page& page) {
    std::memcpy(page.bytes, sample.data(), sample.size());
  }

  // Another part of the page with every step.
  void WriteAll(std::byte* to, const Page& page, std::size_t bytes, std::int64_t number) const {
    std::size_t from = static_cast<std::size_t>(number) * 1024 % Problem::kSampleBytes;
    while (bytes > 0) {
      const std::size_t part = std::min(bytes, Problem::kSampleBytes - from);
      Write(to, page.bytes + from, part, store_);
      to += part;
      bytes -= part;
      from = 0;
    }
  }

  const Problem& problem_;
  int threads_;
  Store store_;
  Page result_ = {};
  Page indices_ = {};
};

template <Store kStore>
std::unique_ptr<Contender> Make(const Problem& problem, int threads, const void*) {
  return std::make_unique<Roofline>(problem, threads, kStore);
}

}  // namespace

void AddRoofline(std::vector<ContenderEntry>& list) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return;
#endif
  list.push_back({"roofline_stream", &Make<Store::kStream>, nullptr});
  list.push_back({"roofline_ordinary", &Make<Store::kOrdinary>, nullptr});
  list.push_back({"roofline_copy", &Make<Store::kCopy>, nullptr});
}

}  // namespace poolproof
