// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/outputs.h"
#include "cli/report_file.h"
#include "conformance/spec/spec.h"
#include "core/shell_text.h"
#include "reports/diff.h"
#include "reports/phrases.h"

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
  ReportDiff shown = diff;
  for (DiffEntry& entry : shown.signatures) {
    constexpr std::string_view kProgram = "poolproof ";
    if (entry.detail.starts_with(kProgram)) {
      entry.detail.replace(0, kProgram.size() - 1, ShellQuoted(io.program));
    }
  }
  const Status files = WriteFiles(outputs);
  std::ostream& talk = TakesStdout(outputs) ? io.err : io.out;
  talk << DiffText(shown, Spec::Embedded());
  const bool has_commands = std::any_of(shown.signatures.begin(), shown.signatures.end(),
                                        [](const DiffEntry& e) { return !e.detail.empty(); });
  const std::string note = FolderNote(*after);
  if (has_commands && !note.empty()) talk << note << "\n";
  talk << std::flush;
  WriteStdout(io, outputs);
  if (!files.ok()) return files;
  return diff.Broke() ? kExitNonconformant : kExitOk;
}

}  // namespace

void DeclareDiff(const Command& app, Action& action) {
  const Command command = app.AddCommand("diff", "What changed between two reports");
  const auto arguments = std::make_shared<DiffArguments>();
  command.AddOption("before", arguments->before, "A JSON report").TypeName("").Required();
  command.AddOption("after", arguments->after, "A later one").TypeName("").Required();
  command.AddOption("--json", arguments->json, "Write the changes here; - is stdout").TypeName("F");
  command.AddOption("--markdown", arguments->markdown, "Write a summary here; - is stdout")
      .TypeName("F");
  command.SetGroup("Reports");
  command.SetFooter(
      "Examples:\n"
      "  poolproof diff before.json after.json\n"
      "  poolproof diff main.json branch.json --markdown comment.md\n"
      "\n"
      "Exit status: 0 nothing broke, 1 a required clause or a kind of failure did,\n"
      "2 no report.");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
