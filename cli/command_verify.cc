// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/plan_options.h"
#include "cli/program.h"
#include "cli/report_file.h"
#include "cli/subject.h"
#include "conformance/session/verify.h"
#include "conformance/spec/spec.h"
#include "conformance/tally/assemble.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

struct VerifyArguments {
  std::string report;
  std::optional<std::string> plan_file;
  std::optional<std::string> implementation;
  std::optional<std::string> sample;
  std::string seed = "1";
};

Result<int> Run(const VerifyArguments& arguments, const Io& io) {
  const Result<std::uint64_t> seed = ParseSeed(arguments.seed);
  if (!seed.ok()) return seed.status();
  if (arguments.sample && !arguments.implementation) {
    return InvalidArgument("--sample: nothing is run again without --implementation");
  }
  const Result<std::int64_t> sample = ParseCount("--sample", arguments.sample.value_or("20"), 1);
  if (!sample.ok()) return sample.status();
  const Result<Report> report = ReadReportFile("verify", arguments.report);
  if (!report.ok()) return report.status();

  const Spec& spec = Spec::Embedded(report->edition);
  std::vector<std::string> contradictions = ContradictionsOf(*report, spec);
  std::vector<std::string> notes;
  std::optional<TestPlan> plan;
  if (report->tool_version != ToolVersion() || report->spec_sha256 != spec.sha256()) {
    notes.push_back("the plan is not checked: the report was made by version " +
                    CleanText(report->tool_version));
  } else if (Result<TestPlan> made =
                 arguments.plan_file
                     ? ReadCasePlan(*arguments.plan_file, arguments.report, report->run.plan_sha256)
                     : PlanOf(*report, spec);
             arguments.plan_file && !made.ok()) {
    return made.status();
  } else if (!made.ok()) {
    notes.push_back("the plan is not checked: " + CleanText(made.status().message()));
  } else {
    plan = std::move(made).value();
    if (PlanSha256(*plan, report->run.seed, spec, report->profile) != report->run.plan_sha256) {
      contradictions.emplace_back("/run/plan_sha256: differs from the hash of the plan of argv");
    }
    if (plan->size() < kOpenPlan &&
        report->summary.cases + report->summary.not_run != plan->size()) {
      contradictions.push_back("/summary: the plan has " + Count(plan->size()) + " cases");
    }
  }
  std::string again;
  if (arguments.implementation) {
    const Result<Subject> subject = FindSubject(*arguments.implementation, {}, report->edition);
    if (!subject.ok()) return subject.status();
    const Result<RerunResult> rerun =
        Rerun(*report, plan ? &*plan : nullptr, spec, *subject, *sample, *seed);
    if (!rerun.ok()) return rerun.status();
    contradictions.insert(contradictions.end(), rerun->contradictions.begin(),
                          rerun->contradictions.end());
    again = "; run again: " + Count(rerun->failing) + " failing, " +
            CountOf(rerun->others, "other case");
    if (rerun->unclear > 0) again += ", " + Count(rerun->unclear) + " without a verdict";
  }
  io.out << (contradictions.empty() ? "verified" : "contradicted") << ": "
         << CountOf(std::ssize(report->clauses), "clause") << ", "
         << CountOf(report->summary.cases, "case") << (plan ? ", the plan" : "") << again << "\n";
  for (const std::string& line : contradictions) io.out << "  " << CleanText(line) << "\n";
  for (const std::string& line : notes) io.out << "  note: " << line << "\n";
  return contradictions.empty() ? kExitOk : kExitNonconformant;
}

}  // namespace

void DeclareVerify(const Command& app, Action& action) {
  const Command command = app.AddCommand(
      "verify", "Check a report: totals, clauses, plan and, on request, a sample of its cases");
  const auto arguments = std::make_shared<VerifyArguments>();
  command.AddOption("report", arguments->report, "A JSON report").TypeName("").Required();
  command
      .AddOption("--plan", arguments->plan_file,
                 "The file of `poolproof plan` that was judged; default: what argv says")
      .TypeName("F");
  command
      .AddOption("--implementation", arguments->implementation,
                 "Run a random sample of the report's cases on this one again")
      .TypeName("X");
  command
      .AddOption("--sample", arguments->sample,
                 "Number of failing cases and of other cases in the sample; default 20")
      .TypeName("N");
  command.AddOption("--seed", arguments->seed, "Seed of the sample; default 1").TypeName("N");
  command.SetGroup("Reports");
  command.SetFooter(
      "Examples:\n"
      "  poolproof verify report.json\n"
      "  poolproof verify report.json --implementation ./libyours.so --sample 50\n"
      "\n"
      "Exit status: 0 verified, 1 contradicted, 2 no report, 3 harness error.");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
