// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/report_file.h"
#include "conformance/spec/spec.h"
#include "core/shell_text.h"
#include "reports/charts/performance.h"
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

// Two files of `poolproof bench`.
Result<int> DiffTimes(const DiffArguments& arguments, const Performance& before, const Io& io) {
  if (arguments.json) return InvalidArgument("diff: --json is for reports, not for times");
  const Result<std::string> text = ReadFile("diff", arguments.after);
  if (!text.ok()) return text.status();
  const Result<Performance> after = ParsePerformance(*text);
  if (!after.ok()) return after.status().Annotate("diff: " + arguments.after);
  const PerformanceDiff diff = DiffPerformance(before, *after);
  const std::vector<Output> outputs = {
      {"--markdown", arguments.markdown, [&] { return PerformanceDiffMarkdown(diff); }}};
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  if (diff.compared == 0 && diff.broken.empty()) {
    return InvalidArgument("diff: the files have no setting that both timed more than once");
  }
  (TakesStdout(outputs) ? io.err : io.out) << PerformanceDiffText(diff) << std::flush;
  if (Status status = WriteOutputs(io, outputs); !status.ok()) return status;
  return diff.broken.empty() && diff.slower.empty() ? kExitOk : kExitNonconformant;
}

// What the file holds, where it is one of times; who reads reports says what is wrong with others.
std::optional<Performance> TimesIn(const std::string& path) {
  if (path == "-") return std::nullopt;
  const Result<std::string> text = ReadFile("diff", path);
  if (!text.ok()) return std::nullopt;
  Result<Performance> performance = ParsePerformance(*text);
  if (!performance.ok()) return std::nullopt;
  return std::move(performance).value();
}

Result<int> Run(const DiffArguments& arguments, const Io& io) {
  if (const auto times = TimesIn(arguments.before)) return DiffTimes(arguments, *times, io);
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
  const Command command =
      app.AddCommand("diff", "Show what changed between two reports, or two files of `bench`");
  const auto arguments = std::make_shared<DiffArguments>();
  command.AddOption("before", arguments->before, "A JSON report, or times of `bench`")
      .TypeName("")
      .Required();
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
      "Exit status: 0 nothing broke, 1 a required clause fails that passed, a kind of\n"
      "failure is new, or something became slower by more than the noise,\n"
      "2 no report.");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
