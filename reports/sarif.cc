// SPDX-License-Identifier: Apache-2.0
#include "reports/sarif.h"

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "conformance/case/case_text.h"
#include "conformance/result/gate.h"
#include "core/text.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"
#include "reports/words.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

// A failure may breach no clause by name; every result has a rule.
constexpr std::string_view kNoClause = "no-clause";
constexpr std::size_t kLongestSarifCommand = 4096;

Json Text(const std::string& text) { return {{"text", CleanText(text)}}; }

class SarifWriter {
 public:
  SarifWriter(const Report& report, const Spec& spec) : report_(report), spec_(spec) {}

  Json Write() {
    Json rules = Json::array();
    for (const ClauseResult& clause : report_.clauses) AddRule(clause, rules);
    Json results = Json::array();
    std::size_t number = 0;
    for (const FailureKind& kind : KindsOfFailure(report_)) {
      const std::vector<std::string>& clauses = kind.first().clauses;
      const std::string rule = clauses.empty() ? std::string(kNoClause) : clauses.front();
      if (!places_.contains(rule)) {
        places_.emplace(rule, rules.size());
        rules.push_back({{"id", rule}});
      }
      results.push_back(ResultOf(kind, rule, ++number));
    }
    Json driver = {{"name", "Poolproof"},
                   {"semanticVersion", CleanText(report_.tool_version)},
                   {"rules", std::move(rules)}};
    Json run = {{"tool", {{"driver", std::move(driver)}}},
                {"automationDetails", {{"id", "poolproof/" + ProfileName(report_) + "/"}}},
                {"invocations", Json::array({Invocation()})},
                {"results", std::move(results)}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({std::move(run)})}};
  }

 private:
  void AddRule(const ClauseResult& clause, Json& rules) {
    places_.emplace(clause.id, rules.size());
    Json rule = {{"id", clause.id}};
    if (const Clause* known = spec_.Find(clause.id); known != nullptr) {
      rule["shortDescription"] = Text(DemandText(*known));
      rule["help"] = Text(DemandText(*known) + " (" + Joined(DocumentsOf(spec_, known->documents)) +
                          "). `poolproof explain " + clause.id + "` explains the clause.");
    }
    rule["defaultConfiguration"] = {
        {"level", clause.strength == Strength::kRequired ? "error" : "note"}};
    rule["properties"] = {{"verdict", ClauseVerdictName(clause.verdict)}};
    rules.push_back(std::move(rule));
  }

  [[nodiscard]] Json ResultOf(const FailureKind& kind, const std::string& rule,
                              std::size_t number) const {
    const Failure& failure = kind.first();
    const std::string command =
        ReplayCommand(ImplementationArgument(report_), report_, ShownCase(failure));
    std::string message =
        CasesOfKind(report_, kind) + ": " + CutText(CleanText(WhatHappened(failure)), 1000);
    if (const RootCause* cause = CauseOf(report_, rule); cause != nullptr) {
      message += "; " + RuleSentence(*cause);
    }
    if (command.size() <= kLongestSarifCommand) message += ". Reproduce: " + command;
    const std::string fingerprint = FingerprintOf(report_, failure);
    Json result = {{"ruleId", rule},
                   {"ruleIndex", places_.at(rule)},
                   {"kind", "fail"},
                   {"level", failure.advisory ? "note" : "error"},
                   {"message", Text(message)}};
    // The format asks for a file: the library is named in place of its sources, which nobody knows.
    result["locations"] =
        Json::array({{{"physicalLocation",
                       {{"artifactLocation", {{"uri", UriOf(LibraryName(report_))}}},
                        {"region", {{"startLine", 1}}}}}}});
    // The second is the one that GitHub follows results by.
    result["partialFingerprints"] = {{"poolproofKind/v1", fingerprint},
                                     {"primaryLocationLineHash", fingerprint}};
    if (report_.baseline) result["baselineState"] = IsNew(report_, kind) ? "new" : "unchanged";
    if (IsWaived(kind)) {
      result["suppressions"] =
          Json::array({{{"kind", "external"},
                        {"status", "accepted"},
                        {"justification", "waived by " + CleanText(Joined(failure.waived_by))}}});
    }
    result["properties"] = {
        {"number", number},
        {"clauses", failure.clauses},
        {"signature", failure.signature},
        {"case", failure.case_number},
        {"caseLine", CutText(CaseLine(ShownCase(failure)), kLongestSarifCommand)}};
    return result;
  }

  [[nodiscard]] Json Invocation() const {
    const Gate gate = GateOf(report_);
    const bool judged =
        report_.verdict != RunVerdict::kError && report_.verdict != RunVerdict::kIncomplete;
    Json invocation = {{"executionSuccessful", judged || IsJudgedShard(report_)},
                       {"exitCode", gate.exit_status},
                       {"exitCodeDescription", CleanText(Joined(gate.reasons))}};
    if (!judged && !IsJudgedShard(report_)) {
      invocation["toolExecutionNotifications"] = Json::array(
          {{{"level", "error"},
            {"message", Text(report_.error.empty() ? VerdictSentence(report_) : report_.error)}}});
    }
    invocation["properties"] = {{"verdict", VerdictWords(report_)}};
    if (const std::string note = FolderNote(report_); !note.empty()) {
      invocation["properties"]["commands"] = CleanText(note);
    }
    return invocation;
  }

  const Report& report_;
  const Spec& spec_;
  std::map<std::string, std::size_t> places_;  // of rules, by id
};

}  // namespace

std::string ReportSarif(const Report& report, const Spec& spec) {
  return SarifWriter(report, spec)
             .Write()
             .dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace poolproof
