// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "reports/charts/performance.h"
#include "reports/html_style.h"
#include "reports/phrases.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

using PerformanceObject = nlohmann::ordered_json;

// Smaller ones tell more of the call than of the kernel.
constexpr double kLargeBytes = 5e6;

// Three digits or more.
std::string Figure(std::optional<double> value) {
  if (!value) return "-";
  std::array<char, 64> text = {};
  const int digits =
      *value > 0 ? std::clamp(2 - static_cast<int>(std::floor(std::log10(*value))), 0, 6) : 0;
  std::snprintf(text.data(), text.size(), "%.*f", digits, *value);
  return text.data();
}

std::string Ratio(std::optional<double> value) {
  std::array<char, 64> text = {};
  if (value) std::snprintf(text.data(), text.size(), "%.2f", *value);
  return value ? text.data() : "-";
}

// Half the width of the interval, in per cent of the median.
std::string Within(const PerformanceRow& row) {
  if (!row.ours_interval) return "-";
  std::array<char, 64> text = {};
  std::snprintf(text.data(), text.size(), "%.1f %%", 50 * row.ours_interval->width() / row.ours_ms);
  return text.data() + std::string(row.narrow ? "" : " (!)");
}

PerformanceObject SettingJson(const TimingSetting& setting) {
  return {{"pass", setting.pass},       {"shape", setting.shape},     {"type", setting.type},
          {"indices", setting.indices}, {"threads", setting.threads}, {"mode", setting.mode}};
}

PerformanceObject ValueOrNull(std::optional<double> value) {
  return value ? PerformanceObject(*value) : PerformanceObject();
}

std::optional<double> GeometricMean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::optional<double> OverLight(const PerformanceRow& row) {
  return row.light_ms ? std::optional(row.ours_ms / *row.light_ms) : std::nullopt;
}

PerformanceObject MeansJson(const Performance& performance) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>,
           std::vector<const PerformanceRow*>>
      kinds;
  for (const PerformanceRow& row : performance.rows) {
    const TimingSetting& at = row.setting;
    if (row.bytes <= kLargeBytes) continue;
    kinds[{at.pass, at.type, at.indices, at.threads, at.mode}].push_back(&row);
  }
  PerformanceObject means = PerformanceObject::array();
  for (const auto& [kind, rows] : kinds) {
    std::vector<double> over_light;
    std::vector<double> over_limit;
    std::map<std::string, std::vector<double>> over_ours;
    for (const PerformanceRow* row : rows) {
      if (const auto light = OverLight(*row)) over_light.push_back(*light);
      if (row->over_limit) over_limit.push_back(*row->over_limit);
      for (const auto& [name, times] : row->over_ours) over_ours[name].push_back(times);
    }
    const auto& [pass, type, indices, threads, mode] = kind;
    PerformanceObject mean = {{"pass", pass},       {"type", type}, {"indices", indices},
                              {"threads", threads}, {"mode", mode}, {"shapes", rows.size()}};
    mean["ours_over_roofline"] = ValueOrNull(GeometricMean(over_light));
    mean["ours_over_limit"] = ValueOrNull(GeometricMean(over_limit));
    mean["over_ours"] = PerformanceObject::object();
    for (const auto& [name, times] : over_ours) mean["over_ours"][name] = *GeometricMean(times);
    means.push_back(std::move(mean));
  }
  return means;
}

// Settings in their order, with the rows of each.
std::vector<std::pair<std::string, std::vector<const PerformanceRow*>>> BySetting(
    const Performance& performance) {
  std::vector<std::pair<std::string, std::vector<const PerformanceRow*>>> settings;
  for (const PerformanceRow& row : performance.rows) {
    const std::string words = row.setting.Words();
    auto place = std::find_if(settings.begin(), settings.end(),
                              [&](const auto& setting) { return setting.first == words; });
    if (place == settings.end()) place = settings.insert(place, {words, {}});
    place->second.push_back(&row);
  }
  return settings;
}

// A table: its header first.
std::vector<std::vector<std::string>> TableOf(const std::vector<const PerformanceRow*>& rows) {
  const bool device = std::any_of(rows.begin(), rows.end(),
                                  [](const PerformanceRow* row) { return row->device_ms; });
  std::vector<std::string> others;
  for (const PerformanceRow* row : rows) {
    for (const auto& [name, times] : row->over_ours) {
      if (std::find(others.begin(), others.end(), name) == others.end()) others.push_back(name);
    }
  }
  std::vector<std::vector<std::string>> table = {{"shape", "MB", "ms", "+-"}};
  if (device) table[0].emplace_back("device ms");
  table[0].insert(table[0].end(), {"limit ms", "times limit"});
  for (const std::string& name : others) table[0].push_back(CleanText(name) + " / it");
  for (const PerformanceRow* row : rows) {
    std::vector<std::string>& line = table.emplace_back();
    line = {CleanText(row->setting.shape), Figure(row->bytes / 1e6), Figure(row->ours_ms),
            Within(*row)};
    if (device) line.push_back(Figure(row->device_ms));
    line.push_back(Figure(row->limit_ms));
    line.push_back(Ratio(row->over_limit));
    for (const std::string& name : others) {
      const auto found = std::find_if(row->over_ours.begin(), row->over_ours.end(),
                                      [&](const auto& other) { return other.first == name; });
      line.push_back(
          Ratio(found == row->over_ours.end() ? std::nullopt : std::optional(found->second)));
    }
  }
  return table;
}

// What holds for all tables.
std::string NoteOf(const Performance& performance) {
  const auto wide = std::count_if(performance.rows.begin(), performance.rows.end(),
                                  [](const PerformanceRow& row) { return !row.narrow; });
  std::string note =
      "Medians of calls through the ABI: phase one to the end of synchronise. Above 1 in the last "
      "columns: it is faster than the other.";
  if (wide > 0) {
    note += " (!): " + CountOf(wide, "median") + " not known as well as was asked for.";
  }
  return note;
}

}  // namespace

std::vector<std::string> NotTimedLines(const Performance& performance) {
  struct Reason {
    const NotTimed* first;
    std::int64_t settings;
  };
  std::vector<Reason> reasons;
  for (const NotTimed& entry : performance.not_timed) {
    const auto same = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& known) {
      return known.first->who == entry.who && known.first->reason == entry.reason;
    });
    if (same == reasons.end()) {
      reasons.push_back({&entry, 1});
    } else {
      ++same->settings;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [first, settings] : reasons) {
    const std::string more = settings == 1 ? "" : " and " + CountOf(settings - 1, "other setting");
    lines.push_back(CleanText(first->who + ": " + first->reason + " (" + first->setting.shape +
                              ", " + first->setting.Words() + more + ")"));
  }
  return lines;
}

std::string PerformanceJson(const Performance& performance) {
  PerformanceObject object = {{"schema", "poolproof-performance/1"},
                              {"implementation", performance.implementation}};
  if (!performance.rows.empty()) {
    PerformanceObject rows = PerformanceObject::array();
    for (const PerformanceRow& row : performance.rows) {
      PerformanceObject entry = SettingJson(row.setting);
      entry["class_name"] = row.class_name;
      entry["bytes"] = row.bytes;
      entry["ours_ms"] = row.ours_ms;
      const auto interval = [](PerformanceObject& at, const std::string& name,
                               const std::optional<Interval>& where) {
        if (where) at[name] = {{"low", where->low}, {"high", where->high}};
      };
      interval(entry, "ours_interval", row.ours_interval);
      entry["ours_over_roofline"] = ValueOrNull(OverLight(row));
      entry["roofline_ms"] = ValueOrNull(row.light_ms);
      entry["limit_ms"] = ValueOrNull(row.limit_ms);
      entry["ours_over_limit"] = ValueOrNull(row.over_limit);
      interval(entry, "over_limit_interval", row.over_limit_interval);
      entry["device_ms"] = ValueOrNull(row.device_ms);
      entry["narrow"] = row.narrow;
      entry["over_ours"] = PerformanceObject::object();
      for (const auto& [name, times] : row.over_ours) entry["over_ours"][name] = times;
      for (const auto& [name, where] : row.over_ours_intervals) {
        interval(entry["over_ours_intervals"], name, where);
      }
      rows.push_back(std::move(entry));
    }
    object["rows"] = std::move(rows);
    object["means"] = MeansJson(performance);
    object["scaling"] = PerformanceObject::array();
  }
  if (!performance.not_timed.empty()) {
    PerformanceObject entries = PerformanceObject::array();
    for (const NotTimed& entry : performance.not_timed) {
      PerformanceObject item = SettingJson(entry.setting);
      item["who"] = entry.who;
      item["reason"] = entry.reason;
      item["fault"] = entry.fault;
      entries.push_back(std::move(item));
    }
    object["not_timed"] = std::move(entries);
  }
  return object.dump(1, ' ', /*ensure_ascii=*/true, PerformanceObject::error_handler_t::replace) +
         "\n";
}

std::string PerformanceText(const Performance& performance) {
  std::string text;
  for (const auto& [words, rows] : BySetting(performance)) {
    text += words + "\n";
    const std::vector<std::vector<std::string>> table = TableOf(rows);
    std::vector<std::size_t> widths(table[0].size(), 0);
    for (const std::vector<std::string>& line : table) {
      for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    }
    for (const std::vector<std::string>& line : table) {
      text += " ";
      for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string space(widths[i] - line[i].size(), ' ');
        text += " " + (i == 0 ? line[i] + space : space + line[i]);
      }
      text.erase(text.find_last_not_of(' ') + 1);
      text += "\n";
    }
  }
  if (!performance.rows.empty()) text += NoteOf(performance) + "\n";
  for (const std::string& line : NotTimedLines(performance)) text += "not timed: " + line + "\n";
  return text;
}

std::string PerformanceMarkdown(const Performance& performance) {
  std::string text = "# Times of " + CleanText(performance.implementation) + "\n";
  for (const auto& [words, rows] : BySetting(performance)) {
    text += "\n## " + words + "\n\n";
    bool is_header = true;
    for (const std::vector<std::string>& line : TableOf(rows)) {
      for (const std::string& cell : line) text += "| " + cell + " ";
      text += "|\n";
      if (!is_header) continue;
      for (std::size_t i = 0; i < line.size(); ++i) text += "|---";
      text += "|\n";
      is_header = false;
    }
  }
  if (!performance.rows.empty()) text += "\n" + NoteOf(performance) + "\n";
  if (!performance.not_timed.empty()) text += "\n## Not timed\n\n";
  for (const std::string& line : NotTimedLines(performance)) text += "- " + line + "\n";
  return text;
}

std::string PerformancePage(const Performance& performance, std::string_view tool_version) {
  const std::string title = XmlText("Times of " + CleanText(performance.implementation));
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         title + "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>" +
         std::string(HtmlStyle()) + "</style>\n</head>\n<body>\n<main id=\"content\">\n<h1>" +
         title + "</h1>\n" + PerformanceHtml(performance) + "</main>\n<footer>Made by Poolproof " +
         XmlText(tool_version) +
         ". The page holds no scripts and loads nothing.</footer>\n</body>\n</html>\n";
}

}  // namespace poolproof
