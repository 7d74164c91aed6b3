// SPDX-License-Identifier: Apache-2.0
#include "reports/parse.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "conformance/case/case_json.h"
#include "conformance/case/case_text.h"
#include "conformance/json/json_reader.h"
#include "conformance/json/strict_json.h"
#include "conformance/result/crash_json.h"
#include "conformance/result/ending.h"
#include "conformance/result/shard_record_json.h"
#include "conformance/spec/profile.h"
#include "conformance/waiver/waiver.h"
#include "core/dates.h"
#include "core/sha256.h"
#include "reports/words.h"

namespace poolproof {
namespace {

bool IsTime(std::string_view text) { return ParseTime(text).has_value(); }

bool IsEnd(std::string_view text) { return EndOfText(text).has_value(); }

std::string OneOf(const JsonReader& at, std::span<const std::string_view> words) {
  std::string wanted = "one of";
  for (const std::string_view word : words) wanted += " \"" + std::string(word) + "\"";
  return at.String(
      [&](std::string_view text) {
        return std::find(words.begin(), words.end(), text) != words.end();
      },
      wanted);
}

std::vector<std::pair<std::string, std::string>> Pairs(const JsonReader& at) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, value] : at.Members()) pairs.emplace_back(name, value.String());
  return pairs;
}

ImplementationIdentity ReadImplementation(const JsonReader& at) {
  ImplementationIdentity implementation;
  at.NoOtherMembers({"name", "libraries", "soc", "declared", "probed"});
  implementation.name = at.At("name").String();
  for (const JsonReader& item : at.At("libraries").Items()) {
    item.NoOtherMembers({"name", "sha256"});
    const auto is_file_name = [](std::string_view name) {
      return !name.empty() && name.find('/') == std::string_view::npos;
    };
    const auto is_hash = [](std::string_view text) { return text.empty() || IsSha256(text); };
    implementation.libraries.push_back(
        {item.At("name").String(is_file_name, "a file name without folders"),
         item.At("sha256").String(is_hash, "64 hex digits or empty")});
  }
  Probe& probe = implementation.probe;
  probe.soc = at.At("soc").String();
  implementation.declared = Pairs(at.At("declared"));
  const JsonReader probed = at.At("probed");
  probed.NoOtherMembers(
      {"operators", "missing", "optional_symbols", "devices", "host_memory", "observed"});
  probe.operators = probed.At("operators").Strings();
  probe.missing = probed.At("missing").Strings();
  probe.optional_symbols = probed.At("optional_symbols").Strings();
  if (const auto devices = probed.AtOrNull("devices")) {
    probe.devices =
        static_cast<std::uint32_t>(devices->Int64(0, std::numeric_limits<std::uint32_t>::max()));
  }
  probe.host_memory = probed.At("host_memory").Bool();
  implementation.observed = Pairs(probed.At("observed"));
  return implementation;
}

void ReadShards(const JsonReader& at, RunInfo& run) {
  run.shards.clear();
  for (const JsonReader& shard : at.Items()) {
    shard.NoOtherMembers({"index", "of", "taken_from", "start", "duration_s", "sha256", "record"});
    ShardInfo info;
    info.of = shard.At("of").Int(1);
    info.index = shard.At("index").Int();
    if (info.index >= info.of) shard.At("index").Expected("below the number of shards");
    if (!run.shards.empty() &&
        (info.index <= run.shards.back().index || info.of != run.shards.back().of)) {
      shard.Fail("expected shards of one number, ascending by index");
    }
    if (const auto record = shard.Find("record")) {
      info.taken_from = shard.At("taken_from").String();
      info.start = shard.At("start").String(IsTime, "a time such as 2026-01-02T03:04:05Z");
      info.duration_s = shard.At("duration_s").Seconds();
      info.sha256 = shard.At("sha256").String(IsSha256, "64 hex digits");
      info.record = ReadShardRecord(*record);
    } else {
      shard.NoOtherMembers({"index", "of"});
    }
    run.shards.push_back(std::move(info));
  }
  if (run.shards.empty()) at.Expected("an array of at least one shard");
}

RunInfo ReadRun(const JsonReader& at) {
  RunInfo run;
  at.NoOtherMembers({"seed", "argv", "scope", "set", "plan_sha256", "shards", "missing_shards",
                     "is_shard", "start", "duration_s", "stopped_by", "stopped_detail"});
  run.seed = at.At("seed").Unsigned();
  run.argv = at.At("argv").Strings();
  run.scope = at.At("scope").Enum(ParseRunScope, "full or selected");
  run.set = at.At("set").Enum(ParseCaseSet, "smoke, ci or nightly");
  run.plan_sha256 = at.At("plan_sha256").String(IsSha256, "64 hex digits");
  ReadShards(at.At("shards"), run);
  if (const std::string missing = MissingShards(run); !at.ok()) {
    return run;
  } else if (const auto said = at.Find("missing_shards"); said || !missing.empty()) {
    at.At("missing_shards").Equals(missing);
  }
  if (const auto is_shard = at.Find("is_shard")) run.is_shard = is_shard->Bool();
  run.start = at.At("start").String(IsTime, "a time such as 2026-01-02T03:04:05Z");
  run.duration_s = at.At("duration_s").Seconds();
  run.stopped_by = at.At("stopped_by").Enum(ParseStopReason, "what ends a run early");
  if (const auto detail = at.Find("stopped_detail")) run.stopped_detail = detail->String();
  return run;
}

Summary ReadSummary(const JsonReader& at) {
  Summary summary;
  at.NoOtherMembers({"cases", "passed", "failed", "crashed", "timed_out", "inconclusive",
                     "unsupported", "not_run", "waived", "recorded", "advisory",
                     "inconclusive_by"});
  // So many cases that no sum of counts leaves an int64.
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const auto count = [&](std::string_view name) { return at.At(name).Int64(0, kMost); };
  summary.cases = count("cases");
  summary.passed = count("passed");
  summary.failed = count("failed");
  summary.crashed = count("crashed");
  summary.timed_out = count("timed_out");
  summary.inconclusive = count("inconclusive");
  summary.unsupported = count("unsupported");
  summary.not_run = count("not_run");
  summary.waived = count("waived");
  summary.recorded = count("recorded");
  if (const auto advisory = at.Find("advisory")) summary.advisory = advisory->Int64(0, kMost);
  if (const auto reasons = at.Find("inconclusive_by")) {
    for (const JsonReader& item : reasons->Items()) {
      item.NoOtherMembers({"reason", "cases"});
      summary.inconclusive_by.push_back(
          {item.At("reason").String(), item.At("cases").Int64(1, kMost)});
    }
  }
  return summary;
}

std::string ReadReason(const JsonReader& at) {
  const auto reason = at.Find("reason");
  const auto is_there = [](std::string_view text) { return !text.empty(); };
  return reason ? reason->String(is_there, "a text that is not empty") : "";
}

// Absent where nothing is waived.
std::int64_t ReadWaived(const JsonReader& at) {
  const auto waived = at.Find("waived");
  return waived ? waived->Int64(1) : 0;
}

ClauseResult ReadClause(const JsonReader& at) {
  static constexpr std::array<std::string_view, 6> kWeak = {
      "one-window-per-cell", "exact-data-only", "contiguous-only",
      "one-plane-only",      "one-type-only",   "part-not-shown"};
  ClauseResult clause;
  at.NoOtherMembers({"id", "strength", "verdict", "cases", "failures", "reason", "weak", "waived",
                     "proven_by", "not_looked_into", "edition"});
  clause.id = at.At("id").String();
  clause.strength = at.At("strength").Enum(ParseStrength, "required or advisory");
  clause.verdict = at.At("verdict").Enum(ParseClauseVerdict, "a clause's verdict");
  clause.cases = at.At("cases").Int64();
  clause.failures = at.At("failures").Int64();
  clause.reason = ReadReason(at);
  clause.waived = ReadWaived(at);
  if (const auto bases = at.Find("proven_by")) clause.proven_by = bases->Strings();
  if (const auto unread = at.Find("not_looked_into")) clause.not_looked_into = unread->Int64(1);
  if (const auto edition = at.Find("edition")) {
    clause.edition = edition->Enum(ParseEdition, "an edition");
  }
  if (const auto weak = at.Find("weak")) {
    for (const JsonReader& item : weak->Items()) {
      clause.weak.push_back(OneOf(item, kWeak));
      const auto end = clause.weak.end() - 1;
      if (std::find(clause.weak.begin(), end, *end) != end) item.Fail("is given twice");
    }
    if (clause.weak.empty()) weak->Fail("is empty; expected at least one word, or no such member");
  }
  return clause;
}

PropertyResult ReadProperty(const JsonReader& at) {
  PropertyResult property;
  at.NoOtherMembers({"name", "verdict", "cases", "failures", "discarded", "reason", "waived"});
  const auto parse = [](std::string_view text) {
    const std::optional<Relation> relation = ParseRelation(text);
    return relation == Relation::kNone ? std::nullopt : relation;
  };
  property.relation = at.At("name").Enum(parse, "the name of a property");
  property.verdict = at.At("verdict").Enum(ParseClauseVerdict, "a property's verdict");
  property.cases = at.At("cases").Int64();
  property.failures = at.At("failures").Int64();
  property.discarded = at.At("discarded").Int64();
  property.reason = ReadReason(at);
  property.waived = ReadWaived(at);
  return property;
}

Mismatch ReadMismatch(const JsonReader& at) {
  Mismatch mismatch;
  at.NoOtherMembers({"position", "expected", "got", "contributions", "call"});
  mismatch.position = at.At("position").Int64();
  mismatch.expected = at.At("expected").String();
  mismatch.got = at.At("got").String();
  mismatch.contributions = at.At("contributions").Int();
  mismatch.call = at.At("call").Int();
  return mismatch;
}

Case ReadCase(const JsonReader& object, const JsonReader& line) {
  Case problem = ReadCase(object);
  if (object.ok() && line.String() != CaseLine(problem)) {
    line.Expected("the case line of the same case");
  }
  return problem;
}

void ReadShrunk(const JsonReader& at, Failure& failure) {
  const auto line = at.AtOrNull("shrunk_case_line");
  const auto object = at.AtOrNull("shrunk_case");
  const auto message = at.AtOrNull("shrunk_message");
  if (line.has_value() != object.has_value() || line.has_value() != message.has_value()) {
    return at.Fail("expected shrunk_case_line, shrunk_case and shrunk_message, or null for all");
  }
  if (!line) return;
  failure.shrunk = ReadCase(*object, *line);
  failure.shrunk_message = message->String();
}

Failure ReadFailure(const JsonReader& at) {
  Failure failure;
  at.NoOtherMembers({"clauses", "advisory", "end", "message", "case_number", "path", "case_line",
                     "case", "shrunk_case_line", "shrunk_case", "shrunk_message", "first_mismatch",
                     "mismatches", "signature", "waived_by", "output", "crash", "alike"});
  failure.clauses = at.At("clauses").Strings();
  failure.advisory = at.At("advisory").Bool();
  failure.end = at.At("end").String(IsEnd, "how an attempt ends");
  failure.message = at.At("message").String();
  failure.case_number = at.At("case_number").Int64();
  failure.path = at.At("path").String();
  failure.problem = ReadCase(at.At("case"), at.At("case_line"));
  ReadShrunk(at, failure);
  if (const auto first = at.AtOrNull("first_mismatch"))
    failure.first_mismatch = ReadMismatch(*first);
  for (const JsonReader& item : at.At("mismatches").Items()) {
    failure.mismatches.push_back(ReadMismatch(item));
  }
  failure.signature = at.At("signature").String();
  failure.waived_by = at.At("waived_by").Strings();
  if (const auto output = at.Find("output")) failure.output = output->String();
  if (const auto crash = at.Find("crash")) failure.crash = ReadCrash(*crash);
  if (const auto alike = at.Find("alike")) failure.alike = alike->Int64(1);
  return failure;
}

RuleCondition ReadCondition(const JsonReader& at) {
  at.NoOtherMembers({"circumstance", "comparison", "value", "text"});
  const auto is_comparison = [](std::string_view text) {
    return text == "is" || text == "is-not" || text == "at-least" || text == "at-most";
  };
  return {at.At("circumstance").String(),
          at.At("comparison").String(is_comparison, "is, is-not, at-least or at-most"),
          at.At("value").String(), at.At("text").String()};
}

CauseBorder ReadBorder(const JsonReader& at) {
  at.NoOtherMembers({"across", "down", "rows"});
  const auto axis = [](const JsonReader& own) -> CauseBorder::Axis {
    own.NoOtherMembers({"circumstance", "text", "values"});
    return {own.At("circumstance").String(), own.At("text").String(), own.At("values").Strings()};
  };
  CauseBorder border = {axis(at.At("across")), axis(at.At("down")), {}};
  const std::vector<JsonReader> rows = at.At("rows").Items();
  if (rows.size() != border.down.values.size()) {
    at.At("rows").Expected("a row for each value of down");
  }
  for (const JsonReader& row : rows) {
    const std::vector<JsonReader> cells = row.Items();
    if (cells.size() != border.across.values.size())
      row.Expected("a cell for each value of across");
    for (const JsonReader& cell : cells) {
      cell.NoOtherMembers({"failing", "passing", "foretold"});
      border.cells.push_back(
          {cell.At("failing").Int64(), cell.At("passing").Int64(), cell.At("foretold").Bool()});
    }
  }
  return border;
}

RootCause ReadRootCause(const JsonReader& at) {
  RootCause cause;
  at.NoOtherMembers({"rule",
                     "sentence",
                     "state",
                     "clauses",
                     "failing",
                     "compared",
                     "passing",
                     "case_number",
                     "tested",
                     "agreed",
                     "smallest_case_line",
                     "nearest_case_line",
                     "nearest_difference",
                     "advisory",
                     "told_apart",
                     "border",
                     "shared",
                     "inside",
                     "may_be_anything",
                     "runs"});
  for (const JsonReader& item : at.At("rule").Items()) cause.rule.push_back(ReadCondition(item));
  cause.clauses = at.At("clauses").Strings();
  cause.failing = at.At("failing").Int64(1);
  cause.compared = at.At("compared").Int64();
  cause.passing = at.At("passing").Int64(0, cause.compared);
  cause.case_number = at.At("case_number").Int64();
  cause.tested = at.At("tested").Int64();
  cause.agreed = at.At("agreed").Int64(0, cause.tested);
  const auto case_of = [&](const char* member) -> std::optional<Case> {
    const auto line = at.AtOrNull(member);
    if (!line) return std::nullopt;
    Result<Case> problem = ParseCaseLine(line->String());
    if (problem.ok()) return std::move(problem).value();
    line->Fail(problem.status().message());
    return std::nullopt;
  };
  cause.smallest = case_of("smallest_case_line");
  cause.nearest = case_of("nearest_case_line");
  const auto difference = at.AtOrNull("nearest_difference");
  if (difference) cause.nearest_difference = difference->String();
  if (at.ok() && cause.nearest.has_value() != difference.has_value()) {
    at.Fail("expected nearest_case_line and nearest_difference, or null for both");
  }
  // Absent in older reports.
  if (const auto advisory = at.Find("advisory")) cause.advisory = advisory->Bool();
  if (const auto shared = at.Find("shared")) cause.shared = shared->Int64(1, cause.failing);
  if (const auto inside = at.Find("inside")) cause.inside = inside->Int64(1, cause.tested);
  if (const auto runs = at.Find("runs")) {
    runs->NoOtherMembers({"failed", "of"});
    cause.runs = runs->At("of").Int64(1);
    cause.failed_runs = runs->At("failed").Int64(1, cause.runs);
  }
  if (const auto free = at.Find("may_be_anything")) cause.free = free->Strings();
  if (const auto told = at.Find("told_apart")) cause.told_apart = told->Bool();
  if (const auto border = at.Find("border")) cause.border = ReadBorder(*border);
  // Both say in words what the rest says.
  (void)at.At("sentence").String();
  at.At("state").Equals(IsConfirmed(cause) ? "confirmed" : "suspected");
  return cause;
}

void ReadRootCauses(const JsonReader& at, Report& report) {
  at.NoOtherMembers({"causes", "unexplained"});
  for (const JsonReader& item : at.At("causes").Items()) {
    report.root_causes.push_back(ReadRootCause(item));
  }
  report.unexplained = at.At("unexplained").Int64();
}

void ReadAxes(const JsonReader& at) {
  const std::vector<JsonReader> axes = at.Items();
  if (axes.size() != kCoverageAxisCount) return at.Expected("the six axes of docs/reports.md");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<CoverageAxis>(i);
    axes[i].NoOtherMembers({"name", "classes"});
    axes[i].At("name").Equals(CoverageAxisName(axis));
    const std::vector<std::string> classes = axes[i].At("classes").Strings();
    const std::span<const std::string_view> known = CoverageClasses(axis);
    if (!std::equal(classes.begin(), classes.end(), known.begin(), known.end())) {
      axes[i].At("classes").Expected("the classes of this axis in docs/reports.md");
    }
  }
}

std::vector<CoverageCell> ReadCoverage(const JsonReader& at) {
  std::vector<CoverageCell> cells;
  at.NoOtherMembers({"axes", "operators"});
  ReadAxes(at.At("axes"));
  for (const JsonReader& item : at.At("operators").Items()) {
    item.NoOtherMembers({"operator", "cells"});
    const Operator op = item.At("operator").Enum(ParseOperator, "the name of an operator");
    const std::vector<JsonReader> of_operator = item.At("cells").Items();
    if (of_operator.empty()) item.At("cells").Expected("an array of at least one cell");
    for (const JsonReader& cell : of_operator) {
      cell.NoOtherMembers({"at", "cases", "failures"});
      const CoverageKey key =
          cell.At("at").Enum([&](std::string_view text) { return ParseCoverageKey(op, text); },
                             "a class on each axis");
      if (!cells.empty() && cells.back().key >= key) cell.Fail("expected cells in ascending order");
      cells.push_back({key, cell.At("cases").Int64(1), cell.At("failures").Int64()});
    }
  }
  return cells;
}

Discrepancy ReadDiscrepancy(const JsonReader& at) {
  at.NoOtherMembers({"id", "documents", "statement", "interpretation"});
  return {at.At("id").String(), at.At("documents").Strings(), at.At("statement").String(),
          at.At("interpretation").String()};
}

WaiverResult ReadWaiverResult(const JsonReader& at) {
  at.NoOtherMembers({"id", "owner", "reason", "link", "scope", "signature", "expires", "state",
                     "waived", "failed_otherwise", "passed_fixed", "passed_random"});
  WaiverResult waiver = ReadWaiverTerms(at);
  waiver.state = at.At("state").Enum(ParseWaiverState, "a waiver's state");
  waiver.waived = at.At("waived").Int64();
  waiver.failed_otherwise = at.At("failed_otherwise").Int64();
  waiver.passed_fixed = at.At("passed_fixed").Int64();
  waiver.passed_random = at.At("passed_random").Int64();
  return waiver;
}

void ReadTool(const JsonReader& at, Report& report) {
  at.NoOtherMembers({"name", "version", "spec_sha256"});
  at.At("name").Equals("poolproof");
  report.tool_version = at.At("version").String();
  report.spec_sha256 = at.At("spec_sha256").String(IsSha256, "64 hex digits");
}

Environment ReadEnvironment(const JsonReader& at) {
  at.NoOtherMembers({"os", "cpu", "cores", "compiler"});
  return {at.At("os").String(), at.At("cpu").String(), at.At("compiler").String(),
          at.At("cores").Int()};
}

AlsoFailed ReadAlsoFailed(const JsonReader& at) {
  at.NoOtherMembers({"case_number", "signature", "case_line"});
  return {at.At("case_number").Int64(), at.At("signature").String(),
          ReadCaseLine(at.At("case_line"))};
}

void ReadOmitted(const JsonReader& at, const Report& report) {
  const Summary& summary = report.summary;
  const std::int64_t omitted = summary.failed + summary.crashed + summary.timed_out -
                               static_cast<std::int64_t>(report.failures.size());
  if (at.Int64() != omitted) {
    at.Expected("the failing cases of the summary less those listed (" + std::to_string(omitted) +
                ")");
  }
}

void ReadWithin(const JsonReader& at, Report& report) {
  at.NoOtherMembers({"words", "left_out"});
  (void)at.At("words").String();  // says what the verdict and the rest say
  for (const auto& [name, cases] : at.At("left_out").Members()) {
    const std::optional<Operator> op = ParseOperator(name);
    if (!op)
      return at.At("left_out").Fail("has a member " + name + ", expected an operator's name");
    report.left_out.push_back({*op, cases.Int64(1)});
  }
}

BaselineComparison ReadBaseline(const JsonReader& at) {
  at.NoOtherMembers({"sha256", "new_clauses", "new_signatures", "new_root_causes",
                     "new_unexplained", "unanswered"});
  BaselineComparison baseline;
  baseline.sha256 = at.At("sha256").String(IsSha256, "64 hex digits");
  baseline.clauses = at.At("new_clauses").Strings();
  baseline.signatures = at.At("new_signatures").Strings();
  for (const JsonReader& item : at.At("new_root_causes").Items()) {
    baseline.causes.push_back(static_cast<std::size_t>(item.Int64(1)) - 1);
  }
  baseline.unexplained = at.At("new_unexplained").Int64();
  baseline.unanswered = at.At("unanswered").Strings();
  return baseline;
}

LibraryDifferences ReadDifferences(const JsonReader& at) {
  at.NoOtherMembers({"name", "cases", "same", "not_compared", "kinds"});
  LibraryDifferences library;
  library.name = at.At("name").String();
  library.cases = at.At("cases").Int64();
  library.same = at.At("same").Int64();
  library.not_compared = at.At("not_compared").Int64();
  std::int64_t counted = library.same + library.not_compared;
  for (const JsonReader& item : at.At("kinds").Items()) {
    item.NoOtherMembers({"kind", "operator", "cases", "case_line"});
    library.rows.push_back({item.At("kind").Enum(ParseDifferenceKind, "a kind of difference"),
                            item.At("operator").Enum(ParseOperator, "the name of an operator"),
                            item.At("cases").Int64(1, library.cases),
                            ReadCaseLine(item.At("case_line"))});
    counted += library.rows.back().cases;
  }
  if (counted != library.cases) at.At("cases").Expected("the sum of the other counts");
  return library;
}

// What it says follows from the rest, except for the baseline.
void ReadGate(const JsonReader& at, Report& report) {
  at.NoOtherMembers({"result", "exit_status", "reasons", "baseline"});
  (void)at.At("result").String(
      [](std::string_view text) { return text == "passed" || text == "failed"; },
      "passed or failed");
  (void)at.At("exit_status").Int();
  (void)at.At("reasons").Strings();
  if (const auto baseline = at.Find("baseline")) report.baseline = ReadBaseline(*baseline);
}

Report ReadReport(const JsonReader& at) {
  Report report;
  at.NoOtherMembers({"schema",   "verdict",          "within",         "gate",        "error",
                     "tool",     "environment",      "implementation", "profile",     "edition",
                     "run",      "summary",          "accepted",       "clauses",     "properties",
                     "failures", "failures_omitted", "also_failed",    "root_causes", "coverage",
                     "waivers",  "discrepancies",    "not_judged",     "differences"});
  at.At("schema").Equals("poolproof-report/1");
  report.verdict = at.At("verdict").Enum(ParseRunVerdict, "a run's verdict");
  if (const auto within = at.Find("within")) ReadWithin(*within, report);
  if (const auto not_judged = at.Find("not_judged")) {
    for (const JsonReader& item : not_judged->Items()) {
      report.not_judged.push_back(item.Enum(ParseOperator, "the name of an operator"));
    }
  }
  if (const auto error = at.Find("error")) {
    report.error = error->String([](std::string_view text) { return !text.empty(); },
                                 "a text that is not empty");
  }
  if (const auto gate = at.Find("gate")) ReadGate(*gate, report);
  ReadTool(at.At("tool"), report);
  report.environment = ReadEnvironment(at.At("environment"));
  report.implementation = ReadImplementation(at.At("implementation"));
  report.profile = at.At("profile").Enum(ParseProfile, "a profile");
  // Reports without it know one edition, that of the source documents.
  report.edition = Edition::kSeeds;
  if (const auto edition = at.Find("edition")) {
    report.edition = edition->Enum(ParseEdition, "an edition");
  }
  report.run = ReadRun(at.At("run"));
  report.summary = ReadSummary(at.At("summary"));
  // Reports of before 0.2 have none.
  if (const auto acceptance = at.Find("accepted")) report.acceptance = ReadAcceptance(*acceptance);
  for (const JsonReader& item : at.At("clauses").Items()) {
    report.clauses.push_back(ReadClause(item));
  }
  for (const JsonReader& item : at.At("properties").Items()) {
    report.properties.push_back(ReadProperty(item));
  }
  for (const JsonReader& item : at.At("failures").Items()) {
    report.failures.push_back(ReadFailure(item));
  }
  ReadOmitted(at.At("failures_omitted"), report);
  if (const auto also = at.Find("also_failed")) {
    for (const JsonReader& item : also->Items()) {
      report.also_failed.push_back(ReadAlsoFailed(item));
    }
  }
  // Runs in which nothing failed have none.
  if (const auto causes = at.Find("root_causes")) ReadRootCauses(*causes, report);
  for (const std::size_t place : report.baseline.value_or(BaselineComparison()).causes) {
    if (place >= report.root_causes.size()) {
      at.At("gate").At("baseline").At("new_root_causes").Expected("numbers of root_causes");
    }
  }
  report.coverage = ReadCoverage(at.At("coverage"));
  for (const JsonReader& item : at.At("waivers").Items()) {
    report.waivers.push_back(ReadWaiverResult(item));
  }
  for (const JsonReader& item : at.At("discrepancies").Items()) {
    report.discrepancies.push_back(ReadDiscrepancy(item));
  }
  if (const auto differences = at.Find("differences")) {
    for (const JsonReader& item : differences->Items()) {
      report.differences.push_back(ReadDifferences(item));
    }
  }
  return report;
}

}  // namespace

Result<Report> ParseReport(std::string_view text) {
  const auto json = ParseStrictJson<nlohmann::ordered_json>(text);
  if (!json.ok()) return json.status();
  Status error;
  Report report = ReadReport(JsonReader(*json, error));
  if (!error.ok()) return error;
  return report;
}

}  // namespace poolproof
