// SPDX-License-Identifier: Apache-2.0
//
// Which failing cases a run investigates, and which of them it makes small. The choice follows from
// the failing cases alone; a shard, which sees some of them, investigates all that any number of
// shards together could choose.
#ifndef POOLPROOF_CONFORMANCE_PLAN_INVESTIGATIONS_H_
#define POOLPROOF_CONFORMANCE_PLAN_INVESTIGATIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/case/case_set.h"
#include "conformance/result/shard_record.h"

namespace poolproof {

// How many failures a run investigates, and how far: counts, not clocks, so that the blame does not
// depend on the machine or on --jobs.
struct InvestigationPlan {
  std::size_t failures;           // investigated for their blame
  std::size_t timeouts;           // of them, calls that hung: each costs its deadline again
  std::size_t shrunk;             // of them, made small
  std::chrono::minutes safety;    // a net for libraries that make every attempt slow
  std::size_t dear_per_findings;  // of those that take seconds for each attempt
  // Workers take long to start: failures that each end one are investigated by few of them.
  bool few_starts = false;
  // The run is of some of the cases: what is chosen holds what is chosen of all.
  bool is_part = false;
};
InvestigationPlan PlanInvestigations(CaseSet set);
// Of cases that failed before, to see whether they still do: a few are investigated, so that the
// answer comes soon.
InvestigationPlan PlanReruns(CaseSet set);
// A shard's: bounded by the symptoms it meets.
InvestigationPlan PlanShardInvestigations(CaseSet set);

// What a failing case needs of an investigation.
enum class Need : std::uint8_t {
  kCause,    // wrong numbers, crashes and damage: the judge's reading is but a first guess
  kRefusal,  // a valid call was refused: which feature of it is not taken
  kNothing,  // its clause is plain; the first of a symptom is confirmed and made small
};

// A failing case as the choice sees it.
struct FailureRef {
  std::int64_t number = 0;
  std::string symptom;  // findings and features
  std::string family;   // that the case is of
  Need need = Need::kCause;
  bool timed_out = false;
  std::string findings = {};  // of the symptom
  bool ends_worker = false;   // the process ended, or its device failed
  double cost = 0;            // of an attempt (CostOf); infinity where the case was not kept
  std::string kinds = {};     // what was wrong, whatever the clauses
};
// `failed`: nullptr where the case was not kept.
FailureRef FailureRefOf(std::int64_t number, const CaseClass& kind,
                        const FailedCase* failed = nullptr);

// A failure to investigate: the so many-th of its symptom, and its position among the failures.
struct Choice {
  int rank;
  std::size_t position;
};

// Of few_starts: how many workers may be started to investigate the failures that end one, by their
// position: together no more than one for each such failure. `chosen`: of these failures; others
// that end a worker are worth none.
std::map<std::size_t, int> StartsToSpend(const std::vector<FailureRef>& failures,
                                         const std::vector<Choice>& chosen);

// What a failing case is read by: its wrong answers, or, where there are none, what shows beside
// right ones. A fault that shows in every call makes no symptoms of its own.
std::vector<Blame> AtIssue(const std::vector<Blame>& blames);

// The first of every symptom, then the second, and so on, so that a budget that runs out has still
// seen all symptoms; among the first ones those come first whose findings no other has, then a
// second one with the same findings, and so on; among these, wrong numbers and crashes come first.
// Of each symptom those that cost least are chosen, and so the first of each family of cases; of
// few failures all, except for those that are slow, of which some with the same findings are.
// `failures` ascend by number.
std::vector<Choice> ChooseInvestigations(const std::vector<FailureRef>& failures,
                                         const InvestigationPlan& plan);

// The same in two turns: one of each symptom, and some of the same findings; then the others of
// findings which these were not all found to be alike in.
struct Turns {
  std::vector<Choice> first;
  std::vector<Choice> second;
};
// What an investigation found a failing case to breach, for comparison; nullopt where nothing
// came of it. Of one that is behind others nothing else is known.
using FoundClauses = std::optional<std::set<std::string>>;
FoundClauses FoundBy(const Refinement* refined);
FoundClauses FoundOfOthers();
Turns InTurns(const std::vector<Choice>& chosen, const std::vector<FailureRef>& failures);
// Which of the second turn are left to investigate. `found`: of the first turn's.
std::vector<Choice> LeftOfSecond(const Turns& turns, const std::vector<FailureRef>& failures,
                                 const std::function<FoundClauses(std::int64_t number)>& found);

// Of the failures that are behind others (Refinement), those in which the same was wrong: whose
// earlier calls are looked for, and whose only where these do not tell enough. By `kinds`: the
// clauses by which the judge read a wrong answer are those of the answer, and such a failure is of
// the calls before it. In the order of the choice.
struct BehindOthersGroup {
  std::vector<std::int64_t> searched;
  std::vector<std::int64_t> others;
};
using OthersSearched = std::map<std::string, BehindOthersGroup>;
OthersSearched GroupBehindOthers(const std::vector<Choice>& chosen,
                                 const std::vector<FailureRef>& failures,
                                 const std::function<bool(std::int64_t number)>& is_behind);

// Whether all that were searched breach what BehindOthers says of the others. `refined`: nullptr
// where nothing came of it.
bool TellEnough(const BehindOthersGroup& group,
                const std::function<const Refinement*(std::int64_t number)>& refined);

// What an investigation took a failing case for; nullopt where it found no failure, where there was
// no investigation, and for nullptr.
std::optional<std::string> KindOfFailure(const FailedCase* failed);

// Of the choices, the first of each kind of failure: one small counterexample of each kind is what
// a person reads. `kind_of` is KindOfFailure of the failing case with that number.
// `per_symptom`: the first of each kind and symptom, which holds the former whatever the other
// shards found.
std::vector<Choice> FirstOfKind(
    const std::vector<Choice>& choices, const std::vector<FailureRef>& failures,
    const std::function<std::optional<std::string>(std::int64_t number)>& kind_of,
    const InvestigationPlan& plan, bool per_symptom);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PLAN_INVESTIGATIONS_H_
