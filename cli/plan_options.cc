// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_options.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "cli/edition_option.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/report_cases.h"
#include "cli/shard_choice.h"
#include "conformance/corpus/case_file.h"
#include "conformance/session/environment.h"
#include "reports/parse.h"

namespace poolproof {
namespace {

// Comment lines are blank ones, so that line numbers stay.
std::string WithoutComments(const std::string& text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t first = text.find_first_not_of(" \t\r", at);
    if (first >= end || text[first] != '#') kept += text.substr(at, end - at);
    if (end < text.size()) kept += '\n';
    at = end + 1;
  }
  return kept;
}

// The cases of a case file, of a report's failures, or of one of them.
Result<std::vector<NamedCase>> ParseCases(const std::string& text, const std::string& path) {
  if (LooksLikeReport(text)) {
    const Result<Report> report = ParseReport(text);
    if (!report.ok()) return report.status().Annotate(path);
    Result<std::vector<NamedCase>> failed = FailedCases(*report);
    return failed.ok() ? failed : Result<std::vector<NamedCase>>(failed.status().Annotate(path));
  }
  return ParseCaseFile(CaseOfFailureObject(text).value_or(WithoutComments(text)), path);
}

Result<std::vector<NamedCase>> ReadCaseFiles(const std::vector<std::string>& paths) {
  std::vector<NamedCase> cases;
  for (const std::string& path : paths) {
    const Result<std::string> text = ReadFile("--case-file", path);
    if (!text.ok()) return text.status();
    Result<std::vector<NamedCase>> parsed = ParseCases(*text, path);
    if (!parsed.ok()) return parsed.status().Annotate("--case-file");
    std::move(parsed.value().begin(), parsed.value().end(), std::back_inserter(cases));
  }
  return cases;
}

// The options of a run by a plan: those of the plan, none of which may be given beside it.
Result<SessionOptions> OptionsOfPlan(const PlanFile& plan, const PlanArguments& arguments,
                                     const Io& io) {
  const std::array<std::pair<const char*, bool>, 9> given = {
      {{"--profile", arguments.profile.has_value()},
       {"--edition", arguments.edition.has_value()},
       {"--set", arguments.set.has_value()},
       {"--seed", arguments.seed.has_value()},
       {"--cases", arguments.cases.has_value()},
       {"--deadline", arguments.deadline.has_value()},
       {"--stop-after", arguments.stop_after.has_value()},
       {"--filter", arguments.filter.has_value()},
       {"--case-file", !arguments.case_files.empty()}}};
  for (const auto& [option, is_given] : given) {
    if (is_given) return InvalidArgument(std::string(option) + ": cannot be combined with --plan");
  }
  SessionOptions options;
  static_cast<PlanOptions&>(options) = plan.options;
  options.argv = io.argv;
  options.tool_version = ToolVersion();
  options.jobs = AvailableProcessors();
  options.pinned = PlanPin{plan.profile, plan.sha256};
  return options;
}

Status TakeJobs(const std::optional<std::string>& jobs, SessionOptions& options) {
  if (!jobs) return OkStatus();
  const Result<std::int64_t> count = ParseCount("--jobs", *jobs, 1);
  if (!count.ok()) return count.status();
  options.jobs = static_cast<int>(std::min<std::int64_t>(*count, 1024));
  return OkStatus();
}

// `planned` as ChooseShard's.
Status TakeShard(const std::string& option, std::optional<int> planned, SessionOptions& options) {
  const Result<ShardChoice> choice =
      ChooseShard(option, planned, [](const char* name) { return std::getenv(name); });
  if (!choice.ok()) return choice.status();
  options.shard = choice->shard;
  options.shard_taken_from = choice->taken_from;
  // Tells the engine that shards are understood here.
  if (!choice->status_file.empty()) (void)std::ofstream(choice->status_file);
  return OkStatus();
}

}  // namespace

void DeclarePlanOptions(const Command& command, PlanArguments& arguments) {
  command
      .AddOption("--profile", arguments.profile,
                 "Product family; default: what the SoC name says, else atlas-a2")
      .TypeName("P");
  DeclareEdition(command, arguments.edition);
  command.AddOption("--set", arguments.set, "smoke, ci or nightly; default ci").TypeName("S");
  command.AddOption("--seed", arguments.seed, "Seed of the random cases; default 1").TypeName("N");
  command.AddOption("--cases", arguments.cases, "Judge at most N cases").TypeName("N");
  command
      .AddOption("--deadline", arguments.deadline, "Wall time of the run, such as 60s, 5m or 500ms")
      .TypeName("T");
  command
      .AddOption("--stop-after", arguments.stop_after,
                 "End at the Nth case that fails a required clause")
      .TypeName("N");
  command.AddOption("--filter", arguments.filter, "Only cases whose operator/family/name matches")
      .TypeName("GLOB");
  command
      .AddOption("--case-file", arguments.case_files,
                 "Judge only the cases of this file, or of a report (may be repeated)")
      .TypeName("F")
      .OneValueEach();
}

void DeclareShardOptions(const Command& command, ShardArguments& arguments) {
  command
      .AddOption("--plan", arguments.plan_file,
                 "Judge the cases of this file of `poolproof plan`, instead of the options above")
      .TypeName("F");
  command
      .AddOption("--shard", arguments.shard,
                 "Judge only shard I of N, counted from 0; with --plan: I or auto")
      .TypeName("I/N");
}

void DeclareJobs(const Command& command, ShardArguments& arguments) {
  command
      .AddOption("--jobs", arguments.jobs,
                 "Number of worker processes; up to four times as many while failures are "
                 "investigated or calls hang; default: the available CPUs")
      .TypeName("N");
}

Result<SessionOptions> MakeSessionOptions(const PlanArguments& arguments, const Io& io) {
  SessionOptions options;
  options.argv = io.argv;
  options.tool_version = ToolVersion();
  if (arguments.profile) {
    const Result<Profile> profile = ParseProfileOption(*arguments.profile);
    if (!profile.ok()) return profile.status();
    options.profile = *profile;
  }
  const Result<Edition> edition = ChooseEdition(arguments.edition);
  if (!edition.ok()) return edition.status();
  options.edition = *edition;
  const Result<CaseSet> set = ParseSetOption(arguments.set.value_or("ci"));
  if (!set.ok()) return set.status();
  options.set = *set;
  const Result<std::uint64_t> seed = ParseSeed(arguments.seed.value_or("1"));
  if (!seed.ok()) return seed.status();
  options.seed = *seed;
  if (arguments.cases) {
    const Result<std::int64_t> cases = ParseCount("--cases", *arguments.cases, 1);
    if (!cases.ok()) return cases.status();
    options.cases = *cases;
  }
  if (arguments.deadline) {
    const auto deadline = ParseDuration("--deadline", *arguments.deadline);
    if (!deadline.ok()) return deadline.status();
    options.deadline = *deadline;
  }
  if (arguments.stop_after) {
    const Result<std::int64_t> stop_after = ParseCount("--stop-after", *arguments.stop_after, 1);
    if (!stop_after.ok()) return stop_after.status();
    options.stop_after = *stop_after;
  }
  options.filter = arguments.filter;
  options.jobs = AvailableProcessors();
  if (!arguments.case_files.empty()) {
    Result<std::vector<NamedCase>> cases = ReadCaseFiles(arguments.case_files);
    if (!cases.ok()) return cases.status();
    options.case_file_cases = std::move(cases).value();
  }
  return options;
}

Status MakeCampaign(const std::optional<std::string>& time, SessionOptions& options) {
  options.campaign = true;
  options.set = CaseSet::kNightly;
  if (time) {
    const auto duration = ParseDuration("--time", *time);
    if (!duration.ok()) return duration.status();
    options.time = *duration;
  } else if (!options.cases) {
    options.time = std::chrono::minutes(10);
  }
  return OkStatus();
}

Result<SessionOptions> ChooseOptions(const PlanArguments& arguments, const ShardArguments& shards,
                                     const Io& io,
                                     const std::function<Status(SessionOptions&)>& finish) {
  std::optional<int> planned;
  Result<SessionOptions> options = SessionOptions();
  if (shards.plan_file) {
    const Result<PlanFile> plan = ReadPlanFile(*shards.plan_file);
    if (!plan.ok()) return plan.status();
    planned = plan->shards;
    options = OptionsOfPlan(*plan, arguments, io);
  } else {
    options = MakeSessionOptions(arguments, io);
    if (options.ok() && finish) {
      if (Status status = finish(options.value()); !status.ok()) return status;
    }
  }
  if (!options.ok()) return options;
  if (Status status = TakeJobs(shards.jobs, options.value()); !status.ok()) return status;
  if (shards.shard) {
    if (Status status = TakeShard(*shards.shard, planned, options.value()); !status.ok()) {
      return status;
    }
  }
  return options;
}

Result<PlanFile> ReadPlanFile(const std::string& path) {
  const Result<std::string> text = ReadFile("--plan", path);
  if (!text.ok()) return text.status();
  Result<PlanFile> plan = ParsePlanFile(*text);
  if (!plan.ok()) return plan.status().Annotate("--plan: " + path);
  return plan;
}

Result<TestPlan> ReadCasePlan(const std::string& path, const std::string& report,
                              const std::string& plan_sha256) {
  const Result<PlanFile> plan = ReadPlanFile(path);
  if (!plan.ok()) return plan.status();
  if (plan->sha256 != plan_sha256) {
    return InvalidArgument("--plan: " + path + ": its hash is " + plan->sha256 + ", that of " +
                           report + " is " + plan_sha256);
  }
  const Spec& spec = Spec::Embedded(plan->options.edition);
  return MakeTestPlan(plan->profile, plan->options, PartsFor(spec, plan->options));
}

}  // namespace poolproof
