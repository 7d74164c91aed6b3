// SPDX-License-Identifier: Apache-2.0
#include "reports/html_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "conformance/case/case_text.h"
#include "conformance/case/passed_axes.h"
#include "core/shell_text.h"
#include "core/text.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"
#include "reports/picture.h"
#include "reports/storage_picture.h"
#include "reports/words.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

std::string Value(const std::string& words, DataType type) {
  const std::string decimal = DecimalText(words, type, 4);
  return decimal == words ? Code(words)
                          : XmlText(decimal) + " <span class=\"soft\">" + Code(words) + "</span>";
}

void AddOperandTable(const Call& made, std::size_t number, std::string& html) {
  const Call call = AsPassed(made);
  const OperatorInfo& info = InfoOf(call.op);
  html += "<table><caption>" + (number > 0 ? "Call " + std::to_string(number) + ": " : "") +
          "aclnn" + std::string(info.name) +
          "</caption><thead><tr><th scope=\"col\">argument</th><th scope=\"col\">type</th>"
          "<th scope=\"col\">shape</th><th scope=\"col\">layout</th></tr></thead><tbody>\n";
  for (const Role role : info.tensors) {
    const TensorSpec& tensor = call.tensor(role);
    html += "<tr><td>" + Code(RoleName(role)) + "</td>";
    if (tensor.null) {
      html += "<td colspan=\"3\">null</td></tr>\n";
      continue;
    }
    std::string layout = FormatName(tensor.format);
    if (!tensor.strides.empty()) layout += ", strides " + DimsText(tensor.strides);
    if (tensor.offset != 0) layout += ", offset " + std::to_string(tensor.offset);
    html += "<td>" + XmlText(DataTypeName(tensor.type)) + "</td><td>" +
            Code(DimsText(tensor.shape)) + "</td><td>" + XmlText(layout) + "</td></tr>\n";
  }
  for (const List list : info.lists) {
    const std::optional<Dims>& values = call.list(list);
    html += "<tr><td>" + Code(ListName(list)) + "</td><td colspan=\"3\">" +
            (values ? Code(DimsText(*values)) : "null") + "</td></tr>\n";
  }
  if (info.windows == WindowRule::kFixed) {
    html += "<tr><td>" + Code("ceilMode") + "</td><td colspan=\"3\">" +
            (call.ceil_mode ? "true" : "false") + "</td></tr>\n";
  }
  html += "</tbody></table>\n";
}

}  // namespace

std::string_view SignOf(ClauseVerdict verdict) {
  return kSigns[static_cast<std::size_t>(verdict)].sign;
}

std::string Pill(ClauseVerdict verdict) {
  const std::string_view word = ClauseVerdictName(verdict);
  return "<span class=\"pill " + std::string(word) + "\">" + std::string(SignOf(verdict)) + " " +
         Spaced(word) + "</span>";
}

std::string Code(std::string_view text) { return "<code>" + XmlText(text) + "</code>"; }

std::string Command(const std::string& command) {
  return "<pre tabindex=\"0\" aria-label=\"Command\"><code>" + XmlText(command) + "</code></pre>\n";
}

std::string NearestHtml(const RootCause& cause) {
  constexpr std::size_t kLongest = std::size_t{16} * 1024;
  if (!cause.nearest || !cause.smallest) return "";
  const std::string fails = CaseLine(*cause.smallest);
  const std::string passes = CaseLine(*cause.nearest);
  const bool is_short = fails.size() + passes.size() <= kLongest;
  return (is_short ? "<p class=\"small soft\">The smallest that fails:</p>\n" + Command(fails)
                   : "") +
         "<p class=\"small soft\">The nearest that passes: " +
         XmlText(CutText(cause.nearest_difference, 300)) + "</p>\n" +
         (is_short ? Command(passes) : "");
}

std::string NextHtml(const Report& report, const Spec& spec) {
  constexpr std::size_t kLongest = 400;
  std::string html;
  const std::string json = JsonArgument(report);
  const std::vector<FailureKind> kinds = KindsOfFailure(report);
  if (!kinds.empty()) {
    const Failure& first = kinds.front().first();
    const std::ptrdiff_t causes = RequiredCauses(report);
    const bool caused = causes > 0;
    const auto& clauses = caused ? report.root_causes.front().clauses : first.clauses;
    const std::string ids = "<strong>" +
                            (clauses.empty() ? "Not investigated" : XmlText(Joined(clauses))) +
                            "</strong>: ";
    const std::string when =
        caused ? RuleSentence(report.root_causes.front()) : Capitalised(RootCausesSentence(report));
    if (!when.empty()) html += "<p>" + (caused ? ids : "") + XmlText(CutText(when, 300));
    if (causes > 1) {
      html += "; <a href=\"#cause-2\">" + CountOf(causes - 1, "other root cause") + "</a>";
    }
    if (!when.empty()) html += "</p>\n";
    html +=
        "<p>" + (caused ? "The " : ids + "the ") +
        "<a href=\"#failure-1\">first failure</a>: " + XmlText(CutText(WhatHappened(first), 300)) +
        "</p>\n";
    const Clause* known = first.clauses.empty() ? nullptr : spec.Find(first.clauses.front());
    if (known != nullptr) {
      html += "<p>Clause " + XmlText(known->id) + ": " + XmlText(CutText(DemandText(*known), 200)) +
              "</p>\n";
    }
    const std::string subject = ImplementationArgument(report);
    const std::string command = json.empty()
                                    ? ReplayCommand(subject, report, ShownCase(first))
                                    : "poolproof replay " + SubjectOptions(subject, report) + " " +
                                          ShellQuoted(json + "#1");
    if (command.size() <= kLongest) {
      html += "<p class=\"small soft\">To reproduce the first failure:</p>\n" + Command(command);
    }
  }
  if (!json.empty()) {
    html +=
        "<p class=\"small soft\">The report for programs, in the folder of this page: <a "
        "class=\"file\" "
        "href=\"" +
        UriOf(json) + "\">" + XmlText(json) + "</a></p>\n";
  }
  return html;
}

namespace {

std::string PlanePictureHtml(const Failure& failure) {
  std::string html;
  const PlanePictures pictures = DrawPlane(ShownCase(failure), failure.mismatches);
  if (pictures.slices.empty()) return html;
  html += "<figure>\n<div class=\"slices\">\n";
  for (const std::string& slice : pictures.slices) html += "<div>" + slice + "</div>\n";
  html +=
      "</div>\n<figcaption>" + XmlText(pictures.caption) +
      "</figcaption>\n<ul class=\"key\"><li><i class=\"window\"></i>pooling window</li><li>"
      "<i class=\"named\"></i>named by an index: the windows' numbers, and the sum that belongs "
      "here</li>";
  if (!failure.mismatches.empty()) {
    html += "<li><i class=\"wrong\"></i>gradInput differs: expected above, got below</li>";
  }
  html += "</ul></figure>\n";
  return html;
}

std::string StoragePictureHtml(const Failure& failure) {
  const StoragePicture picture = DrawStorage(ShownCase(failure), ShownMessage(failure));
  if (picture.svg.empty()) return "";
  return "<figure>\n<div class=\"slices\"><div>" + picture.svg + "</div></div>\n<figcaption>" +
         XmlText(picture.caption) +
         "</figcaption>\n<ul class=\"key\"><li><i class=\"named\"></i>element of the view, by its "
         "number in the storage</li>" +
         (picture.has_gaps ? "<li><i class=\"gap\"></i>gap, which must not change</li>" : "") +
         "<li><i class=\"guard\"></i>memory around the storage</li><li><i class=\"wrong\"></i>" +
         (picture.was_read ? "read" : "written") + ", which is not allowed</li></ul></figure>\n";
}

}  // namespace

std::string PicturesHtml(const Failure& failure) {
  return PlanePictureHtml(failure) + StoragePictureHtml(failure);
}

std::string MismatchTableHtml(const Failure& failure) {
  std::string html;
  if (failure.mismatches.empty()) return html;
  static constexpr std::size_t kMost = 12;
  const Case& shown = ShownCase(failure);
  html += "<details" + std::string(failure.mismatches.size() <= 3 ? " open" : "") +
          "><summary>Wrong elements</summary><div class=\"scroll\" role=\"region\" tabindex=\"0\" "
          "aria-label=\"Wrong elements\"><table><thead><tr><th scope=\"col\">element</th>"
          "<th scope=\"col\">expected</th><th scope=\"col\">got</th><th scope=\"col\" class=\"n\">"
          "gradients</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < failure.mismatches.size() && i < kMost; ++i) {
    const Mismatch& m = failure.mismatches[i];
    const auto call = static_cast<std::size_t>(std::max(0, m.call));
    const TensorSpec& tensor =
        shown.calls[std::min(call, shown.calls.size() - 1)].tensor(Role::kGradInput);
    html += "<tr><td>" + Code(ElementText(tensor.shape, m.position)) + "</td><td>" +
            Value(m.expected, tensor.type) + "</td><td>" + Value(m.got, tensor.type) +
            "</td><td class=\"n\">" + Count(m.contributions) + "</td></tr>\n";
  }
  html += "</tbody></table></div>";
  if (failure.mismatches.size() > kMost) {
    html += "<p class=\"small soft\">The first " + std::to_string(kMost) + " of " +
            Count(std::ssize(failure.mismatches)) + ".</p>";
  }
  html += "</details>\n";
  return html;
}

std::string OutputHtml(const Failure& failure) {
  if (failure.output.empty()) return {};
  std::string html =
      "<p class=\"small soft\">The library printed:</p>\n<pre tabindex=\"0\" "
      "aria-label=\"Output\">";
  for (const std::string& line : OutputLines(failure)) html += XmlText(line) + "\n";
  return html + "</pre>\n";
}

namespace {

std::string CellTitle(const CauseBorder& border, std::size_t column, std::size_t row) {
  const CauseBorder::Cell& cell = border.cells[row * border.across.values.size() + column];
  return border.across.text + ": " + border.across.values[column] + "; " + border.down.text + ": " +
         border.down.values[row] + "; " + Count(cell.failing) + " fail, " + Count(cell.passing) +
         " pass; the rule says that they " + (cell.foretold ? "fail" : "pass");
}

}  // namespace

std::string BorderHtml(const CauseBorder& border) {
  const auto columns = border.across.values.size();
  std::string html =
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Cases that fail and cases "
      "that pass\"><table class=\"border\">\n<caption>Cases that fail (&#10007;) and pass "
      "(&#10003;); a frame where the rule says that they fail</caption>\n<thead><tr><td></td>"
      "<th scope=\"colgroup\" colspan=\"" +
      std::to_string(columns) + "\">" + XmlText(border.across.text) + "</th></tr>\n<tr><th>" +
      XmlText(border.down.text) + "</th>";
  for (const std::string& value : border.across.values) {
    html += "<th scope=\"col\">" + XmlText(value) + "</th>";
  }
  html += "</tr></thead><tbody>\n";
  for (std::size_t row = 0; row < border.down.values.size(); ++row) {
    html += "<tr><th scope=\"row\">" + XmlText(border.down.values[row]) + "</th>";
    for (std::size_t column = 0; column < columns; ++column) {
      const CauseBorder::Cell& cell = border.cells[row * columns + column];
      const char* tone = cell.failing > 0   ? cell.passing > 0 ? "inconclusive" : "failed"
                         : cell.passing > 0 ? "passed"
                                            : "not_run";
      html += std::string("<td class=\"") + tone + (cell.foretold ? " predicted" : "") +
              "\" title=\"" + XmlText(CellTitle(border, column, row)) + "\">";
      if (cell.failing > 0) html += "&#10007;&nbsp;" + Count(cell.failing);
      if (cell.failing > 0 && cell.passing > 0) html += "<br>";
      if (cell.passing > 0) html += "&#10003;&nbsp;" + Count(cell.passing);
      html += "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string OperandsHtml(const Case& problem) {
  std::string html;
  html +=
      "<details><summary>Operands and attributes of the case</summary><div class=\"scroll\" "
      "role=\"region\" tabindex=\"0\" aria-label=\"Operands\">\n";
  static constexpr std::size_t kMostCalls = 4;
  for (std::size_t i = 0; i < problem.calls.size() && i < kMostCalls; ++i) {
    AddOperandTable(problem.calls[i], problem.calls.size() > 1 ? i + 1 : 0, html);
  }
  if (problem.calls.size() > kMostCalls) {
    html += "<p class=\"small soft\">and " +
            Count(static_cast<std::int64_t>(problem.calls.size() - kMostCalls)) + " calls more</p>";
  }
  html += "</div></details>\n";
  return html;
}

}  // namespace poolproof
