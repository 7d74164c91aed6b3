// SPDX-License-Identifier: Apache-2.0
//
// Verify: whether a report agrees with itself, with the spec and with the plan that it names, and
// whether an implementation answers as it says. Used by `poolproof verify`.
#ifndef POOLPROOF_CONFORMANCE_SESSION_VERIFY_H_
#define POOLPROOF_CONFORMANCE_SESSION_VERIFY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/plan/test_plan.h"
#include "conformance/result/report.h"
#include "conformance/session/session.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

// What does not agree: one line each, empty where all does.
std::vector<std::string> ContradictionsOf(const Report& report, const Spec& spec);

// The plan of the run, made again from its set, seed, profile and argv. errors: kNotFound where it
// cannot be made from them: case files are not part of a report.
Result<TestPlan> PlanOf(const Report& report, const Spec& spec);

// plan_sha256 of a run with this plan.
std::string PlanSha256(const TestPlan& plan, std::uint64_t seed, const Spec& spec, Profile profile);

struct RerunResult {
  std::int64_t failing = 0;  // cases that the report lists as failing, run again
  std::int64_t others = 0;   // cases of the plan, run again
  std::int64_t unclear = 0;  // of both, those that gave no verdict this time
  std::vector<std::string> contradictions;
};

// Runs a random sample of the report's failing cases and of the other cases of `plan` again, each
// in a fresh worker. errors: as RunSession.
Result<RerunResult> Rerun(const Report& report, const TestPlan* plan, const Spec& spec,
                          const Subject& subject, std::int64_t sample, std::uint64_t seed);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_VERIFY_H_
