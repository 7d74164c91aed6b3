// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/prove.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "conformance/case/case_text.h"
#include "conformance/case/cost.h"
#include "conformance/case/plan_members.h"
#include "conformance/explain/ask.h"
#include "conformance/explain/donors.h"
#include "conformance/explain/graft.h"
#include "conformance/explain/limits.h"
#include "conformance/judge/legality.h"
#include "core/random.h"

namespace poolproof {
namespace {

class Prover {
 public:
  Prover(const ProfileRules& rules, Asker& asker, const std::vector<Rule>& causes)
      : rules_(rules), asker_(asker), causes_(causes), without_data_(causes), donors_(rules) {
    for (Rule& rule : without_data_) {
      std::erase_if(rule, [](const Literal& literal) { return IsOfData({literal}); });
    }
    for (const Donor& donor : donors_.Of(/*refused=*/false)) {
      if (IsOutside(donor.values, causes_)) outside_.push_back(&donor);
    }
  }

  // Adds a case that shows the clause there to `proven`. False where there is no time for more.
  bool Prove(const HiddenClause& hidden, std::vector<ProvenCase>& proven);

 private:
  std::size_t Below(std::size_t bound) { return static_cast<std::size_t>(random_.Next() % bound); }
  [[nodiscard]] std::vector<std::unique_ptr<Question>> Make(const HiddenClause& hidden, bool data);
  std::optional<Case> Blend(const HiddenClause& hidden, const Case& base, const Case& other,
                            bool data);
  static bool IsOutside(const CircumstanceValues& values, const std::vector<Rule>& causes) {
    return std::none_of(causes.begin(), causes.end(),
                        [&](const Rule& rule) { return MayHold(rule, values); });
  }
  // `data`: what data a case has may make it one of no cause. Looking at them is slow.
  [[nodiscard]] bool IsOutside(const Case& problem, bool data) const;

  const ProfileRules& rules_;
  Asker& asker_;
  const std::vector<Rule>& causes_;
  std::vector<Rule> without_data_;  // the causes' rules, without conditions on data
  const Donors donors_;
  std::vector<const Donor*> outside_;  // of them, of no known cause
  RandomStream random_{0x2545f4914f6cdd1dU};
};

// Whether the case is one that the hole is about.
bool IsThere(const HiddenClause& hidden, const Case& problem) {
  if (hidden.op && InfoOf(problem.calls.front().op).backward != *hidden.op) return false;
  const Facets facets = FacetsOf(problem) | PlanFacetsOf(problem);
  return !hidden.facet || (facets & BitOf(*hidden.facet)) != 0;
}

bool Prover::IsOutside(const Case& problem, bool data) const {
  if (CostOf(problem) > kMostCost) return false;
  if (IsOutside(CircumstancesOf(problem, 0, /*data=*/false), without_data_)) return true;
  return data && IsOutside(CircumstancesOf(problem, 0), causes_);
}

// `base` with as little of `other` as makes it a legal case of the place outside of all causes:
// nothing or one part, where that does. nullopt where all of it does not.
std::optional<Case> Prover::Blend(const HiddenClause& hidden, const Case& base, const Case& other,
                                  bool data) {
  const auto fits = [&](const Case& problem) {
    return problem.calls.front().op == base.calls.front().op && IsThere(hidden, problem) &&
           CheckPlan(problem.plan).ok() &&
           Classify(rules_, problem.calls.front(), problem.plan).kind == LegalityKind::kValid &&
           IsOutside(problem, data);
  };
  if (fits(base)) return base;
  std::vector<const Graft*> grafts;
  for (const Graft& graft : Grafts()) grafts.push_back(&graft);
  for (std::size_t i = grafts.size(); i > 1; --i) std::swap(grafts[i - 1], grafts[Below(i)]);
  Case made = base;
  for (const Graft* graft : grafts) {
    if (!graft->put(made, other) || !fits(made)) continue;
    Case alone = base;
    if (graft->put(alone, other) && fits(alone)) return alone;
    return made;
  }
  return std::nullopt;
}

std::vector<std::unique_ptr<Question>> Prover::Make(const HiddenClause& hidden, bool data) {
  std::vector<std::unique_ptr<Question>> made;
  std::set<std::string> lines;
  std::vector<const Case*> others;
  for (const Donor* donor : outside_) {
    if (donor->problem.calls.front().op == hidden.cases.front()->calls.front().op &&
        (data || IsOutside(donor->values, without_data_))) {
      others.push_back(&donor->problem);
    }
  }
  for (std::size_t i = 0; i < kMade && made.size() < kAskedAtOnce && !others.empty(); ++i) {
    const Case& own = *hidden.cases[Below(hidden.cases.size())];
    const Case& other = *others[Below(others.size())];
    std::optional<Case> problem =
        i % 2 == 0 ? Blend(hidden, own, other, data) : Blend(hidden, other, own, data);
    if (!problem || !lines.insert(CaseLine(*problem)).second) continue;
    auto question = std::make_unique<Question>();
    question->problem = *std::move(problem);
    made.push_back(std::move(question));
  }
  return made;
}

bool Prover::Prove(const HiddenClause& hidden, std::vector<ProvenCase>& proven) {
  const auto shows = [&](const Case& problem, const Verdict& verdict) {
    return verdict.kind == VerdictKind::kPassed && IsThere(hidden, problem) &&
           std::find(verdict.evidence.begin(), verdict.evidence.end(), hidden.clause) !=
               verdict.evidence.end();
  };
  // What shows one clause shows others, too.
  if (std::any_of(proven.begin(), proven.end(),
                  [&](const ProvenCase& known) { return shows(known.problem, known.verdict); })) {
    return true;
  }
  for (std::size_t round = 0; round < kSome; ++round) {
    // Cases that are far from the cause tell more than those whose data hide it, and cost less.
    std::vector<std::unique_ptr<Question>> made = Make(hidden, /*data=*/round + 1 == kSome);
    std::vector<Question*> questions;
    questions.reserve(made.size());
    for (const auto& question : made) questions.push_back(question.get());
    if (!asker_.Ask(questions)) return false;
    for (Question* question : questions) {
      if (!shows(question->problem, question->verdict)) continue;
      proven.push_back({std::move(question->problem), std::move(question->verdict)});
      return true;
    }
  }
  return true;
}

}  // namespace

std::vector<ProvenCase> ProveTheRest(const ProfileRules& rules, const MakeAsk& make_ask, int jobs,
                                     const std::function<bool()>& quit,
                                     const std::vector<Rule>& causes,
                                     const std::vector<HiddenClause>& hidden) {
  std::vector<ProvenCase> proven;
  // What always fails hides the rest for good.
  if (hidden.empty() ||
      std::any_of(causes.begin(), causes.end(), [](const Rule& rule) { return rule.empty(); })) {
    return proven;
  }
  Asker asker(make_ask, jobs, quit);
  Prover prover(rules, asker, causes);
  for (const HiddenClause& one : hidden) {
    if (quit() || !prover.Prove(one, proven)) break;
  }
  return proven;
}

}  // namespace poolproof
