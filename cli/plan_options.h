// SPDX-License-Identifier: Apache-2.0
//
// The options that say what is judged, as `run`, `plan` and `fuzz` share them.
#ifndef POOLPROOF_CLI_PLAN_OPTIONS_H_
#define POOLPROOF_CLI_PLAN_OPTIONS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/io.h"
#include "conformance/plan/plan_file.h"
#include "conformance/session/session.h"
#include "core/status.h"

namespace poolproof {

// As given; nullopt: not given.
struct PlanArguments {
  std::optional<std::string> profile;
  std::optional<std::string> edition;
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

// Whose plan is judged, which part of it and with how many workers, as `run` and `fuzz` share it.
struct ShardArguments {
  std::optional<std::string> plan_file;
  std::optional<std::string> shard;
  std::optional<std::string> jobs;  // no plan pins them
};

void DeclareShardOptions(const Command& command, ShardArguments& arguments);  // but --jobs
void DeclareJobs(const Command& command, ShardArguments& arguments);

// Makes a campaign of the options: --time, --cases or ten minutes of exploration.
Status MakeCampaign(const std::optional<std::string>& time, SessionOptions& options);
// The options of --plan, none of which may be given beside it, or else those given, which `finish`
// may complete; with the shard and the workers that are asked for.
Result<SessionOptions> ChooseOptions(const PlanArguments& arguments, const ShardArguments& shards,
                                     const Io& io,
                                     const std::function<Status(SessionOptions&)>& finish = {});

// Of --plan.
Result<PlanFile> ReadPlanFile(const std::string& path);

// The cases of --plan, which must be the plan that `report` (a file) was judged by.
Result<TestPlan> ReadCasePlan(const std::string& path, const std::string& report,
                              const std::string& plan_sha256);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_PLAN_OPTIONS_H_
