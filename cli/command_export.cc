// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>

#include "cli/case_argument.h"
#include "cli/commands.h"
#include "cli/edition_option.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/write_file.h"
#include "conformance/judge/expectation.h"
#include "conformance/judge/judge.h"
#include "reports/export/export_cpp.h"
#include "reports/export/export_short.h"

namespace poolproof {
namespace {

struct ExportArguments {
  std::string problem;
  std::optional<std::string> profile;
  std::optional<std::string> edition;
  std::string output = "-";
  bool is_short = false;
};

Result<int> Run(const ExportArguments& arguments, const Io& io) {
  const bool to_stdout = arguments.output == "-";
  const Result<Edition> edition = ChooseEdition(arguments.edition);
  if (!edition.ok()) return edition.status();
  JudgeContext context;
  context.spec = &Spec::Embedded(*edition);
  if (arguments.profile) {
    const Result<Profile> profile = ParseProfileOption(*arguments.profile);
    if (!profile.ok()) return profile.status();
    context.profile = *profile;
  }
  const Result<CaseArgument> given = ReadCaseOrReport(arguments.problem);
  if (!given.ok()) return given.status();
  const std::optional<Case>& problem = given->problem;
  if (!problem) {
    return InvalidArgument("case: '" + arguments.problem + "' is a report; name one of its " +
                           "failures, such as '" + arguments.problem + "#1'");
  }
  const Result<PreparedCase> prepared = Prepare(context.rules(), *problem);
  if (!prepared.ok()) return prepared.status().Annotate("case");
  if (!to_stdout) {
    if (Status status = CheckWritable(arguments.output); !status.ok()) {
      return status.Annotate("--output");
    }
  }
  ExportOptions options;
  options.tool_version = ToolVersion();
  options.profile = context.profile;
  if (!to_stdout) options.file_name = arguments.output.substr(arguments.output.rfind('/') + 1);
  const Result<std::string> program = (arguments.is_short ? &ExportShort : &ExportCpp)(
      *problem, prepared->data, ExpectationOf(*prepared), options);
  if (!program.ok()) return program.status();
  if (to_stdout) {
    io.out << *program;
    return kExitOk;
  }
  if (Status status = WriteFileAtomically(arguments.output, *program); !status.ok()) {
    return status.Annotate("--output");
  }
  return kExitOk;
}

}  // namespace

void DeclareExport(const Command& app, Action& action) {
  const Command command =
      app.AddCommand("export", "Write one case as a program that needs no Poolproof");
  const auto arguments = std::make_shared<ExportArguments>();
  command
      .AddOption("case", arguments->problem,
                 "A case line, report.json#3, a file with a case in JSON or a report's failure, or "
                 "- for stdin")
      .TypeName("")
      .Required();
  command
      .AddOption("--profile", arguments->profile,
                 "Product family whose clauses say what is expected; default atlas-a2")
      .TypeName("P");
  DeclareEdition(command, arguments->edition);
  command.AddOption("-o,--output", arguments->output, "Where to write it; default - (stdout)")
      .TypeName("F");
  command.AddFlag("--short", arguments->is_short,
                  "A short program of at most 80 lines; not every case has one");
  command.SetGroup("Look closer");
  command.SetFooter(
      "Examples:\n"
      "  poolproof export 'report.json#1' -o repro.cpp\n"
      "  poolproof export 'report.json#1' --short -o ticket.cpp\n"
      "  poolproof export case.json --profile ascend-950 -o repro.cpp\n"
      "\n"
      "The program is C++17 and is compiled against the headers of the ABI and one\n"
      "implementation; its first lines say how. It exits with 0 where the documented\n"
      "behaviour is seen, with 1 and one line where not.");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
