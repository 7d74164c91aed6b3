// SPDX-License-Identifier: Apache-2.0
#include "reports/json.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "conformance/case/case_json.h"
#include "conformance/case/case_text.h"
#include "conformance/result/crash_json.h"
#include "conformance/result/gate.h"
#include "conformance/result/shard_record_json.h"
#include "reports/phrases.h"
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

Json ShardToJson(const ShardInfo& shard) {
  Json object = {{"index", shard.index}, {"of", shard.of}};
  if (!shard.record) return object;
  object["taken_from"] = shard.taken_from;
  object["start"] = shard.start;
  object["duration_s"] = shard.duration_s;
  object["sha256"] = shard.sha256;
  object["record"] = ShardRecordToJson(*shard.record);
  return object;
}

Json RunToJson(const RunInfo& run) {
  Json object = Json::object();
  object["seed"] = run.seed;
  object["argv"] = run.argv;
  object["scope"] = RunScopeName(run.scope);
  object["set"] = CaseSetName(run.set);
  object["plan_sha256"] = run.plan_sha256;
  object["shards"] = Json::array();
  for (const ShardInfo& shard : run.shards) object["shards"].push_back(ShardToJson(shard));
  if (const std::string missing = MissingShards(run); !missing.empty()) {
    object["missing_shards"] = missing;
  }
  if (run.is_shard) object["is_shard"] = true;
  object["start"] = run.start;
  object["duration_s"] = run.duration_s;
  object["stopped_by"] = InfoOf(run.stopped_by).word;
  if (!run.stopped_detail.empty()) object["stopped_detail"] = run.stopped_detail;
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
  if (summary.advisory) object["advisory"] = *summary.advisory;
  for (const InconclusiveReason& entry : summary.inconclusive_by) {
    object["inconclusive_by"].push_back({{"reason", entry.reason}, {"cases", entry.cases}});
  }
  return object;
}

Json ClauseToJson(const ClauseResult& clause) {
  Json object = Json::object();
  object["id"] = clause.id;
  object["strength"] = StrengthName(clause.strength);
  object["verdict"] = ClauseVerdictName(clause.verdict);
  object["cases"] = clause.cases;
  object["failures"] = clause.failures;
  if (!clause.reason.empty()) object["reason"] = clause.reason;
  if (!clause.weak.empty()) object["weak"] = clause.weak;
  if (clause.waived > 0) object["waived"] = clause.waived;
  if (!clause.proven_by.empty()) object["proven_by"] = clause.proven_by;
  if (clause.not_looked_into > 0) object["not_looked_into"] = clause.not_looked_into;
  if (clause.edition) object["edition"] = EditionName(*clause.edition);
  return object;
}

Json PropertyToJson(const PropertyResult& property) {
  Json object = Json::object();
  object["name"] = RelationName(property.relation);
  object["verdict"] = ClauseVerdictName(property.verdict);
  object["cases"] = property.cases;
  object["failures"] = property.failures;
  object["discarded"] = property.discarded;
  if (!property.reason.empty()) object["reason"] = property.reason;
  if (property.waived > 0) object["waived"] = property.waived;
  return object;
}

Json MismatchToJson(const Mismatch& mismatch) {
  Json object = Json::object();
  object["position"] = mismatch.position;
  object["expected"] = mismatch.expected;
  object["got"] = mismatch.got;
  object["contributions"] = mismatch.contributions;
  object["call"] = mismatch.call;
  return object;
}

// Cells in which a case was judged; the others hold none.
Json CoverageToJson(const std::vector<CoverageCell>& cells) {
  Json axes = Json::array();
  for (std::size_t i = 0; i < kCoverageAxisCount; ++i) {
    const auto axis = static_cast<CoverageAxis>(i);
    Json classes = Json::array();
    for (const std::string_view name : CoverageClasses(axis)) classes.push_back(name);
    axes.push_back({{"name", CoverageAxisName(axis)}, {"classes", classes}});
  }
  Json operators = Json::array();
  for (const CoverageCell& cell : cells) {
    const std::string_view name = InfoOf(cell.key.op).name;
    if (operators.empty() || operators.back()["operator"] != name) {
      operators.push_back({{"operator", name}, {"cells", Json::array()}});
    }
    operators.back()["cells"].push_back(
        {{"at", CoverageKeyText(cell.key)}, {"cases", cell.cases}, {"failures", cell.failures}});
  }
  return {{"axes", axes}, {"operators", operators}};
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
  object["shrunk_message"] = failure.shrunk ? Json(failure.shrunk_message) : Json();
  object["first_mismatch"] =
      failure.first_mismatch ? MismatchToJson(*failure.first_mismatch) : Json();
  Json mismatches = Json::array();
  for (const Mismatch& mismatch : failure.mismatches) {
    mismatches.push_back(MismatchToJson(mismatch));
  }
  object["mismatches"] = mismatches;
  object["signature"] = failure.signature;
  object["waived_by"] = failure.waived_by;
  if (!failure.output.empty()) object["output"] = failure.output;
  if (failure.crash) object["crash"] = CrashToJson(*failure.crash);
  if (failure.alike > 0) object["alike"] = failure.alike;
  return object;
}

Json BorderToJson(const CauseBorder& border) {
  const auto axis = [](const CauseBorder::Axis& own) {
    return Json{{"circumstance", own.name}, {"text", own.text}, {"values", own.values}};
  };
  Json rows = Json::array();
  const std::size_t columns = border.across.values.size();
  for (std::size_t i = 0; i < border.cells.size(); ++i) {
    if (i % columns == 0) rows.push_back(Json::array());
    const CauseBorder::Cell& cell = border.cells[i];
    rows.back().push_back(
        {{"failing", cell.failing}, {"passing", cell.passing}, {"foretold", cell.foretold}});
  }
  return {{"across", axis(border.across)}, {"down", axis(border.down)}, {"rows", rows}};
}

Json RootCausesToJson(const Report& report) {
  Json causes = Json::array();
  for (const RootCause& cause : report.root_causes) {
    Json rule = Json::array();
    for (const RuleCondition& condition : cause.rule) {
      rule.push_back({{"circumstance", condition.name},
                      {"comparison", condition.comparison},
                      {"value", condition.value},
                      {"text", condition.text}});
    }
    Json object = Json::object();
    object["rule"] = rule;
    object["sentence"] = RuleSentence(cause);
    object["state"] = IsConfirmed(cause) ? "confirmed" : "suspected";
    if (cause.advisory) object["advisory"] = true;
    object["clauses"] = cause.clauses;
    object["failing"] = cause.failing;
    if (cause.shared > 0) object["shared"] = cause.shared;
    object["compared"] = cause.compared;
    object["passing"] = cause.passing;
    object["case_number"] = cause.case_number;
    object["tested"] = cause.tested;
    object["agreed"] = cause.agreed;
    if (cause.inside > 0) object["inside"] = cause.inside;
    if (cause.runs > 0) object["runs"] = {{"failed", cause.failed_runs}, {"of", cause.runs}};
    if (!cause.free.empty()) object["may_be_anything"] = cause.free;
    object["smallest_case_line"] = cause.smallest ? Json(CaseLine(*cause.smallest)) : Json();
    object["nearest_case_line"] = cause.nearest ? Json(CaseLine(*cause.nearest)) : Json();
    object["nearest_difference"] = cause.nearest ? Json(cause.nearest_difference) : Json();
    object["told_apart"] = cause.told_apart;
    if (cause.border) object["border"] = BorderToJson(*cause.border);
    causes.push_back(object);
  }
  return {{"causes", causes}, {"unexplained", report.unexplained}};
}

// A scope as a waiver file writes it: what is left open is absent.
Json WaiverToJson(const WaiverResult& waiver) {
  Json scope = Json::object();
  if (!waiver.scope.implementation.empty()) scope["implementation"] = waiver.scope.implementation;
  if (!waiver.scope.sha256.empty()) scope["sha256"] = waiver.scope.sha256;
  if (!waiver.scope.profiles.empty()) scope["profiles"] = ProfileNames(waiver.scope);
  if (!waiver.scope.clauses.empty()) scope["clauses"] = waiver.scope.clauses;
  if (!waiver.scope.cases.empty()) scope["cases"] = waiver.scope.cases;
  Json object = Json::object();
  object["id"] = waiver.id;
  object["owner"] = waiver.owner;
  object["reason"] = waiver.reason;
  object["link"] = waiver.link;
  object["scope"] = scope;
  object["signature"] = waiver.signature;
  object["expires"] = waiver.expires;
  object["state"] = WaiverStateName(waiver.state);
  object["waived"] = waiver.waived;
  object["failed_otherwise"] = waiver.failed_otherwise;
  object["passed_fixed"] = waiver.passed_fixed;
  object["passed_random"] = waiver.passed_random;
  return object;
}

Json BaselineToJson(const BaselineComparison& baseline) {
  Json causes = Json::array();
  for (const std::size_t place : baseline.causes) causes.push_back(place + 1);
  return {{"sha256", baseline.sha256},
          {"new_clauses", baseline.clauses},
          {"new_signatures", baseline.signatures},
          {"new_root_causes", causes},
          {"new_unexplained", baseline.unexplained},
          {"unanswered", baseline.unanswered}};
}

Json DifferencesToJson(const LibraryDifferences& library) {
  Json kinds = Json::array();
  for (const DifferenceRow& row : library.rows) {
    kinds.push_back({{"kind", DifferenceKindName(row.kind)},
                     {"operator", InfoOf(row.op).name},
                     {"cases", row.cases},
                     {"case_line", CaseLine(row.smallest)}});
  }
  return {{"name", library.name},
          {"cases", library.cases},
          {"same", library.same},
          {"not_compared", library.not_compared},
          {"kinds", kinds}};
}

}  // namespace

Json ReportToJson(const Report& report) {
  Json object = Json::object();
  object["schema"] = "poolproof-report/1";
  object["verdict"] = RunVerdictName(report.verdict);
  if (!report.left_out.empty()) {
    Json left_out = Json::object();
    for (const LeftOut& entry : report.left_out) {
      left_out[std::string(InfoOf(entry.op).name)] = entry.cases;
    }
    object["within"] = {{"words", VerdictWords(report)}, {"left_out", left_out}};
  }
  for (const Operator op : report.not_judged) object["not_judged"].push_back(InfoOf(op).name);
  const Gate gate = GateOf(report);
  object["gate"] = {{"result", gate.exit_status == 0 ? "passed" : "failed"},
                    {"exit_status", gate.exit_status},
                    {"reasons", gate.reasons}};
  if (report.baseline) object["gate"]["baseline"] = BaselineToJson(*report.baseline);
  if (!report.error.empty()) object["error"] = report.error;
  object["tool"] = {
      {"name", "poolproof"}, {"version", report.tool_version}, {"spec_sha256", report.spec_sha256}};
  object["environment"] = {{"os", report.environment.os},
                           {"cpu", report.environment.cpu},
                           {"cores", report.environment.cores},
                           {"compiler", report.environment.compiler}};
  object["implementation"] = ImplementationToJson(report.implementation);
  object["profile"] = ProfileName(report);
  object["edition"] = EditionName(report.edition);
  object["run"] = RunToJson(report.run);
  object["summary"] = SummaryToJson(report.summary);
  object["accepted"] = AcceptanceToJson(report.acceptance);
  Json clauses = Json::array();
  for (const ClauseResult& clause : report.clauses) clauses.push_back(ClauseToJson(clause));
  object["clauses"] = clauses;
  Json properties = Json::array();
  for (const PropertyResult& property : report.properties) {
    properties.push_back(PropertyToJson(property));
  }
  object["properties"] = properties;
  Json failures = Json::array();
  for (const Failure& failure : report.failures) failures.push_back(FailureToJson(failure));
  object["failures"] = failures;
  const Summary& summary = report.summary;
  object["failures_omitted"] = summary.failed + summary.crashed + summary.timed_out -
                               static_cast<std::int64_t>(report.failures.size());
  for (const AlsoFailed& failed : report.also_failed) {
    object["also_failed"].push_back({{"case_number", failed.case_number},
                                     {"signature", failed.signature},
                                     {"case_line", CaseLine(failed.problem)}});
  }
  if (!report.root_causes.empty() || report.unexplained > 0) {
    object["root_causes"] = RootCausesToJson(report);
  }
  object["coverage"] = CoverageToJson(report.coverage);
  Json waivers = Json::array();
  for (const WaiverResult& waiver : report.waivers) waivers.push_back(WaiverToJson(waiver));
  object["waivers"] = waivers;
  Json discrepancies = Json::array();
  for (const Discrepancy& entry : report.discrepancies) {
    discrepancies.push_back({{"id", entry.id},
                             {"documents", entry.documents},
                             {"statement", entry.statement},
                             {"interpretation", entry.interpretation}});
  }
  object["discrepancies"] = discrepancies;
  for (const LibraryDifferences& library : report.differences) {
    object["differences"].push_back(DifferencesToJson(library));
  }
  return object;
}

std::string ReportJsonText(const Report& report) {
  return ReportToJson(report).dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace poolproof
