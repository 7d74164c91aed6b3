// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/investigations.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "conformance/case/cost.h"
#include "conformance/result/side_effect.h"

namespace poolproof {
namespace {

// Of each symptom and of the same findings, this many, and the first of each family of cases.
constexpr int kPerSymptom = 3;
// Of failures behind others of the same kinds, those whose earlier calls are looked for.
constexpr std::size_t kSearchedPerKinds = 2;
// Of so few failures, all.
constexpr std::size_t kFewFailures = 64;
// Failures that end their worker, of the same findings, for each that is investigated where workers
// take long to start: so many starts, too, show what of it is to blame. Where there are fewer, one
// start shows whether it comes again.
constexpr std::size_t kPerWorkerEnded = 16;
// Cost of a case beyond which an attempt takes up to seconds.
constexpr double kDearCost = 1 << 23;

std::map<std::string, std::size_t> CountThatEndWorkers(const std::vector<FailureRef>& failures) {
  std::map<std::string, std::size_t> count;
  for (const FailureRef& failure : failures) {
    if (failure.ends_worker) ++count[failure.findings];
  }
  return count;
}

Need NeedOf(const std::vector<Blame>& blames) {
  const auto plain = [](const Blame& blame) {
    return IsRefusalKind(blame.kind) || blame.kind == FindingKind::kErrorText;
  };
  const auto refusal = [&](const Blame& blame) {
    return InfoOf(blame.kind).duty == Duty::kValid || plain(blame);
  };
  if (std::all_of(blames.begin(), blames.end(), plain)) return Need::kNothing;
  return std::all_of(blames.begin(), blames.end(), refusal) ? Need::kRefusal : Need::kCause;
}

// Positions of what can be investigated, those that cost least first.
std::vector<std::size_t> ByCost(const std::vector<FailureRef>& failures) {
  std::vector<std::size_t> order(failures.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return std::isinf(failures[i].cost); });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return failures[a].cost < failures[b].cost;
  });
  return order;
}

// Positions of failures that are among the cheapest of their symptom, or the cheapest of it in
// their family, of those up to them: of the failures that all shards know, the first ones alone may
// count.
std::set<std::size_t> CheapestSoFar(const std::vector<FailureRef>& failures) {
  std::map<std::string, std::multiset<double>> of_symptom;
  std::map<std::pair<std::string, std::string>, double> of_family;
  std::set<std::size_t> positions;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const FailureRef& failure = failures[i];
    if (std::isinf(failure.cost)) continue;
    std::multiset<double>& least = of_symptom[failure.symptom];
    least.insert(failure.cost);
    bool cheap = std::distance(least.begin(), least.upper_bound(failure.cost)) <= kPerSymptom;
    if (std::ssize(least) > kPerSymptom) least.erase(std::prev(least.end()));
    const auto [place, added] =
        of_family.emplace(std::pair(failure.symptom, failure.family), failure.cost);
    if (!added && failure.cost < place->second) {
      place->second = failure.cost;
      cheap = true;
    }
    if (cheap || added) positions.insert(i);
  }
  return positions;
}

}  // namespace

InvestigationPlan PlanInvestigations(CaseSet set) {
  switch (set) {
    case CaseSet::kSmoke:
      return {128, 6, 8, std::chrono::minutes(5), 1};
    case CaseSet::kCi:
      return {240, 6, 16, std::chrono::minutes(10), 1};
    case CaseSet::kNightly:
      break;
  }
  return {2000, 6, 100, std::chrono::minutes(60), 3};
}

InvestigationPlan PlanReruns(CaseSet set) { return {16, 1, 3, PlanInvestigations(set).safety, 1}; }

InvestigationPlan PlanShardInvestigations(CaseSet set) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  return {kAll, kAll, kAll, PlanInvestigations(set).safety, kAll, false, /*is_part=*/true};
}

std::vector<Blame> AtIssue(const std::vector<Blame>& blames) {
  std::vector<Blame> answers;
  for (const Blame& blame : blames) {
    if (!IsSideEffect(blame.kind)) answers.push_back(blame);
  }
  return answers.empty() ? blames : answers;
}

FailureRef FailureRefOf(std::int64_t number, const CaseClass& kind, const FailedCase* failed) {
  const std::vector<Blame> at_issue = AtIssue(kind.blames);
  Verdict verdict;
  for (const Blame& blame : at_issue)
    verdict.findings.push_back({blame.clauses, blame.kind, "", std::nullopt});
  const std::size_t colon = kind.signature.rfind(':');
  FailureRef failure;
  failure.number = number;
  failure.cost =
      failed != nullptr ? CostOf(failed->problem) : std::numeric_limits<double>::infinity();
  failure.findings = SignatureOf(InfoOf(kind.op).name, verdict);
  for (Finding& finding : verdict.findings) finding.clauses.clear();
  failure.kinds = SignatureOf(InfoOf(kind.op).name, verdict);
  failure.symptom = failure.findings + ":" + FeaturesText(kind.features);
  if (colon != std::string::npos) failure.family = kind.signature.substr(colon + 1);
  failure.need = NeedOf(at_issue);
  failure.timed_out = kind.end == End::kTimedOut;
  failure.ends_worker = kind.end != End::kReturned ||
                        std::any_of(kind.blames.begin(), kind.blames.end(), [](const Blame& blame) {
                          return FailedWhenCarriedOut(blame.kind, blame.clauses);
                        });
  return failure;
}

std::vector<Choice> ChooseInvestigations(const std::vector<FailureRef>& failures,
                                         const InvestigationPlan& plan) {
  std::map<std::string, int> seen;
  std::map<std::string, int> variants;  // symptoms with the same findings
  std::vector<int> variant(failures.size(), 0);
  std::set<std::pair<std::string, std::string>> families;
  std::vector<Choice> chosen;
  const std::set<std::size_t> of_parts =
      plan.is_part ? CheapestSoFar(failures) : std::set<std::size_t>();
  for (const std::size_t i : ByCost(failures)) {
    const FailureRef& failure = failures[i];
    const int rank = seen[failure.symptom]++;
    if (rank == 0) variant[i] = variants[failure.findings]++;
    const bool new_family = families.emplace(failure.symptom, failure.family).second;
    const bool wanted = failure.need == Need::kNothing ? rank == 0 : rank < kPerSymptom;
    if (wanted || new_family || failures.size() <= kFewFailures || of_parts.contains(i)) {
      chosen.push_back({rank, i});
    }
  }
  const auto key = [&](const Choice& choice) {
    return std::tuple(choice.rank, variant[choice.position], failures[choice.position].need,
                      failures[choice.position].cost, choice.position);
  };
  std::sort(chosen.begin(), chosen.end(),
            [&](const Choice& a, const Choice& b) { return key(a) < key(b); });
  std::size_t timeouts = 0;
  std::erase_if(chosen, [&](const Choice& choice) {
    return failures[choice.position].timed_out && ++timeouts > plan.timeouts;
  });
  std::map<std::string, std::size_t> dear;
  std::erase_if(chosen, [&](const Choice& choice) {
    const FailureRef& failure = failures[choice.position];
    return failure.cost > kDearCost && ++dear[failure.findings] > plan.dear_per_findings;
  });
  if (plan.few_starts) {
    const std::map<std::string, std::size_t> count = CountThatEndWorkers(failures);
    std::map<std::string, std::size_t> taken;
    std::erase_if(chosen, [&](const Choice& choice) {
      const FailureRef& failure = failures[choice.position];
      if (!failure.ends_worker) return false;
      const std::size_t most =
          std::max<std::size_t>(1, count.at(failure.findings) / kPerWorkerEnded);
      return ++taken[failure.findings] > most;
    });
  }
  if (chosen.size() > plan.failures) chosen.resize(plan.failures);
  return chosen;
}

Turns InTurns(const std::vector<Choice>& chosen, const std::vector<FailureRef>& failures) {
  Turns turns;
  std::map<std::string, int> of_findings;
  for (const Choice& choice : chosen) {
    int& taken = of_findings[failures[choice.position].findings];
    const bool is_first = choice.rank == 0 || taken < kPerSymptom;
    if (is_first) ++taken;
    (is_first ? turns.first : turns.second).push_back(choice);
  }
  return turns;
}

FoundClauses FoundOfOthers() { return std::set<std::string>{std::string(kOthersClause)}; }

FoundClauses FoundBy(const Refinement* refined) {
  if (refined == nullptr) return std::nullopt;
  if (refined->behind_others) return FoundOfOthers();
  if (refined->verdict.kind != VerdictKind::kFailed) return std::nullopt;
  return ClausesOf(refined->verdict);
}

std::vector<Choice> LeftOfSecond(const Turns& turns, const std::vector<FailureRef>& failures,
                                 const std::function<FoundClauses(std::int64_t number)>& found) {
  std::map<std::string, std::set<FoundClauses>> ways;  // by findings
  for (const Choice& choice : turns.first) {
    const FailureRef& failure = failures[choice.position];
    ways[failure.findings].insert(found(failure.number));
  }
  std::vector<Choice> left = turns.second;
  std::erase_if(left, [&](const Choice& choice) {
    const auto& own = ways[failures[choice.position].findings];
    return own.size() == 1 && own.begin()->has_value();
  });
  return left;
}

std::map<std::size_t, int> StartsToSpend(const std::vector<FailureRef>& failures,
                                         const std::vector<Choice>& chosen) {
  const std::map<std::string, std::size_t> count = CountThatEndWorkers(failures);
  std::map<std::size_t, int> starts;
  for (std::size_t position = 0; position < failures.size(); ++position) {
    if (failures[position].ends_worker) starts[position] = 0;
  }
  for (const Choice& choice : chosen) {
    const FailureRef& failure = failures[choice.position];
    if (!failure.ends_worker) continue;
    const bool enough = count.at(failure.findings) >= kPerWorkerEnded;
    starts[choice.position] = enough ? static_cast<int>(kPerWorkerEnded) : 1;
  }
  return starts;
}

OthersSearched GroupBehindOthers(const std::vector<Choice>& chosen,
                                 const std::vector<FailureRef>& failures,
                                 const std::function<bool(std::int64_t number)>& is_behind) {
  OthersSearched groups;
  for (const Choice& choice : chosen) {
    const FailureRef& failure = failures[choice.position];
    if (!is_behind(failure.number)) continue;
    BehindOthersGroup& group = groups[failure.kinds];
    const bool is_first = group.searched.size() < kSearchedPerKinds;
    (is_first ? group.searched : group.others).push_back(failure.number);
  }
  return groups;
}

bool TellEnough(const BehindOthersGroup& group,
                const std::function<const Refinement*(std::int64_t number)>& refined) {
  return std::all_of(group.searched.begin(), group.searched.end(), [&](std::int64_t number) {
    const Refinement* found = refined(number);
    if (found == nullptr) return false;
    const std::vector<std::string> expected = {std::string(kOthersClause)};
    return std::all_of(found->verdict.findings.begin(), found->verdict.findings.end(),
                       [&](const Finding& finding) {
                         return IsSideEffect(finding.kind) || finding.clauses == expected;
                       });
  });
}

std::optional<std::string> KindOfFailure(const FailedCase* failed) {
  if (failed == nullptr || !failed->refined ||
      failed->refined->verdict.kind != VerdictKind::kFailed) {
    return std::nullopt;
  }
  return SignatureOf(InfoOf(failed->problem.calls.front().op).name, failed->refined->verdict);
}

std::vector<Choice> FirstOfKind(
    const std::vector<Choice>& choices, const std::vector<FailureRef>& failures,
    const std::function<std::optional<std::string>(std::int64_t number)>& kind_of,
    const InvestigationPlan& plan, bool per_symptom) {
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<Choice> first;
  for (const Choice& choice : choices) {
    const FailureRef& failure = failures[choice.position];
    if (failure.timed_out && plan.few_starts) continue;
    const std::optional<std::string> kind = kind_of(failure.number);
    if (!kind) continue;
    if (first.size() >= plan.shrunk) break;
    if (seen.emplace(*kind, per_symptom ? failure.symptom : std::string()).second) {
      first.push_back(choice);
    }
  }
  return first;
}

}  // namespace poolproof
