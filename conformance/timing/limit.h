// SPDX-License-Identifier: Apache-2.0
//
// Limit: how fast a kernel could be on this machine at best, measured beside it: the longer of the
// times that moving the bytes of a pass takes and that making its sums one by one takes.
#ifndef POOLPROOF_CONFORMANCE_TIMING_LIMIT_H_
#define POOLPROOF_CONFORMANCE_TIMING_LIMIT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "conformance/timing/limit_loops.h"

namespace poolproof {

struct LimitWork {
  std::vector<std::size_t> read;  // bytes of each buffer; at most two of either
  std::vector<std::size_t> written;
  std::vector<std::span<const std::byte>> samples;  // of what is written; for each
  std::int64_t additions = 0;
  int sets = 1;
  int threads = 1;
  bool cpu_clock = false;
  std::int64_t round_ns = 0;
};

class Limit {
 public:
  struct Times {
    double light_ms = 0;
    double limit_ms = 0;  // not shorter
  };

  explicit Limit(const LimitWork& work);
  ~Limit();
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

  // nullopt where this machine has no loop for it.
  std::optional<Times> MeasureRound();

 private:
  struct Set;
  // Milliseconds of `pass`, in which thread t of all does its share on set s.
  double TimePass(const std::function<void(int t, std::size_t s)>& pass) const;
  double TimeMoves(Store store) const;

  LimitWork work_;
  std::vector<SamplePage> samples_;
  std::vector<Set> sets_;
  std::optional<Store> best_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TIMING_LIMIT_H_
