// SPDX-License-Identifier: Apache-2.0
#include "cli/case_argument.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/options.h"
#include "cli/report_cases.h"
#include "conformance/case/case_text.h"
#include "conformance/corpus/case_file.h"
#include "reports/parse.h"

namespace poolproof {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

bool IsObject(const std::string& text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  return first != std::string::npos && text[first] == '{';
}

}  // namespace

Result<CaseArgument> ReadCaseOrReport(const std::string& text) {
  if (text.starts_with("pp1:")) {
    Result<Case> problem = ParseCaseLine(text);
    if (!problem.ok()) return problem.status();
    return CaseArgument{std::move(problem).value(), ""};
  }
  std::string content = text;
  std::string where = "case";
  std::optional<std::int64_t> number;
  if (!IsObject(text)) {
    std::string path = text;
    std::error_code ignored;
    if (const auto name = ParseFailureName(text); name && !std::filesystem::exists(text, ignored)) {
      path = name->path;
      number = name->number;
    }
    const bool names_file =
        path == "-" || path.find('/') != std::string::npos || path.find('.') != std::string::npos;
    Result<std::string> file = ReadFile("case", path);
    if (!file.ok()) {
      if (names_file) return file.status();
      return InvalidArgument("case: '" + text +
                             "' is neither a case line (pp1:...) nor a readable file");
    }
    content = std::move(file).value();
    content.erase(content.find_last_not_of(kBlank) + 1);
    where = "case: '" + path + "'";
  }
  if (LooksLikeReport(content)) {
    const Result<Report> report = ParseReport(content);
    if (!report.ok()) return report.status().Annotate(where);
    if (!number) return CaseArgument{std::nullopt, FailureList(*report)};
    Result<Case> problem = CaseOfKind(*report, *number);
    if (!problem.ok()) return problem.status().Annotate(where);
    return CaseArgument{std::move(problem).value(), ""};
  }
  if (number) {
    return InvalidArgument(where + " is not a report: #" + std::to_string(*number) +
                           " names one of a report's failures");
  }
  content = CaseOfFailureObject(content).value_or(content);
  Result<CaseFileEntry> entry = ParseCaseFileEntry(content);
  if (!entry.ok()) return entry.status().Annotate(where);
  return CaseArgument{std::move(entry).value().problem, ""};
}

}  // namespace poolproof
