// SPDX-License-Identifier: Apache-2.0
//
// Plan files (schema poolproof-plan/1): which cases a run judges, so that several machines judge
// parts of one plan.
#ifndef POOLPROOF_CONFORMANCE_PLAN_PLAN_FILE_H_
#define POOLPROOF_CONFORMANCE_PLAN_PLAN_FILE_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/case_set.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

// What a run judges, and when it ends.
struct PlanOptions {
  std::optional<Profile> profile;  // else by the SoC, else atlas-a2
  Edition edition = Edition::kNewest;
  CaseSet set = CaseSet::kCi;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> cases;
  std::optional<std::chrono::milliseconds> deadline;
  std::optional<std::int64_t> stop_after;
  std::optional<std::string> filter;
  // Where given, only these are judged.
  std::optional<std::vector<NamedCase>> case_file_cases;
  // A campaign: explores, investigates failures while it goes on, ends when its time is over.
  bool campaign = false;
  std::optional<std::chrono::milliseconds> time;
};

struct PlanFile {
  std::string tool_version;
  PlanOptions options;  // a profile among them is that of the plan
  Profile profile = Profile::kAtlasA2;
  int shards = 1;
  std::int64_t planned = 0;
  std::string sha256;
};

std::string PlanFileText(const PlanFile& plan);
// Reads a plan of this program's version of the clauses. errors: kInvalidArgument in one line.
Result<PlanFile> ParsePlanFile(std::string_view text);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PLAN_PLAN_FILE_H_
