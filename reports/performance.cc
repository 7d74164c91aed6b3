// SPDX-License-Identifier: Apache-2.0
#include "reports/performance.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "conformance/case/json_reader.h"
#include "conformance/case/strict_json.h"
#include "reports/phrases.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

constexpr std::size_t kMostRows = 20000;

double Positive(const JsonReader& at) {
  const double value = at.Number();
  if (at.ok() && value <= 0) at.Refuse("a number above 0");
  return at.ok() ? value : 1;
}

PerformanceRow ReadRow(const JsonReader& at) {
  PerformanceRow row;
  at.Closed({"pass", "shape", "type", "indices", "threads", "mode", "class_name", "bytes",
             "ours_ms", "ours_over_light", "light_ms", "over_ours"});
  const std::string threads = at.At("threads").Text();
  row.setting = at.At("pass").Text() + ", " + at.At("type").Text() + ", indices " +
                at.At("indices").Text() + ", " + threads +
                (threads == "1" ? " thread" : " threads") + ", " + at.At("mode").Text();
  row.shape = at.At("shape").Text();
  (void)at.At("class_name").Text();
  (void)at.At("bytes").Number();
  row.ours_ms = Positive(at.At("ours_ms"));
  if (const auto light = at.AtOrNull("light_ms")) row.light_ms = Positive(*light);
  (void)at.AtOrNull("ours_over_light");
  for (const auto& [name, value] : at.At("over_ours").Members()) {
    row.over_ours.emplace_back(name, Positive(value));
  }
  return row;
}

std::string Fixed(double value, int digits) {
  std::array<char, 64> text = {};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

// Bars of one setting. Lengths are shares of the speed of light, cut at the right border.
class Painter {
 public:
  explicit Painter(std::vector<const PerformanceRow*> rows) : rows_(std::move(rows)) {}

  std::string Paint() {
    for (const PerformanceRow* row : rows_) Shape(*row);
    const int height = y_ + 18;
    const double line = kLeft + kUnit;
    const std::string x = Fixed(line, 0);
    std::string svg = "<svg class=\"bars\" role=\"img\" viewBox=\"0 0 " + std::to_string(kWidth) +
                      " " + std::to_string(height) + "\" width=\"" + std::to_string(kWidth) +
                      "\" aria-label=\"Share of the speed of light of " +
                      CountOf(std::ssize(rows_), "shape") + "\">" + bars_ +
                      "<line class=\"light\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"2\" y2=\"" +
                      std::to_string(y_) + "\"/><text class=\"axis\" x=\"" + x + "\" y=\"" +
                      std::to_string(y_ + 13) + "\">speed of light</text></svg>";
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
             XmlText(CutText(CleanText(row.shape), 26)) + "</text>";
    Bar("ours", row, row.ours_ms, true);
    for (const auto& [name, times] : row.over_ours) Bar(name, row, row.ours_ms * times, false);
    y_ += 8;
  }

  void Bar(const std::string& name, const PerformanceRow& row, double ms, bool ours) {
    const double share = *row.light_ms / ms;
    const std::string length = Fixed(std::min(share, kMost) * kUnit, 1);
    const std::string clean = XmlText(CutText(CleanText(name), 20));
    bars_ += "<text class=\"who\" x=\"" + std::to_string(kLeft - 4) + "\" y=\"" +
             std::to_string(y_ + 11) + "\">" + (ours ? "" : clean) + "</text><rect class=\"" +
             (ours ? "ours" : "peer") + "\" x=\"" + std::to_string(kLeft) + "\" y=\"" +
             std::to_string(y_ + 2) + "\" width=\"" + length + "\" height=\"" +
             std::to_string(kBar - 3) + "\"><title>" + clean + ": " + Fixed(ms, 3) + " ms, " +
             Fixed(100 * share, 0) +
             " % of the speed of light</title></rect><text class=\"sub\" x=\"" +
             Fixed(kLeft + std::min(share, kMost) * kUnit + 5, 1) + "\" y=\"" +
             std::to_string(y_ + 11) + "\">" + Fixed(ms, ms < 10 ? 2 : 0) + " ms</text>";
    y_ += kBar;
  }

  const std::vector<const PerformanceRow*> rows_;
  std::string bars_;
  int y_ = 2;
};

}  // namespace

Result<Performance> ParsePerformance(std::string_view text) {
  const auto json = ParseStrictJson<nlohmann::ordered_json>(text);
  if (!json.ok()) return json.status();
  Status error;
  const JsonReader at(*json, error);
  at.Closed({"schema", "rows", "means", "scaling"});
  at.At("schema").Equals("poolproof-performance/1");
  Performance performance;
  const std::vector<JsonReader> rows = at.At("rows").Items();
  if (rows.empty() || rows.size() > kMostRows) at.At("rows").Refuse("an array of 1 to 20000 rows");
  for (const JsonReader& row : rows) {
    if (!at.ok()) break;
    performance.rows.push_back(ReadRow(row));
  }
  (void)at.At("means").Items();
  (void)at.At("scaling").Items();
  if (!error.ok()) return error;
  return performance;
}

std::vector<PerformanceChart> DrawPerformance(const Performance& performance) {
  std::vector<std::pair<std::string, std::vector<const PerformanceRow*>>> settings;
  for (const PerformanceRow& row : performance.rows) {
    if (!row.light_ms) continue;
    auto place = std::find_if(settings.begin(), settings.end(),
                              [&](const auto& setting) { return setting.first == row.setting; });
    if (place == settings.end()) {
      settings.emplace_back(row.setting, std::vector<const PerformanceRow*>());
      place = settings.end() - 1;
    }
    place->second.push_back(&row);
  }
  std::vector<PerformanceChart> charts;
  for (auto& [setting, rows] : settings) {
    charts.push_back({setting, Painter(std::move(rows)).Paint()});
  }
  return charts;
}

}  // namespace poolproof
