// SPDX-License-Identifier: Apache-2.0
#include "cli/case_argument.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/options.h"
#include "conformance/case/case_text.h"
#include "conformance/corpus/case_file.h"
#include "conformance/json/strict_json.h"

namespace poolproof {
namespace {

// A failure object of a report stands for the case that it names; the shrunk one shows it best.
std::optional<std::string> CaseOfFailure(const nlohmann::json& object) {
  if (!object.is_object()) return std::nullopt;
  for (const char* member : {"shrunk_case_line", "case_line"}) {
    const auto place = object.find(member);
    if (place != object.end() && place->is_string()) return place->get<std::string>();
  }
  return std::nullopt;
}

}  // namespace

Result<Case> ReadCaseArgument(const std::string& text) {
  const bool is_line = text.starts_with("pp1:");
  const bool is_object = text.find_first_not_of(" \t\r\n") != std::string::npos &&
                         text[text.find_first_not_of(" \t\r\n")] == '{';
  if (is_line) return ParseCaseLine(text);
  std::string content = text;
  std::string where = "case";
  if (!is_object) {
    const bool names_file =
        text == "-" || text.find('/') != std::string::npos || text.find('.') != std::string::npos;
    Result<std::string> file = ReadFile("case", text);
    if (!file.ok()) {
      if (names_file) return file.status();
      return InvalidArgument("case: '" + text +
                             "' is neither a case line (pp1:...) nor a readable file");
    }
    content = std::move(file).value();
    content.erase(content.find_last_not_of(" \t\r\n") + 1);
    where = "case: '" + text + "'";
  }
  const Result<nlohmann::json> object = ParseStrictJson(content);
  if (object.ok()) content = CaseOfFailure(*object).value_or(content);
  Result<CaseFileEntry> entry = ParseCaseFileEntry(content);
  if (!entry.ok()) return entry.status().Annotate(where);
  return std::move(entry).value().problem;
}

}  // namespace poolproof
