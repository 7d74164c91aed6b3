// SPDX-License-Identifier: Apache-2.0
//
// Which failing cases a run looks into, and which of them it makes small. The choice follows from
// the failing cases alone; a shard, which sees some of them, looks into all that any number of
// shards together could choose.
#ifndef POOLPROOF_CONFORMANCE_PLAN_INVESTIGATIONS_H_
#define POOLPROOF_CONFORMANCE_PLAN_INVESTIGATIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case_set.h"
#include "conformance/result/shard_record.h"

namespace poolproof {

// How many failures a run looks into, and how far: counts, not clocks, so that the blame does not
// depend on the machine or on --jobs.
struct InvestigationPlan {
  std::size_t failures;         // looked into for their blame
  std::size_t timeouts;         // of them, calls that hung: each costs its deadline again
  std::size_t shrunk;           // of them, made small
  std::chrono::minutes safety;  // a net for libraries that make every attempt slow
};
InvestigationPlan PlanInvestigations(CaseSet set);
// A shard's: bounded by the signatures it meets.
InvestigationPlan PlanShardInvestigations(CaseSet set);

// A failing case as the choice sees it.
struct FailureRef {
  std::int64_t number = 0;
  std::string signature;  // CaseClass::signature
  bool timed_out = false;
};

// A failure to look into: the so many-th of its signature, and its position among the failures.
struct Choice {
  int rank;
  std::size_t position;
};

// The first of every signature, then the second, and so on, so that a budget that runs out has
// still seen all signatures. `failures` ascend by number.
std::vector<Choice> ChooseInvestigations(const std::vector<FailureRef>& failures,
                                         const InvestigationPlan& plan);

// What an investigation took a failing case for; nullopt where it found no failure, where there was
// no investigation, and for nullptr.
std::optional<std::string> KindOfFailure(const FailedCase* failed);

// Of the choices, the first of each kind of failure: one small counterexample of each kind is what
// a person reads. `kind_of` is KindOfFailure of the failing case with that number.
// `per_signature`: the first of each kind and signature, which holds the former whatever the other
// shards found.
std::vector<Choice> FirstOfKind(
    const std::vector<Choice>& choices, const std::vector<FailureRef>& failures,
    const std::function<std::optional<std::string>(std::int64_t number)>& kind_of,
    const InvestigationPlan& plan, bool per_signature);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PLAN_INVESTIGATIONS_H_
