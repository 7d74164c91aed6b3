// SPDX-License-Identifier: Apache-2.0
#include "reports/ctrf.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "conformance/result/baseline.h"
#include "conformance/result/gate.h"
#include "core/dates.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"
#include "reports/words.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

// Before version 1 the format has no compatibility rule: this is the one that is written.
constexpr std::string_view kVersion = "0.0.0";

// Milliseconds since 1970; 0 where the text is no time.
std::int64_t Milliseconds(const std::string& time) {
  const auto parsed = ParseTime(time);
  return parsed ? std::chrono::milliseconds(parsed->time_since_epoch()).count() : 0;
}

class CtrfWriter {
 public:
  CtrfWriter(const Report& report, const Spec& spec) : report_(report), spec_(spec) {
    for (const Failure& failure : report.failures) {
      for (const std::string& clause : failure.clauses) first_.emplace(clause, &failure);
    }
  }

  Json Write() {
    RunTest();
    for (const ClauseResult& clause : report_.clauses) ClauseTest(clause);
    for (const PropertyResult& property : report_.properties) PropertyTest(property);
    for (const WaiverResult& waiver : report_.waivers) {
      Add("waiver " + waiver.id, FailsRun(waiver.state) ? "failed" : "passed",
          WaiverStateName(waiver.state), "it " + WaiverStateSentence(waiver));
    }
    const std::int64_t start = Milliseconds(report_.run.start);
    Json summary = Json::object();
    summary["tests"] = tests_.size();
    for (const char* status : {"passed", "failed", "skipped", "pending", "other"}) {
      summary[status] = counts_[status];
    }
    summary["start"] = start;
    summary["stop"] = start + std::llround(report_.run.duration_s * 1000);
    Json results = Json::object();
    results["tool"] = {{"name", "poolproof"}, {"version", report_.tool_version}};
    results["summary"] = summary;
    results["tests"] = tests_;
    results["extra"] = {{"verdict", RunVerdictName(report_.verdict)},
                        {"implementation", report_.implementation.name},
                        {"profile", ProfileName(report_)},
                        {"edition", EditionName(report_.edition)},
                        {"set", CaseSetName(report_.run.set)},
                        {"seed", report_.run.seed},
                        {"plan_sha256", report_.run.plan_sha256},
                        {"spec_sha256", report_.spec_sha256}};
    if (const std::string left_out = LeftOutSentence(report_); !left_out.empty()) {
      results["extra"]["verdict_words"] = VerdictWords(report_);
      results["extra"]["left_out"] = left_out;
    }
    Json object = Json::object();
    object["reportFormat"] = "CTRF";
    object["specVersion"] = kVersion;
    object["results"] = results;
    return object;
  }

 private:
  Json& Add(const std::string& name, const std::string& status, std::string_view raw,
            const std::string& message) {
    Json test = Json::object();
    test["name"] = name;
    test["status"] = status;
    test["duration"] = 0;  // cases of all clauses are judged together
    test["rawStatus"] = raw;
    if (!message.empty()) test["message"] = CutText(CleanText(message), 2000);
    ++counts_[status];
    tests_.push_back(std::move(test));
    return tests_.back();
  }

  void RunTest() {
    const bool error = report_.verdict == RunVerdict::kError;
    const bool incomplete = report_.verdict == RunVerdict::kIncomplete && !IsJudgedShard(report_);
    Add("run",
        error        ? "failed"
        : incomplete ? "other"
                     : "passed",
        RunVerdictName(report_.verdict),
        error        ? report_.error
        : incomplete ? VerdictSentence(report_)
                     : "");
  }

  void ClauseTest(const ClauseResult& clause) {
    const Clause* known = spec_.Find(clause.id);
    const std::string& name = clause.id;
    const std::string word(ClauseVerdictName(clause.verdict));
    if (clause.verdict == ClauseVerdict::kPassed) {
      Add(name, "passed", word, "");
    } else if (clause.verdict != ClauseVerdict::kFailed) {
      Add(name, IsOpen(report_, clause) ? "other" : "skipped", word, clause.reason);
    } else {
      const bool waived = clause.waived >= clause.failures;
      const bool before = report_.baseline && FailedBefore(report_, clause.id);
      const bool advisory = clause.strength == Strength::kAdvisory;
      Json& test =
          Add(name,
              waived     ? "skipped"
              : advisory ? "other"
              : before   ? "skipped"
                         : "failed",
              waived     ? "waived"
              : advisory ? "advisory"
              : before   ? "failed in the baseline"
                         : word,
              Count(clause.failures) + " of " + CountOf(clause.cases, "case") + " breach it");
      if (const auto place = first_.find(clause.id); place != first_.end()) {
        const Failure& failure = *place->second;
        test["message"] = test["message"].get<std::string>() + ": " +
                          CutText(CleanText(WhatHappened(failure)), 2000);
        test["trace"] = ReplayCommand(ImplementationArgument(report_), report_, ShownCase(failure));
        test["extra"] = {{"signature", failure.signature}, {"waived_by", failure.waived_by}};
      }
    }
    // The name is the id alone: a statement that is reworded must not begin another history.
    if (known != nullptr) tests_.back()["extra"]["statement"] = CleanText(known->statement);
  }

  void PropertyTest(const PropertyResult& property) {
    const std::string word(ClauseVerdictName(property.verdict));
    const std::string name = "property " + std::string(RelationName(property.relation));
    if (property.verdict == ClauseVerdict::kFailed) {
      const bool waived = property.waived >= property.failures;
      const bool decides = report_.verdict == RunVerdict::kNonconformant;
      Add(name,
          waived    ? "skipped"
          : decides ? "failed"
                    : "other",
          waived ? "waived" : word,
          Count(property.failures) + " of " + CountOf(property.cases, "case") + " do not relate");
    } else {
      Add(name, property.verdict == ClauseVerdict::kPassed ? "passed" : "skipped", word,
          property.reason);
    }
  }

  const Report& report_;
  const Spec& spec_;
  std::map<std::string, const Failure*> first_;  // by clause
  std::map<std::string, std::int64_t> counts_;
  Json tests_ = Json::array();
};

}  // namespace

std::string ReportCtrf(const Report& report, const Spec& spec) {
  return CtrfWriter(report, spec)
             .Write()
             .dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace poolproof
