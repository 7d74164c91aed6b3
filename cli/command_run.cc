// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/live_progress.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/program.h"
#include "cli/subject.h"
#include "conformance/corpus/corpus.h"
#include "conformance/session/environment.h"
#include "conformance/session/session.h"
#include "reports/ctrf.h"
#include "reports/html.h"
#include "reports/in_toto.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/text.h"

namespace poolproof {
namespace {

struct RunArguments {
  std::string implementation;
  std::optional<std::string> profile;
  std::string set = "ci";
  std::string seed = "1";
  std::optional<std::string> cases;
  std::optional<std::string> deadline;
  std::optional<std::string> stop_after;
  std::optional<std::string> filter;
  std::vector<std::string> case_files;
  std::optional<std::string> jobs;
  std::optional<std::string> json;
  std::optional<std::string> junit;
  std::optional<std::string> html;
  std::optional<std::string> markdown;
  std::optional<std::string> performance;
  std::optional<std::string> ctrf;
  std::optional<std::string> in_toto;
  std::optional<std::string> waivers;
  std::optional<std::string> today;
  // Part of the contract, built later.
  std::array<std::optional<std::string>, 1> later;
};

constexpr std::array<const char*, 1> kLaterOptions = {"--shard"};

Result<std::vector<NamedCase>> ReadCaseFiles(const std::vector<std::string>& paths) {
  std::vector<NamedCase> cases;
  for (const std::string& path : paths) {
    const Result<std::string> text = ReadFile("--case-file", path);
    if (!text.ok()) return text.status();
    Result<std::vector<NamedCase>> parsed = ParseCaseFile(*text, path);
    if (!parsed.ok()) return parsed.status().Annotate("--case-file");
    std::move(parsed.value().begin(), parsed.value().end(), std::back_inserter(cases));
  }
  return cases;
}

Status ReadWaivers(const RunArguments& arguments, SessionOptions& options) {
  if (arguments.today) {
    if (!IsDate(*arguments.today)) {
      return InvalidArgument("--today: '" + *arguments.today +
                             "' is not a date such as 2026-12-31");
    }
    options.today = *arguments.today;
  }
  if (!arguments.waivers) return OkStatus();
  const Result<std::string> text = ReadFile("--waivers", *arguments.waivers);
  if (!text.ok()) return text.status();
  Result<std::vector<Waiver>> waivers = ParseWaivers(*text, Spec::Embedded());
  if (!waivers.ok()) return waivers.status().Annotate("--waivers: " + *arguments.waivers);
  options.waivers = std::move(waivers).value();
  return OkStatus();
}

Result<std::optional<Performance>> ReadPerformance(const RunArguments& arguments) {
  if (!arguments.performance) return std::optional<Performance>();
  if (!arguments.html) return InvalidArgument("--performance: is for --html, which is not given");
  const Result<std::string> text = ReadFile("--performance", *arguments.performance);
  if (!text.ok()) return text.status();
  Result<Performance> performance = ParsePerformance(*text);
  if (!performance.ok()) {
    return performance.status().Annotate("--performance: " + *arguments.performance);
  }
  return std::optional(std::move(performance).value());
}

Result<SessionOptions> MakeOptions(const RunArguments& arguments, const Io& io) {
  SessionOptions options;
  options.argv = WithoutFolders(io.argv);
  options.tool_version = ToolVersion();
  if (arguments.profile) {
    const Result<Profile> profile = ParseProfileOption(*arguments.profile);
    if (!profile.ok()) return profile.status();
    options.profile = *profile;
  }
  const Result<CaseSet> set = ParseSetOption(arguments.set);
  if (!set.ok()) return set.status();
  options.set = *set;
  const Result<std::uint64_t> seed = ParseSeed(arguments.seed);
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
  if (arguments.jobs) {
    const Result<std::int64_t> jobs = ParseCount("--jobs", *arguments.jobs, 1);
    if (!jobs.ok()) return jobs.status();
    options.jobs = static_cast<int>(std::min<std::int64_t>(*jobs, 1024));
  }
  if (Status status = ReadWaivers(arguments, options); !status.ok()) return status;
  if (!arguments.case_files.empty()) {
    Result<std::vector<NamedCase>> cases = ReadCaseFiles(arguments.case_files);
    if (!cases.ok()) return cases.status();
    options.case_file_cases = std::move(cases).value();
  }
  return options;
}

Result<int> Run(const RunArguments& arguments, const Io& io) {
  for (std::size_t i = 0; i < kLaterOptions.size(); ++i) {
    if (arguments.later[i]) {
      return InvalidArgument(std::string(kLaterOptions[i]) + " is not built yet");
    }
  }
  const Result<SessionOptions> options = MakeOptions(arguments, io);
  if (!options.ok()) return options.status();
  const Spec& spec = Spec::Embedded();
  const Result<std::optional<Performance>> read = ReadPerformance(arguments);
  if (!read.ok()) return read.status();
  const std::optional<Performance>& performance = *read;
  std::optional<Result<Report>> result;
  const std::vector<Output> outputs = {
      {"--json", arguments.json, [&] { return ReportJsonText(result->value()); }},
      {"--junit", arguments.junit, [&] { return ReportJUnit(result->value(), spec); }},
      {"--html", arguments.html, [&] { return ReportHtml(result->value(), spec, performance); }},
      {"--markdown", arguments.markdown, [&] { return ReportMarkdown(result->value(), spec); }},
      {"--ctrf", arguments.ctrf, [&] { return ReportCtrf(result->value(), spec); }},
      {"--in-toto", arguments.in_toto, [&] { return ReportInToto(result->value()); }}};
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  const Result<Subject> subject = FindSubject(arguments.implementation);
  if (!subject.ok()) return subject.status();

  SessionProgress progress;
  {
    const LiveProgress live(io, progress);
    result = RunSession(spec, *subject, *options, StandardParts(spec, options->set, options->seed),
                        progress, io.stop);
  }
  if (!result->ok()) return result->status();
  const Report& report = result->value();

  const bool stdout_is_taken = TakesStdout(outputs);
  TextStyle style;
  style.colour = io.colour && !stdout_is_taken;
  style.width = stdout_is_taken ? 0 : io.width;
  style.implementation = arguments.implementation;
  // Where stdout carries a report, the summary is talk.
  (stdout_is_taken ? io.err : io.out) << ReportText(report, spec, style) << std::flush;
  if (Status status = WriteOutputs(io, outputs); !status.ok()) return status;
  return ExitStatusOf(report);
}

}  // namespace

void DeclareRun(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Judge an implementation, clause by clause");
  const auto arguments = std::make_shared<RunArguments>();
  command
      ->add_option("--implementation", arguments->implementation,
                   "reference, optimized, a .so (several with commas) or a manifest .json")
      ->type_name("X")
      ->required();
  command
      ->add_option("--profile", arguments->profile,
                   "Product family; default: what the SoC name says, else atlas-a2")
      ->type_name("P");
  command->add_option("--set", arguments->set, "smoke, ci or nightly; default ci")->type_name("S");
  command->add_option("--seed", arguments->seed, "Seed of the random cases; default 1")
      ->type_name("N");
  command->add_option("--cases", arguments->cases, "Judge at most N cases")->type_name("N");
  command
      ->add_option("--deadline", arguments->deadline,
                   "Wall time of the run, such as 60s, 5m or 500ms")
      ->type_name("T");
  command->add_option("--stop-after", arguments->stop_after, "End at the Nth failing case")
      ->type_name("N");
  command
      ->add_option("--filter", arguments->filter, "Only cases whose operator/family/name matches")
      ->type_name("GLOB");
  command
      ->add_option("--case-file", arguments->case_files,
                   "Judge only the cases of this file (may be repeated)")
      ->type_name("F")
      ->allow_extra_args(false);
  command->add_option("--jobs", arguments->jobs, "Workers at once; default: the processors at hand")
      ->type_name("N");
  command
      ->add_option("--waivers", arguments->waivers,
                   "Failures that do not change the exit status, docs/waivers.md")
      ->type_name("F");
  command
      ->add_option("--today", arguments->today,
                   "The date by which waivers expire; default: today, UTC")
      ->type_name("DATE");
  command->add_option("--json", arguments->json, "Write the report here; - is stdout")
      ->type_name("F");
  command->add_option("--junit", arguments->junit, "Write JUnit XML here; - is stdout")
      ->type_name("F");
  command->add_option("--html", arguments->html, "Write a self-contained page here; - is stdout")
      ->type_name("F");
  command
      ->add_option("--markdown", arguments->markdown,
                   "Write a summary for pull requests here; - is stdout")
      ->type_name("F");
  command
      ->add_option("--performance", arguments->performance,
                   "Benchmarks (bench/compare.py --json) whose charts the page shall hold")
      ->type_name("F");
  command->add_option("--ctrf", arguments->ctrf, "Write CTRF JSON here; - is stdout")
      ->type_name("F");
  command
      ->add_option("--in-toto", arguments->in_toto,
                   "Write an in-toto test-result statement here; - is stdout")
      ->type_name("F");
  for (std::size_t i = 0; i < kLaterOptions.size(); ++i) {
    command->add_option(kLaterOptions[i], arguments->later[i], "Not built yet")->group("");
  }
  command->callback(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
