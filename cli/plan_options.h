// SPDX-License-Identifier: Apache-2.0
//
// The options that say what is judged, as `run`, `plan` and `fuzz` share them, and plan files,
// which pin them.
#ifndef POOLPROOF_CLI_PLAN_OPTIONS_H_
#define POOLPROOF_CLI_PLAN_OPTIONS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cli/io.h"
#include "conformance/session/session.h"
#include "core/status.h"

namespace poolproof {

// As given; nullopt: not given.
struct PlanArguments {
  std::optional<std::string> profile;
  std::optional<std::string> set;
  std::optional<std::string> seed;
  std::optional<std::string> cases;
  std::optional<std::string> deadline;
  std::optional<std::string> stop_after;
  std::optional<std::string> filter;
  std::vector<std::string> case_files;
};

void DeclarePlanOptions(const Command& command, PlanArguments& arguments);
Result<SessionOptions> MakeSessionOptions(const PlanArguments& arguments, const Io& io);
// --plan and --shard of `run` and `fuzz`.
void DeclareShardOptions(const Command& command, std::optional<std::string>& plan_file,
                         std::optional<std::string>& shard);
// --jobs of both, which no plan pins.
void DeclareJobs(const Command& command, std::optional<std::string>& jobs);
Status TakeJobs(const std::optional<std::string>& jobs, SessionOptions& options);

// Makes a campaign of the options: --time, --cases or ten minutes of exploration.
Status MakeCampaign(const std::optional<std::string>& time, SessionOptions& options);
// Sets the shard that --shard asks for; `planned` as ChooseShard's.
Status TakeShard(const std::string& option, std::optional<int> planned, SessionOptions& options);

// What a plan file pins.
struct PlanFile {
  SessionOptions options;  // of these, what PlanArguments says
  Profile profile = Profile::kAtlasA2;
  bool profile_asked = false;  // by --profile: the worker's environment then follows it
  int shards = 1;
  std::int64_t planned = 0;
  std::string sha256;
};

std::string PlanFileText(const PlanFile& plan);
// Reads a plan of this program's version of the clauses. errors: kInvalidArgument in one line.
Result<PlanFile> ParsePlanFile(std::string_view text);

// Of --plan.
Result<PlanFile> ReadPlanFile(const std::string& path);

// The cases of --plan, which must be the plan that `report` (a file) was judged by.
Result<CasePlan> ReadCasePlan(const std::string& path, const std::string& report,
                              const std::string& plan_sha256);

// The options of a run by a plan: those of the plan, none of which may be given beside it.
Result<SessionOptions> OptionsOfPlan(const PlanFile& plan, const PlanArguments& arguments,
                                     const Io& io);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_PLAN_OPTIONS_H_
