// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/outputs.h"
#include "cli/report_file.h"
#include "conformance/spec/spec.h"
#include "reports/diff.h"

namespace poolproof {
namespace {

struct DiffArguments {
  std::string before;
  std::string after;
  std::optional<std::string> json;
  std::optional<std::string> markdown;
};

Result<int> Run(const DiffArguments& arguments, const Io& io) {
  ReportDiff diff;
  const std::vector<Output> outputs = {
      {"--json", arguments.json, [&] { return DiffJsonText(diff); }},
      {"--markdown", arguments.markdown, [&] { return DiffMarkdown(diff, Spec::Embedded()); }}};
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  const Result<Report> before = ReadReportFile("diff", arguments.before);
  if (!before.ok()) return before.status();
  const Result<Report> after = ReadReportFile("diff", arguments.after);
  if (!after.ok()) return after.status();
  diff = DiffReports(*before, *after);
  (TakesStdout(outputs) ? io.err : io.out) << DiffText(diff, Spec::Embedded()) << std::flush;
  if (Status status = WriteOutputs(io, outputs); !status.ok()) return status;
  return diff.Broke() ? kExitNonconformant : kExitOk;
}

}  // namespace

void DeclareDiff(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("diff", "What changed between two reports");
  const auto arguments = std::make_shared<DiffArguments>();
  command->add_option("before", arguments->before, "A JSON report")->type_name("")->required();
  command->add_option("after", arguments->after, "A later one")->type_name("")->required();
  command->add_option("--json", arguments->json, "Write the changes here; - is stdout")
      ->type_name("F");
  command->add_option("--markdown", arguments->markdown, "Write a summary here; - is stdout")
      ->type_name("F");
  command->footer("Exit status: 0 nothing broke, 1 a required clause or a kind of failure did.");
  command->callback(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
