// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/shard_record_json.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/case/case_json.h"
#include "conformance/case/case_text.h"
#include "conformance/result/crash_json.h"
#include "conformance/result/ending.h"
#include "core/enum_names.h"
#include "core/sha256.h"
#include "core/text.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kVerdictKinds = {"passed", "failed", "inconclusive",
                                                           "unsupported", "recorded"};
static_assert(kVerdictKinds.size() == static_cast<std::size_t>(VerdictKind::kRecorded) + 1);

std::optional<VerdictKind> ParseVerdictKind(std::string_view name) {
  return ParseEnum<VerdictKind>(kVerdictKinds, name);
}

std::optional<FindingKind> ParseFindingKind(std::string_view name) {
  for (int i = 0; i < static_cast<int>(kFindingKindCount); ++i) {
    const auto kind = static_cast<FindingKind>(i);
    if (FindingKindName(kind) == name) return kind;
  }
  return std::nullopt;
}

// "operator/class/class/...": a place in the parameter space.
std::string CoverageText(const CoverageKey& key) {
  return std::string(InfoOf(key.op).name) + "/" + CoverageKeyText(key);
}

std::optional<CoverageKey> ParseCoverage(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<Operator> op = ParseOperator(text.substr(0, slash));
  return op ? ParseCoverageKey(*op, text.substr(slash + 1)) : std::nullopt;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view part : Split(text, ' ')) words.emplace_back(part);
  return words;
}

template <typename T>
std::optional<T> ParseWhole(std::string_view text) {
  T value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

Json MismatchToJson(const Mismatch& mismatch) {
  return {{"position", mismatch.position},
          {"expected", mismatch.expected},
          {"got", mismatch.got},
          {"contributions", mismatch.contributions},
          {"call", mismatch.call}};
}

Mismatch ReadMismatch(const JsonReader& at) {
  at.NoOtherMembers({"position", "expected", "got", "contributions", "call"});
  return {at.At("position").Int64(), at.At("expected").String(), at.At("got").String(),
          at.At("contributions").Int(), at.At("call").Int()};
}

Json FindingToJson(const Finding& finding) {
  Json object = {{"clauses", finding.clauses},
                 {"kind", FindingKindName(finding.kind)},
                 {"message", finding.message}};
  if (finding.mismatch) object["mismatch"] = MismatchToJson(*finding.mismatch);
  if (!finding.further.empty()) {
    object["further"] = Json::array();
    for (const Mismatch& mismatch : finding.further) {
      object["further"].push_back(MismatchToJson(mismatch));
    }
  }
  return object;
}

Finding ReadFinding(const JsonReader& at) {
  at.NoOtherMembers({"clauses", "kind", "message", "mismatch", "further"});
  Finding finding;
  finding.clauses = at.At("clauses").Strings();
  finding.kind = at.At("kind").Enum(ParseFindingKind, "the kind of a finding");
  finding.message = at.At("message").String();
  if (const auto mismatch = at.Find("mismatch")) finding.mismatch = ReadMismatch(*mismatch);
  if (const auto further = at.Find("further")) {
    for (const JsonReader& item : further->Items()) finding.further.push_back(ReadMismatch(item));
  }
  return finding;
}

// What KeptVerdict leaves of a verdict.
Json VerdictToJson(const Verdict& verdict) {
  Json object = {{"kind", kVerdictKinds[static_cast<std::size_t>(verdict.kind)]}};
  object["findings"] = Json::array();
  for (const Finding& finding : verdict.findings) {
    object["findings"].push_back(FindingToJson(finding));
  }
  object["evidence"] = Joined(verdict.evidence, " ");
  if (!verdict.note.empty()) object["note"] = verdict.note;
  return object;
}

Verdict ReadVerdict(const JsonReader& at) {
  at.NoOtherMembers({"kind", "findings", "evidence", "note"});
  Verdict verdict;
  verdict.kind = at.At("kind").Enum(ParseVerdictKind, "the kind of a verdict");
  for (const JsonReader& item : at.At("findings").Items()) {
    verdict.findings.push_back(ReadFinding(item));
  }
  verdict.evidence = Words(at.At("evidence").String());
  if (const auto note = at.Find("note")) verdict.note = note->String();
  return verdict;
}

// The part of a class that every case has, as one line: state, end, relation and its state, traits,
// coverage ("-": none), operators ("-": none).
std::string RowOf(const CaseClass& kind) {
  std::string operators;
  for (const Operator op : kind.operators) {
    operators += (operators.empty() ? "" : "+") + std::string(InfoOf(op).name);
  }
  if (operators.empty()) operators = "-";
  std::string row;
  const std::string coverage = kind.coverage ? CoverageText(*kind.coverage) : "-";
  const std::string traits = std::to_string(kind.traits);
  const std::string facets = std::to_string(kind.facets);
  const std::string base = kind.base.empty() ? "-" : kind.base;
  for (const std::string_view word :
       {CaseStateName(kind.state), EndName(kind.end), RelationName(kind.relation),
        RelationStateName(kind.relation_state), std::string_view(traits), std::string_view(facets),
        std::string_view(base), std::string_view(coverage), std::string_view(operators)}) {
    row += (row.empty() ? "" : " ") + std::string(word);
  }
  return row;
}

std::optional<CaseClass> ParseRow(std::string_view row) {
  const std::vector<std::string_view> words = Split(row, ' ');
  if (words.size() != 9) return std::nullopt;
  const auto state = ParseCaseState(words[0]);
  const auto end = ParseEnd(words[1]);
  const auto relation = ParseRelation(words[2]);
  const auto relation_state = ParseRelationState(words[3]);
  const auto traits = ParseWhole<std::uint32_t>(words[4]);
  const auto facets = ParseWhole<Facets>(words[5]);
  if (!state || !end || !relation || !relation_state || !traits || !facets) return std::nullopt;
  CaseClass kind;
  kind.state = *state;
  kind.end = *end;
  kind.relation = *relation;
  kind.relation_state = *relation_state;
  kind.traits = *traits;
  kind.facets = *facets;
  if (words[6] != "-") kind.base = words[6];
  if (words[7] != "-") {
    kind.coverage = ParseCoverage(words[7]);
    if (!kind.coverage) return std::nullopt;
  }
  if (words[8] == "-") return kind;
  for (const std::string_view name : Split(words[8], '+')) {
    const std::optional<Operator> op = ParseOperator(name);
    if (!op) return std::nullopt;
    kind.operators.push_back(*op);
  }
  return kind;
}

void AddFailureClass(const CaseClass& kind, Json& object) {
  object["operator"] = InfoOf(kind.op).name;
  object["signature"] = kind.signature;
  object["blames"] = Json::array();
  for (const Blame& blame : kind.blames) {
    object["blames"].push_back(
        {{"kind", FindingKindName(blame.kind)}, {"clauses", Joined(blame.clauses, " ")}});
  }
  object["features"] = FeaturesText(kind.features);
}

void ReadFailureClass(const JsonReader& at, CaseClass& kind) {
  kind.op = at.At("operator").Enum(ParseOperator, "the name of an operator");
  kind.signature = at.At("signature").String();
  for (const JsonReader& item : at.At("blames").Items()) {
    item.NoOtherMembers({"kind", "clauses"});
    kind.blames.push_back({item.At("kind").Enum(ParseFindingKind, "the kind of a finding"),
                           Words(item.At("clauses").String())});
  }
  const auto parse = [](const std::string& text) { return ParseFeatures(text); };
  kind.features = at.At("features").Enum(parse, "features of a case");
}

// "3:0 1:2 7:0": of each case, how far its number lies behind the one before, and its class.
std::string CasesText(const std::vector<JudgedCase>& cases) {
  std::string text;
  std::int64_t last = 0;
  for (const JudgedCase& judged : cases) {
    if (!text.empty()) text += ' ';
    text += std::to_string(judged.number - last) + ":" + std::to_string(judged.case_class);
    last = judged.number;
  }
  return text;
}

std::vector<JudgedCase> ReadCases(const JsonReader& at, std::size_t classes) {
  std::vector<JudgedCase> cases;
  const std::string text = at.String();
  std::int64_t number = 0;
  for (const std::string_view word : Split(text, ' ')) {
    const std::size_t colon = word.find(':');
    const auto step = ParseWhole<std::int64_t>(word.substr(0, colon));
    const auto kind = colon == std::string_view::npos
                          ? std::nullopt
                          : ParseWhole<std::uint32_t>(word.substr(colon + 1));
    const std::int64_t room = std::numeric_limits<std::int64_t>::max() - number;
    if (!step || !kind || *kind >= classes || *step < (cases.empty() ? 0 : 1) || *step > room) {
      at.Fail("\"" + std::string(word.substr(0, 60)) +
              "\" is not the step to the next case and the position of its class");
      return {};
    }
    number += *step;
    cases.push_back({number, *kind});
  }
  return cases;
}

// The lists of clauses that a class has, and their names in journals.
constexpr std::array kEvidence = {&CaseClass::evidence, &CaseClass::by_refusal,
                                  &CaseClass::by_acceptance, &CaseClass::withheld};
constexpr std::array<const char*, kEvidence.size()> kEvidenceNames = {"evidence", "by_refusal",
                                                                      "by_acceptance", "withheld"};

// The evidence of classes, each set once.
class EvidenceTable {
 public:
  std::size_t Add(const std::vector<std::string>& evidence) {
    const auto [place, added] = positions_.emplace(Joined(evidence, " "), positions_.size());
    if (added) sets_.push_back(place->first);
    return place->second;
  }
  [[nodiscard]] const std::vector<std::string>& sets() const { return sets_; }

 private:
  std::map<std::string, std::size_t> positions_;
  std::vector<std::string> sets_;
};

void AddClasses(const ShardRecord& record, Json& object) {
  EvidenceTable evidence;
  Json classes = Json::array();
  Json failing = Json::array();
  Json inconclusive = Json::array();
  for (std::size_t i = 0; i < record.classes.size(); ++i) {
    const CaseClass& kind = record.classes[i];
    std::string row = RowOf(kind);
    for (const auto member : kEvidence) row += " " + std::to_string(evidence.Add(kind.*member));
    classes.push_back(std::move(row));
    if (!kind.reason.empty()) inconclusive.push_back({{"class", i}, {"reason", kind.reason}});
    if (kind.state != CaseState::kFailed) continue;
    Json failed = {{"class", i}};
    AddFailureClass(kind, failed);
    failing.push_back(std::move(failed));
  }
  object["evidence"] = evidence.sets();
  object["classes"] = std::move(classes);
  object["failing_classes"] = std::move(failing);
  if (!inconclusive.empty()) object["inconclusive_classes"] = std::move(inconclusive);
}

void ReadClasses(const JsonReader& at, ShardRecord& record) {
  const std::vector<std::string> sets = at.At("evidence").Strings();
  for (const JsonReader& item : at.At("classes").Items()) {
    const std::string text = item.String();
    std::string_view row = text;
    std::array<std::size_t, kEvidence.size()> numbers{};
    for (std::size_t i = kEvidence.size(); i-- > 0;) {
      const std::size_t space = row.rfind(' ');
      if (space == std::string_view::npos) return item.Expected("a class of cases");
      const auto set = ParseWhole<std::size_t>(row.substr(space + 1));
      if (!set || *set >= sets.size()) return item.Expected("a class of cases");
      numbers[i] = *set;
      row = row.substr(0, space);
    }
    std::optional<CaseClass> kind = ParseRow(row);
    if (!kind) return item.Expected("a class of cases");
    for (std::size_t i = 0; i < kEvidence.size(); ++i) {
      (*kind).*kEvidence[i] = Words(sets[numbers[i]]);
    }
    record.classes.push_back(*std::move(kind));
  }
  const auto most = static_cast<std::int64_t>(record.classes.size()) - 1;
  if (const auto inconclusive = at.Find("inconclusive_classes")) {
    for (const JsonReader& item : inconclusive->Items()) {
      item.NoOtherMembers({"class", "reason"});
      const std::int64_t position = item.At("class").Int64(0, most);
      if (!at.ok()) return;
      record.classes[static_cast<std::size_t>(position)].reason = item.At("reason").String();
    }
  }
  std::size_t next = 0;  // the first class of which nothing is known yet
  const auto skip_others = [&] {
    while (next < record.classes.size() && record.classes[next].state != CaseState::kFailed) ++next;
  };
  for (const JsonReader& item : at.At("failing_classes").Items()) {
    item.NoOtherMembers({"class", "operator", "signature", "blames", "features"});
    const std::int64_t position = item.At("class").Int64(0, most);
    if (!at.ok()) return;
    skip_others();
    if (static_cast<std::size_t>(position) != next) {
      return item.At("class").Expected("the next class of failed cases");
    }
    ReadFailureClass(item, record.classes[next++]);
  }
  skip_others();
  if (next < record.classes.size()) {
    at.At("failing_classes").Expected("every class of failed cases");
  }
}

}  // namespace

Json CaseClassToJson(const CaseClass& kind) {
  Json object = {{"row", RowOf(kind)}};
  for (std::size_t i = 0; i < kEvidence.size(); ++i) {
    object[kEvidenceNames[i]] = Joined(kind.*kEvidence[i], " ");
  }
  if (!kind.reason.empty()) object["reason"] = kind.reason;
  if (kind.state == CaseState::kFailed) AddFailureClass(kind, object);
  return object;
}

CaseClass ReadCaseClass(const JsonReader& at) {
  at.NoOtherMembers({"row", "evidence", "by_refusal", "by_acceptance", "withheld", "reason",
                     "operator", "signature", "blames", "features"});
  CaseClass kind = at.At("row").Enum(ParseRow, "a class of cases");
  for (std::size_t i = 0; i < kEvidence.size(); ++i) {
    kind.*kEvidence[i] = Words(at.At(kEvidenceNames[i]).String());
  }
  if (const auto reason = at.Find("reason")) kind.reason = reason->String();
  if (kind.state == CaseState::kFailed) ReadFailureClass(at, kind);
  return kind;
}

Json RefinementToJson(const Refinement& refinement) {
  Json object = {{"case_line", CaseLine(refinement.problem)},
                 {"verdict", VerdictToJson(refinement.verdict)}};
  if (refinement.shrunk) {
    object["shrunk_case_line"] = CaseLine(*refinement.shrunk);
    object["shrunk_verdict"] = VerdictToJson(refinement.shrunk_verdict);
  }
  if (refinement.behind_others) object["behind_others"] = true;
  return object;
}

Refinement ReadRefinement(const JsonReader& at) {
  at.NoOtherMembers(
      {"case_line", "verdict", "shrunk_case_line", "shrunk_verdict", "behind_others"});
  Refinement refinement;
  refinement.problem = ReadCaseLine(at.At("case_line"));
  refinement.verdict = ReadVerdict(at.At("verdict"));
  if (const auto shrunk = at.Find("shrunk_case_line")) {
    refinement.shrunk = ReadCaseLine(*shrunk);
    refinement.shrunk_verdict = ReadVerdict(at.At("shrunk_verdict"));
  }
  if (const auto behind = at.Find("behind_others")) refinement.behind_others = behind->Bool();
  return refinement;
}

Json FailedCaseToJson(const FailedCase& failed) {
  Json object = {{"case_number", failed.number},
                 {"family", failed.family},
                 {"name", failed.name},
                 {"clause", failed.clause},
                 {"case_line", CaseLine(failed.problem)},
                 {"end", failed.end},
                 {"verdict", VerdictToJson(failed.verdict)}};
  if (failed.refined) object["refined"] = RefinementToJson(*failed.refined);
  if (!failed.output.empty()) object["output"] = failed.output;
  if (failed.crash) object["crash"] = CrashToJson(*failed.crash);
  return object;
}

FailedCase ReadFailedCase(const JsonReader& at) {
  at.NoOtherMembers({"case_number", "family", "name", "clause", "case_line", "end", "verdict",
                     "refined", "output", "crash"});
  FailedCase failed;
  failed.number = at.At("case_number").Int64();
  failed.family = at.At("family").String();
  failed.name = at.At("name").String();
  failed.clause = at.At("clause").String();
  failed.problem = ReadCaseLine(at.At("case_line"));
  failed.end = at.At("end").String();
  failed.verdict = ReadVerdict(at.At("verdict"));
  if (const auto refined = at.Find("refined")) failed.refined = ReadRefinement(*refined);
  if (const auto output = at.Find("output")) failed.output = output->String();
  if (const auto crash = at.Find("crash")) failed.crash = ReadCrash(*crash);
  return failed;
}

constexpr std::array<const char*, kSubnormalPlaceCount> kSubnormalPlaces = {"apart", "alone",
                                                                            "met"};

Json SumFactsToJson(const SumFacts& facts) {
  Json object = {{"operator", InfoOf(facts.op).name},
                 {"dtype", DataTypeName(facts.type)},
                 {"sums", facts.sums},
                 {"misrounded", facts.misrounded},
                 {"beyond_acc32", facts.beyond_acc32},
                 {"unlawful", facts.out_of_bound},
                 {"results", facts.results},
                 {"ecosystem", facts.ecosystem}};
  Json subnormals = Json::object();
  for (std::size_t i = 0; i < kSubnormalPlaceCount; ++i) {
    const FlushCount& count = facts.subnormals[i];
    if (count == FlushCount()) continue;
    subnormals[kSubnormalPlaces[i]] = {{"kept", count.kept}, {"flushed", count.flushed}};
  }
  if (facts.both > 0) subnormals["both"] = facts.both;
  if (!subnormals.empty()) object["subnormals"] = std::move(subnormals);
  return object;
}

SumFacts ReadSumFacts(const JsonReader& at) {
  at.NoOtherMembers({"operator", "dtype", "sums", "misrounded", "beyond_acc32", "unlawful",
                     "results", "ecosystem", "subnormals"});
  SumFacts facts = {at.At("operator").Enum(ParseOperator, "the name of an operator"),
                    at.At("dtype").Enum(ParseDataType, "the name of a data type"),
                    at.At("sums").Int64(),
                    at.At("misrounded").Int64(),
                    at.At("beyond_acc32").Int64(),
                    at.At("unlawful").Int64(),
                    at.At("results").Int64(),
                    at.At("ecosystem").Int64()};
  const auto subnormals = at.Find("subnormals");
  if (!subnormals) return facts;
  subnormals->NoOtherMembers({"apart", "alone", "met", "both"});
  for (std::size_t i = 0; i < kSubnormalPlaceCount; ++i) {
    const auto count = subnormals->Find(kSubnormalPlaces[i]);
    if (!count) continue;
    count->NoOtherMembers({"kept", "flushed"});
    facts.subnormals[i] = {count->At("kept").Int64(), count->At("flushed").Int64()};
  }
  if (const auto both = subnormals->Find("both")) facts.both = both->Int64();
  return facts;
}

Json UnansweredToJson(const UnansweredCase& entry) {
  return {{"case_number", entry.number}, {"clause", entry.clause}, {"note", entry.note}};
}

UnansweredCase ReadUnanswered(const JsonReader& at) {
  at.NoOtherMembers({"case_number", "clause", "note"});
  return {at.At("case_number").Int64(), at.At("clause").String(), at.At("note").String()};
}

Json AcceptanceToJson(const std::vector<AcceptedCall>& calls) {
  Json array = Json::array();
  for (const AcceptedCall& call : calls) {
    Json object = {{"operator", InfoOf(call.op).name},
                   {"case", call.path},
                   {"facets", call.facets},
                   {"answer", AnswerName(call.answer)}};
    if (!call.detail.empty()) object["detail"] = call.detail;
    array.push_back(std::move(object));
  }
  return array;
}

std::vector<AcceptedCall> ReadAcceptance(const JsonReader& at) {
  constexpr std::int64_t kAllFacets = (std::int64_t{1} << kFacetCount) - 1;
  std::vector<AcceptedCall> calls;
  for (const JsonReader& item : at.Items()) {
    item.NoOtherMembers({"operator", "case", "facets", "answer", "detail"});
    AcceptedCall call;
    call.op = item.At("operator").Enum(ParseOperator, "the name of an operator");
    call.path = item.At("case").String();
    call.facets = static_cast<Facets>(item.At("facets").Int64(0, kAllFacets));
    call.answer =
        item.At("answer").Enum(ParseAnswer, "right, accepted, refused, ended or not-asked");
    if (const auto detail = item.Find("detail")) call.detail = detail->String();
    calls.push_back(std::move(call));
  }
  return calls;
}

Json ShardRecordToJson(const ShardRecord& record) {
  Json object = Json::object();
  object["stop_after"] = record.stop_after ? Json(*record.stop_after) : Json();
  if (record.most_hangs) object["most_hangs"] = *record.most_hangs;
  object["stopped_by"] = InfoOf(record.stopped_by).word;
  if (!record.stopped_detail.empty()) object["stopped_detail"] = record.stopped_detail;
  object["error"] = record.error;
  object["observed"] = Json::object();
  for (const auto& [name, value] : record.observed) object["observed"][name] = value;
  object["acceptance"] = AcceptanceToJson(record.acceptance);
  object["sum_probes"] = Json::array();
  for (const SumProbe& probe : record.sum_probes) {
    object["sum_probes"].push_back({{"operator", InfoOf(probe.op).name},
                                    {"dtype", DataTypeName(probe.type)},
                                    {"accumulation", probe.accumulation},
                                    {"rounds_once", probe.rounds_once}});
  }
  object["sums"] = Json::array();
  for (const SumFacts& facts : record.sums) object["sums"].push_back(SumFactsToJson(facts));
  object["unanswered"] = Json::array();
  for (const UnansweredCase& entry : record.unanswered) {
    object["unanswered"].push_back(UnansweredToJson(entry));
  }
  AddClasses(record, object);
  object["cases"] = CasesText(record.cases);
  object["failures"] = Json::array();
  for (const FailedCase& failed : record.failures) {
    object["failures"].push_back(FailedCaseToJson(failed));
  }
  return object;
}

ShardRecord ReadShardRecord(const JsonReader& at) {
  at.NoOtherMembers({"stop_after", "most_hangs", "stopped_by", "stopped_detail", "error",
                     "observed", "acceptance", "sum_probes", "sums", "unanswered", "evidence",
                     "classes", "failing_classes", "inconclusive_classes", "cases", "failures"});
  ShardRecord record;
  if (const auto stop_after = at.AtOrNull("stop_after")) record.stop_after = stop_after->Int64(1);
  if (const auto most_hangs = at.Find("most_hangs")) record.most_hangs = most_hangs->Int64(1);
  record.stopped_by = at.At("stopped_by").Enum(ParseStopReason, "what ends a run early");
  if (const auto detail = at.Find("stopped_detail")) record.stopped_detail = detail->String();
  record.error = at.At("error").String();
  for (const auto& [name, value] : at.At("observed").Members()) {
    record.observed.emplace_back(name, value.String());
  }
  record.acceptance = ReadAcceptance(at.At("acceptance"));
  for (const JsonReader& item : at.At("sum_probes").Items()) {
    item.NoOtherMembers({"operator", "dtype", "accumulation", "rounds_once"});
    record.sum_probes.push_back({item.At("operator").Enum(ParseOperator, "the name of an operator"),
                                 item.At("dtype").Enum(ParseDataType, "the name of a data type"),
                                 item.At("accumulation").String(), item.At("rounds_once").Bool()});
  }
  for (const JsonReader& item : at.At("sums").Items()) record.sums.push_back(ReadSumFacts(item));
  for (const JsonReader& item : at.At("unanswered").Items()) {
    record.unanswered.push_back(ReadUnanswered(item));
  }
  ReadClasses(at, record);
  record.cases = ReadCases(at.At("cases"), record.classes.size());
  for (const JsonReader& item : at.At("failures").Items()) {
    record.failures.push_back(ReadFailedCase(item));
  }
  return record;
}

std::string ShardRecordSha256(const ShardRecord& record) {
  Json object = ShardRecordToJson(record);
  // Numbers of processes, times: no result.
  for (Json& failed : object["failures"]) failed.erase("output");
  return Sha256Hex(object.dump(-1, ' ', true, Json::error_handler_t::replace));
}

}  // namespace poolproof
