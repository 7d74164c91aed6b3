// SPDX-License-Identifier: Apache-2.0
//
// Readings: what failing cases are charged with that were not investigated, by those that were.
#ifndef POOLPROOF_CONFORMANCE_TALLY_READINGS_H_
#define POOLPROOF_CONFORMANCE_TALLY_READINGS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/result/shard_record.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {

// Clauses and kinds of a verdict's findings: what blame is about.
using Blames = std::vector<Blame>;
Blames BlamesOf(const Verdict& verdict);
std::set<std::string> ClausesOf(const Blames& blames);

class Readings {
 public:
  explicit Readings(const ProfileRules& rules) : rules_(rules) {}

  // A case of the class was investigated. Requires `verdict` to outlive the readings. The first of
  // a symptom counts.
  void Learn(const CaseClass& kind, const Verdict& verdict);

  // How the others of the class are read: by the first of their symptom; without one, by the first
  // with the same findings whose clauses may be theirs; else by what the operator's failures turned
  // out to be. A wrong number charges no clause by a guess: such a blame may name none.
  [[nodiscard]] Blames Read(const CaseClass& kind) const;

  // The same with the clauses that nobody confirmed: what to investigate next.
  [[nodiscard]] Blames Guess(const CaseClass& kind) const;

  // Whether a case that was investigated breaches the clause.
  [[nodiscard]] bool IsConfirmed(const std::string& id) const { return confirmed_.contains(id); }

  // The clauses that such a case may be of, as far as its cause is not plain and no case of its
  // symptom was investigated: those of the judge's reading and those of its features.
  [[nodiscard]] std::set<std::string> NotLookedInto(const CaseClass& kind) const;

 private:
  [[nodiscard]] bool IsAbout(const Verdict& verdict, const CaseClass& kind) const;
  [[nodiscard]] const Verdict* SiblingOf(const CaseClass& kind) const;
  [[nodiscard]] const Verdict* LikeOf(const CaseClass& kind) const;
  [[nodiscard]] std::set<std::string> FeatureClauses(Operator op, std::uint32_t features) const;
  [[nodiscard]] bool IsConfirmedFor(Operator op, const std::string& id) const;

  const ProfileRules rules_;
  std::map<std::string, const Verdict*> by_symptom_;
  std::map<std::string, std::vector<const Verdict*>> by_findings_;  // whatever the features
  std::set<std::string> confirmed_;
  std::map<Operator, std::set<std::string>> confirmed_for_;
};

// A failing case, and what was made of it where it was investigated.
struct FailedReading {
  std::int64_t number = 0;
  const CaseClass* kind = nullptr;
  const Refinement* refined = nullptr;
  bool kept = true;  // whole, so that it can be investigated
};

// Cases that were not investigated and are read as breaches of clauses which no investigated case
// turned out to breach: a clause fails by what was found, not by a guess. `cases` ascend by
// number, and so does the result: of each clause some, with symptoms that differ; none of `tried`.
std::vector<std::int64_t> UnconfirmedReadings(const ProfileRules& rules,
                                              const std::vector<FailedReading>& cases,
                                              const std::set<std::int64_t>& tried);

// Investigates such cases until there are none, or for some rounds; returns those that it took.
// `cases` gives the failing cases as they are.
std::set<std::int64_t> ConfirmReadings(
    const ProfileRules& rules, const std::function<std::vector<FailedReading>()>& cases,
    const std::function<void(const std::vector<std::int64_t>&)>& look_into);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TALLY_READINGS_H_
