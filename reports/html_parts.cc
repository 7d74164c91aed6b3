// SPDX-License-Identifier: Apache-2.0
#include "reports/html_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "conformance/case/case_text.h"
#include "core/text.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"
#include "reports/picture.h"
#include "reports/words.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

std::string Value(const std::string& words, DataType type) {
  const std::string decimal = DecimalText(words, type, 4);
  return decimal == words ? Code(words)
                          : XmlText(decimal) + " <span class=\"soft\">" + Code(words) + "</span>";
}

void AddOperandTable(const Call& call, std::size_t number, std::string& html) {
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
    html += "<li><i class=\"wrong\"></i>gradInput differs: wanted above, found below</li>";
  }
  html += "</ul></figure>\n";
  return html;
}

std::string MismatchTableHtml(const Failure& failure) {
  std::string html;
  if (failure.mismatches.empty()) return html;
  static constexpr std::size_t kMost = 12;
  const Case& shown = ShownCase(failure);
  html += "<details" + std::string(failure.mismatches.size() <= 3 ? " open" : "") +
          "><summary>Wrong elements</summary><div class=\"scroll\" role=\"region\" tabindex=\"0\" "
          "aria-label=\"Wrong elements\"><table><thead><tr><th scope=\"col\">element</th>"
          "<th scope=\"col\">wanted</th><th scope=\"col\">found</th><th scope=\"col\" class=\"n\">"
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
