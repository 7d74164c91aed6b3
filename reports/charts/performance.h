// SPDX-License-Identifier: Apache-2.0
//
// What was measured, read and written (schema poolproof-performance/1), its charts for the HTML
// report, and what became slower from one file to another.
#ifndef POOLPROOF_REPORTS_CHARTS_PERFORMANCE_H_
#define POOLPROOF_REPORTS_CHARTS_PERFORMANCE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/result/performance.h"
#include "core/status.h"

namespace poolproof {

// A file has rows, or what could not be timed, or one entry of `judging`, or several of these.
// errors: kInvalidArgument, one line: where (a JSON pointer), what was found, what was expected.
Result<Performance> ParsePerformance(std::string_view text);
std::string PerformanceJson(const Performance& performance);

// Charts for the page: of the rows one per setting, in their order, with a bar per contender and
// shape as a share of the limit (rows without one are left out); what could not be timed; of
// judging, cases per second against workers and shards, and time per case against its size.
std::string PerformanceHtml(const Performance& performance);

// What could not be timed, a line for each reason.
std::vector<std::string> NotTimedLines(const Performance& performance);

// Of `poolproof bench`, whose rows are those of one implementation.
std::string PerformanceText(const Performance& performance);
std::string PerformanceMarkdown(const Performance& performance);
// With the charts, as a page of its own.
std::string PerformancePage(const Performance& performance, std::string_view tool_version);

// --- Two of them ---------------------------------------------------------------------------------

struct PerformanceChange {
  TimingSetting setting;
  double before_ms = 0;
  double after_ms = 0;
  std::string reason;  // it cannot be timed any more
  friend bool operator==(const PerformanceChange&, const PerformanceChange&) = default;
};

struct PerformanceDiff {
  std::string before;  // implementations
  std::string after;
  std::vector<PerformanceChange> broken;
  std::vector<PerformanceChange> slower;  // the most first
  std::vector<PerformanceChange> faster;
  std::int64_t compared = 0;
  std::int64_t wide = 0;      // of them, whose intervals are wider than was asked for
  std::int64_t unpaired = 0;  // in one of them only, or without an interval
};

// A setting became slower where its time grew, and of its ratios to the limit and to other
// libraries the one that both know best grew by more than its noise in both.
PerformanceDiff DiffPerformance(const Performance& before, const Performance& after);
std::string PerformanceDiffText(const PerformanceDiff& diff);
std::string PerformanceDiffMarkdown(const PerformanceDiff& diff);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_CHARTS_PERFORMANCE_H_
