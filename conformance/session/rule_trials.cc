// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/rule_trials.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/blame/step.h"
#include "conformance/circumstance/circumstances.h"
#include "conformance/circumstance/rule.h"
#include "conformance/plan/shards.h"
#include "conformance/result/ending.h"
#include "conformance/tally/root_causes.h"

namespace poolproof {
namespace {

// Root causes that are tested, and new cases for each: where one condition does not hold, of each
// condition, and where all hold.
constexpr std::size_t kMostCauses = 4;
constexpr std::size_t kStepsPerCondition = 4;
constexpr std::size_t kStepsInside = 8;
// Steps that are made a second step from, where one is not enough to leave a rule.
constexpr std::size_t kFirstSteps = 40;

struct Trial {
  Step step;
  bool fails_by_rule = false;
  std::int64_t differences = 0;  // circumstances that the step changes
  Verdict verdict;
};

// A failing case to start from, the smallest that a person sees; false: none of the listed ones.
bool FindStart(const Report& report, const Rule& rule, Case& start) {
  bool found = false;
  const auto fits = [&](const Case& problem) {
    return problem.calls.size() == 1 && Holds(rule, CircumstancesOf(problem, 0));
  };
  for (const Failure& failure : report.failures) {
    // Calls that hang cost their deadline each.
    if (failure.advisory || !failure.waived_by.empty() ||
        EndOfText(failure.end) == End::kTimedOut) {
      continue;
    }
    if (failure.shrunk && fits(*failure.shrunk)) {
      start = *failure.shrunk;
      return true;
    }
    if (!found && fits(failure.problem)) {
      start = failure.problem;
      found = true;
    }
  }
  return found;
}

// Steps from a failing case as far as they keep a rule or break one of its conditions.
class Choice {
 public:
  Choice(const Rule& rule, const Case& start)
      : rule_(rule), before_(CircumstancesOf(start, 0)), by_condition_(rule.size() + 1) {}

  void Add(Step step) {
    const CircumstanceValues values = CircumstancesOf(step.problem, 0);
    std::size_t broken = rule_.size();
    std::size_t count = 0;
    for (std::size_t i = 0; i < rule_.size(); ++i) {
      if (rule_[i].Holds(values)) continue;
      broken = i;
      ++count;
    }
    if (count > 1) return;
    Trial trial = {std::move(step), count == 0, 0, {}};
    for (std::size_t i = 0; i < values.size(); ++i) trial.differences += values[i] != before_[i];
    by_condition_[broken].push_back(std::move(trial));
  }
  [[nodiscard]] bool BreaksAll() const {
    return std::none_of(by_condition_.begin(), by_condition_.end() - 1,
                        [](const std::vector<Trial>& trials) { return trials.empty(); });
  }
  [[nodiscard]] const std::vector<Trial>& inside() const { return by_condition_.back(); }
  // The nearest ones.
  std::vector<Trial> Take() {
    std::vector<Trial> chosen;
    for (std::size_t i = 0; i < by_condition_.size(); ++i) {
      std::vector<Trial>& trials = by_condition_[i];
      std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
        return a.differences < b.differences;
      });
      const std::size_t most = i == rule_.size() ? kStepsInside : kStepsPerCondition;
      if (trials.size() > most) trials.resize(most);
      std::move(trials.begin(), trials.end(), std::back_inserter(chosen));
    }
    return chosen;
  }

 private:
  const Rule& rule_;
  const CircumstanceValues before_;
  std::vector<std::vector<Trial>> by_condition_;  // the one that alone is broken; last: none is
};

std::vector<Trial> ChooseTrials(const Rule& rule, const Case& start,
                                const std::vector<std::int64_t>& borders) {
  Choice choice(rule, start);
  for (Step& step : StepsFrom(start, borders)) choice.Add(std::move(step));
  if (choice.BreaksAll()) return choice.Take();
  // Windows overlap along an axis of one element only after it got longer.
  std::vector<Step> first;
  for (const Trial& trial : choice.inside()) first.push_back(trial.step);
  if (first.size() > kFirstSteps) first.resize(kFirstSteps);
  for (const Step& step : first) {
    for (Step& next : StepsFrom(step.problem, borders)) {
      next.difference = step.difference + ", " + next.difference;
      if (next.problem != start) choice.Add(std::move(next));
    }
  }
  return choice.Take();
}

bool Meets(const std::vector<std::string>& ids, const std::vector<std::string>& sorted) {
  return std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
    return std::binary_search(sorted.begin(), sorted.end(), id);
  });
}

// Whether the library failed a required clause; nullopt: the call says nothing about the cause, as
// one that should fail, passed, and is no evidence for what the cause breaches.
std::optional<bool> FailedOf(const Spec& spec, const RootCause& cause, const Trial& trial) {
  const Verdict& verdict = trial.verdict;
  if (verdict.kind == VerdictKind::kFailed) {
    for (const Finding& finding : verdict.findings) {
      for (const std::string& id : finding.clauses) {
        const Clause* clause = spec.Find(id);
        if (clause != nullptr && clause->strength == Strength::kRequired) return true;
      }
    }
    return std::nullopt;
  }
  if (verdict.kind != VerdictKind::kPassed) return std::nullopt;
  if (trial.fails_by_rule && !Meets(verdict.evidence, cause.clauses)) return std::nullopt;
  return false;
}

void TryRule(const Spec& spec, const MakeAttempt& make_attempt, int jobs,
             const std::function<bool()>& quit, const Report& report, RootCause& cause) {
  const Rule rule = RuleOf(cause);
  Case start;
  if (!FindStart(report, rule, start)) return;
  std::vector<std::int64_t> borders;
  for (const Literal& literal : rule) {
    if (AllCircumstances()[literal.circumstance].kind == Circumstance::Kind::kNumber) {
      borders.push_back(literal.value);
    }
  }
  std::vector<Trial> trials = ChooseTrials(rule, start, borders);
  std::atomic<std::size_t> next{0};
  OnThreads(std::max(1, std::min(jobs, static_cast<int>(trials.size()))), [&] {
    const FreshAttempt attempt = make_attempt();
    for (std::size_t turn = next++; turn < trials.size() && !quit(); turn = next++) {
      trials[turn].verdict = attempt(trials[turn].step.problem);
    }
  });
  if (quit()) return;
  cause.smallest = start;
  std::int64_t fewest = 0;
  for (const Trial& trial : trials) {
    const std::optional<bool> failed = FailedOf(spec, cause, trial);
    if (!failed) continue;
    ++cause.tested;
    if (*failed == trial.fails_by_rule) ++cause.agreed;
    if (*failed || (cause.nearest && trial.differences >= fewest)) continue;
    fewest = trial.differences;
    cause.nearest = trial.step.problem;
    cause.nearest_difference = trial.step.difference;
  }
}

}  // namespace

void TryRules(const Spec& spec, const MakeAttempt& make_attempt, int jobs,
              const std::function<bool()>& quit, Report& report) {
  const std::size_t count = std::min(report.root_causes.size(), kMostCauses);
  for (std::size_t i = 0; i < count && !quit(); ++i) {
    TryRule(spec, make_attempt, jobs, quit, report, report.root_causes[i]);
  }
}

}  // namespace poolproof
