// SPDX-License-Identifier: Apache-2.0
#include "reports/json.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "conformance/case/case_text.h"
#include "reports/words.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

Json PairsToJson(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json object = Json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

Json ImplementationToJson(const ImplementationIdentity& implementation) {
  Json libraries = Json::array();
  for (const LibraryIdentity& library : implementation.libraries) {
    libraries.push_back({{"name", library.name}, {"sha256", library.sha256}});
  }
  const Probe& probe = implementation.probe;
  Json probed = Json::object();
  probed["operators"] = probe.operators;
  probed["missing"] = probe.missing;
  probed["optional_symbols"] = probe.optional_symbols;
  probed["devices"] = probe.devices ? Json(*probe.devices) : Json();
  probed["host_memory"] = probe.host_memory;
  probed["observed"] = PairsToJson(implementation.observed);
  Json object = Json::object();
  object["name"] = implementation.name;
  object["libraries"] = libraries;
  object["soc"] = probe.soc;
  object["declared"] = PairsToJson(implementation.declared);
  object["probed"] = probed;
  return object;
}

Json RunToJson(const RunInfo& run) {
  Json object = Json::object();
  object["seed"] = run.seed;
  object["argv"] = run.argv;
  object["scope"] = run.scope;
  object["set"] = run.set;
  object["plan_sha256"] = run.plan_sha256;
  object["shards"] = Json::array({{{"index", run.shard_index}, {"of", run.shard_count}}});
  object["start"] = run.start;
  object["duration_s"] = run.duration_s;
  object["stopped_by"] = run.stopped_by;
  return object;
}

Json SummaryToJson(const Summary& summary) {
  Json object = Json::object();
  object["cases"] = summary.cases;
  object["passed"] = summary.passed;
  object["failed"] = summary.failed;
  object["crashed"] = summary.crashed;
  object["timed_out"] = summary.timed_out;
  object["inconclusive"] = summary.inconclusive;
  object["unsupported"] = summary.unsupported;
  object["not_run"] = summary.not_run;
  object["waived"] = summary.waived;
  object["recorded"] = summary.recorded;
  return object;
}

Json ClauseToJson(const ClauseResult& clause) {
  Json object = Json::object();
  object["id"] = clause.id;
  object["strength"] = clause.strength;
  object["verdict"] = ClauseVerdictName(clause.verdict);
  object["cases"] = clause.cases;
  object["failures"] = clause.failures;
  if (!clause.reason.empty()) object["reason"] = clause.reason;
  return object;
}

Json FailureToJson(const Failure& failure) {
  Json object = Json::object();
  object["clauses"] = failure.clauses;
  object["advisory"] = failure.advisory;
  object["end"] = failure.end;
  object["message"] = failure.message;
  object["case_number"] = failure.case_number;
  object["path"] = failure.path;
  object["case_line"] = CaseLine(failure.problem);
  object["case"] = CaseToJson(failure.problem);
  object["shrunk_case_line"] = failure.shrunk ? Json(CaseLine(*failure.shrunk)) : Json();
  object["shrunk_case"] = failure.shrunk ? CaseToJson(*failure.shrunk) : Json();
  if (failure.first_mismatch) {
    const Mismatch& mismatch = *failure.first_mismatch;
    object["first_mismatch"] = {{"position", mismatch.position},
                                {"expected", mismatch.expected},
                                {"got", mismatch.got},
                                {"contributions", mismatch.contributions}};
  } else {
    object["first_mismatch"] = nullptr;
  }
  object["signature"] = failure.signature;
  return object;
}

}  // namespace

Json ReportToJson(const Report& report) {
  Json object = Json::object();
  object["schema"] = "poolproof-report/1";
  object["verdict"] = RunVerdictName(report.verdict);
  if (!report.error.empty()) object["error"] = report.error;
  object["tool"] = {
      {"name", "poolproof"}, {"version", report.tool_version}, {"spec_sha256", report.spec_sha256}};
  object["environment"] = {{"os", report.environment.os},
                           {"cpu", report.environment.cpu},
                           {"cores", report.environment.cores},
                           {"compiler", report.environment.compiler}};
  object["implementation"] = ImplementationToJson(report.implementation);
  object["profile"] = report.profile;
  object["run"] = RunToJson(report.run);
  object["summary"] = SummaryToJson(report.summary);
  Json clauses = Json::array();
  for (const ClauseResult& clause : report.clauses) clauses.push_back(ClauseToJson(clause));
  object["clauses"] = clauses;
  Json failures = Json::array();
  for (const Failure& failure : report.failures) failures.push_back(FailureToJson(failure));
  object["failures"] = failures;
  const Summary& summary = report.summary;
  object["failures_omitted"] = summary.failed + summary.crashed + summary.timed_out -
                               static_cast<std::int64_t>(report.failures.size());
  object["waivers"] = Json::array();
  Json discrepancies = Json::array();
  for (const Discrepancy& entry : report.discrepancies) {
    discrepancies.push_back(
        {{"id", entry.id}, {"documents", entry.documents}, {"statement", entry.statement}});
  }
  object["discrepancies"] = discrepancies;
  return object;
}

std::string ReportJsonText(const Report& report) {
  return ReportToJson(report).dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace poolproof
