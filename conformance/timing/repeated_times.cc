// SPDX-License-Identifier: Apache-2.0
#include "conformance/timing/repeated_times.h"

#include <algorithm>
#include <cmath>

namespace poolproof {

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Order statistics: the median lies outside of [k-th smallest, k-th largest] with twice the chance
// that fewer than k of n fair coins show heads.
std::optional<Interval> RepeatedTimes::Where() const {
  if (visits_.size() < kLeastVisits) return std::nullopt;
  constexpr double kOutside = 0.05;
  std::vector<double> sorted = visits_;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  std::size_t k = 1;
  double ways = 1;
  double below = 1;  // of the ways, those with fewer than k heads
  while (k < n / 2) {
    ways = ways * static_cast<double>(n - k + 1) / static_cast<double>(k);
    if (2 * (below + ways) > kOutside * std::exp2(static_cast<double>(n))) break;
    below += ways;
    ++k;
  }
  return Interval{sorted[k - 1], sorted[n - k]};
}

}  // namespace poolproof
