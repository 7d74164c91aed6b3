// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/tally.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace poolproof {
namespace {

struct Answer {
  ClauseVerdict verdict;
  std::string reason;
};

std::string CutShortReason(const std::string& stopped_by) {
  if (stopped_by == "deadline") return "the deadline came before a case tested it";
  if (stopped_by == "stop-after") return "the run stopped at a failing case before one tested it";
  if (stopped_by == "timeouts") return "the run stopped after too many calls that hung";
  if (stopped_by == "time") return "the campaign's time was over before a case tested it";
  if (stopped_by == "missing-shards") return "no shard that is there has a case that tested it";
  return "the run was interrupted before a case tested it";
}

// FLOAT32, FLOAT16 and BFLOAT16 are accepted: nothing less than all three shows it.
bool NeedsEveryGradientType(std::string_view id) {
  return id == "MP3-B22" || id == "AMP3-B22" || id == "AMP2-B22";
}

std::string MissingTypesText(const Offer& offer) {
  std::string text;
  for (const DataType type : offer.MissingGradientTypes()) {
    text += (text.empty() ? "" : ", ") + DataTypeName(type);
  }
  return text;
}

// A clause for or against which there is no evidence.
Answer WithoutEvidence(const TallyContext& context, const ClauseEvidence& evidence,
                       const Clause& clause, const std::optional<Operator>& op) {
  if (const auto forward = ForwardThatClauseNeeds(clause.id);
      forward && !context.offer->Has(*forward)) {
    return {
        ClauseVerdict::kNotApplicable,
        "judged by a forward, and aclnn" + std::string(InfoOf(*forward).name) + " is not offered"};
  }
  if (!op && !InfoOf(context.profile).supported) {
    return {ClauseVerdict::kNotApplicable,
            "no call is valid under profile " + std::string(InfoOf(context.profile).name)};
  }
  if (const auto reason = context.reason_not_exercised(clause.id)) {
    return {ClauseVerdict::kNotRun, *reason};
  }
  if (!context.stopped_by.empty()) {
    return {ClauseVerdict::kNotRun, CutShortReason(context.stopped_by)};
  }
  if (const auto note = evidence.inconclusive.find(clause.id);
      note != evidence.inconclusive.end()) {
    return {ClauseVerdict::kInconclusive, note->second};
  }
  if (context.selected) {
    return {ClauseVerdict::kNotRun, "no selected case tested it"};
  }
  const bool ran = op ? evidence.judged.count(*op) > 0 : !evidence.judged.empty();
  if (ran) return {ClauseVerdict::kInconclusive, "no case that ran was evidence for or against it"};
  return {ClauseVerdict::kNotRun, "no case of the set tested it"};
}

Answer AnswerFor(const TallyContext& context, const ClauseEvidence& evidence, const Clause& clause,
                 std::int64_t cases, std::int64_t failures) {
  if (failures > 0) return {ClauseVerdict::kFailed, ""};
  if (!clause.AppliesTo(context.profile)) {
    return {ClauseVerdict::kNotApplicable,
            "outside profile " + std::string(InfoOf(context.profile).name)};
  }
  // "two-phase protocol" and "any" are no operators: such clauses always apply.
  const std::optional<Operator> op = ParseOperator(clause.operator_name);
  if (op && !context.offer->Has(*op)) {
    return {ClauseVerdict::kUnsupported, "aclnn" + clause.operator_name + " is not offered"};
  }
  if (NeedsEveryGradientType(clause.id) && !context.offer->MissingGradientTypes().empty()) {
    return {ClauseVerdict::kUnsupported,
            "not declared as a capability: " + MissingTypesText(*context.offer)};
  }
  if (cases > 0) return {ClauseVerdict::kPassed, ""};
  return WithoutEvidence(context, evidence, clause, op);
}

// What the evidence of a clause on values never showed. A clause that was not put to the proof in
// some way may have been passed for the lack of it.
std::vector<std::string> WeaknessesOf(const Clause& clause, std::uint32_t traits,
                                      const Offer& offer) {
  const std::string suffix = clause.id.substr(clause.id.find('-') + 1);
  const bool sums = suffix == "B02" || suffix == "B30";
  if (!sums && suffix != "B01" && suffix != "B03") return {};
  std::vector<std::string> weak;
  if (suffix == "B01" && (traits & kTraitMerge) == 0) weak.emplace_back("one-window-per-cell");
  if (sums && (traits & kTraitInexact) == 0) weak.emplace_back("exact-data-only");
  if ((traits & kTraitView) == 0) weak.emplace_back("contiguous-only");
  if ((traits & kTraitPlanes) == 0) weak.emplace_back("one-plane-only");
  const std::uint32_t types = traits & (kTraitFloat | kTraitHalf | kTraitBfloat);
  if (std::popcount(types) < 2 && offer.MissingGradientTypes().size() < 2) {
    weak.emplace_back("one-type-only");
  }
  return weak;
}

}  // namespace

std::optional<Operator> ForwardThatClauseNeeds(std::string_view clause_id) {
  if (clause_id == "MP3-B15" || clause_id == "MP3-B16") return Operator::kMaxPool3dWithArgmax;
  if (clause_id == "AMP3-B04") return Operator::kAdaptiveMaxPool3d;
  if (clause_id == "AMP2-B04") return Operator::kAdaptiveMaxPool2d;
  return std::nullopt;
}

std::optional<std::string> StandardOf(const SumProbe& probe, const SumFacts& facts) {
  if (facts.sums == 0) return std::nullopt;
  if (facts.unlawful > 0) return "none";
  if (probe.rounds_once && facts.misrounded == 0) return "correctly-rounded";
  // FLOAT32 is its own storage type: the law is that standard.
  const bool wide = facts.type == DataType::kFloat || probe.accumulation == "acc32";
  if (wide && facts.beyond_acc32 == 0) return "acc32";
  return "acc-storage";
}

PropertyResult TallyProperty(Relation relation, const PropertyEvidence& evidence, bool partial) {
  PropertyResult result;
  result.name = RelationName(relation);
  result.cases = evidence.cases;
  result.failures = evidence.failures;
  result.discarded = evidence.discarded;
  if (evidence.failures > 0) {
    result.verdict = ClauseVerdict::kFailed;
  } else if (evidence.cases > 0) {
    result.verdict = ClauseVerdict::kPassed;
  } else if (evidence.discarded > 0) {
    result.verdict = ClauseVerdict::kInconclusive;
    result.reason = "all of its cases were discarded";
  } else if (evidence.unsupported > 0) {
    result.verdict = ClauseVerdict::kUnsupported;
    result.reason = "the library does not offer what its cases need";
  } else if (partial) {
    result.verdict = ClauseVerdict::kNotRun;
    result.reason = "none of its cases was run";
  } else {
    result.verdict = ClauseVerdict::kNotApplicable;
    result.reason = "no valid call of the profile is a case of it";
  }
  return result;
}

Tally TallyClauses(const TallyContext& context, const ClauseEvidence& evidence) {
  Tally tally;
  const std::vector<Clause>& clauses = context.spec->clauses();
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    const Clause& clause = clauses[i];
    Answer answer = AnswerFor(context, evidence, clause, evidence.cases[i], evidence.failures[i]);
    const bool open =
        answer.verdict == ClauseVerdict::kInconclusive || answer.verdict == ClauseVerdict::kNotRun;
    if (open && clause.strength == Strength::kRequired) {
      tally.open_required = true;
    }
    ClauseResult result;
    result.id = clause.id;
    result.strength = StrengthName(clause.strength);
    result.verdict = answer.verdict;
    result.cases = evidence.cases[i];
    result.failures = evidence.failures[i];
    result.reason = std::move(answer.reason);
    if (answer.verdict == ClauseVerdict::kPassed && clause.kind == ClauseKind::kValue &&
        i < evidence.traits.size()) {
      result.weak = WeaknessesOf(clause, evidence.traits[i], *context.offer);
    }
    tally.clauses.push_back(std::move(result));
  }
  return tally;
}

RunVerdict DecideRun(const Report& report, bool open_required) {
  if (!report.error.empty()) return RunVerdict::kError;
  const bool clause_failed =
      std::any_of(report.clauses.begin(), report.clauses.end(), [](const ClauseResult& clause) {
        return clause.verdict == ClauseVerdict::kFailed && clause.strength == "required";
      });
  const bool case_failed = std::any_of(report.failures.begin(), report.failures.end(),
                                       [](const Failure& failure) { return !failure.advisory; });
  if (clause_failed || case_failed) return RunVerdict::kNonconformant;

  const Summary& summary = report.summary;
  const std::int64_t judged =
      summary.passed - summary.recorded + summary.failed + summary.crashed + summary.timed_out;
  if (judged == 0 || report.run.stopped_by == "missing-shards") return RunVerdict::kIncomplete;
  if (report.run.scope == "full") {
    return open_required ? RunVerdict::kIncomplete : RunVerdict::kConformant;
  }
  const bool ended = report.run.stopped_by.empty() || report.run.stopped_by == "time";
  return ended ? RunVerdict::kConformant : RunVerdict::kIncomplete;
}

int ExitStatusOf(const Report& report) {
  if (report.verdict == RunVerdict::kError) return 3;
  const bool bad_waiver =
      std::any_of(report.waivers.begin(), report.waivers.end(),
                  [](const WaiverResult& waiver) { return FailsRun(waiver.state); });
  if (bad_waiver) return 1;
  if (report.verdict == RunVerdict::kIncomplete) return 4;
  if (report.verdict == RunVerdict::kConformant) return 0;
  if (!EveryBreachIsWaived(report)) return 1;
  const bool open =
      report.run.scope == "full"
          ? std::any_of(report.clauses.begin(), report.clauses.end(),
                        [&](const ClauseResult& clause) { return IsOpen(report, clause); })
          : !report.run.stopped_by.empty();
  return open ? 4 : 0;
}

}  // namespace poolproof
