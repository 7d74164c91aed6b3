// SPDX-License-Identifier: Apache-2.0
#include "reports/matrix.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "reports/html_parts.h"
#include "reports/html_style.h"
#include "reports/phrases.h"
#include "reports/words.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

// Of a clause that the report has, which is every one of its spec.
using Verdicts = std::vector<std::optional<ClauseVerdict>>;

struct MatrixRow {
  std::string id;
  Strength strength = Strength::kRequired;
  Verdicts verdicts;  // by column
};

std::string Letter(std::size_t column) { return std::string(1, static_cast<char>('A' + column)); }

// Clauses of all reports, in the order in which they come first.
std::vector<MatrixRow> RowsOf(const std::vector<MatrixColumn>& columns) {
  std::vector<MatrixRow> rows;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const ClauseResult& clause : columns[i].report.clauses) {
      const auto [place, added] = places.emplace(clause.id, rows.size());
      if (added) rows.push_back({clause.id, clause.strength, Verdicts(columns.size())});
      rows[place->second].verdicts[i] = clause.verdict;
    }
  }
  return rows;
}

bool IsShown(const MatrixRow& row) {
  return std::any_of(row.verdicts.begin(), row.verdicts.end(), [&](const auto& verdict) {
    return verdict == ClauseVerdict::kFailed || verdict != row.verdicts.front();
  });
}

std::string_view Word(std::optional<ClauseVerdict> verdict) {
  static constexpr std::array<std::string_view, 6> kWords = {"ok", "FAILED", "?", "none", "-", "."};
  return verdict ? kWords[static_cast<std::size_t>(*verdict)] : "";
}

std::string Padded(std::string text, std::size_t columns) {
  if (text.size() < columns) text.resize(columns, ' ');
  return text;
}

std::string DayOf(const Report& report) { return report.run.start.substr(0, 10); }

struct Trend {
  std::string name;
  std::vector<std::int64_t> counts;  // by column
};

std::vector<Trend> TrendsOf(const std::vector<MatrixColumn>& columns) {
  std::vector<Trend> trends = {{"clauses passed", {}},
                               {"required failed", {}},
                               {"advisory failed", {}},
                               {"failing cases", {}}};
  for (const MatrixColumn& column : columns) {
    const Report& report = column.report;
    const Summary& summary = report.summary;
    trends[0].counts.push_back(CountClauses(report, ClauseVerdict::kPassed));
    trends[1].counts.push_back(CountClauses(report, ClauseVerdict::kFailed, Strength::kRequired));
    trends[2].counts.push_back(CountClauses(report, ClauseVerdict::kFailed, Strength::kAdvisory));
    trends[3].counts.push_back(summary.failed + summary.crashed + summary.timed_out);
  }
  return trends;
}

}  // namespace

std::string MatrixText(const std::vector<MatrixColumn>& columns, const Spec& spec) {
  constexpr std::size_t kLetterWidth = 8;
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Report& report = columns[i].report;
    text += Letter(i) + "  " + CleanText(report.implementation.name) + " on " +
            ProfileName(report) + ", " + DayOf(report) + ": " + VerdictWords(report) + "  (" +
            CleanText(columns[i].file) + ")\n";
  }
  const std::vector<MatrixRow> rows = RowsOf(columns);
  std::size_t width = 16;
  for (const MatrixRow& row : rows) width = std::max(width, row.id.size() + 2);
  std::string head = Padded("", width);
  for (std::size_t i = 0; i < columns.size(); ++i) head += Padded(Letter(i), kLetterWidth);
  std::int64_t alike = 0;
  std::string body;
  for (const MatrixRow& row : rows) {
    if (!IsShown(row)) {
      ++alike;
      continue;
    }
    std::string line = Padded(row.id, width);
    for (const auto& verdict : row.verdicts)
      line += Padded(std::string(Word(verdict)), kLetterWidth);
    const Clause* clause = spec.Find(row.id);
    if (row.strength == Strength::kAdvisory) line += "(advisory) ";
    if (clause != nullptr) line += CutText(clause->statement, 60);
    body += line + "\n";
  }
  if (!body.empty()) text += "\n" + head + "\n" + body;
  text += "\n" + head + "\n";
  for (const Trend& trend : TrendsOf(columns)) {
    std::string line = Padded(trend.name, width);
    for (const std::int64_t count : trend.counts) line += Padded(Count(count), kLetterWidth);
    text += line + "\n";
  }
  text += "\n" + CountOf(alike, "other clause") + ": no failure, and the same verdict in all\n";
  text += "ok passed, FAILED, ? inconclusive, none unsupported, - not applicable, . not run\n";
  return text;
}

namespace {

// A bar for each column, by the highest of the row.
std::string BarsHtml(const Trend& trend) {
  const std::int64_t most =
      std::max<std::int64_t>(1, *std::max_element(trend.counts.begin(), trend.counts.end()));
  std::string html;
  for (const std::int64_t count : trend.counts) {
    html += "<td class=\"n\">" + Count(count) +
            "<div aria-hidden=\"true\" style=\"height:.3rem;background:var(--window);width:" +
            std::to_string(count * 100 / most) + "%\"></div></td>";
  }
  return html;
}

std::string CellHtml(std::optional<ClauseVerdict> verdict) {
  if (!verdict) return "<td class=\"soft\">absent</td>";
  return "<td>" + Pill(*verdict) + "</td>";
}

// The rows in which something differs or fails, or the others.
std::string TableHtml(const std::vector<MatrixRow>& rows, const Spec& spec, const std::string& head,
                      bool shown) {
  std::string body;
  for (const MatrixRow& row : rows) {
    if (IsShown(row) != shown) continue;
    const Clause* clause = spec.Find(row.id);
    body += "<tr><th scope=\"row\"><span class=\"whole\">" + XmlText(row.id) + "</span></th>";
    for (const auto& verdict : row.verdicts) body += CellHtml(verdict);
    body += "<td class=\"small\">" +
            std::string(row.strength == Strength::kAdvisory ? "advisory: " : "") +
            (clause == nullptr ? "" : XmlText(clause->statement)) + "</td></tr>\n";
  }
  if (body.empty()) return "<p>None.</p>\n";
  return "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>clause</th>" + head +
         "<th>it says</th></tr></thead><tbody>\n" + body + "</tbody></table></div>\n";
}

}  // namespace

std::string MatrixHtml(const std::vector<MatrixColumn>& columns, const Spec& spec) {
  const std::vector<MatrixRow> rows = RowsOf(columns);
  std::string head;
  std::string list;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Report& report = columns[i].report;
    head += "<th scope=\"col\">" + Letter(i) + "</th>";
    list += "<tr><th scope=\"row\">" + Letter(i) + "</th><td>" +
            XmlText(report.implementation.name) + "</td><td><span class=\"whole\">" +
            ProfileName(report) + "</span></td><td><span class=\"whole\">" +
            XmlText(DayOf(report)) + "</span></td><td><span class=\"pill " +
            std::string(RunVerdictName(report.verdict)) + "\">" + XmlText(VerdictWords(report)) +
            "</span></td><td><a href=\"" + XmlText(columns[i].file) + "\">" +
            XmlText(columns[i].file) + "</a></td></tr>\n";
  }
  std::string trends;
  for (const Trend& trend : TrendsOf(columns)) {
    trends += "<tr><th scope=\"row\">" + trend.name + "</th>" + BarsHtml(trend) + "</tr>\n";
  }
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         CountOf(std::ssize(columns), "report") +
         " by clause</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>" +
         std::string(HtmlStyle()) + "</style>\n</head>\n<body>\n<header><h1>" +
         CountOf(std::ssize(columns), "report") +
         " by clause</h1></header>\n<main id=\"content\">\n"
         "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th></th><th>implementation</th>"
         "<th>profile</th><th>day</th><th>verdict</th><th>report</th></tr></thead><tbody>\n" +
         list +
         "</tbody></table></div>\n<h2>Trend</h2>\n"
         "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th></th>" +
         head + "</tr></thead><tbody>\n" + trends +
         "</tbody></table></div>\n<h2>Clauses that fail or differ</h2>\n" +
         TableHtml(rows, spec, head, true) + "<h2>Other clauses</h2>\n<details><summary>" +
         "No failure, and the same verdict in all</summary>\n" +
         TableHtml(rows, spec, head, false) + "</details>\n</main>\n</body>\n</html>\n";
}

}  // namespace poolproof
