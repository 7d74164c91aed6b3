// SPDX-License-Identifier: Apache-2.0
#include "reports/code_quality.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/text.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

std::string_view SeverityOf(const Failure& failure) {
  if (failure.advisory) return "info";
  return Returned(failure) ? "major" : "blocker";
}

}  // namespace

std::string ReportCodeQuality(const Report& report) {
  Json entries = Json::array();
  for (const FailureKind& kind : KindsOfFailure(report)) {
    if (IsWaived(kind)) continue;
    const Failure& failure = kind.first();
    const std::string clauses = failure.clauses.empty() ? "no-clause" : Joined(failure.clauses);
    Json entry = Json::object();
    entry["description"] = clauses + ", " + CasesOfKind(report, kind) + ": " +
                           CutText(CleanText(WhatHappened(failure)), 500);
    entry["check_name"] = failure.clauses.empty() ? clauses : failure.clauses.front();
    entry["fingerprint"] = FingerprintOf(report, failure);
    entry["severity"] = SeverityOf(failure);
    // The format asks for a file: the library is named in place of its sources, which nobody knows.
    entry["location"] = {{"path", LibraryName(report)}, {"lines", {{"begin", 1}}}};
    entries.push_back(std::move(entry));
  }
  return entries.dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace poolproof
