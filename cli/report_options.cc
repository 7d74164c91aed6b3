// SPDX-License-Identifier: Apache-2.0
#include "cli/report_options.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "cli/color_option.h"
#include "cli/options.h"
#include "conformance/result/gate.h"
#include "conformance/spec/spec.h"
#include "core/shell_text.h"
#include "reports/charts/performance.h"
#include "reports/phrases.h"
#include "reports/text.h"
#include "reports/words.h"

namespace poolproof {

void DeclareReportOptions(const Command& command, ReportArguments& arguments) {
  for (std::size_t i = 0; i < kReportFormats.size(); ++i) {
    const ReportFormat& format = kReportFormats[i];
    command
        .AddOption(std::string(format.option), arguments.paths[i],
                   std::string(format.help) + " here; - is stdout")
        .TypeName("F");
  }
  command
      .AddOption(
          "--performance", arguments.performance,
          "Benchmarks (bench, compare.py, scaling.py --json) to draw on the page (may be repeated)")
      .TypeName("F")
      .OneValueEach();
  command.AddFlag("--quiet", arguments.quiet, "Print the verdict alone, and no progress");
  command.AddFlag("--verbose", arguments.verbose, "Print every clause and kind of failure");
  DeclareColor(command, arguments.color);
}

namespace {

Result<std::optional<Performance>> ReadPerformance(const ReportArguments& arguments) {
  if (arguments.performance.empty()) return std::optional<Performance>();
  if (!arguments.paths[PositionOfFormat("--html")])
    return InvalidArgument("--performance: is for --html, which is not given");
  Performance all;
  for (const std::string& path : arguments.performance) {
    const Result<std::string> text = ReadFile("--performance", path);
    if (!text.ok()) return text.status();
    Result<Performance> read = ParsePerformance(*text);
    if (!read.ok()) return read.status().Annotate("--performance: " + path);
    if (all.rows.empty()) all.implementation = read->implementation;
    std::move(read.value().not_timed.begin(), read.value().not_timed.end(),
              std::back_inserter(all.not_timed));
    std::move(read.value().rows.begin(), read.value().rows.end(), std::back_inserter(all.rows));
    std::move(read.value().judging.begin(), read.value().judging.end(),
              std::back_inserter(all.judging));
  }
  return std::optional(std::move(all));
}

}  // namespace

namespace {

bool IsFile(const std::string& path) { return path != "-" && path != "/dev/null"; }

// Whether the closing names a command for the first failure.
bool HasNext(const Report& report, const std::vector<Output>& outputs) {
  return !report.failures.empty() &&
         std::any_of(outputs.begin(), outputs.end(), [](const Output& output) {
           return output.option == "--json" && output.path && IsFile(*output.path);
         });
}

// Which files were written, and what to call next where something failed.
std::string Closing(const Io& io, const Report& report, const std::string& implementation,
                    const std::vector<Output>& outputs) {
  std::string written;
  std::string json;
  for (const Output& output : outputs) {
    if (!output.path || !IsFile(*output.path)) continue;
    written += (written.empty() ? "" : ", ") + *output.path;
    if (output.option == "--json") json = *output.path;
  }
  std::string text = written.empty() ? "" : "\nWritten: " + written + "\n";
  if (json.empty() || report.failures.empty()) return text;
  const std::string subject = " " + SubjectOptions(implementation, report) + " ";
  return text + "Next: " + ShellQuoted(io.program) + " replay" + subject +
         ShellQuoted(json + "#1") + "\n      " + ShellQuoted(io.program) + " run" + subject +
         "--failed " + ShellQuoted(json) + "\n";
}

}  // namespace

Result<std::vector<Output>> ReportOutputs(const ReportArguments& arguments,
                                          const std::optional<Report>& report) {
  if (arguments.quiet && arguments.verbose) {
    return InvalidArgument("--quiet: cannot be combined with --verbose");
  }
  if (const Result<bool> color = ChooseColor(arguments.color, false); !color.ok()) {
    return color.status();
  }
  Result<std::optional<Performance>> read = ReadPerformance(arguments);
  if (!read.ok()) return read.status();
  const auto performance =
      std::make_shared<const std::optional<Performance>>(std::move(read).value());
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < kReportFormats.size(); ++i) {
    const ReportFormat& format = kReportFormats[i];
    outputs.push_back(
        {std::string(format.option), arguments.paths[i], [&report, &format, performance] {
           return format.render(*report, Spec::Embedded(report->edition), *performance);
         }});
  }
  return outputs;
}

Result<int> WriteReport(const Io& io, const Report& report,
                        const std::optional<std::string>& implementation,
                        const ReportArguments& arguments, const std::vector<Output>& outputs) {
  const bool stdout_is_taken = TakesStdout(outputs);
  TextStyle style;
  const Result<bool> color = ChooseColor(arguments.color, io.colour && !stdout_is_taken);
  if (!color.ok()) return color.status();
  style.colour = *color;
  const bool terminal = !stdout_is_taken && io.width > 0;
  // Logs are read at that width, too; where all is shown, nothing is cut.
  style.width = terminal ? io.width : arguments.verbose ? 0 : TextStyle().width;
  style.detail = arguments.quiet     ? Detail::kVerdict
                 : arguments.verbose ? Detail::kAll
                                     : Detail::kUsual;
  style.program = io.program;
  style.implementation = implementation.value_or(ImplementationArgument(report));
  style.is_folder_cut = !implementation;
  style.has_next = HasNext(report, outputs);
  // One that reads stdout may close it at any time: the files come first.
  const Status files = WriteFiles(outputs);
  // Where stdout carries a report, the summary is talk.
  (stdout_is_taken ? io.err : io.out)
      << ReportText(report, Spec::Embedded(report.edition), style)
      << (files.ok() && !arguments.quiet ? Closing(io, report, style.implementation, outputs)
                                         : std::string())
      << std::flush;
  WriteStdout(io, outputs);
  if (!files.ok()) return files;
  return ExitStatusOf(report);
}

}  // namespace poolproof
