// SPDX-License-Identifier: Apache-2.0
//
// MergeReports: one report of the reports of a plan's shards. Associative, commutative and
// idempotent, except for what says how and when it was made.
#ifndef POOLPROOF_CONFORMANCE_TALLY_MERGE_H_
#define POOLPROOF_CONFORMANCE_TALLY_MERGE_H_

#include <string>
#include <vector>

#include "conformance/plan/test_plan.h"
#include "conformance/result/report.h"
#include "conformance/spec/spec.h"
#include "conformance/tally/tally.h"
#include "conformance/waiver/waiver.h"
#include "core/status.h"

namespace poolproof {

struct NamedReport {
  std::string name;  // of the file, for errors
  Report report;
};

// Waivers of the merged run, and the plan that says which cases they are about.
struct MergeWaivers {
  std::vector<Waiver> waivers;
  std::string today;               // a date; empty: that of the run's start
  const TestPlan* plan = nullptr;  // required where there are waivers: that of the reports
};

// Requires at least one report. A shard that none of them holds leaves the result incomplete.
// errors: kInvalidArgument naming the files where they are of different plans or implementations,
// where a shard has two results, or where no record says what a shard found.
Result<Report> MergeReports(const Spec& spec,
                            const ReasonNotExercisedFunction& reason_not_exercised,
                            std::vector<NamedReport> reports, std::vector<std::string> argv,
                            MergeWaivers waivers = {});

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TALLY_MERGE_H_
