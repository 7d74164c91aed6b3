// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/outputs.h"
#include "cli/report_file.h"
#include "conformance/spec/spec.h"
#include "reports/matrix.h"

namespace poolproof {
namespace {

constexpr std::size_t kMostReports = 26;  // they are named by letters

struct MatrixArguments {
  std::vector<std::string> reports;
  std::optional<std::string> html;
};

Result<int> Run(const MatrixArguments& arguments, const Io& io) {
  if (arguments.reports.size() > kMostReports) {
    return InvalidArgument("matrix: " + std::to_string(arguments.reports.size()) +
                           " reports; expected at most " + std::to_string(kMostReports));
  }
  std::vector<MatrixColumn> columns;
  const std::vector<Output> outputs = {
      {"--html", arguments.html, [&] { return MatrixHtml(columns, Spec::Embedded()); }}};
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  for (const std::string& path : arguments.reports) {
    Result<Report> report = ReadReportFile("matrix", path);
    if (!report.ok()) return report.status();
    columns.push_back({path.substr(path.rfind('/') + 1), std::move(report).value()});
  }
  const Status files = WriteFiles(outputs);
  (TakesStdout(outputs) ? io.err : io.out) << MatrixText(columns, Spec::Embedded()) << std::flush;
  WriteStdout(io, outputs);
  if (!files.ok()) return files;
  return kExitOk;
}

}  // namespace

void DeclareMatrix(const Command& app, Action& action) {
  const Command command =
      app.AddCommand("matrix", "Compare several reports: implementations or releases");
  const auto arguments = std::make_shared<MatrixArguments>();
  command.AddOption("report", arguments->reports, "JSON reports; for a trend, the oldest first")
      .TypeName("F...")
      .Required();
  command.AddOption("--html", arguments->html, "Write a self-contained page here; - is stdout")
      .TypeName("F");
  command.SetGroup("Reports");
  command.SetFooter(
      "Examples:\n"
      "  poolproof matrix release-1.json release-2.json release-3.json\n"
      "  poolproof matrix a2.json a3.json ours.json --html matrix.html\n"
      "\n"
      "Exit status: 0 for any verdicts, 2 no report.");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
