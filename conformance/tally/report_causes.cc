// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/report_causes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "conformance/tally/tally.h"

namespace poolproof {
namespace {

using LookInto = std::function<LookedInto(std::int64_t)>;

// Of what fails only after other calls, or repeated, those of the sequence. Where most of what was
// investigated is such, nothing is known of failing calls of which the calls before were not found.
CircumstancesOfCase CircumstancesOfFailures(const TestPlan& plan, const LookInto& looked_into,
                                            const std::vector<CauseCase>& failing) {
  std::map<std::int64_t, const Case*> sequences;
  std::int64_t alone = 0;
  std::int64_t follow = 0;
  for (const CauseCase& judged : failing) {
    const LookedInto found = looked_into(judged.number);
    const Case* problem = found.failed != nullptr ? &found.failed->problem : nullptr;
    bool sequence = problem != nullptr && problem->calls.size() > 1;
    if (found.refined != nullptr && problem != nullptr && !sequence) {
      const Case& refined = found.refined->problem;
      sequence = refined.calls.size() > 1 || refined.plan.repeat > problem->plan.repeat;
      ++(sequence || PassesAlone(*found.failed, *found.refined) ? follow : alone);
      problem = &refined;
    }
    sequences.emplace(judged.number, sequence ? problem : nullptr);
  }
  if (follow <= alone) return CircumstancesIn(plan);
  return [sequences = std::move(sequences), in_plan = CircumstancesIn(plan)](std::int64_t number,
                                                                             bool data) {
    const auto place = sequences.find(number);
    if (place == sequences.end()) return in_plan(number, data);
    if (place->second == nullptr) return std::vector<CircumstanceValues>{NothingKnown()};
    return CircumstancesOfCalls(*place->second, data);
  };
}

class Finder {
 public:
  Finder(const RunFrame& frame, const std::vector<CauseCase>& passed, const LookInto& looked_into,
         Report& report)
      : frame_(frame), passed_(passed), looked_into_(looked_into), report_(report) {}

  // `beside`: cases that pass as far as these failures go.
  void Find(const std::vector<UnwaivedFailure>& failures,
            const std::vector<UnwaivedFailure>& beside, std::optional<RootCauses>* asked);
  [[nodiscard]] std::vector<NotBreached> TakeNotBreached() { return std::move(not_breached_); }

 private:
  [[nodiscard]] bool IsAnswer(const std::string& id) const { return SaysRefusal(frame_.spec, id); }
  [[nodiscard]] bool IsOfProcess(const std::string& id) const {
    const Clause* clause = frame_.spec.Find(id);
    return clause != nullptr && clause->condition == Condition::kProcessState;
  }
  [[nodiscard]] std::vector<CauseCase> Passing(const std::vector<UnwaivedFailure>& failures,
                                               const std::vector<UnwaivedFailure>& beside) const;

  const RunFrame& frame_;
  const std::vector<CauseCase>& passed_;
  const LookInto& looked_into_;
  Report& report_;
  std::vector<NotBreached> not_breached_;
};

// What breaches advisory clauses passes as far as required ones go, except for a wrong result of
// which no clause that others breach says that it is right, and for what goes wrong as it does
// there.
std::vector<CauseCase> Finder::Passing(const std::vector<UnwaivedFailure>& failures,
                                       const std::vector<UnwaivedFailure>& beside) const {
  std::vector<CauseCase> passing = passed_;
  std::set<std::string> breached;
  AspectSet wrong = 0;
  for (const UnwaivedFailure& failure : failures) {
    breached.insert(failure.clauses.begin(), failure.clauses.end());
    wrong |= AspectsOf(failure.blames);
  }
  for (const UnwaivedFailure& failure : beside) {
    const AspectSet fails = AspectsOf(failure.blames);
    const bool tells = GotRightResult(fails) ||
                       std::any_of(failure.kept.begin(), failure.kept.end(),
                                   [&](const std::string& id) { return breached.contains(id); });
    if (GotResult(fails) && tells && (fails & wrong) == 0)
      passing.push_back({failure.number, &failure.kept});
  }
  std::sort(passing.begin(), passing.end(),
            [](const CauseCase& a, const CauseCase& b) { return a.number < b.number; });
  for (CauseCase& judged : passing) {
    judged.answer = std::all_of(judged.clauses->begin(), judged.clauses->end(),
                                [&](const std::string& id) { return IsAnswer(id); });
  }
  return passing;
}

// `asked`: null of advisory failures.
void Finder::Find(const std::vector<UnwaivedFailure>& failures,
                  const std::vector<UnwaivedFailure>& beside, std::optional<RootCauses>* asked) {
  if (failures.empty()) return;
  std::vector<CauseCase> failing;
  for (const UnwaivedFailure& failure : failures) {
    CauseCase judged = {failure.number, &failure.clauses};
    judged.answer = std::any_of(failure.clauses.begin(), failure.clauses.end(),
                                [&](const std::string& id) { return IsAnswer(id); });
    judged.blames = &failure.blames;
    judged.kept = &failure.kept;
    failing.push_back(judged);
  }
  // A process that was changed is so for good: that later calls leave it as it is says nothing.
  const bool once = std::all_of(failing.begin(), failing.end(), [&](const CauseCase& judged) {
    return std::all_of(judged.clauses->begin(), judged.clauses->end(),
                       [&](const std::string& id) { return IsOfProcess(id); });
  });
  const std::vector<CauseCase> passing =
      once ? std::vector<CauseCase>() : Passing(failures, beside);
  CauseEvidence evidence(CircumstancesOfFailures(*frame_.plan, looked_into_, failing), failing,
                         passing, frame_.jobs);
  RootCauses found;
  if (frame_.explain && asked != nullptr) {
    if (!*asked) *asked = frame_.explain(evidence, report_);
    found = **asked;
  }
  evidence.FindRest(found);
  evidence.Close(found);
  for (std::size_t i = 0; i < found.causes.size(); ++i) {
    const RootCause& cause = found.causes[i];
    if (found.without[i].empty() || !HoldsOfNewCases(cause)) continue;
    not_breached_.push_back({RuleOf(cause), found.aspects[i], found.without[i]});
  }
  for (RootCause& cause : found.causes) {
    cause.advisory = asked == nullptr;
    report_.root_causes.push_back(std::move(cause));
  }
  if (asked != nullptr) report_.unexplained = found.unexplained;
}

// The kinds of finding by which failures breach one of the clauses.
std::set<FindingKind> KindsOf(const std::vector<UnwaivedFailure>& failures,
                              const std::vector<std::string>& clauses) {
  std::set<FindingKind> kinds;
  for (const UnwaivedFailure& failure : failures) {
    for (const Blame& blame : failure.blames) {
      if (std::any_of(blame.clauses.begin(), blame.clauses.end(), [&](const std::string& id) {
            return std::binary_search(clauses.begin(), clauses.end(), id);
          })) {
        kinds.insert(blame.kind);
      }
    }
  }
  return kinds;
}

// Blames of clauses that are not among those that a case counts for are of no interest here.
void KeepBlames(UnwaivedFailure& failure) {
  for (Blame& blame : failure.blames) {
    std::erase_if(blame.clauses, [&](const std::string& id) {
      return std::find(failure.clauses.begin(), failure.clauses.end(), id) == failure.clauses.end();
    });
  }
  std::erase_if(failure.blames, [](const Blame& blame) { return blame.clauses.empty(); });
}

// Of a blame that names advisory clauses alone: whether it is but another status or text than is
// advised. Who refuses more or less has made no mistake, and the clause says all there is to say; a
// forward that answers a valid call by none has.
bool IsLawful(const Spec& spec, const Blame& blame) {
  if (IsRefusalKind(blame.kind) || blame.kind == FindingKind::kErrorText) return true;
  if (blame.kind != FindingKind::kRefused) return false;
  return std::none_of(blame.clauses.begin(), blame.clauses.end(), [&](const std::string& id) {
    const Clause* clause = spec.Find(id);
    return clause != nullptr && ForwardThatClauseNeeds(*clause).has_value();
  });
}

}  // namespace

std::vector<NotBreached> AddRootCauses(const RunFrame& frame, std::vector<UnwaivedFailure> required,
                                       std::vector<UnwaivedFailure> advisory,
                                       const std::vector<CauseCase>& passing,
                                       const LookInto& looked_into,
                                       std::optional<RootCauses>& asked, Report& report) {
  for (UnwaivedFailure& failure : required) KeepBlames(failure);
  std::erase_if(advisory, [&](const UnwaivedFailure& failure) {
    return std::all_of(failure.blames.begin(), failure.blames.end(),
                       [&](const Blame& blame) { return IsLawful(frame.spec, blame); });
  });
  Finder finder(frame, passing, looked_into, report);
  finder.Find(required, advisory, &asked);
  // Advisory failures that no root cause of others explains: what always goes wrong may breach
  // another clause in calls that are not judged by required ones.
  std::vector<Rule> rules;
  std::set<FindingKind> always;
  for (const RootCause& cause : report.root_causes) {
    if (cause.rule.empty()) {
      always.merge(KindsOf(required, cause.clauses));
    } else {
      rules.push_back(RuleOf(cause));
    }
  }
  std::erase_if(advisory, [&](const UnwaivedFailure& failure) {
    return std::all_of(failure.blames.begin(), failure.blames.end(),
                       [&](const Blame& blame) { return always.contains(blame.kind); });
  });
  if (!rules.empty()) {
    const CircumstancesOfCase circumstances = CircumstancesIn(*frame.plan);
    std::erase_if(advisory, [&](const UnwaivedFailure& failure) {
      const std::vector<CircumstanceValues> calls = circumstances(failure.number, true);
      return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
        return std::any_of(calls.begin(), calls.end(),
                           [&](const auto& values) { return MayHold(rule, values); });
      });
    });
  }
  finder.Find(advisory, {}, nullptr);
  return finder.TakeNotBreached();
}

}  // namespace poolproof
