// SPDX-License-Identifier: Apache-2.0
//
// RepeatedTimes: what was measured of one thing at several times of a run, and how well its median
// is known by that.
#ifndef POOLPROOF_CONFORMANCE_TIMING_REPEATED_TIMES_H_
#define POOLPROOF_CONFORMANCE_TIMING_REPEATED_TIMES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "conformance/result/performance.h"

namespace poolproof {

// Of at least one value.
double MedianOf(std::vector<double> values);

class RepeatedTimes {
 public:
  // Of one visit. What happens to a machine lasts: what is measured together is alike, so that a
  // visit counts as one.
  void AddVisit(double value) { visits_.push_back(value); }
  [[nodiscard]] std::size_t visits() const { return visits_.size(); }
  // Requires a visit.
  [[nodiscard]] double Median() const { return MedianOf(visits_); }
  // Holds the median of all such visits with 95 %; nullopt: there were too few to say so.
  static constexpr std::size_t kLeastVisits = 6;
  [[nodiscard]] std::optional<Interval> Where() const;
  // Whether it is at most so wide, as a share of the median.
  [[nodiscard]] bool IsNarrow(double share) const {
    const std::optional<Interval> where = Where();
    return where && where->width() <= share * Median();
  }

 private:
  std::vector<double> visits_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TIMING_REPEATED_TIMES_H_
