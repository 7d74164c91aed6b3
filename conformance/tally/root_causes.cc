// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/root_causes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include "conformance/circumstance/circumstances.h"

namespace poolproof {
namespace {

// Cases that rules are learnt of, where a run has more.
constexpr std::size_t kMostFailing = 3000;
constexpr std::size_t kMostPassing = 6000;
constexpr std::size_t kMostElsewhere = 4000;

// A case with the circumstances of its calls.
struct Known {
  const CauseCase* judged = nullptr;
  std::vector<CircumstanceValues> calls;
};

Known KnownOf(const TestPlan& plan, const CauseCase& judged) {
  const Case problem = plan.At(judged.number).problem;
  Known known = {&judged, {}};
  for (std::size_t call = 0; call < problem.calls.size(); ++call) {
    known.calls.push_back(CircumstancesOf(problem, call));
  }
  return known;
}

// As many of them, by a hash of their numbers, in their order.
std::vector<const CauseCase*> Sample(std::vector<const CauseCase*> cases, std::size_t most) {
  if (cases.size() <= most) return cases;
  const auto key = [](const CauseCase* judged) {
    auto bits = static_cast<std::uint64_t>(judged->number) + 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31U);
  };
  std::nth_element(cases.begin(), cases.begin() + static_cast<std::ptrdiff_t>(most), cases.end(),
                   [&](const CauseCase* a, const CauseCase* b) { return key(a) < key(b); });
  cases.resize(most);
  std::sort(cases.begin(), cases.end(),
            [](const CauseCase* a, const CauseCase* b) { return a->number < b->number; });
  return cases;
}

bool HoldsOfAny(const Rule& rule, const Known& known) {
  return std::any_of(known.calls.begin(), known.calls.end(),
                     [&](const CircumstanceValues& values) { return Holds(rule, values); });
}

constexpr std::array<const char*, 4> kComparisons = {"is", "is-not", "at-least", "at-most"};

RuleCondition ConditionOf(const Literal& literal) {
  const Circumstance& row = AllCircumstances()[literal.circumstance];
  RuleCondition condition;
  condition.name = row.name;
  condition.text = LiteralText(literal);
  condition.comparison = kComparisons[static_cast<std::size_t>(literal.test)];
  if (row.kind == Circumstance::Kind::kFlag) {
    condition.value = literal.value != 0 ? "true" : "false";
  } else if (row.kind == Circumstance::Kind::kWord) {
    condition.value = row.words[static_cast<std::size_t>(literal.value)];
  } else {
    condition.value = std::to_string(literal.value);
  }
  return condition;
}

bool Meets(const std::vector<std::string>& sorted, const std::set<std::string>& clauses) {
  return std::any_of(sorted.begin(), sorted.end(),
                     [&](const std::string& id) { return clauses.contains(id); });
}

// What a run knows of failing and of passing cases.
class Evidence {
 public:
  Evidence(const TestPlan& plan, const std::vector<CauseCase>& failing,
           const std::vector<CauseCase>& passing);
  [[nodiscard]] std::vector<Rule> Learn() const;
  [[nodiscard]] RootCauses CausesOf(const std::vector<Rule>& rules) const;

 private:
  [[nodiscard]] std::vector<Known> KnownOf(const std::vector<const CauseCase*>& cases,
                                           std::size_t most) const {
    std::vector<Known> known;
    for (const CauseCase* judged : Sample(cases, most)) {
      known.push_back(poolproof::KnownOf(plan_, *judged));
    }
    return known;
  }

  const TestPlan& plan_;
  const std::vector<CauseCase>& all_failing_;
  std::vector<Known> failing_;
  std::vector<Known> near_;       // that pass, about clauses that are breached
  std::vector<Known> elsewhere_;  // that pass, about others
};

Evidence::Evidence(const TestPlan& plan, const std::vector<CauseCase>& failing,
                   const std::vector<CauseCase>& passing)
    : plan_(plan), all_failing_(failing) {
  std::set<std::string> breached;
  std::vector<const CauseCase*> fails;
  for (const CauseCase& judged : failing) {
    fails.push_back(&judged);
    breached.insert(judged.clauses->begin(), judged.clauses->end());
  }
  std::vector<const CauseCase*> near;
  std::vector<const CauseCase*> elsewhere;
  for (const CauseCase& judged : passing) {
    (Meets(*judged.clauses, breached) ? near : elsewhere).push_back(&judged);
  }
  failing_ = KnownOf(fails, kMostFailing);
  near_ = KnownOf(near, kMostPassing);
  elsewhere_ = KnownOf(elsewhere, kMostElsewhere);
}

// First of what fails although it is carried out, beside what is; then of the rest, beside all.
std::vector<Rule> Evidence::Learn() const {
  // Of a sequence it is open which call failed: it teaches something only where nothing else does.
  const bool single = std::any_of(failing_.begin(), failing_.end(),
                                  [](const Known& known) { return known.calls.size() == 1; });
  std::vector<Rule> rules;
  for (const bool answers : {false, true}) {
    std::vector<Example> examples;
    const auto add = [&](const std::vector<Known>& cases, Label label) {
      for (const Known& known : cases) {
        if ((single && known.calls.size() > 1) || (known.judged->answer && !answers)) continue;
        for (const CircumstanceValues& values : known.calls) {
          examples.push_back({values, label});
          if (label == Label::kFails) break;
        }
      }
    };
    add(failing_, Label::kFails);
    std::erase_if(examples, [&](const Example& example) {
      return std::any_of(rules.begin(), rules.end(),
                         [&](const Rule& rule) { return Holds(rule, example.values); });
    });
    add(near_, Label::kPasses);
    add(elsewhere_, Label::kPassesElsewhere);
    for (Rule& rule : LearnRules(std::move(examples))) rules.push_back(std::move(rule));
  }
  return rules;
}

RootCauses Evidence::CausesOf(const std::vector<Rule>& rules) const {
  RootCauses found;
  std::vector<RootCause> causes(rules.size());
  std::vector<std::set<std::string>> clauses(rules.size());
  // All failing cases count, each for the first rule that holds of it.
  for (const CauseCase& judged : all_failing_) {
    const Known known = poolproof::KnownOf(plan_, judged);
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const Rule& each) { return HoldsOfAny(each, known); });
    if (rule == rules.end()) {
      ++found.unexplained;
      continue;
    }
    const auto place = static_cast<std::size_t>(rule - rules.begin());
    if (causes[place].failing++ == 0) causes[place].case_number = judged.number;
    clauses[place].insert(judged.clauses->begin(), judged.clauses->end());
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    RootCause& cause = causes[i];
    if (cause.failing == 0) continue;
    for (const Literal& literal : rules[i]) cause.rule.push_back(ConditionOf(literal));
    for (const Known& known : near_) {
      if (!Meets(*known.judged->clauses, clauses[i])) continue;
      ++cause.compared;
      if (HoldsOfAny(rules[i], known)) ++cause.passing;
    }
    cause.clauses.assign(clauses[i].begin(), clauses[i].end());
    found.causes.push_back(std::move(cause));
  }
  std::stable_sort(found.causes.begin(), found.causes.end(),
                   [](const RootCause& a, const RootCause& b) { return a.failing > b.failing; });
  return found;
}

}  // namespace

Rule RuleOf(const RootCause& cause) {
  Rule rule;
  for (const RuleCondition& condition : cause.rule) {
    Literal literal;
    literal.circumstance = CircumstanceOf(condition.name);
    const Circumstance& row = AllCircumstances()[literal.circumstance];
    const auto comparison =
        std::find(kComparisons.begin(), kComparisons.end(), condition.comparison);
    literal.test = static_cast<LiteralTest>(comparison - kComparisons.begin());
    if (row.kind == Circumstance::Kind::kFlag) {
      literal.value = condition.value == "true" ? 1 : 0;
    } else if (row.kind == Circumstance::Kind::kWord) {
      literal.value =
          std::find(row.words.begin(), row.words.end(), condition.value) - row.words.begin();
    } else {
      literal.value = std::stoll(condition.value);
    }
    rule.push_back(literal);
  }
  return rule;
}

RootCauses FindRootCauses(const TestPlan& plan, const std::vector<CauseCase>& failing,
                          const std::vector<CauseCase>& passing) {
  if (failing.empty()) return {};
  const Evidence evidence(plan, failing, passing);
  return evidence.CausesOf(evidence.Learn());
}

}  // namespace poolproof
