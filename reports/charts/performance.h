// SPDX-License-Identifier: Apache-2.0
//
// Performance: what bench/compare.py and bench/scaling.py measured (schema
// poolproof-performance/1), and its charts for the HTML report. A statement beside the verdict: it
// decides nothing.
#ifndef POOLPROOF_REPORTS_CHARTS_PERFORMANCE_H_
#define POOLPROOF_REPORTS_CHARTS_PERFORMANCE_H_

#include <cstdint>
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

// Cases per second of a campaign in so many worker processes.
struct JudgingRate {
  std::string by;  // "jobs": of one process; "shards": of as many processes
  std::int64_t count = 1;
  double cases_per_s = 0;
  friend bool operator==(const JudgingRate&, const JudgingRate&) = default;
};

// What a case of so many elements takes, start-up apart.
struct JudgingCost {
  std::string kind;
  std::int64_t elements = 0;
  double case_ms = 0;
  friend bool operator==(const JudgingCost&, const JudgingCost&) = default;
};

// What judging an implementation costs.
struct JudgingSpeed {
  std::string implementation;
  std::int64_t cpus = 1;  // that the campaigns could use
  std::vector<JudgingRate> rates;
  std::vector<JudgingCost> costs;
  friend bool operator==(const JudgingSpeed&, const JudgingSpeed&) = default;
};

struct Performance {
  std::vector<PerformanceRow> rows;
  std::vector<JudgingSpeed> judging;
  friend bool operator==(const Performance&, const Performance&) = default;
};

// A file has rows, or one entry of `judging`, or both. errors: kInvalidArgument, one line: where (a
// JSON pointer), what stands there, what was expected.
Result<Performance> ParsePerformance(std::string_view text);

// Charts for the page: of the rows one per setting, in their order, with a bar per contender and
// shape as a share of the speed of light (rows without that measure are left out); of judging,
// cases per second against workers and shards, and time per case against its size.
std::string PerformanceHtml(const Performance& performance);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_CHARTS_PERFORMANCE_H_
