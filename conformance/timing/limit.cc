// SPDX-License-Identifier: Apache-2.0
#include "conformance/timing/limit.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include "conformance/timing/repeated_times.h"

namespace poolproof {
namespace {

constexpr std::size_t kPageBytes = 4096;
// A pass shorter than this is made several times between two looks at the clock.
constexpr double kLeastLookMs = 0.005;

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using PageMemory = std::unique_ptr<std::byte, FreeMemory>;

PageMemory TouchedPages(std::size_t bytes) {
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + kPageBytes - 1) / kPageBytes;
  PageMemory memory(static_cast<std::byte*>(std::aligned_alloc(kPageBytes, whole * kPageBytes)));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory.get(), 1, bytes);
  return memory;
}

double NowMs(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace

struct Limit::Set {
  std::vector<PageMemory> memory;
  MovedBuffers buffers;
};

Limit::Limit(const LimitWork& work) : work_(work), samples_(work.written.size()) {
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const std::span<const std::byte> sample = work.samples[i];
    for (std::size_t at = 0; !sample.empty() && at < kPageBytes; at += sample.size()) {
      std::memcpy(samples_[i].bytes.data() + at, sample.data(),
                  std::min(sample.size(), kPageBytes - at));
    }
  }
  for (int i = 0; i < work.sets; ++i) {
    Set& set = sets_.emplace_back();
    for (std::size_t k = 0; k < work.read.size(); ++k) {
      set.memory.push_back(TouchedPages(work.read[k]));
      set.buffers.read[k] = {set.memory.back().get(), work.read[k]};
    }
    for (std::size_t k = 0; k < work.written.size(); ++k) {
      set.memory.push_back(TouchedPages(work.written[k]));
      set.buffers.written[k] = {set.memory.back().get(), work.written[k]};
      set.buffers.samples[k] = &samples_[k];
    }
  }
  work_.samples.clear();
}

Limit::~Limit() = default;

double Limit::TimePass(const std::function<void(int t, std::size_t s)>& pass) const {
  std::vector<double> medians(static_cast<std::size_t>(work_.threads));
  const clockid_t clock = work_.cpu_clock ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const auto body = [&](int t) {
    std::size_t next = 0;
    std::size_t batch = 1;
    std::vector<double> times;
    pass(t, next++ % sets_.size());
    for (double total = 0; total * 1e6 < static_cast<double>(work_.round_ns) || times.empty();) {
      const double start = NowMs(clock);
      for (std::size_t i = 0; i < batch; ++i) pass(t, next++ % sets_.size());
      const double took = NowMs(clock) - start;
      total += took;
      if (took < kLeastLookMs && batch < 1U << 20) {
        batch *= 2;
        times.clear();
        continue;
      }
      times.push_back(took / static_cast<double>(batch));
    }
    medians[static_cast<std::size_t>(t)] = MedianOf(times);
  };
  std::vector<std::thread> threads;
  for (int t = 1; t < work_.threads; ++t) threads.emplace_back(body, t);
  body(0);
  for (std::thread& thread : threads) thread.join();
  if (!work_.cpu_clock) return *std::max_element(medians.begin(), medians.end());
  double all = 0;
  for (const double ms : medians) all += ms;
  return all;
}

double Limit::TimeMoves(Store store) const {
  const std::int64_t steps = MoveSteps(sets_.front().buffers, store);
  return TimePass([&](int t, std::size_t s) {
    Move(sets_[s].buffers, store, steps, steps * t / work_.threads,
         steps * (t + 1) / work_.threads);
  });
}

std::optional<Limit::Times> Limit::MeasureRound() {
  if (StoresOfThisMachine().empty()) return std::nullopt;
  Times times;
  if (best_) {
    times.light_ms = TimeMoves(*best_);
  } else {
    for (const Store store : StoresOfThisMachine()) {
      const double ms = TimeMoves(store);
      if (best_ && ms >= times.light_ms) continue;
      times.light_ms = ms;
      best_ = store;
    }
  }
  times.limit_ms = times.light_ms;
  if (work_.additions > 0) {
    const double adding = TimePass([&](int t, std::size_t) {
      AddOneByOne(work_.additions * (t + 1) / work_.threads - work_.additions * t / work_.threads);
    });
    times.limit_ms = std::max(times.limit_ms, adding);
  }
  return times;
}

}  // namespace poolproof
