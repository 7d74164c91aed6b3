// SPDX-License-Identifier: Apache-2.0
//
// Root causes: rules on the circumstances of a run's cases that tell those that fail from those
// that pass. Which cases they are learnt of follows from the plan and from what failed alone.
#ifndef POOLPROOF_CONFORMANCE_TALLY_ROOT_CAUSES_H_
#define POOLPROOF_CONFORMANCE_TALLY_ROOT_CAUSES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/circumstance/rule.h"
#include "conformance/plan/test_plan.h"
#include "conformance/result/finding_kind.h"
#include "conformance/result/report.h"
#include "conformance/result/shard_record.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// What of calls goes wrong: what fails in every call hides nothing but what would come after it.
using AspectSet = std::uint8_t;  // bits by Aspect
inline constexpr AspectSet kAllAspects = 0xf;
AspectSet AspectsOf(const std::vector<Blame>& blames);
constexpr AspectSet AspectOf(Aspect aspect) {
  return static_cast<AspectSet>(1U << static_cast<unsigned>(aspect));
}

// A judged case as root causes see it.
struct CauseCase {
  std::int64_t number = 0;
  // Of a failing case, what it breaches; of a passing one, what it is evidence for.
  const std::vector<std::string>* clauses = nullptr;
  // Of a failing case: one of the clauses says how a call is refused. Of a passing one: all do, so
  // that it says nothing of calls that are carried out.
  bool answer = false;
  // Of a failing case: what breaches which of the clauses, and the clauses that it keeps as far as
  // it is carried out. nullptr: not known.
  const std::vector<Blame>* blames = nullptr;
  const std::vector<std::string>* kept = nullptr;
};

// Of a case that nobody knows: any rule may hold of it.
CircumstanceValues NothingKnown();

// Whether a call that fails so was answered, and came to its end.
bool GotResult(AspectSet fails);
// Whether it was answered rightly, then.
bool GotRightResult(AspectSet fails);
// Whether a case that fails so shows that it is right in `aspects`.
bool IsPast(AspectSet fails, AspectSet aspects);

// Whether the clause says with what a call must be refused.
bool SaysRefusal(const Clause& clause);
// Of an id; false of one that the spec lacks.
bool SaysRefusal(const Spec& spec, const std::string& id);

struct RootCauses {
  std::vector<RootCause> causes;
  std::int64_t unexplained = 0;
  // Of each cause, what it is a cause of. Where something goes wrong in every call, the rest has
  // root causes of its own.
  std::vector<AspectSet> aspects = {};
  // Of each cause, clauses about features that calls fail without.
  std::vector<std::set<std::string>> without = {};
  // The library was asked about the failing cases of one call until nothing was left to ask.
  bool asked = false;
};

// What a cause of `causes` is a cause of, `own` where something else does not fail in every call.
// `ever`: what does; `always`: it is a cause of that.
AspectSet AspectsBeside(AspectSet ever, bool always, AspectSet own, std::size_t causes);

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

  // Adds what the cases themselves say of those that `found` does not explain: where all was asked,
  // nothing of calls that pass and fail for no reason that was found. Counts nothing.
  void FindRest(RootCauses& found) const;

  // Of the cases of one call that are learnt from: those that pass in these aspects, about the
  // clauses, and would hardly do so by chance; and those that fail in them. `refusal`: of calls
  // that must be refused.
  [[nodiscard]] std::vector<const CircumstanceValues*> PassingBeside(
      const std::set<std::string>& clauses, AspectSet aspects, bool refusal) const;
  [[nodiscard]] std::vector<const CircumstanceValues*> FailingIn(
      const std::set<std::string>& clauses, AspectSet aspects, bool refusal) const;
  // Counts the cases, and tells how far each rule tells them from what passes.
  void Close(RootCauses& found) const;

 private:
  // A case with the circumstances of its calls.
  struct Known {
    const CauseCase* judged = nullptr;
    std::vector<CircumstanceValues> calls;
  };
  static bool HoldsOfAny(const Rule& rule, const Known& known);
  static bool IsSingle(const Known* known);
  static bool MayHide(const Known& known);
  static bool MayHoldOfAny(const Rule& rule, const Known& known);
  [[nodiscard]] std::vector<Known> Look(const std::vector<const CauseCase*>& cases,
                                        std::size_t most) const;
  struct Seen {
    Rule rule;
    bool answer = false;
    AspectSet aspects = 0;
  };
  struct Group {
    bool answer = false;
    AspectSet aspects = 0;
    std::vector<const Known*> failing;
  };
  [[nodiscard]] std::vector<Group> ByWay(const std::function<bool(const Known&)>& rest) const;
  bool AddRule(const Group& group, const std::vector<const Known*>& failing,
               std::vector<Seen>& rules) const;
  [[nodiscard]] std::vector<Seen> RulesByWay(const std::function<bool(const Known&)>& rest) const;
  [[nodiscard]] std::optional<Rule> RuleOfAll(const std::vector<const Known*>& failing,
                                              AspectSet aspects) const;
  // Cases that fail, and pass as far as `aspects` go.
  [[nodiscard]] std::vector<const Known*> Past(AspectSet aspects) const;
  // The clauses that cases are about which pass in `aspects`.
  [[nodiscard]] std::set<std::string> ShownBeside(AspectSet aspects) const;
  // Cases that pass in `aspects`, about these clauses, and would hardly do so by chance.
  [[nodiscard]] std::vector<const Known*> Compared(const std::set<std::string>& clauses,
                                                   AspectSet aspects) const;
  void Count(RootCauses& found) const;
  // Calls `work` for each number below `count`, on some threads.
  void ForEach(std::size_t count, const std::function<void(std::size_t)>& work) const;
  void TellApart(RootCauses& found) const;
  [[nodiscard]] std::vector<Example> ExamplesOf(const RootCause& cause, const Rule& rule,
                                                AspectSet aspects) const;

  const CircumstancesOfCase circumstances_;
  const int jobs_;
  const std::vector<CauseCase>& all_failing_;
  std::vector<Known> failing_;  // those that are learnt from
  std::vector<Known> near_;     // that pass, about clauses that are breached
};

std::vector<CircumstanceValues> CircumstancesOfCalls(const Case& problem, bool data);
// The circumstances of the plan's cases.
CircumstancesOfCase CircumstancesIn(const TestPlan& plan);

// A root cause with that rule, and nothing counted yet.
RootCause CauseOf(const Rule& rule);

// The rule of a root cause, of which the report keeps the words. Requires one that was found here.
Rule RuleOf(const RootCause& cause);

// The root cause of a failing case of the report: one of the same clauses whose rule holds of one
// of its calls, one that always does where there is no other. nullptr: none.
const RootCause* RootCauseOf(const Report& report, const Failure& failure);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TALLY_ROOT_CAUSES_H_
