// SPDX-License-Identifier: Apache-2.0
//
// Draw: random choices by rapidcheck's generators from an explicit seed. The only place that knows
// rapidcheck; the random families are written in terms of it.
#ifndef POOLPROOF_CONFORMANCE_GEN_RAPIDCHECK_ADAPTER_H_
#define POOLPROOF_CONFORMANCE_GEN_RAPIDCHECK_ADAPTER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace poolproof {

// Equal seeds give equal choices on every machine.
class Draw {
 public:
  explicit Draw(std::uint64_t seed);
  ~Draw();
  Draw(const Draw&) = delete;
  Draw& operator=(const Draw&) = delete;

  // Uniform in [low, high]. Requires low <= high.
  std::int64_t Between(std::int64_t low, std::int64_t high);
  bool OneIn(std::int64_t n) { return Between(1, n) == 1; }
  std::uint64_t Seed() { return static_cast<std::uint64_t>(Between(0, 0xffff)); }

  // One of the values. Requires a non-empty list.
  template <typename T>
  T Of(std::initializer_list<T> values) {
    return values.begin()[Between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }
  // One of the values, each as likely as its weight among all. Requires a positive total.
  template <typename T>
  T Weighted(std::initializer_list<std::pair<int, T>> values) {
    std::int64_t total = 0;
    for (const auto& [weight, value] : values) total += weight;
    std::int64_t at = Between(1, total);
    for (const auto& [weight, value] : values) {
      at -= weight;
      if (at <= 0) return value;
    }
    return values.begin()->second;
  }
  // A random order of 0..size-1.
  std::vector<std::size_t> Permutation(std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_GEN_RAPIDCHECK_ADAPTER_H_
