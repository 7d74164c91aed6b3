// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/root_causes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "conformance/circumstance/circumstances.h"
#include "conformance/circumstance/hypothesis.h"
#include "conformance/plan/shards.h"
#include "conformance/result/side_effect.h"
#include "conformance/tally/cause_border.h"

namespace poolproof {
namespace {

// Cases that rules are learnt of, where a run has more.
constexpr std::size_t kMostFailing = 2000;
constexpr std::size_t kMostPassing = 4000;
// Of the cases that a rule holds of, this share fails: a fault may be invisible in the rest.
constexpr double kNearlyAll = 0.9;

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

constexpr std::array<const char*, 4> kComparisons = {"is", "is-not", "at-least", "at-most"};

RuleCondition ConditionOf(const Literal& literal) {
  const Circumstance& row = AllCircumstances()[literal.circumstance];
  RuleCondition condition;
  condition.name = TermName(literal);
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

template <typename Ids>
bool Meets(const Ids& ids, const std::set<std::string>& clauses) {
  return std::any_of(ids.begin(), ids.end(),
                     [&](const std::string& id) { return clauses.contains(id); });
}

AspectSet AspectsOf(const CauseCase& failing) {
  return failing.blames == nullptr ? kAllAspects : AspectsOf(*failing.blames);
}

// What a failing case breaches in these aspects.
std::set<std::string> BreachedIn(const CauseCase& failing, AspectSet aspects) {
  if (failing.blames == nullptr) return {failing.clauses->begin(), failing.clauses->end()};
  std::set<std::string> clauses;
  for (const Blame& blame : *failing.blames) {
    if ((AspectOf(InfoOf(blame.kind).aspect) & aspects) == 0) continue;
    clauses.insert(blame.clauses.begin(), blame.clauses.end());
  }
  return clauses;
}

}  // namespace

AspectSet AspectsOf(const std::vector<Blame>& blames) {
  AspectSet aspects = 0;
  for (const Blame& blame : blames) aspects |= AspectOf(InfoOf(blame.kind).aspect);
  return aspects;
}

AspectSet AspectsBeside(AspectSet ever, bool always, AspectSet own, std::size_t causes) {
  if (ever == 0 || causes == 1) return kAllAspects;
  return always ? own : kAllAspects & static_cast<AspectSet>(~ever);
}

bool GotResult(AspectSet fails) {
  return (fails & (AspectOf(Aspect::kAnswer) | AspectOf(Aspect::kEnd))) == 0;
}

bool GotRightResult(AspectSet fails) { return IsPast(fails, AspectOf(Aspect::kResult)); }

bool IsPast(AspectSet fails, AspectSet aspects) {
  return GotResult(fails) && (fails & aspects) == 0;
}

bool CauseEvidence::HoldsOfAny(const Rule& rule, const Known& known) {
  return std::any_of(known.calls.begin(), known.calls.end(),
                     [&](const CircumstanceValues& values) { return Holds(rule, values); });
}

bool CauseEvidence::IsSingle(const Known* known) {
  return known->calls.size() == 1 && known->calls.front() != NothingKnown();
}

bool CauseEvidence::MayHide(const Known& known) {
  return std::any_of(known.calls.begin(), known.calls.end(), &MayHideAFault);
}

bool CauseEvidence::MayHoldOfAny(const Rule& rule, const Known& known) {
  return std::any_of(known.calls.begin(), known.calls.end(),
                     [&](const CircumstanceValues& values) { return MayHold(rule, values); });
}

std::vector<CauseEvidence::Known> CauseEvidence::Look(const std::vector<const CauseCase*>& cases,
                                                      std::size_t most) const {
  const std::vector<const CauseCase*> sample = Sample(cases, most);
  std::vector<Known> known(sample.size());
  ForEach(sample.size(), [&](std::size_t i) {
    known[i] = {sample[i], circumstances_(sample[i]->number, true)};
  });
  return known;
}

void CauseEvidence::ForEach(std::size_t count, const std::function<void(std::size_t)>& work) const {
  std::atomic<std::size_t> next{0};
  OnThreads(jobs_, [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  });
}

CauseEvidence::CauseEvidence(CircumstancesOfCase circumstances,
                             const std::vector<CauseCase>& failing,
                             const std::vector<CauseCase>& passing, int jobs)
    : circumstances_(std::move(circumstances)), jobs_(std::max(1, jobs)), all_failing_(failing) {
  std::set<std::string> breached;
  std::vector<const CauseCase*> fails;
  for (const CauseCase& judged : failing) {
    fails.push_back(&judged);
    breached.insert(judged.clauses->begin(), judged.clauses->end());
  }
  std::vector<const CauseCase*> near;
  for (const CauseCase& judged : passing) {
    if (Meets(*judged.clauses, breached)) near.push_back(&judged);
  }
  failing_ = Look(fails, kMostFailing);
  near_ = Look(near, kMostPassing);
}

std::vector<const CauseEvidence::Known*> CauseEvidence::Past(AspectSet aspects) const {
  std::vector<const Known*> past;
  if (aspects == kAllAspects) return past;
  for (const Known& known : failing_) {
    const CauseCase& judged = *known.judged;
    if (judged.answer || judged.kept == nullptr || !IsPast(AspectsOf(judged), aspects)) continue;
    past.push_back(&known);
  }
  return past;
}

std::vector<const CauseEvidence::Known*> CauseEvidence::Compared(
    const std::set<std::string>& clauses, AspectSet aspects) const {
  std::vector<const Known*> compared;
  // Whatever its clauses are, a legal call that came back did not end badly.
  const bool of_end = aspects == AspectOf(Aspect::kEnd);
  for (const Known* known : Past(aspects)) {
    const bool meets = Meets(*known->judged->kept, clauses) && !MayHide(*known);
    if (meets || (of_end && !known->judged->answer)) compared.push_back(known);
  }
  for (const Known& known : near_) {
    // What is refused hides nothing in its data.
    const bool tells = known.judged->answer || !MayHide(known);
    if (tells && Meets(*known.judged->clauses, clauses)) compared.push_back(&known);
  }
  return compared;
}

std::set<std::string> CauseEvidence::ShownBeside(AspectSet aspects) const {
  std::set<std::string> shown;
  for (const Known& known : near_) {
    shown.insert(known.judged->clauses->begin(), known.judged->clauses->end());
  }
  for (const Known* known : Past(aspects)) {
    if (!MayHide(*known)) shown.insert(known->judged->kept->begin(), known->judged->kept->end());
  }
  return shown;
}

std::vector<const CircumstanceValues*> CauseEvidence::PassingBeside(
    const std::set<std::string>& clauses, AspectSet aspects, bool refusal) const {
  std::vector<const CircumstanceValues*> passing;
  for (const Known* known : Compared(clauses, aspects)) {
    if (known->calls.size() > 1 || (known->judged->answer && !refusal)) continue;
    passing.push_back(&known->calls.front());
  }
  return passing;
}

std::vector<const CircumstanceValues*> CauseEvidence::FailingIn(
    const std::set<std::string>& clauses, AspectSet aspects, bool refusal) const {
  std::vector<const CircumstanceValues*> failing;
  for (const Known& known : failing_) {
    // Of a sequence any call may be the one that fails.
    if (!IsSingle(&known) || known.judged->answer != refusal ||
        (AspectsOf(*known.judged) & aspects) == 0 || !Meets(*known.judged->clauses, clauses)) {
      continue;
    }
    failing.push_back(&known.calls.front());
  }
  return failing;
}

// The rule that these keep, all of them that are known, and hardly any that passes.
std::optional<Rule> CauseEvidence::RuleOfAll(const std::vector<const Known*>& failing,
                                             AspectSet aspects) const {
  std::vector<const CircumstanceValues*> own;
  std::set<std::string> clauses;
  // Of a sequence it is open which call failed: it teaches something only where nothing else does.
  const bool single = std::any_of(failing.begin(), failing.end(), &IsSingle);
  for (const Known* known : failing) {
    clauses.merge(BreachedIn(*known->judged, aspects));
    if (IsSingle(known) || (!single && known->calls.back() != NothingKnown())) {
      own.push_back(&known->calls.back());
    }
  }
  std::vector<Passing> passing;
  for (const CircumstanceValues* values :
       PassingBeside(clauses, aspects, failing.front()->judged->answer)) {
    passing.push_back({values, kSeenWeight});
  }
  if (passing.empty()) {
    // A fault may be invisible in all that passes.
    for (const Known& known : near_) {
      if (Meets(*known.judged->clauses, clauses) && IsSingle(&known)) {
        passing.push_back({&known.calls.front(), kSeenWeight});
      }
    }
  }
  if (passing.empty()) return Rule();
  if (own.empty()) return std::nullopt;
  Rule rule = Hypotheses(own, passing).Best().front().rule;
  const auto passes = std::count_if(passing.begin(), passing.end(),
                                    [&](const Passing& one) { return Holds(rule, *one.values); });
  const auto fails = static_cast<double>(own.size());
  if (fails < kNearlyAll * (fails + static_cast<double>(passes))) return std::nullopt;
  return rule;
}

// Of what `rest` lets through: what goes wrong in one way, the most common one first. What fails in
// two ways may have one cause, which most of its cases show.
std::vector<CauseEvidence::Group> CauseEvidence::ByWay(
    const std::function<bool(const Known&)>& rest) const {
  std::vector<Group> groups;
  for (const bool answer : {false, true}) {
    for (const AspectSet aspects : {kAllAspects, AspectOf(Aspect::kAnswer), AspectOf(Aspect::kEnd),
                                    AspectOf(Aspect::kResult), AspectOf(Aspect::kSideEffect)}) {
      Group group = {answer, aspects, {}};
      for (const Known& known : failing_) {
        const AspectSet own = AspectsOf(*known.judged);
        const bool unknown = own == kAllAspects;
        const bool alike = aspects == kAllAspects ? unknown : !unknown && (own & aspects) != 0;
        if (known.judged->answer == answer && alike && rest(known)) group.failing.push_back(&known);
      }
      if (!group.failing.empty()) groups.push_back(std::move(group));
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return a.failing.size() > b.failing.size();
  });
  return groups;
}

// Adds the rule that these cases of the group keep. False where there is none.
bool CauseEvidence::AddRule(const Group& group, const std::vector<const Known*>& failing,
                            std::vector<Seen>& rules) const {
  std::optional<Rule> rule = RuleOfAll(failing, group.aspects);
  if (!rule) return false;
  const auto told = std::find_if(rules.begin(), rules.end(),
                                 [&](const Seen& seen) { return seen.rule == *rule; });
  if (told == rules.end()) {
    rules.push_back({*std::move(rule), group.answer, group.aspects});
  } else {
    told->aspects |= group.aspects;
  }
  return true;
}

std::vector<CauseEvidence::Seen> CauseEvidence::RulesByWay(
    const std::function<bool(const Known&)>& rest) const {
  std::vector<Seen> rules;
  for (Group& group : ByWay(rest)) {
    std::erase_if(group.failing, [&](const Known* known) {
      return std::any_of(rules.begin(), rules.end(), [&](const Seen& seen) {
        return !seen.rule.empty() && MayHoldOfAny(seen.rule, *known);
      });
    });
    if (group.failing.empty() || AddRule(group, group.failing, rules)) continue;
    // More than one cause: each clause may have its own.
    std::map<std::vector<std::string>, std::vector<const Known*>> parts;
    for (const Known* known : group.failing) parts[*known->judged->clauses].push_back(known);
    for (const auto& [clauses, part] : parts) {
      if (parts.size() > 1) AddRule(group, part, rules);
    }
  }
  return rules;
}

void CauseEvidence::FindRest(RootCauses& found) const {
  std::vector<Rule> known_rules;
  for (const RootCause& cause : found.causes) known_rules.push_back(RuleOf(cause));
  const auto is_left = [&](const Known& known) {
    return std::none_of(known_rules.begin(), known_rules.end(),
                        [&](const Rule& rule) { return MayHoldOfAny(rule, known); });
  };
  std::map<AspectSet, std::set<std::string>> shown;
  // Asking did not explain why this call fails and others of its clauses pass: it comes and goes.
  const auto comes_and_goes = [&](const Known& known) {
    if (!found.asked || !IsSingle(&known)) return false;
    if (!found.causes.empty()) return true;
    const AspectSet aspects = AspectsOf(*known.judged);
    const auto [place, added] = shown.emplace(aspects, std::set<std::string>());
    if (added) place->second = ShownBeside(aspects);
    return Meets(BreachedIn(*known.judged, aspects), place->second);
  };
  // What such calls fail in is not of what ran before others, either.
  AspectSet unsteady = 0;
  for (const Known& known : failing_) {
    if (is_left(known) && comes_and_goes(known)) unsteady |= AspectsOf(*known.judged);
  }
  const std::vector<Seen> rules = RulesByWay([&](const Known& known) {
    return (AspectsOf(*known.judged) & unsteady) == 0 && is_left(known);
  });
  AspectSet ever = 0;
  for (const Seen& seen : rules) {
    if (seen.rule.empty() && !seen.answer) ever |= seen.aspects;
  }
  for (const Seen& seen : rules) {
    found.causes.push_back(CauseOf(seen.rule));
    found.aspects.push_back(AspectsBeside(ever, seen.rule.empty(), seen.aspects, rules.size()));
    found.without.emplace_back();
  }
}

void CauseEvidence::Close(RootCauses& found) const {
  Count(found);
  TellApart(found);
  for (std::size_t i = 0; i < found.causes.size(); ++i) {
    RootCause& cause = found.causes[i];
    const Rule rule = RuleOf(cause);
    cause.border = BorderOf(rule, ExamplesOf(cause, rule, found.aspects[i]));
  }
}

void CauseEvidence::TellApart(RootCauses& found) const {
  for (RootCause& cause : found.causes) {
    const std::set<std::string> clauses(cause.clauses.begin(), cause.clauses.end());
    const Rule rule = RuleOf(cause);
    cause.told_apart =
        rule.empty() || cause.nearest || cause.compared > 0 ||
        // One that may hide the fault is not compared, and did not fail.
        std::any_of(near_.begin(), near_.end(),
                    [&](const Known& known) { return Meets(*known.judged->clauses, clauses); }) ||
        std::any_of(failing_.begin(), failing_.end(), [&](const Known& known) {
          return Meets(*known.judged->clauses, clauses) && !MayHoldOfAny(rule, known);
        });
  }
}

// What failed, and what passed about the same clauses, by the call of which the rule holds.
std::vector<Example> CauseEvidence::ExamplesOf(const RootCause& cause, const Rule& rule,
                                               AspectSet aspects) const {
  const std::set<std::string> clauses(cause.clauses.begin(), cause.clauses.end());
  std::vector<Example> examples;
  const auto add = [&](const Known& known, Label label) {
    const auto call =
        std::find_if(known.calls.begin(), known.calls.end(),
                     [&](const CircumstanceValues& values) { return Holds(rule, values); });
    examples.push_back({call == known.calls.end() ? known.calls.front() : *call, label});
  };
  for (const Known& known : failing_) {
    if (Meets(BreachedIn(*known.judged, aspects), clauses)) add(known, Label::kFails);
  }
  for (const Known* known : Compared(clauses, aspects)) add(*known, Label::kPasses);
  return examples;
}

void CauseEvidence::Count(RootCauses& found) const {
  std::vector<Rule> rules;
  bool data = false;
  for (RootCause& cause : found.causes) {
    rules.push_back(RuleOf(cause));
    data = data || IsOfData(rules.back());
    cause.failing = cause.shared = cause.passing = cause.compared = 0;
  }
  found.unexplained = 0;
  std::vector<std::set<std::string>> clauses(rules.size());
  const bool mixed = std::any_of(all_failing_.begin(), all_failing_.end(),
                                 [](const CauseCase& judged) { return !judged.answer; });
  // Each counts for the first rule that holds of it; for one on what fails in every call, and for
  // one on what else does.
  struct Places {
    std::size_t first;
    std::size_t apart;
  };
  const auto find = [&](const Known& known) {
    const AspectSet fails = AspectsOf(*known.judged);
    Places places = {rules.size(), rules.size()};
    AspectSet ever = 0;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const bool always = rules[i].empty();
      if (always && mixed && known.judged->answer) continue;
      if (always && found.aspects[i] != kAllAspects) ever = found.aspects[i];
      const bool apart = !always && found.aspects[i] != kAllAspects;
      if (apart && ((fails & found.aspects[i]) == 0 || known.judged->answer)) continue;
      std::size_t& place = apart ? places.apart : places.first;
      if (place == rules.size() && MayHoldOfAny(rules[i], known)) place = i;
    }
    // What is explained apart from what fails in every call need not be a case of that, too.
    if (ever != 0 && places.apart < rules.size() && (fails & ever) == 0) {
      places.first = rules.size();
    }
    return places;
  };
  std::vector<Places> places(all_failing_.size());
  ForEach(places.size(), [&](std::size_t i) {
    const CauseCase& judged = all_failing_[i];
    const auto known = std::lower_bound(
        failing_.begin(), failing_.end(), judged.number,
        [](const Known& each, std::int64_t number) { return each.judged->number < number; });
    if (known != failing_.end() && known->judged == &judged) {
      places[i] = find(*known);
    } else {
      places[i] = find({&judged, circumstances_(judged.number, data)});
    }
  });
  for (std::size_t i = 0; i < places.size(); ++i) {
    const CauseCase& judged = all_failing_[i];
    const auto [first, apart] = places[i];
    if (first == rules.size() && apart == rules.size()) ++found.unexplained;
    for (const std::size_t place : {first, apart}) {
      if (place == rules.size()) continue;
      RootCause& cause = found.causes[place];
      if (cause.failing++ == 0) cause.case_number = judged.number;
      if (place == apart && first != rules.size()) ++cause.shared;
      // Of what no rule explains apart the first cause takes all.
      const bool whole = place == first && apart == rules.size();
      clauses[place].merge(BreachedIn(judged, whole ? kAllAspects : found.aspects[place]));
    }
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    RootCause& cause = found.causes[i];
    if (cause.failing == 0) continue;
    order.push_back(i);
    for (const Known* known :
         Compared(clauses[i], rules[i].empty() ? kAllAspects : found.aspects[i])) {
      ++cause.compared;
      if (HoldsOfAny(rules[i], *known)) ++cause.passing;
    }
    // What nobody tested and passing cases contradict explains nothing.
    const double most =
        rules[i].empty() ? 0 : (1 - kNearlyAll) * static_cast<double>(cause.compared);
    if (cause.tested == 0 && static_cast<double>(cause.passing) > most) {
      found.unexplained += cause.failing - cause.shared;
      order.pop_back();
      continue;
    }
    cause.clauses.assign(clauses[i].begin(), clauses[i].end());
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return found.causes[a].failing > found.causes[b].failing;
  });
  RootCauses sorted;
  sorted.unexplained = found.unexplained;
  for (const std::size_t i : order) {
    sorted.causes.push_back(std::move(found.causes[i]));
    sorted.aspects.push_back(found.aspects[i]);
    sorted.without.push_back(std::move(found.without[i]));
  }
  found = std::move(sorted);
}

CircumstanceValues NothingKnown() {
  return CircumstanceValues(AllCircumstances().size(), kNotLookedAt);
}

bool SaysRefusal(const Clause& clause) {
  return clause.expect && (clause.expect->any_error || clause.expect->status != 0);
}

bool SaysRefusal(const Spec& spec, const std::string& id) {
  const Clause* clause = spec.Find(id);
  return clause != nullptr && SaysRefusal(*clause);
}

std::vector<CircumstanceValues> CircumstancesOfCalls(const Case& problem, bool data) {
  std::vector<CircumstanceValues> calls;
  for (std::size_t call = 0; call < problem.calls.size(); ++call) {
    calls.push_back(CircumstancesOf(problem, call, data));
  }
  return calls;
}

CircumstancesOfCase CircumstancesIn(const TestPlan& plan) {
  return [&plan](std::int64_t number, bool data) {
    return CircumstancesOfCalls(plan.At(number).problem, data);
  };
}

RootCause CauseOf(const Rule& rule) {
  RootCause cause;
  for (const Literal& literal : rule) cause.rule.push_back(ConditionOf(literal));
  return cause;
}

Rule RuleOf(const RootCause& cause) {
  Rule rule;
  for (const RuleCondition& condition : cause.rule) {
    Literal literal;
    ParseTerm(condition.name, literal);
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

const RootCause* RootCauseOf(const Report& report, const Failure& failure) {
  const std::vector<CircumstanceValues> calls = CircumstancesOfCalls(failure.problem, true);
  const std::set<std::string> clauses(failure.clauses.begin(), failure.clauses.end());
  const RootCause* always = nullptr;
  for (const RootCause& cause : report.root_causes) {
    if (cause.advisory != failure.advisory || !Meets(cause.clauses, clauses)) continue;
    const Rule rule = RuleOf(cause);
    if (rule.empty()) {
      always = &cause;
    } else if (std::any_of(calls.begin(), calls.end(), [&](const CircumstanceValues& values) {
                 return MayHold(rule, values);
               })) {
      return &cause;
    }
  }
  return always;
}

}  // namespace poolproof
