// SPDX-License-Identifier: Apache-2.0
//
// Root causes: rules on the circumstances of a run's cases that tell those that fail from those
// that pass. Which cases they are learnt of follows from the plan and from what failed alone.
#ifndef POOLPROOF_CONFORMANCE_TALLY_ROOT_CAUSES_H_
#define POOLPROOF_CONFORMANCE_TALLY_ROOT_CAUSES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/circumstance/rule.h"
#include "conformance/plan/test_plan.h"
#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// A judged case as root causes see it.
struct CauseCase {
  std::int64_t number = 0;
  // Of a failing case, what it breaches; of a passing one, what it is evidence for.
  const std::vector<std::string>* clauses = nullptr;
  // Of a failing case: one of the clauses says how a call is refused. Of a passing one: all do, so
  // that it says nothing of calls that are carried out.
  bool answer = false;
};

// Of a case that nobody knows: any rule may hold of it.
CircumstanceValues NothingKnown();

// Whether the clause says with what a call must be refused.
bool SaysRefusal(const Clause& clause);

struct RootCauses {
  std::vector<RootCause> causes;
  std::int64_t unexplained = 0;
  // Of each cause, other rules that say nearly the same of the cases.
  std::vector<std::vector<Rule>> rivals = {};
};

// The circumstances of each call of a case of the plan, those of its data only if `data`.
using CircumstancesOfCase =
    std::function<std::vector<CircumstanceValues>(std::int64_t number, bool data)>;

// What failed and what passed, from which rules are learnt. Which of many cases are looked at
// follows from their numbers alone.
class CauseEvidence {
 public:
  // `failing` breach required clauses; `passing` are those that passed. Both ascend by number, and
  // must outlive the object. `jobs`: threads that look at cases at once; nothing else depends on
  // it.
  CauseEvidence(CircumstancesOfCase circumstances, const std::vector<CauseCase>& failing,
                const std::vector<CauseCase>& passing, int jobs = 1);

  // A new case of one call, made to find out whether a rule is right. `answer`: as CauseCase's.
  void Add(CircumstanceValues values, Label label, bool answer);
  // Counts are those of the cases that are learnt from.
  [[nodiscard]] RootCauses Find() const;
  // Counts all failing cases, too, and tells how far each rule tells them from what passes.
  void Close(RootCauses& found) const;

 private:
  // A case with the circumstances of its calls.
  struct Known {
    const CauseCase* judged = nullptr;
    std::vector<CircumstanceValues> calls;
  };
  struct Tried {
    CircumstanceValues values;
    Label label = Label::kPasses;
    bool answer = false;
  };
  static bool HoldsOfAny(const Rule& rule, const Known& known);
  static bool MayHoldOfAny(const Rule& rule, const Known& known);
  [[nodiscard]] std::vector<Known> Look(const std::vector<const CauseCase*>& cases,
                                        std::size_t most) const;
  [[nodiscard]] std::vector<LearntRule> Learn() const;
  void Count(bool all, RootCauses& found) const;
  // Calls `work` for each number below `count`, on some threads.
  void ForEach(std::size_t count, const std::function<void(std::size_t)>& work) const;
  void TellApart(RootCauses& found) const;
  [[nodiscard]] std::vector<Example> ExamplesOf(const RootCause& cause, const Rule& rule) const;

  const CircumstancesOfCase circumstances_;
  const int jobs_;
  const std::vector<CauseCase>& all_failing_;
  std::vector<Known> failing_;    // those that are learnt from
  std::vector<Known> near_;       // that pass, about clauses that are breached
  std::vector<Known> elsewhere_;  // that pass, about others
  std::vector<Tried> tried_;
};

std::vector<CircumstanceValues> CircumstancesOfCalls(const Case& problem, bool data);
// The circumstances of the plan's cases.
CircumstancesOfCase CircumstancesIn(const TestPlan& plan);

// The rule of a root cause, of which the report keeps the words. Requires one that was found here.
Rule RuleOf(const RootCause& cause);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TALLY_ROOT_CAUSES_H_
