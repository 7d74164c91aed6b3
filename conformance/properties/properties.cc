// SPDX-License-Identifier: Apache-2.0
#include "conformance/properties/properties.h"

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/properties/property_list.h"

namespace poolproof {
namespace {

Comparison Discarded(std::string why) {
  return {RelationState::kDiscarded, std::move(why), std::nullopt};
}

// Why the results of the calls cannot be compared with one another; nullopt: they can.
std::optional<std::string> WhyNot(const PreparedCase& prepared) {
  if (prepared.problem.plan.descriptors_only) return "the calls are not carried out";
  for (std::size_t i = 0; i < prepared.calls.size(); ++i) {
    if (InfoOf(prepared.problem.calls[i].op).is_forward) return "a call is a forward";
    const PreparedCall& call = prepared.calls[i];
    if (call.legality.kind != LegalityKind::kValid) return "a call is not valid";
    if (!call.facts.in_window) return "an index lies outside its window";
    if (call.undocumented_values) return "a call has values that its pages do not mention";
  }
  return std::nullopt;
}

bool CarriedOut(const CallOutcome& outcome) {
  return outcome.phase_one == 0 && outcome.phase_two == 0 && outcome.synchronise == 0 &&
         !outcome.outputs[static_cast<std::size_t>(Role::kGradInput)].empty();
}

// The first run of the calls that breaks the relation, or what the last one says.
Comparison CompareRuns(const Property& property, const PreparedCase& prepared,
                       const Outcome& outcome) {
  const Case& problem = prepared.problem;
  const std::size_t calls = problem.calls.size();
  Comparison comparison = Discarded("nothing was run");
  for (std::size_t first = 0; first + calls <= outcome.calls.size(); first += calls) {
    std::vector<CallResult> results;
    for (std::size_t i = 0; i < calls; ++i) {
      const CallOutcome& done = outcome.calls[first + i];
      if (!CarriedOut(done)) return Discarded("a call was not carried out");
      results.push_back({problem.calls[i], prepared.data.calls[i],
                         done.outputs[static_cast<std::size_t>(Role::kGradInput)]});
    }
    if (std::optional<std::string> why = property.unrelated(results)) {
      return Discarded(*std::move(why));
    }
    comparison = property.compare(results);
    if (comparison.state != RelationState::kHeld) return comparison;
  }
  return comparison;
}

}  // namespace

std::span<const Property> AllProperties() {
  static const std::array<Property, kRelationCount - 1> properties = {
      Linearity(), Scaling(),  PlanePermutation(), Conservation(), SelfIrrelevant(), ViewCopy(),
      BatchAxis(), DepthOne(), AdaptiveFixed(),    ListLength(),   IndexType()};
  return properties;
}

const Property& PropertyOf(Relation relation) {
  return AllProperties()[static_cast<std::size_t>(relation) - 1];
}

Case BaseOf(const Case& problem) {
  Case base = problem;
  base.calls.resize(1);
  base.plan.relation = Relation::kNone;
  return base;
}

std::optional<Case> DeriveRelated(Relation relation, const Case& base) {
  return PropertyOf(relation).derive(base);
}

void AddComparison(const JudgeContext& context, const PreparedCase& prepared,
                   const Comparison& comparison, Verdict& verdict) {
  verdict.relation = comparison.state;
  if (comparison.state == RelationState::kDiscarded) verdict.relation_note = comparison.text;
  if (comparison.state != RelationState::kBroken) return;
  const bool says_nothing_new =
      AnyFinding(verdict, [](const Finding& finding) { return IsWrongNumber(finding.kind); });
  if (says_nothing_new) return;
  // Calls that advisory clauses alone allow are charged to those.
  std::set<std::string> advice;
  for (const PreparedCall& call : prepared.calls) {
    for (const Clause* clause : call.legality.by_advice) advice.insert(clause->id);
  }
  const Property& property = PropertyOf(prepared.problem.plan.relation);
  std::vector<std::string> clauses(advice.begin(), advice.end());
  if (clauses.empty()) clauses = property.clauses(context.rules(), prepared.problem);
  std::erase_if(clauses, [&](const std::string& id) {
    const Clause* clause = context.spec->Find(id);
    return clause == nullptr || !clause->AppliesTo(context.profile);
  });
  if (clauses.empty()) return;
  verdict.kind = VerdictKind::kFailed;
  verdict.withheld.insert(verdict.withheld.end(), verdict.evidence.begin(), verdict.evidence.end());
  verdict.evidence.clear();
  verdict.findings.push_back({std::move(clauses), FindingKind::kRelationBroken,
                              std::string(RelationName(property.relation)) + " (" +
                                  std::string(property.statement) +
                                  ") does not hold: " + comparison.text,
                              comparison.mismatch});
}

namespace {

void JudgeRelation(const JudgeContext& context, const PreparedCase& prepared,
                   const Outcome& outcome, Verdict& verdict) {
  const Case& problem = prepared.problem;
  if (problem.plan.relation == Relation::kNone || outcome.end != End::kReturned) return;
  const Property& property = PropertyOf(problem.plan.relation);
  Comparison comparison;
  if (problem.calls.size() != property.calls) {
    comparison = Discarded("the relation is one of " + std::to_string(property.calls) + " calls");
  } else if (std::optional<std::string> why = WhyNot(prepared)) {
    comparison = Discarded(*std::move(why));
  } else {
    comparison = CompareRuns(property, prepared, outcome);
  }
  AddComparison(context, prepared, comparison, verdict);
}

}  // namespace

Verdict JudgeWithProperties(const JudgeContext& context, const PreparedCase& prepared,
                            const Outcome& outcome) {
  Verdict verdict = Judge(context, prepared, outcome);
  JudgeRelation(context, prepared, outcome, verdict);
  LeaveOpenLateWork(context, verdict);
  return verdict;
}

}  // namespace poolproof
