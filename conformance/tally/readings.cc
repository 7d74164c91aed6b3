// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/readings.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "conformance/plan/investigations.h"
#include "conformance/result/side_effect.h"

namespace poolproof {
namespace {

// Kinds whose clause follows from contrasts alone.
bool NeedsContrast(FindingKind kind) {
  // Calls that hang are varied too little to tell.
  return IsWrongNumber(kind) || kind == FindingKind::kRefused ||
         (IsBadEnd(kind) && kind != FindingKind::kTimedOut);
}

// The answers of `read`, beside what shows in the case itself.
Blames WithOwnSideEffects(const Blames& read, const CaseClass& kind) {
  Blames blames;
  for (const Blame& blame : read) {
    if (!IsSideEffect(blame.kind)) blames.push_back(blame);
  }
  if (blames.empty()) return read;
  for (const Blame& blame : kind.blames) {
    if (IsSideEffect(blame.kind)) blames.push_back(blame);
  }
  return blames;
}

// The key of the symptom among the cases of one family; no symptom holds the separator.
std::string InFamily(const FailureRef& failure) { return failure.symptom + "\n" + failure.family; }

}  // namespace

Blames BlamesOf(const Verdict& verdict) {
  Blames blames;
  for (const Finding& finding : verdict.findings) blames.push_back({finding.kind, finding.clauses});
  return blames;
}

std::set<std::string> ClausesOf(const Blames& blames) {
  std::set<std::string> clauses;
  for (const Blame& blame : blames) clauses.insert(blame.clauses.begin(), blame.clauses.end());
  return clauses;
}

void Readings::Learn(const CaseClass& kind, const Verdict& verdict) {
  const FailureRef failure = FailureRefOf(0, kind);
  by_symptom_.emplace(InFamily(failure), &verdict);
  by_symptom_.emplace(failure.symptom, &verdict);
  by_findings_[failure.findings].push_back(&verdict);
  const std::set<std::string> clauses = ClausesOf(verdict);
  confirmed_for_[kind.op].insert(clauses.begin(), clauses.end());
  confirmed_.insert(clauses.begin(), clauses.end());
}

// Whether each clause that the verdict names is one of an operator that the case calls, or of all.
// What takes earlier calls to fail may have been found to be a fault of these.
bool Readings::IsAbout(const Verdict& verdict, const CaseClass& kind) const {
  const auto calls = [&](Operator op) {
    const auto same = [&](Operator own) { return InfoOf(own).backward == InfoOf(op).backward; };
    return same(kind.op) || std::any_of(kind.operators.begin(), kind.operators.end(), same);
  };
  const std::set<std::string> clauses = ClausesOf(verdict);
  return std::all_of(clauses.begin(), clauses.end(), [&](const std::string& id) {
    const Clause* clause = rules_.spec().Find(id);
    if (clause == nullptr) return true;
    const std::optional<Operator> op = ParseOperator(clause->operator_name);
    return !op || calls(*op);
  });
}

const Verdict* Readings::SiblingOf(const CaseClass& kind) const {
  const FailureRef failure = FailureRefOf(0, kind);
  for (const std::string& key : {InFamily(failure), failure.symptom}) {
    const auto place = by_symptom_.find(key);
    if (place != by_symptom_.end() && IsAbout(*place->second, kind)) return place->second;
  }
  return nullptr;
}

std::set<std::string> Readings::FeatureClauses(Operator op, std::uint32_t features) const {
  std::set<std::string> clauses;
  if (InfoOf(op).is_forward) return clauses;  // its page's are the backward's
  for (const Condition condition : ConditionsOf(InfoOf(op).backward, features)) {
    const std::string id = rules_.IdOf(InfoOf(op).backward, condition);
    if (!id.empty()) clauses.insert(id);
  }
  return clauses;
}

// The first with the same findings that names no clause of a feature which these cases lack.
const Verdict* Readings::LikeOf(const CaseClass& kind) const {
  const auto place = by_findings_.find(FailureRefOf(0, kind).findings);
  if (place == by_findings_.end()) return nullptr;
  const std::set<std::string> own = FeatureClauses(kind.op, kind.features);
  const std::set<std::string> all = FeatureClauses(kind.op, ~std::uint32_t{0});
  const auto fits = [&](const Verdict* verdict) {
    const std::set<std::string> clauses = ClausesOf(*verdict);
    return !clauses.empty() && IsAbout(*verdict, kind) &&
           std::all_of(clauses.begin(), clauses.end(),
                       [&](const auto& id) { return own.contains(id) || !all.contains(id); });
  };
  const auto found = std::find_if(place->second.begin(), place->second.end(), fits);
  return found == place->second.end() ? nullptr : *found;
}

bool Readings::IsConfirmedFor(Operator op, const std::string& id) const {
  const auto known = confirmed_for_.find(op);
  return known != confirmed_for_.end() && known->second.contains(id);
}

Blames Readings::Read(const CaseClass& kind) const {
  Blames blames = Guess(kind);
  const bool wrong = std::any_of(blames.begin(), blames.end(),
                                 [](const Blame& blame) { return IsWrongNumber(blame.kind); });
  for (Blame& blame : blames) {
    // That a valid call does not succeed is a breach whatever its cause; a wrong number is one of
    // the clause that its cause is of, and so are runs that differ since some of them are wrong.
    if (!IsWrongNumber(blame.kind) && !(wrong && blame.kind == FindingKind::kNotRepeatable)) {
      continue;
    }
    std::erase_if(blame.clauses, [&](const std::string& id) { return !IsConfirmed(id); });
  }
  return blames;
}

Blames Readings::Guess(const CaseClass& kind) const {
  for (const Verdict* known : {SiblingOf(kind), LikeOf(kind)}) {
    if (known != nullptr) return WithOwnSideEffects(BlamesOf(*known), kind);
  }
  if (!confirmed_for_.contains(kind.op)) return kind.blames;
  const auto is_confirmed = [&](const Blame& blame) {
    return std::any_of(blame.clauses.begin(), blame.clauses.end(),
                       [&](const std::string& id) { return IsConfirmedFor(kind.op, id); });
  };
  // Wrong numbers alone may have several readings: those that were not confirmed are dropped while
  // one remains.
  Blames narrowed = kind.blames;
  std::erase_if(narrowed, [&](const Blame& blame) {
    return IsWrongNumber(blame.kind) && !is_confirmed(blame);
  });
  if (narrowed.empty()) narrowed = kind.blames;
  // A clause about every call is no better guess than one on a feature of this case that
  // is known to be breached.
  std::vector<std::string> features;
  for (const std::string& id : FeatureClauses(kind.op, kind.features)) {
    if (IsConfirmedFor(kind.op, id)) features.push_back(id);
  }
  for (Blame& blame : narrowed) {
    if (NeedsContrast(blame.kind) && !is_confirmed(blame) && !features.empty()) {
      blame.clauses = features;
    }
  }
  return narrowed;
}

std::set<std::string> Readings::NotLookedInto(const CaseClass& kind) const {
  if (FailureRefOf(0, kind).need == Need::kNothing || SiblingOf(kind) != nullptr) return {};
  std::set<std::string> clauses;
  for (const Blame& blame : kind.blames) {
    if (NeedsContrast(blame.kind)) clauses.insert(blame.clauses.begin(), blame.clauses.end());
  }
  // What has its clause by itself (damage, hangs) leaves no other in doubt.
  if (!clauses.empty()) clauses.merge(FeatureClauses(kind.op, kind.features));
  return clauses;
}

std::vector<std::int64_t> UnconfirmedReadings(const ProfileRules& rules,
                                              const std::vector<FailedReading>& cases,
                                              const std::set<std::int64_t>& tried) {
  constexpr std::size_t kOfEachClause = 3;
  Readings readings(rules);
  for (const FailedReading& failed : cases) {
    if (failed.refined != nullptr) readings.Learn(*failed.kind, failed.refined->verdict);
  }
  // What cases of a class are read as, of what nobody confirmed.
  struct Guess {
    std::string symptom;
    std::set<std::string> clauses;
  };
  std::map<const CaseClass*, Guess> guesses;
  const auto guess_of = [&](const CaseClass& kind) {
    const FailureRef failure = FailureRefOf(0, kind);
    Guess guess{failure.symptom, {}};
    // One more that hangs would cost its deadline again.
    if (failure.need == Need::kNothing || failure.timed_out) return guess;
    guess.clauses = ClausesOf(readings.Guess(kind));
    std::erase_if(guess.clauses, [&](const std::string& id) { return readings.IsConfirmed(id); });
    return guess;
  };
  std::map<std::string, std::set<std::string>> symptoms;  // taken, by clause
  std::vector<std::int64_t> numbers;
  for (const FailedReading& failed : cases) {
    if (failed.refined != nullptr || !failed.kept || tried.contains(failed.number)) continue;
    auto place = guesses.find(failed.kind);
    if (place == guesses.end()) place = guesses.emplace(failed.kind, guess_of(*failed.kind)).first;
    bool wanted = false;
    for (const std::string& id : place->second.clauses) {
      std::set<std::string>& taken = symptoms[id];
      if (taken.size() < kOfEachClause) wanted |= taken.insert(place->second.symptom).second;
    }
    if (wanted) numbers.push_back(failed.number);
  }
  return numbers;
}

std::set<std::int64_t> ConfirmReadings(
    const ProfileRules& rules, const std::function<std::vector<FailedReading>()>& cases,
    const std::function<void(const std::vector<std::int64_t>&)>& look_into) {
  constexpr int kRounds = 6;
  std::set<std::int64_t> tried;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<std::int64_t> numbers = UnconfirmedReadings(rules, cases(), tried);
    if (numbers.empty()) break;
    tried.insert(numbers.begin(), numbers.end());
    look_into(numbers);
  }
  return tried;
}

}  // namespace poolproof
