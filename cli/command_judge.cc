// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/report_options.h"
#include "cli/waiver_options.h"
#include "conformance/exchange/problem_set.h"
#include "conformance/session/judge_answers.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

namespace fs = std::filesystem;

struct JudgeArguments {
  std::string problems;
  std::optional<std::string> answers;
  ReportArguments reports;
  WaiverArguments waivers;
};

// Of problems not answered, so many are named.
constexpr std::size_t kNamed = 5;

void TellUnanswered(const Io& io, const std::vector<std::string>& unanswered) {
  if (unanswered.empty()) return;
  io.err << "poolproof: " << CountOf(std::ssize(unanswered), "problem") << " not answered: ";
  for (std::size_t i = 0; i < std::min(kNamed, unanswered.size()); ++i) {
    io.err << (i > 0 ? ", " : "") << unanswered[i];
  }
  io.err << (unanswered.size() > kNamed ? ", ...\n" : "\n");
}

Result<int> JudgeFolder(const JudgeArguments& arguments, const Io& io) {
  std::optional<Report> report;
  const Result<std::vector<Output>> outputs = ReportOutputs(arguments.reports, report);
  if (!outputs.ok()) return outputs.status();
  if (Status status = CheckOutputs(*outputs); !status.ok()) return status;
  Result<GivenWaivers> waivers = ReadWaivers(arguments.waivers);
  if (!waivers.ok()) return waivers.status();

  const std::string index = (fs::path(arguments.problems) / kProblemSetFile).string();
  const Result<std::string> text = ReadFile("problems", index);
  if (!text.ok()) return text.status();
  const Result<ProblemSet> set = ParseProblemSet(*text);
  if (!set.ok()) return set.status().Annotate(index);

  JudgeAnswersOptions options;
  options.answers = arguments.answers.value_or(arguments.problems);
  if (std::error_code ignored; !fs::is_directory(options.answers, ignored)) {
    return InvalidArgument("--answers: '" + options.answers.string() + "' is not a folder");
  }
  options.waivers = std::move(waivers.value().waivers);
  options.today = std::move(waivers.value().today);
  options.argv = io.argv;
  options.tool_version = ToolVersion();
  Result<JudgedAnswers> judged = JudgeAnswers(Spec::Embedded(set->edition), *set, options, io.stop);
  if (!judged.ok()) return judged.status();
  report = std::move(judged.value().report);
  TellUnanswered(io, judged->unanswered);
  // The answers came without a library that commands could name.
  return WriteReport(io, *report, "<library>", arguments.reports, *outputs);
}

}  // namespace

void DeclareJudge(const Command& app, Action& action) {
  const Command command =
      app.AddCommand("judge", "Judge answers to the problems of `poolproof emit`");
  const auto arguments = std::make_shared<JudgeArguments>();
  command.AddOption("problems", arguments->problems, "The folder of `poolproof emit`")
      .TypeName("")
      .Required();
  command
      .AddOption("--answers", arguments->answers,
                 "The folder with the answers; default: that of the problems")
      .TypeName("DIR");
  DeclareWaiverOptions(command, arguments->waivers);
  DeclareReportOptions(command, arguments->reports);
  command.SetGroup("Without a library");
  command.SetFooter(
      "Examples:\n"
      "  poolproof judge problems --json r.json --html r.html\n"
      "  poolproof judge problems --answers answers\n"
      "\n"
      "Exit status: 0 conformant, 1 nonconformant, 2 usage or an invalid answer,\n"
      "3 harness error, 4 incomplete: cases not answered, or nothing judged.");
  command.OnChosen([arguments, &action] {
    action = [arguments](const Io& io) { return JudgeFolder(*arguments, io); };
  });
}

}  // namespace poolproof
