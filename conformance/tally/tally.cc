// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/tally.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "conformance/tally/root_causes.h"

namespace poolproof {
namespace {

// What the tally says of a clause.
struct Reading {
  ClauseVerdict verdict;
  std::string reason;
};

// Of the types that the clause says are accepted, those that the manifest leaves out: nothing less
// than all of them shows it.
std::vector<DataType> MissingTypes(const Clause& clause, const Capabilities& capabilities) {
  std::vector<DataType> missing;
  const std::optional<Operator> op = ParseOperator(clause.operator_name);
  if (!op || clause.kind != ClauseKind::kSupport) return missing;
  const std::vector<DataType> left_out = capabilities.MissingTypes(*op);
  for (const SupportedType& row : InfoOf(*op).value_types) {
    if (row.by == clause.condition &&
        std::find(left_out.begin(), left_out.end(), row.type) != left_out.end()) {
      missing.push_back(row.type);
    }
  }
  return missing;
}

std::string MissingTypesText(const std::vector<DataType>& types) {
  std::string text;
  for (const DataType type : types) {
    text += (text.empty() ? "" : ", ") + DataTypeName(type);
  }
  return text;
}

// A clause for or against which there is no evidence.
Reading WithoutEvidence(const TallyContext& context, const ClauseEvidence& evidence,
                        const Clause& clause, const std::optional<Operator>& op) {
  if (const auto forward = ForwardThatClauseNeeds(clause);
      forward && !context.capabilities->Has(*forward)) {
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
  if (context.stopped_by != StopReason::kNone) {
    return {ClauseVerdict::kNotRun, std::string(InfoOf(context.stopped_by).clause)};
  }
  if (const auto note = evidence.inconclusive.find(clause.id);
      note != evidence.inconclusive.end()) {
    return {ClauseVerdict::kInconclusive, note->second};
  }
  if (evidence.unsupported.contains(clause.id) ||
      (context.capabilities->declared.refuses_nothing &&
       clause.condition == Condition::kRefusalWritesNothing)) {
    return {ClauseVerdict::kUnsupported,
            "every case that tests it is outside what the library offers or declares"};
  }
  if (context.selected) {
    return {ClauseVerdict::kNotRun, "no selected case tested it"};
  }
  const bool ran = op ? evidence.judged.count(*op) > 0 : !evidence.judged.empty();
  if (ran) return {ClauseVerdict::kInconclusive, "no case could show whether it holds"};
  return {ClauseVerdict::kNotRun, "no case of the set tested it"};
}

// Where in the space of calls the clause was not shown, though cases asked for it.
std::vector<Hole> HolesIn(const Proof& proof, const Clause& clause, bool of_one_operator) {
  std::vector<Hole> holes;
  for (std::size_t i = 0; i < kFacetCount; ++i) {
    const auto facet = static_cast<Facet>(i);
    if (ConditionOf(facet).value_or(clause.condition) != clause.condition) continue;
    if (proof.shown[i] > 0 || proof.withheld[i] == 0) continue;
    if ((proof.explained & BitOf(facet)) != 0) continue;
    holes.push_back({0, facet, {}, proof.withheld[i], (proof.refused & BitOf(facet)) != 0});
  }
  if (of_one_operator) return holes;
  for (const auto& [op, cases] : proof.withheld_by) {
    const auto shown = proof.shown_by.find(op);
    if (cases == 0 || (shown != proof.shown_by.end() && shown->second > 0)) continue;
    holes.push_back({0, {}, op, cases, proof.beside_refusals > 0});
  }
  return holes;
}

// Of several holes the one with most cases, which as a rule holds the others, in words.
std::string HoleIn(const Proof& proof, const Clause& clause, bool of_one_operator) {
  const std::vector<Hole> holes = HolesIn(proof, clause, of_one_operator);
  const auto most = std::max_element(holes.begin(), holes.end(), [](const Hole& a, const Hole& b) {
    return a.withheld < b.withheld;
  });
  if (most == holes.end()) return "";
  const std::string_view where = most->facet ? FacetName(*most->facet) : InfoOf(*most->op).name;
  return "not shown for calls with " + std::string(where) + ": " +
         (most->refused ? "it refuses the legal neighbour too"
                        : "every case that tests it there fails");
}

// Of a clause that mentions the indices that a forward yields: why the forward left it unanswered,
// whatever the backward showed. Empty: it did not.
std::string ForwardLeavesOpen(const TallyContext& context, const ClauseEvidence& evidence,
                              const Clause& clause) {
  const std::optional<Operator> forward = ForwardThatClauseNeeds(clause);
  if (!forward || !context.capabilities->Has(*forward)) return "";
  const Clause* answers = context.spec->Of(*forward, Condition::kForwardAnswers);
  const Clause* maxima = context.spec->Of(*forward, Condition::kForwardMaximum);
  if (answers == nullptr || maxima == nullptr || answers == &clause) return "";
  const auto place_of = [&](const Clause* known) {
    return static_cast<std::size_t>(known - context.spec->clauses().data());
  };
  const auto failures_of = [&](const Clause* known) {
    const std::size_t place = place_of(known);
    return place < evidence.failures.size() ? evidence.failures[place] : 0;
  };
  // Which cells a window covers shows by its maximum alone.
  if (clause.condition == Condition::kAdaptiveWindows && maxima->strength == Strength::kRequired &&
      failures_of(maxima) > 0) {
    return "aclnn" + std::string(InfoOf(*forward).name) +
           " does not find the maximum of every window (" + maxima->id + ")";
  }
  if (failures_of(answers) == 0) return "";
  const std::size_t place = place_of(answers);
  // One call that is not answered is that clause's; a part of the space without answers leaves what
  // is said of them open.
  std::string hole;
  if (place_of(maxima) < evidence.proof.size()) {
    hole = HoleIn(evidence.proof[place_of(maxima)], *maxima, /*of_one_operator=*/true);
  }
  if (hole.empty() && evidence.cases[place] > evidence.failures[place]) return "";
  return "aclnn" + std::string(InfoOf(*forward).name) + " does not answer every valid call (" +
         answers->id + ")" + (hole.empty() ? "" : ": " + hole);
}

std::int64_t NotLookedInto(const ClauseEvidence& evidence, std::size_t position) {
  return position < evidence.not_looked_into.size() ? evidence.not_looked_into[position] : 0;
}

Reading AnswerFor(const TallyContext& context, const ClauseEvidence& evidence, const Clause& clause,
                  std::size_t position) {
  const std::int64_t cases = evidence.cases[position];
  const std::int64_t failures = evidence.failures[position];
  const std::int64_t not_looked_into = NotLookedInto(evidence, position);
  if (failures > 0) return {ClauseVerdict::kFailed, ""};
  if (!clause.AppliesTo(context.profile)) {
    return {ClauseVerdict::kNotApplicable,
            "outside profile " + std::string(InfoOf(context.profile).name)};
  }
  // "two-phase protocol" and "any" are no operators: such clauses always apply.
  const std::optional<Operator> op = ParseOperator(clause.operator_name);
  const std::optional<Operator> forward = ForwardThatClauseNeeds(clause);
  if (op && !context.capabilities->Has(*op) && !(forward && context.capabilities->Has(*forward))) {
    return {ClauseVerdict::kUnsupported, "aclnn" + clause.operator_name + " is not offered"};
  }
  if (const std::vector<DataType> missing = MissingTypes(clause, *context.capabilities);
      !missing.empty()) {
    return {ClauseVerdict::kUnsupported,
            "not declared as a capability: " + MissingTypesText(missing)};
  }
  // A legal call beside its limit does not show that what is beyond is refused.
  if (context.capabilities->declared.refuses_nothing && SaysRefusal(clause)) {
    return {ClauseVerdict::kUnsupported, "the manifest declares that nothing is refused"};
  }
  // Cases that fail for an unknown reason may fail for this clause's.
  if (not_looked_into > 0) {
    return {ClauseVerdict::kInconclusive,
            "failing cases that may be of this clause were not investigated, or could not be"};
  }
  if (position < evidence.proof.size()) {
    const Proof& proof = evidence.proof[position];
    if (cases == 0 && proof.beside_refusals > 0) {
      return {ClauseVerdict::kInconclusive, "it refuses the legal neighbour too"};
    }
    if (std::string hole = HoleIn(proof, clause, op.has_value()); !hole.empty()) {
      return {ClauseVerdict::kInconclusive, std::move(hole)};
    }
  }
  if (cases > 0) {
    std::string open = ForwardLeavesOpen(context, evidence, clause);
    return {open.empty() ? ClauseVerdict::kPassed : ClauseVerdict::kInconclusive, std::move(open)};
  }
  return WithoutEvidence(context, evidence, clause, op);
}

// What the evidence of a clause on values never showed. A clause that was not tested in
// some way may have been passed for the lack of it.
std::vector<std::string> WeaknessesOf(const Clause& clause, std::uint32_t traits,
                                      const Capabilities& capabilities) {
  const bool scatter = clause.condition == Condition::kScatter;
  const bool sums =
      clause.condition == Condition::kAccumulate || clause.condition == Condition::kDeterministic;
  if (!sums && !scatter && clause.condition != Condition::kZero) return {};
  std::vector<std::string> weak;
  if (scatter && (traits & kTraitMerge) == 0) weak.emplace_back("one-window-per-cell");
  if (sums && (traits & kTraitInexact) == 0) weak.emplace_back("exact-data-only");
  if ((traits & kTraitView) == 0) weak.emplace_back("contiguous-only");
  if ((traits & kTraitPlanes) == 0) weak.emplace_back("one-plane-only");
  const std::uint32_t types = traits & (kTraitFloat | kTraitHalf | kTraitBfloat);
  const std::optional<Operator> op = ParseOperator(clause.operator_name);
  if (std::popcount(types) < 2 && (!op || capabilities.MissingTypes(*op).size() < 2)) {
    weak.emplace_back("one-type-only");
  }
  return weak;
}

}  // namespace

std::optional<Operator> ForwardThatClauseNeeds(const Clause& clause) {
  const std::optional<Operator> op = ParseOperator(clause.operator_name);
  if (!op) return std::nullopt;
  switch (clause.condition) {
    case Condition::kCeilMode:
    case Condition::kPaddingNeverWins:
    case Condition::kAdaptiveWindows:
    case Condition::kForwardAnswers:
    case Condition::kForwardMaximum:
    case Condition::kForwardArgmax:
    case Condition::kForwardViews:
    case Condition::kForwardFormatNhwc:
    case Condition::kForwardInnerError:
      return InfoOf(*op).forward;
    default:
      return std::nullopt;
  }
}

std::optional<std::string> StandardOf(const SumProbe& probe, const SumFacts& facts) {
  if (facts.sums == 0) return std::nullopt;
  if (facts.out_of_bound > 0) return "none";
  if (probe.rounds_once && facts.misrounded == 0) return "correctly-rounded";
  // FLOAT32 is its own storage type: the law is that standard.
  const bool wide = facts.type == DataType::kFloat || probe.accumulation == "acc32";
  if (wide && facts.beyond_acc32 == 0) return "acc32";
  return "acc-storage";
}

std::string SubnormalsText(const SumFacts& facts) {
  constexpr std::array<std::string_view, kSubnormalPlaceCount> kPlaces = {
      "where windows do not overlap", "where windows overlap and one gradient is added",
      "where several gradients are added"};
  FlushCount all;
  std::string text;
  for (std::size_t i = 0; i < kSubnormalPlaceCount; ++i) {
    const FlushCount& count = facts.subnormals[i];
    all.kept += count.kept;
    all.flushed += count.flushed;
    if (count == FlushCount()) continue;
    text += (text.empty() ? "" : "; ") + std::string(kPlaces[i]) + ": ";
    if (count.kept > 0) text += std::to_string(count.kept) + " kept";
    if (count.flushed > 0) {
      text += (count.kept > 0 ? ", " : "") + std::to_string(count.flushed) + " flushed";
    }
  }
  if (all.flushed == 0) return all.kept == 0 ? "" : "kept";
  if (all.kept == 0) return "flushed";
  if (facts.both > 0) text += "; both in " + std::to_string(facts.both) + " results";
  return text;
}

std::vector<Hole> OpenHoles(const TallyContext& context, const ClauseEvidence& evidence) {
  std::vector<Hole> open;
  const std::vector<Clause>& clauses = context.spec->clauses();
  for (std::size_t i = 0; i < clauses.size() && i < evidence.proof.size(); ++i) {
    if (clauses[i].strength != Strength::kRequired || evidence.failures[i] > 0) continue;
    if (!clauses[i].AppliesTo(context.profile)) continue;
    const std::optional<Operator> op = ParseOperator(clauses[i].operator_name);
    for (Hole& hole : HolesIn(evidence.proof[i], clauses[i], op.has_value())) {
      hole.clause = i;
      open.push_back(hole);
    }
  }
  return open;
}

PropertyResult TallyProperty(Relation relation, const PropertyEvidence& evidence, bool partial) {
  PropertyResult result;
  result.relation = relation;
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
    Reading answer = AnswerFor(context, evidence, clause, i);
    const bool open =
        answer.verdict == ClauseVerdict::kInconclusive || answer.verdict == ClauseVerdict::kNotRun;
    if (open && clause.strength == Strength::kRequired) {
      tally.open_required = true;
    }
    ClauseResult result;
    result.id = clause.id;
    result.strength = clause.strength;
    result.verdict = answer.verdict;
    result.cases = evidence.cases[i];
    result.failures = evidence.failures[i];
    result.reason = std::move(answer.reason);
    if (i < evidence.proof.size()) {
      result.proven_by.assign(evidence.proof[i].bases.begin(), evidence.proof[i].bases.end());
    }
    result.not_looked_into = NotLookedInto(evidence, i);
    result.edition = clause.edition;
    if (answer.verdict == ClauseVerdict::kPassed) {
      if (clause.kind == ClauseKind::kValue && i < evidence.traits.size()) {
        result.weak = WeaknessesOf(clause, evidence.traits[i], *context.capabilities);
      }
      if (i < evidence.proof.size() && evidence.proof[i].explained != 0) {
        result.weak.emplace_back("part-not-shown");
      }
    }
    tally.clauses.push_back(std::move(result));
  }
  return tally;
}

RunVerdict DecideRun(const Report& report, bool open_required) {
  if (!report.error.empty()) return RunVerdict::kError;
  const bool clause_failed =
      std::any_of(report.clauses.begin(), report.clauses.end(), &FailsRequired);
  const bool case_failed = std::any_of(report.failures.begin(), report.failures.end(),
                                       [](const Failure& failure) { return !failure.advisory; });
  if (clause_failed || case_failed) return RunVerdict::kNonconformant;

  const Summary& summary = report.summary;
  const std::int64_t judged =
      summary.passed - summary.recorded + summary.failed + summary.crashed + summary.timed_out;
  // What nobody chose to leave out may fail.
  const bool lost = report.run.stopped_by == StopReason::kMissingShards ||
                    report.run.stopped_by == StopReason::kNoWorker;
  if (judged == 0 || lost) return RunVerdict::kIncomplete;
  if (report.run.scope == RunScope::kFull) {
    return open_required ? RunVerdict::kIncomplete : RunVerdict::kConformant;
  }
  const bool ended =
      report.run.stopped_by == StopReason::kNone || report.run.stopped_by == StopReason::kTime;
  return ended ? RunVerdict::kConformant : RunVerdict::kIncomplete;
}

}  // namespace poolproof
