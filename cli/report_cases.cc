// SPDX-License-Identifier: Apache-2.0
#include "cli/report_cases.h"

#include <charconv>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "conformance/case/case_text.h"
#include "conformance/json/strict_json.h"
#include "core/text.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

std::string SchemaOf(const nlohmann::json& object) {
  if (!object.is_object()) return "";
  const auto schema = object.find("schema");
  return schema != object.end() && schema->is_string() ? schema->get<std::string>() : "";
}

}  // namespace

bool LooksLikeReport(std::string_view text) {
  const Result<nlohmann::json> object = ParseStrictJson(text);
  return object.ok() && SchemaOf(*object).starts_with("poolproof-report/");
}

std::optional<std::string> CaseOfFailureObject(std::string_view text) {
  const Result<nlohmann::json> object = ParseStrictJson(text);
  if (!object.ok() || !object->is_object()) return std::nullopt;
  for (const char* member : {"shrunk_case_line", "case_line"}) {
    const auto place = object->find(member);
    if (place != object->end() && place->is_string()) return place->get<std::string>();
  }
  return std::nullopt;
}

std::optional<FailureName> ParseFailureName(const std::string& text) {
  const std::size_t mark = text.rfind('#');
  if (mark == std::string::npos || mark == 0) return std::nullopt;
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + mark + 1, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return FailureName{text.substr(0, mark), number};
}

std::string FailureList(const Report& report) {
  const std::vector<FailureKind> kinds = KindsOfFailure(report);
  if (kinds.empty()) return "no case of the report failed\n";
  std::string text;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Failure& failure = kinds[i].first();
    text += "#" + std::to_string(i + 1) + "  " + Joined(failure.clauses) +
            (failure.advisory ? " (advisory)" : "") + ", " + CasesOfKind(report, kinds[i]) + ": " +
            CutText(CleanText(WhatHappened(failure)), 160) + "\n";
  }
  return text;
}

Result<Case> CaseOfKind(const Report& report, std::int64_t number) {
  const std::vector<FailureKind> kinds = KindsOfFailure(report);
  const auto count = static_cast<std::int64_t>(kinds.size());
  if (number < 1 || number > count) {
    return InvalidArgument("#" + std::to_string(number) + ": the report has " +
                           CountOf(count, "kind") + " of failure" +
                           (count > 0 ? ", #1 to #" + std::to_string(count) : ""));
  }
  return ShownCase(kinds[static_cast<std::size_t>(number - 1)].first());
}

Result<std::vector<NamedCase>> FailedCases(const Report& report) {
  std::vector<NamedCase> cases;
  std::set<std::string> known;
  std::map<std::int64_t, const Case*> failing;  // in the order of the run
  for (const Failure& failure : report.failures) {
    failing.emplace(failure.case_number, &failure.problem);
  }
  for (const AlsoFailed& failed : report.also_failed) {
    failing.emplace(failed.case_number, &failed.problem);
  }
  for (const auto& [number, problem] : failing) {
    if (!known.insert(CaseLine(*problem)).second) continue;
    cases.push_back({"failed", std::to_string(number), *problem});
  }
  if (cases.empty()) return InvalidArgument("no case of the report failed");
  return cases;
}

}  // namespace poolproof
