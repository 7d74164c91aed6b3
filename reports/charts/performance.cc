// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/performance.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "conformance/json/json_reader.h"
#include "conformance/json/strict_json.h"
#include "reports/charts/line_plot.h"
#include "reports/phrases.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

constexpr std::size_t kMostRows = 20000;

double Positive(const JsonReader& at) {
  const double value = at.Number();
  if (at.ok() && value <= 0) at.Expected("a number above 0");
  return at.ok() ? value : 1;
}

TimingSetting ReadSetting(const JsonReader& at) {
  return {at.At("pass").String(),    at.At("shape").String(),   at.At("type").String(),
          at.At("indices").String(), at.At("threads").String(), at.At("mode").String()};
}

std::optional<double> PositiveOrNone(const JsonReader& at, std::string_view member) {
  const std::optional<JsonReader> found = at.Find(member);
  if (!found) return std::nullopt;
  const std::optional<JsonReader> value = at.AtOrNull(member);
  return value ? std::optional(Positive(*value)) : std::nullopt;
}

Interval ReadInterval(const JsonReader& at) {
  at.NoOtherMembers({"low", "high"});
  const Interval interval{Positive(at.At("low")), Positive(at.At("high"))};
  if (at.ok() && interval.high < interval.low) at.Expected("low and high in that order");
  return interval;
}

std::optional<Interval> IntervalOrNone(const JsonReader& at, std::string_view member) {
  const std::optional<JsonReader> found = at.Find(member);
  return found ? std::optional(ReadInterval(*found)) : std::nullopt;
}

PerformanceRow ReadRow(const JsonReader& at) {
  PerformanceRow row;
  at.NoOtherMembers({"pass", "shape", "type", "indices", "threads", "mode", "class_name", "bytes",
                     "ours_ms", "ours_interval", "ours_over_roofline", "roofline_ms", "limit_ms",
                     "ours_over_limit", "over_limit_interval", "device_ms", "narrow", "over_ours",
                     "over_ours_intervals"});
  row.setting = ReadSetting(at);
  row.class_name = at.At("class_name").String();
  row.bytes = at.At("bytes").Number();
  row.ours_ms = Positive(at.At("ours_ms"));
  if (const auto light = at.AtOrNull("roofline_ms")) row.light_ms = Positive(*light);
  (void)at.AtOrNull("ours_over_roofline");
  row.limit_ms = PositiveOrNone(at, "limit_ms");
  row.over_limit = PositiveOrNone(at, "ours_over_limit");
  row.device_ms = PositiveOrNone(at, "device_ms");
  row.ours_interval = IntervalOrNone(at, "ours_interval");
  row.over_limit_interval = IntervalOrNone(at, "over_limit_interval");
  if (const auto narrow = at.Find("narrow")) row.narrow = narrow->Bool();
  for (const auto& [name, value] : at.At("over_ours").Members()) {
    row.over_ours.emplace_back(name, Positive(value));
  }
  if (const auto intervals = at.Find("over_ours_intervals")) {
    for (const auto& [name, value] : intervals->Members()) {
      row.over_ours_intervals.emplace_back(name, ReadInterval(value));
    }
  }
  return row;
}

NotTimed ReadNotTimed(const JsonReader& at) {
  at.NoOtherMembers(
      {"pass", "shape", "type", "indices", "threads", "mode", "who", "reason", "fault"});
  return {ReadSetting(at), at.At("who").String(), at.At("reason").String(), at.At("fault").Bool()};
}

JudgingRate ReadRate(const JsonReader& at) {
  JudgingRate rate;
  at.NoOtherMembers({"by", "count", "cases_per_s"});
  rate.by = at.At("by").String([](std::string_view by) { return by == "jobs" || by == "shards"; },
                               "jobs or shards");
  rate.count = at.At("count").Int64(1);
  rate.cases_per_s = Positive(at.At("cases_per_s"));
  return rate;
}

JudgingCost ReadCost(const JsonReader& at) {
  JudgingCost cost;
  at.NoOtherMembers({"kind", "elements", "case_ms"});
  cost.kind = at.At("kind").String([](std::string_view kind) { return !kind.empty(); }, "a kind");
  cost.elements = at.At("elements").Int64(1);
  cost.case_ms = Positive(at.At("case_ms"));
  return cost;
}

JudgingSpeed ReadJudging(const JsonReader& at) {
  JudgingSpeed judging;
  at.NoOtherMembers({"implementation", "cpus", "rates", "costs"});
  judging.implementation = at.At("implementation").String();
  judging.cpus = at.At("cpus").Int64(1);
  const std::vector<JsonReader> rates = at.At("rates").Items();
  const std::vector<JsonReader> costs = at.At("costs").Items();
  if (rates.size() + costs.size() > kMostRows) at.Expected("at most 20000 rates and costs");
  if (at.ok() && rates.empty() && costs.empty()) at.Expected("rates or costs");
  for (const JsonReader& rate : rates) {
    if (at.ok()) judging.rates.push_back(ReadRate(rate));
  }
  for (const JsonReader& cost : costs) {
    if (at.ok()) judging.costs.push_back(ReadCost(cost));
  }
  return judging;
}

std::string Fixed(double value, int digits) {
  std::array<char, 64> text = {};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

// The longer of what memory and additions allow, where both are known.
std::optional<double> LimitOf(const PerformanceRow& row) {
  return row.limit_ms ? row.limit_ms : row.light_ms;
}

// Bars of one setting. Lengths are shares of the limit, cut at the right border.
class ChartPainter {
 public:
  explicit ChartPainter(std::vector<const PerformanceRow*> rows) : rows_(std::move(rows)) {}

  std::string Paint() {
    for (const PerformanceRow* row : rows_) Shape(*row);
    const int height = y_ + 18;
    const double line = kLeft + kUnit;
    const std::string x = Fixed(line, 0);
    std::string svg = "<svg class=\"bars\" role=\"img\" viewBox=\"0 0 " + std::to_string(kWidth) +
                      " " + std::to_string(height) + "\" width=\"" + std::to_string(kWidth) +
                      "\" aria-label=\"Share of the limit of " +
                      CountOf(std::ssize(rows_), "shape") + "\">" + bars_ +
                      "<line class=\"light\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"2\" y2=\"" +
                      std::to_string(y_) + "\"/><text class=\"axis\" x=\"" + x + "\" y=\"" +
                      std::to_string(y_ + 13) + "\">limit</text></svg>";
    return svg;
  }

 private:
  static constexpr int kWidth = 640;
  static constexpr int kLeft = 190;
  static constexpr double kUnit = 330;  // of the share 1
  static constexpr double kMost = 1.18;
  static constexpr int kBar = 13;

  void Shape(const PerformanceRow& row) {
    bars_ += "<text class=\"head\" x=\"0\" y=\"" + std::to_string(y_ + 12) + "\">" +
             XmlText(CutText(CleanText(row.setting.shape), 26)) + "</text>";
    Bar("ours", row, row.ours_ms, true);
    for (const auto& [name, times] : row.over_ours) Bar(name, row, row.ours_ms * times, false);
    y_ += 8;
  }

  void Bar(const std::string& name, const PerformanceRow& row, double ms, bool ours) {
    const double share = *LimitOf(row) / ms;
    const std::string length = Fixed(std::min(share, kMost) * kUnit, 1);
    const std::string clean = XmlText(CutText(CleanText(name), 20));
    bars_ += "<text class=\"who\" x=\"" + std::to_string(kLeft - 4) + "\" y=\"" +
             std::to_string(y_ + 11) + "\">" + (ours ? "" : clean) + "</text><rect class=\"" +
             (ours ? "ours" : "peer") + "\" x=\"" + std::to_string(kLeft) + "\" y=\"" +
             std::to_string(y_ + 2) + "\" width=\"" + length + "\" height=\"" +
             std::to_string(kBar - 3) + "\"><title>" + clean + ": " + Fixed(ms, 3) + " ms, " +
             Fixed(100 * share, 0) + " % of the limit</title></rect><text class=\"sub\" x=\"" +
             Fixed(kLeft + std::min(share, kMost) * kUnit + 5, 1) + "\" y=\"" +
             std::to_string(y_ + 11) + "\">" + Fixed(ms, ms < 10 ? 2 : 0) + " ms</text>";
    y_ += kBar;
  }

  const std::vector<const PerformanceRow*> rows_;
  std::string bars_;
  int y_ = 2;
};

// The points of the items of each name, in the order in which the names first come.
template <typename Items, typename NameOf, typename PointOf>
std::vector<PlotSeries> SeriesOf(const Items& items, const NameOf& name_of,
                                 const PointOf& point_of) {
  std::vector<PlotSeries> all;
  for (const auto& item : items) {
    const std::string name = name_of(item);
    auto place = std::find_if(all.begin(), all.end(),
                              [&](const PlotSeries& series) { return series.name == name; });
    if (place == all.end()) place = all.insert(all.end(), {name, {}});
    place->points.push_back(point_of(item));
  }
  for (PlotSeries& series : all) {
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  }
  return all;
}

// As many times the speed of one worker as there are workers.
PlotSeries IdealOf(const std::vector<PlotSeries>& measured) {
  PlotSeries ideal{"in proportion to workers", {}, /*measured=*/false};
  double most = 1;
  for (const PlotSeries& series : measured) most = std::max(most, series.points.back().x);
  const PlotPoint first = measured.front().points.front();
  for (const double workers : {first.x, most}) {
    ideal.points.push_back({workers, first.y * workers / first.x});
  }
  return ideal;
}

struct Chart {
  std::string setting;
  std::string svg;
};

std::vector<Chart> DrawRows(const Performance& performance) {
  std::vector<std::pair<std::string, std::vector<const PerformanceRow*>>> settings;
  for (const PerformanceRow& row : performance.rows) {
    if (!LimitOf(row)) continue;
    const std::string words = row.setting.Words();
    auto place = std::find_if(settings.begin(), settings.end(),
                              [&](const auto& setting) { return setting.first == words; });
    if (place == settings.end()) {
      settings.emplace_back(words, std::vector<const PerformanceRow*>());
      place = settings.end() - 1;
    }
    place->second.push_back(&row);
  }
  std::vector<Chart> charts;
  charts.reserve(settings.size());
  for (auto& [setting, rows] : settings) {
    charts.push_back({setting, ChartPainter(std::move(rows)).Paint()});
  }
  return charts;
}

std::vector<Chart> DrawJudging(const JudgingSpeed& judging) {
  std::vector<Chart> charts;
  if (!judging.rates.empty()) {
    LinePlot plot;
    plot.x_title = "workers";
    plot.y_title = "cases/s";
    plot.series = SeriesOf(
        judging.rates,
        [](const JudgingRate& rate) {
          return rate.by == "jobs" ? "--jobs of one process" : "shards of one worker";
        },
        [](const JudgingRate& rate) {
          return PlotPoint{static_cast<double>(rate.count), rate.cases_per_s};
        });
    plot.series.push_back(IdealOf(plot.series));
    plot.label = "Cases per second of a campaign against workers, " +
                 CountOf(std::ssize(judging.rates), "measurement");
    charts.push_back({"Cases per second against workers", DrawLinePlot(plot)});
  }
  if (!judging.costs.empty()) {
    LinePlot plot;
    plot.x_title = "elements of self";
    plot.y_title = "ms a case";
    plot.scale = PlotScale::kLogarithmic;
    plot.series = SeriesOf(
        judging.costs, [](const JudgingCost& cost) { return cost.kind; },
        [](const JudgingCost& cost) {
          return PlotPoint{static_cast<double>(cost.elements), cost.case_ms};
        });
    plot.label = "Time per case against the elements of self, " +
                 CountOf(std::ssize(plot.series), "kind") + " of cases";
    charts.push_back({"Time per case against its size", DrawLinePlot(plot)});
  }
  return charts;
}

std::string ChartsHtml(const std::vector<Chart>& charts, bool all_open) {
  std::string html;
  for (const Chart& chart : charts) {
    const std::string setting = XmlText(chart.setting);
    html += "<details" + std::string(html.empty() || all_open ? " open" : "") + "><summary>" +
            setting +
            "</summary><div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" +
            setting + "\">" + chart.svg + "</div></details>\n";
  }
  return html;
}

}  // namespace

Result<Performance> ParsePerformance(std::string_view text) {
  const auto json = ParseStrictJson<nlohmann::ordered_json>(text);
  if (!json.ok()) return json.status();
  Status error;
  const JsonReader at(*json, error);
  at.NoOtherMembers(
      {"schema", "implementation", "rows", "means", "scaling", "not_timed", "judging"});
  at.At("schema").Equals("poolproof-performance/1");
  Performance performance;
  if (const auto name = at.Find("implementation")) performance.implementation = name->String();
  const std::optional<JsonReader> not_timed = at.Find("not_timed");
  if (not_timed) {
    const std::vector<JsonReader> items = not_timed->Items();
    if (items.size() > kMostRows) not_timed->Expected("at most 20000 settings");
    for (const JsonReader& item : items) {
      if (at.ok()) performance.not_timed.push_back(ReadNotTimed(item));
    }
  }
  const std::optional<JsonReader> judging = at.Find("judging");
  if (judging) performance.judging.push_back(ReadJudging(*judging));
  const bool has_more = judging || !performance.not_timed.empty();
  if (has_more && !at.Find("rows") && !at.Find("means") && !at.Find("scaling")) {
    if (!error.ok()) return error;
    return performance;
  }
  const std::vector<JsonReader> rows = at.At("rows").Items();
  if (rows.empty() || rows.size() > kMostRows)
    at.At("rows").Expected("an array of 1 to 20000 rows");
  for (const JsonReader& row : rows) {
    if (!at.ok()) break;
    performance.rows.push_back(ReadRow(row));
  }
  (void)at.At("means").Items();
  (void)at.At("scaling").Items();
  if (!error.ok()) return error;
  return performance;
}

std::string PerformanceHtml(const Performance& performance) {
  std::string html;
  const std::string& name = performance.implementation;
  if (!performance.rows.empty()) {
    html +=
        "<p class=\"soft\">Measured by " +
        std::string(name.empty() ? "poolproof-bench" : "poolproof bench") +
        ", possibly on another machine than the verdict. A bar is a share of the limit: the time "
        "that moving the same bytes takes, or making the same additions one by one where that "
        "takes longer, over the time of the kernel. Longer is faster. It does not affect the "
        "verdict.</p>\n<ul class=\"key\"><li><i class=\"ours\"></i>" +
        (name.empty() ? "the optimized library" : XmlText(CleanText(name))) +
        "</li><li><i class=\"peer\"></i>others</li></ul>\n" +
        ChartsHtml(DrawRows(performance), /*all_open=*/false);
  }
  if (!performance.not_timed.empty()) {
    html += "<h3>Not timed</h3>\n<ul>";
    for (const std::string& line : NotTimedLines(performance)) {
      html += "<li>" + XmlText(line) + "</li>\n";
    }
    html += "</ul>\n";
  }
  for (const JudgingSpeed& judging : performance.judging) {
    html += "<h3>What judging costs: " + XmlText(judging.implementation) +
            "</h3>\n<p class=\"soft\">Measured by bench/scaling.py with " +
            CountOf(judging.cpus, "CPU") +
            ". A worker calls the library while another process makes the operands and judges, so "
            "that a worker keeps up to two CPUs busy.</p>\n" +
            ChartsHtml(DrawJudging(judging), /*all_open=*/true);
  }
  return html;
}

}  // namespace poolproof
