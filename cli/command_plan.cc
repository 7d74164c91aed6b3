// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/plan_options.h"
#include "cli/program.h"
#include "cli/subject.h"

namespace poolproof {
namespace {

struct PlanCommand {
  std::optional<std::string> implementation;
  PlanArguments plan;
  bool campaign = false;
  std::optional<std::string> time;
  std::string shards;
  std::string output;
};

Result<int> MakePlan(const PlanCommand& arguments, const Io& io) {
  const Result<std::int64_t> shards = ParseCount("--shards", arguments.shards, 1);
  if (!shards.ok()) return shards.status();
  if (*shards > kMaxShards) {
    return InvalidArgument("--shards: '" + arguments.shards + "' is more than " +
                           std::to_string(kMaxShards));
  }
  Result<SessionOptions> options = MakeSessionOptions(arguments.plan, io);
  if (!options.ok()) return options.status();
  if (arguments.time && !arguments.campaign) {
    return InvalidArgument("--time: needs --campaign; use --deadline for a run");
  }
  if (arguments.campaign) {
    if (options->filter || options->case_file_cases || options->deadline || arguments.plan.set) {
      return InvalidArgument(
          "--campaign: cannot be combined with --set, --filter, --case-file or --deadline");
    }
    if (Status status = MakeCampaign(arguments.time, options.value()); !status.ok()) return status;
  }
  PlanFile plan;
  plan.tool_version = ToolVersion();
  const std::vector<Output> outputs = {
      {"-o", arguments.output, [&plan] { return PlanFileText(plan); }}};
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;

  plan.profile = options->profile.value_or(Profile::kAtlasA2);
  if (arguments.implementation) {
    const Result<Subject> subject = FindSubject(*arguments.implementation, {}, options->edition);
    if (!subject.ok()) return subject.status();
    const Result<Profile> profile = ProfileOf(*subject, options->profile);
    if (!profile.ok()) return profile.status();
    plan.profile = *profile;
  }
  const Spec& spec = Spec::Embedded(options->edition);
  const PlanFacts facts =
      DescribePlan(spec, plan.profile, *options, PartsFor(spec, *options), options->jobs);
  plan.options = std::move(options).value();
  plan.shards = static_cast<int>(*shards);
  plan.planned = facts.planned;
  plan.sha256 = facts.sha256;
  if (Status status = WriteOutputs(io, outputs); !status.ok()) return status;
  io.err << "poolproof: "
         << (plan.options.time ? "a campaign" : std::to_string(plan.planned) + " cases") << " on "
         << InfoOf(plan.profile).name << " in " << plan.shards
         << (plan.shards == 1 ? " shard" : " shards") << ", plan " << plan.sha256 << "\n";
  return kExitOk;
}

}  // namespace

void DeclarePlan(const Command& app, Action& action) {
  const Command command = app.AddCommand("plan", "Write a list of cases to split over machines");
  const auto arguments = std::make_shared<PlanCommand>();
  command
      .AddOption("--implementation", arguments->implementation,
                 "The implementation whose SoC name gives the profile, without --profile")
      .TypeName("X");
  DeclarePlanOptions(command, arguments->plan);
  command.AddFlag("--campaign", arguments->campaign, "The cases of a campaign of `poolproof fuzz`");
  command.AddOption("--time", arguments->time, "Wall time of each shard of a campaign")
      .TypeName("T");
  command.AddOption("--shards", arguments->shards, "Number of parts into which the cases are split")
      .TypeName("N")
      .Required();
  command.AddOption("-o,--output", arguments->output, "Write the plan here; - is stdout")
      .TypeName("F")
      .Required();
  command.SetGroup("Many machines");
  command.SetFooter(
      "Examples:\n"
      "  poolproof plan --profile atlas-a2 --shards 8 -o plan.json\n"
      "  poolproof plan --campaign --time 30m --shards 16 -o plan.json");
  command.OnChosen([arguments, &action] {
    action = [arguments](const Io& io) { return MakePlan(*arguments, io); };
  });
}

}  // namespace poolproof
