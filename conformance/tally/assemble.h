// SPDX-License-Identifier: Apache-2.0
//
// AssembleReport: the report of a run from the records of its shards. The only place where a report
// comes about: that of one process is that of one shard.
#ifndef POOLPROOF_CONFORMANCE_TALLY_ASSEMBLE_H_
#define POOLPROOF_CONFORMANCE_TALLY_ASSEMBLE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case_set.h"
#include "conformance/plan/test_plan.h"
#include "conformance/result/report.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"
#include "conformance/tally/root_causes.h"
#include "conformance/tally/tally.h"
#include "conformance/waiver/waiver.h"
#include "core/status.h"

namespace poolproof {

// Cases of a campaign that has no bound but its time: its plan is what it comes to judge.
inline constexpr std::int64_t kOpenPlan = std::int64_t{1} << 40;

// Where nothing shows a required clause, since what would have shown it failed for other reasons.
struct HiddenClause {
  std::string clause;
  std::optional<Facet> facet;      // of calls with it, or
  std::optional<Operator> op;      // of its calls
  std::vector<const Case*> cases;  // some that failed, of one call each; at least one
};

// What a run is, beside what its shards found.
struct RunFrame {
  const Spec& spec;
  Profile profile = Profile::kAtlasA2;
  Capabilities capabilities;
  CaseSet set = CaseSet::kCi;
  std::int64_t planned = 0;  // cases of the whole plan
  ReasonNotExercisedFunction reason_not_exercised;
  // Where there are waivers, `plan` says which cases they are about.
  std::vector<Waiver> waivers = {};
  std::string today = {};  // a date, by which waivers expire
  const TestPlan* plan = nullptr;
  int jobs = 1;  // threads that look at cases for root causes
  // The library is not at hand, so that nobody can investigate a failure: clauses are charged by
  // the judge's own reading of the answers.
  bool answers_alone = false;
  // Where the library is at hand: finds the root causes of a report by experiment.
  std::function<RootCauses(const CauseEvidence&, const Report&)> explain = {};
  // The same: finds cases that pass and show such clauses beside the causes of the report.
  std::function<std::vector<CaseClass>(const std::vector<HiddenClause>&, const Report&)> prove = {};
};

// A record and the shard that it is of.
struct ShardPart {
  int index = 0;
  const ShardRecord* record = nullptr;
};

// Completes `report`, of which tool, spec, environment, implementation (without observations),
// profile, and the run's seed, argv, scope, set, plan_sha256, shards, start and duration are
// filled. `parts` ascend by index; `of` is the number of shards that the run was split into.
// errors: kInvalidArgument where shards judged a case twice, or where all are there, came to their
// end and judged not all.
Result<Report> AssembleReport(const RunFrame& frame, const std::vector<ShardPart>& parts, int of,
                              Report report);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TALLY_ASSEMBLE_H_
