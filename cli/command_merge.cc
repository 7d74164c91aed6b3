// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/report_options.h"
#include "conformance/session/merge.h"
#include "conformance/spec/coverage.h"
#include "reports/parse.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

struct MergeArguments {
  std::vector<std::string> files;
  ReportArguments reports;
};

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Result<int> Merge(const MergeArguments& arguments, const Io& io) {
  std::optional<Report> report;
  const Result<std::vector<Output>> made = ReportOutputs(arguments.reports, report);
  if (!made.ok()) return made.status();
  const std::vector<Output>& outputs = *made;
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  std::vector<NamedReport> reports;
  for (const std::string& path : arguments.files) {
    const Result<std::string> text = ReadFile("merge", path);
    if (!text.ok()) return text.status();
    Result<Report> parsed = ParseReport(*text);
    if (!parsed.ok()) return parsed.status().Annotate(path);
    reports.push_back({path, std::move(parsed).value()});
  }
  std::vector<std::string> argv = WithoutFolders(io.argv);
  for (std::string& word : argv) word = BaseName(word);
  Result<Report> merged =
      MergeReports(Spec::Embedded(), &ReasonNotExercised, std::move(reports), std::move(argv));
  if (!merged.ok()) return merged.status();
  report = std::move(merged).value();
  return WriteReport(io, *report, ImplementationArgument(*report), outputs);
}

}  // namespace

void DeclareMerge(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("merge", "Make one report of those of a plan's shards");
  const auto arguments = std::make_shared<MergeArguments>();
  command->add_option("shard", arguments->files, "Reports of `run --shard` or of `merge`, as JSON")
      ->type_name("F...")
      ->required();
  DeclareReportOptions(*command, arguments->reports);
  command->get_option("--json")->description("Write the report here; - is stdout");
  command->add_option("-o,--output", arguments->reports.json, "The same as --json")->type_name("F");
  command->callback([arguments, &action] {
    action = [arguments](const Io& io) { return Merge(*arguments, io); };
  });
}

}  // namespace poolproof
