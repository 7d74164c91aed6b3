// SPDX-License-Identifier: Apache-2.0
#include "cli/report_options.h"

#include <iterator>
#include <utility>

#include "cli/options.h"
#include "conformance/session/tally.h"
#include "conformance/spec/spec.h"
#include "reports/ctrf.h"
#include "reports/html.h"
#include "reports/in_toto.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/text.h"

namespace poolproof {

void DeclareReportOptions(const Command& command, ReportArguments& arguments) {
  command.AddOption("--json", arguments.json, "Write the report here; - is stdout").TypeName("F");
  command.AddOption("--junit", arguments.junit, "Write JUnit XML here; - is stdout").TypeName("F");
  command.AddOption("--html", arguments.html, "Write a self-contained page here; - is stdout")
      .TypeName("F");
  command
      .AddOption("--markdown", arguments.markdown,
                 "Write a summary for pull requests here; - is stdout")
      .TypeName("F");
  command
      .AddOption("--performance", arguments.performance,
                 "Benchmarks (compare.py, scaling.py --json) to draw on the page (may be repeated)")
      .TypeName("F")
      .OneValueEach();
  command.AddOption("--ctrf", arguments.ctrf, "Write CTRF JSON here; - is stdout").TypeName("F");
  command
      .AddOption("--in-toto", arguments.in_toto,
                 "Write an in-toto test-result statement here; - is stdout")
      .TypeName("F");
}

namespace {

Result<std::optional<Performance>> ReadPerformance(const ReportArguments& arguments) {
  if (arguments.performance.empty()) return std::optional<Performance>();
  if (!arguments.html) return InvalidArgument("--performance: is for --html, which is not given");
  Performance all;
  for (const std::string& path : arguments.performance) {
    const Result<std::string> text = ReadFile("--performance", path);
    if (!text.ok()) return text.status();
    Result<Performance> read = ParsePerformance(*text);
    if (!read.ok()) return read.status().Annotate("--performance: " + path);
    std::move(read.value().rows.begin(), read.value().rows.end(), std::back_inserter(all.rows));
    std::move(read.value().judging.begin(), read.value().judging.end(),
              std::back_inserter(all.judging));
  }
  return std::optional(std::move(all));
}

}  // namespace

Result<std::vector<Output>> ReportOutputs(const ReportArguments& arguments,
                                          const std::optional<Report>& report) {
  const Spec& spec = Spec::Embedded();
  Result<std::optional<Performance>> read = ReadPerformance(arguments);
  if (!read.ok()) return read.status();
  return std::vector<Output>{
      {"--json", arguments.json, [&report] { return ReportJsonText(*report); }},
      {"--junit", arguments.junit, [&] { return ReportJUnit(*report, spec); }},
      {"--html", arguments.html,
       [&, performance = std::move(read).value()] {
         return ReportHtml(*report, spec, performance);
       }},
      {"--markdown", arguments.markdown, [&] { return ReportMarkdown(*report, spec); }},
      {"--ctrf", arguments.ctrf, [&] { return ReportCtrf(*report, spec); }},
      {"--in-toto", arguments.in_toto, [&] { return ReportInToto(*report); }}};
}

Result<int> WriteReport(const Io& io, const Report& report, const std::string& implementation,
                        const std::vector<Output>& outputs) {
  const bool stdout_is_taken = TakesStdout(outputs);
  TextStyle style;
  style.colour = io.colour && !stdout_is_taken;
  style.width = stdout_is_taken ? 0 : io.width;
  style.implementation = implementation;
  // Where stdout carries a report, the summary is talk.
  (stdout_is_taken ? io.err : io.out) << ReportText(report, Spec::Embedded(), style) << std::flush;
  if (Status status = WriteOutputs(io, outputs); !status.ok()) return status;
  return ExitStatusOf(report);
}

}  // namespace poolproof
