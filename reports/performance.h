// SPDX-License-Identifier: Apache-2.0
//
// Performance: what bench/compare.py measured (schema poolproof-performance/1), and its charts for
// the HTML report. A statement beside the verdict: it decides nothing.
#ifndef POOLPROOF_REPORTS_PERFORMANCE_H_
#define POOLPROOF_REPORTS_PERFORMANCE_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/status.h"

namespace poolproof {

// One problem in one setting.
struct PerformanceRow {
  std::string setting;  // "backward, f32, i32, 1 thread, warm"
  std::string shape;
  double ours_ms = 0;
  std::optional<double> light_ms;                         // moving the same bytes, and nothing else
  std::vector<std::pair<std::string, double>> over_ours;  // times of others as multiples of ours
  friend bool operator==(const PerformanceRow&, const PerformanceRow&) = default;
};

struct Performance {
  std::vector<PerformanceRow> rows;
  friend bool operator==(const Performance&, const Performance&) = default;
};

// errors: kInvalidArgument, one line: where (a JSON pointer), what stands there, what was wanted.
Result<Performance> ParsePerformance(std::string_view text);

struct PerformanceChart {
  std::string setting;
  std::string svg;
};

// One chart per setting, in the order of the rows: a bar per contender and shape, as a share of the
// speed of light. Rows without that measure are left out.
std::vector<PerformanceChart> DrawPerformance(const Performance& performance);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_PERFORMANCE_H_
