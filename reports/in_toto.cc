// SPDX-License-Identifier: Apache-2.0
#include "reports/in_toto.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "conformance/result/gate.h"
#include "reports/words.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

Json Descriptor(std::string_view name, const std::string& sha256) {
  return {{"name", name}, {"digest", {{"sha256", sha256}}}};
}

std::string_view ResultOf(const Report& report, bool warned) {
  // What is said to others knows no baseline.
  if (report.baseline && report.verdict == RunVerdict::kNonconformant &&
      !EveryBreachIsWaived(report)) {
    return "FAILED";
  }
  if (report.run.is_shard || ExitStatusOf(report) != 0) return "FAILED";
  return warned ? "WARNED" : "PASSED";
}

}  // namespace

std::string ReportInToto(const Report& report) {
  Json subjects = Json::array();
  for (const LibraryIdentity& library : report.implementation.libraries) {
    if (!library.sha256.empty()) subjects.push_back(Descriptor(library.name, library.sha256));
  }
  Json passed = Json::array();
  Json warned = Json::array();
  Json failed = Json::array();
  for (const ClauseResult& clause : report.clauses) {
    if (clause.verdict == ClauseVerdict::kPassed) passed.push_back(clause.id);
    if (clause.verdict != ClauseVerdict::kFailed) continue;
    const bool decides = clause.strength == Strength::kRequired && clause.waived < clause.failures;
    (decides ? failed : warned).push_back(clause.id);
  }
  Json predicate = Json::object();
  predicate["result"] = ResultOf(report, !warned.empty());
  predicate["configuration"] =
      Json::array({Descriptor("plan", report.run.plan_sha256),
                   Descriptor("spec " + ProfileName(report), report.spec_sha256)});
  predicate["passedTests"] = passed;
  predicate["warnedTests"] = warned;
  predicate["failedTests"] = failed;
  Json statement = Json::object();
  statement["_type"] = "https://in-toto.io/Statement/v1";
  statement["subject"] = subjects;
  statement["predicateType"] = "https://in-toto.io/attestation/test-result/v0.1";
  statement["predicate"] = predicate;
  return statement.dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace poolproof
