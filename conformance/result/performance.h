// SPDX-License-Identifier: Apache-2.0
//
// Performance: times of kernels, as poolproof-bench or `poolproof bench` measured them, and what
// judging costs (schema poolproof-performance/1). A statement beside the verdict: it decides
// nothing.
#ifndef POOLPROOF_CONFORMANCE_RESULT_PERFORMANCE_H_
#define POOLPROOF_CONFORMANCE_RESULT_PERFORMANCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace poolproof {

// Where a median lies, by what was measured at several times of a run.
struct Interval {
  double low = 0;
  double high = 0;
  [[nodiscard]] double width() const { return high - low; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// What of a problem is timed.
struct TimingSetting {
  std::string pass;  // "backward"
  std::string shape;
  std::string type;     // "f32"
  std::string indices;  // "i32"
  std::string threads;  // "1"; "-": a device's
  std::string mode;     // "warm"
  // All but the shape: "backward, f32, indices i32, 1 thread, warm".
  [[nodiscard]] std::string Words() const {
    const std::string with_threads =
        threads == "-" ? "" : ", " + threads + (threads == "1" ? " thread" : " threads");
    return pass + ", " + type + ", indices " + indices + with_threads + ", " + mode;
  }
  friend bool operator==(const TimingSetting&, const TimingSetting&) = default;
};

// One problem in one setting.
struct PerformanceRow {
  TimingSetting setting;
  std::string class_name;
  double bytes = 0;  // that have to be moved
  double ours_ms = 0;
  std::optional<double> light_ms;  // moving the same bytes, and nothing else
  // The longer of that and of making the same sums one by one, and nothing else.
  std::optional<double> limit_ms;
  std::optional<double> device_ms;                        // of ours, by events of the library
  std::vector<std::pair<std::string, double>> over_ours;  // times of others as multiples of ours
  // Of `poolproof bench`: where the medians of ours_ms and of its ratio to the limit lie.
  std::optional<Interval> ours_interval;
  std::optional<double> over_limit;
  std::optional<Interval> over_limit_interval;
  std::vector<std::pair<std::string, Interval>> over_ours_intervals;  // of over_ours
  bool narrow = true;  // the intervals are as narrow as was asked for
  friend bool operator==(const PerformanceRow&, const PerformanceRow&) = default;
};

// What could not be timed, and why.
struct NotTimed {
  TimingSetting setting;
  std::string who;
  std::string reason;
  bool fault = false;  // of the library: it ended badly or gave a wrong answer
  friend bool operator==(const NotTimed&, const NotTimed&) = default;
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
  std::string implementation;  // whose times are "ours"; empty: poolproof-bench's `optimized`
  std::vector<PerformanceRow> rows;
  std::vector<NotTimed> not_timed;
  std::vector<JudgingSpeed> judging;
  friend bool operator==(const Performance&, const Performance&) = default;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_PERFORMANCE_H_
