// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/case_argument.h"
#include "cli/color_option.h"
#include "cli/commands.h"
#include "cli/debugger.h"
#include "cli/describe.h"
#include "cli/edition_option.h"
#include "cli/in_process_worker.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/replay_report.h"
#include "cli/subject.h"
#include "conformance/blame/blame.h"
#include "conformance/case/case_text.h"
#include "conformance/gen/sources.h"
#include "conformance/properties/properties.h"
#include "conformance/result/side_effect.h"
#include "conformance/session/attempt.h"
#include "conformance/session/build_invocation.h"
#include "conformance/session/capability_check.h"
#include "conformance/session/session.h"
#include "conformance/session/stream_probe.h"
#include "reports/plane_text.h"

namespace poolproof {
namespace {

struct ReplayArguments {
  std::string implementation;
  WorkerPlace workers;
  std::optional<std::string> profile;
  std::optional<std::string> edition;
  std::string problem;
  bool in_process = false;
  bool gdb = false;
  ReplayReportArguments reports;
  std::optional<std::string> color;
};

int ExitStatusFor(const Attempt& attempt) {
  if (attempt.outcome.end == End::kHarness) return kExitHarness;
  switch (attempt.verdict.kind) {
    case VerdictKind::kPassed:
      return kExitOk;
    case VerdictKind::kFailed:
      return kExitNonconformant;
    case VerdictKind::kInconclusive:
    case VerdictKind::kUnsupported:
    case VerdictKind::kRecorded:
      return kExitIncomplete;
  }
  return kExitHarness;
}

std::string VerdictWord(const Verdict& verdict, const Spec& spec) {
  switch (verdict.kind) {
    case VerdictKind::kPassed:
      return "PASSED";
    case VerdictKind::kFailed: {
      for (const Finding& finding : verdict.findings) {
        for (const std::string& id : finding.clauses) {
          const Clause* clause = spec.Find(id);
          if (clause == nullptr || clause->strength == Strength::kRequired) return "FAILED";
        }
      }
      return "FAILED (advisory clauses only)";
    }
    case VerdictKind::kInconclusive:
      return "INCONCLUSIVE";
    case VerdictKind::kUnsupported:
      return "UNSUPPORTED";
    case VerdictKind::kRecorded:
      return "RECORDED (no clause covers the call)";
  }
  return "";
}

std::string InColour(bool colour_wanted, const Verdict& verdict, const std::string& words) {
  if (!colour_wanted) return words;
  const char* colour = verdict.kind == VerdictKind::kPassed   ? "\033[1;32m"
                       : verdict.kind == VerdictKind::kFailed ? "\033[1;31m"
                                                              : "\033[1;33m";
  return colour + words + "\033[0m";
}

// Attempts by a worker that is there: what earlier calls leave behind may show.
FreshAttempt AttemptsInOneProcess(const JudgeContext& context, Worker& worker) {
  return [&](const Case& problem) {
    const Result<PreparedCase> prepared = Prepare(context.rules(), problem);
    Verdict verdict;
    verdict.kind = VerdictKind::kInconclusive;
    if (!prepared.ok() || IndicesLeavePlane(problem, prepared->data)) return verdict;
    return AttemptCase(context, &JudgeWithProperties, *prepared, worker).verdict;
  };
}

// Charges the failure to the clauses that a run would name, by the same search. The part of the
// case that is enough to show it, where that is not the whole.
std::optional<Case> Blame(const JudgeContext& context, const Case& problem, Attempt& attempt,
                          const FreshAttempt& again) {
  InvestigationLimits limits;
  if (attempt.outcome.end == End::kTimedOut) limits.max_attempts = kTimeoutAttempts;
  Investigation found = Investigate(context, problem, attempt.verdict, {}, again, limits);
  if (!found.complete) return std::nullopt;
  attempt.verdict = std::move(found.verdict);
  if (found.problem == problem) return std::nullopt;
  return std::move(found.problem);
}

// gradInput around its first wrong element, where it can be drawn.
std::string Picture(const Case& problem, const Verdict& verdict) {
  for (const Finding& finding : verdict.findings) {
    if (!finding.mismatch) continue;
    std::vector<Mismatch> mismatches = {*finding.mismatch};
    mismatches.insert(mismatches.end(), finding.further.begin(), finding.further.end());
    const std::string text = PlaneText(problem, mismatches);
    return text.empty() ? text : "\n" + text;
  }
  return "";
}

// The same replay in a debugger; comes back only where there is none.
Status Debug(const ReplayArguments& arguments, const Case& problem) {
  std::vector<std::string> words = {"replay", "--in-process", "--implementation",
                                    arguments.implementation};
  if (arguments.workers.device) {
    words.insert(words.end(), {"--device", *arguments.workers.device});
  }
  if (arguments.profile) words.insert(words.end(), {"--profile", *arguments.profile});
  if (arguments.edition) words.insert(words.end(), {"--edition", *arguments.edition});
  words.push_back(CaseLine(problem));
  const std::string function = "aclnn" + std::string(InfoOf(problem.calls.front().op).name);
  return BecomeGdb(words, {function + "GetWorkspaceSize", function});
}

Status CheckTogether(const ReplayArguments& arguments) {
  const bool writes = arguments.reports.json || arguments.reports.html;
  for (const auto& [option, given] :
       {std::pair("--in-process", arguments.in_process), std::pair("--gdb", arguments.gdb)}) {
    if (given && arguments.workers.command) {
      return InvalidArgument(std::string(option) +
                             " has no worker that --worker-command could start");
    }
    if (given && writes) {
      return InvalidArgument(std::string(option) + ": cannot be combined with --json or --html");
    }
  }
  return OkStatus();
}

Result<int> Run(const ReplayArguments& arguments, const Io& io) {
  if (Status status = CheckTogether(arguments); !status.ok()) return status;
  std::optional<Report> report;
  const std::vector<Output> outputs = ReplayOutputs(arguments.reports, report);
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  const bool writes = arguments.reports.json || arguments.reports.html;
  std::ostream& out = TakesStdout(outputs) ? io.err : io.out;
  const Result<bool> color = ChooseColor(arguments.color, io.colour && !TakesStdout(outputs));
  if (!color.ok()) return color.status();
  std::optional<Profile> asked;
  if (arguments.profile) {
    const Result<Profile> profile = ParseProfileOption(*arguments.profile);
    if (!profile.ok()) return profile.status();
    asked = *profile;
  }
  const Result<Edition> edition = ChooseEdition(arguments.edition);
  if (!edition.ok()) return edition.status();
  const Result<CaseArgument> given = ReadCaseOrReport(arguments.problem);
  if (!given.ok()) return given.status();
  if (!given->problem) {
    if (writes || arguments.gdb) {
      return InvalidArgument("case: '" + arguments.problem + "' names no failure; expected " +
                             arguments.problem + "#1");
    }
    io.out << given->list;
    return kExitOk;
  }
  if (arguments.gdb) return Debug(arguments, *given->problem);
  const std::optional<Case>& problem = given->problem;
  const Result<Subject> subject =
      FindSubject(arguments.implementation, arguments.workers, *edition);
  if (!subject.ok()) return subject.status();

  FreshWorker start = [&]() -> Result<std::unique_ptr<Worker>> {
    if (!arguments.in_process) {
      return subject->start(asked.value_or(Profile::kAtlasA2), asked.has_value());
    }
    const Result<Implementation> implementation =
        FindImplementation(arguments.implementation, arguments.workers, *edition);
    if (!implementation.ok()) return implementation.status();
    return OpenInProcess(*implementation, asked);
  };
  Result<std::unique_ptr<Worker>> worker = start();
  if (!worker.ok()) return worker.status();
  const Probe probe = (*worker)->probe();
  const Result<Profile> profile = ChooseProfile(asked, probe.soc);
  if (!profile.ok()) return profile.status();

  const Spec& spec = Spec::Embedded(*edition);
  const Capabilities capabilities = CapabilitiesOf(probe.operators, subject->declared);
  JudgeContext context;
  context.spec = &spec;
  context.profile = *profile;
  const Result<PreparedCase> prepared = Prepare(context.rules(), *problem);
  if (!prepared.ok()) return prepared.status().Annotate("case");

  out << "case: " << CaseLine(*problem) << "\n"
      << "implementation: " << subject->identity.name << " on " << InfoOf(*profile).name
      << (probe.soc.empty() ? "" : " (" + probe.soc + ")") << "\n\n"
      << "Expected, by the documents\n"
      << DescribeLegality(*prepared)
      << (IndicesLeavePlane(*problem, prepared->data)
              ? "any answer: an index lies outside its plane, and no page says what "
                "happens then\n"
              : "")
      << "\nOperands\n"
      << DescribeCase(*problem, prepared->data) << std::flush;

  const CapabilityCheck check(context.rules(), capabilities);
  std::optional<std::string> outside = check.Outside(*problem);
  if (!outside) outside = IndicesOutsideCapabilities(capabilities, *problem, prepared->data);
  if (outside) {
    out << "\nUNSUPPORTED: " << *outside << "\n";
    return kExitIncomplete;
  }
  Attempt attempt;
  if (arguments.in_process) {
    attempt.outcome = (*worker)->Run(BuildInvocation(*problem, prepared->data));
    attempt.verdict = JudgeWithProperties(context, *prepared, attempt.outcome);
  } else {
    // One at a time: there may be one device.
    const auto restart = [&] {
      if (worker.ok()) worker.value().reset();
      worker = StartWithRetry(start, &NeverQuit);
      return worker.status();
    };
    attempt = AttemptCase(context, &JudgeWithProperties, *prepared, **worker);
    const bool doubtful = AnyFinding(
        attempt.verdict, [](const Finding& finding) { return MayComeOfLateWork(finding.kind); });
    // A run asks this before anything else.
    if (doubtful) {
      if (Status status = restart(); !status.ok()) return status;
      context.keeps_to_stream =
          KeepsToStream(context, &JudgeWithProperties, check,
                        StreamCases(spec, *profile, CaseSet::kSmoke), **worker);
    }
    if (!context.keeps_to_stream) {
      start = AwaitingDevice(std::move(start));
      if (Status status = restart(); !status.ok()) return status;
      attempt = AttemptCase(context, &JudgeWithProperties, *prepared, **worker);
    }
  }
  out << "\nWhat happened\n" << DescribeOutcome(*problem, attempt.outcome) << std::flush;
  std::optional<Case> enough;
  if (attempt.verdict.kind == VerdictKind::kFailed) {
    const FreshAttempt again =
        arguments.in_process
            ? AttemptsInOneProcess(context, **worker)
            : MakeFreshAttempt(context, &JudgeWithProperties, start, &check, &NeverQuit);
    enough = Blame(context, *problem, attempt, again);
  }
  out << "\n"
      << InColour(*color, attempt.verdict, VerdictWord(attempt.verdict, spec)) << "\n"
      << DescribeVerdict(context, *problem, attempt.verdict);
  if (enough) out << "enough to show it: " << CaseLine(*enough) << "\n";
  out << Picture(*problem, attempt.verdict) << std::flush;
  if (writes) {
    Result<Report> run = RunCase(*subject, asked, *edition, *problem, io);
    if (!run.ok()) return run.status();
    report = std::move(run).value();
    if (Status status = WriteOutputs(io, outputs); !status.ok()) return status;
  }
  return ExitStatusFor(attempt);
}

}  // namespace

void DeclareReplay(const Command& app, Action& action) {
  const Command command = app.AddCommand("replay", "Run one case and print all details");
  const auto arguments = std::make_shared<ReplayArguments>();
  DeclareImplementation(command, arguments->implementation);
  DeclareWorkers(command, arguments->workers);
  command
      .AddOption("--profile", arguments->profile,
                 "Product family; default: what the SoC name says, else atlas-a2")
      .TypeName("P");
  DeclareEdition(command, arguments->edition);
  command
      .AddOption("case", arguments->problem,
                 "A case line, report.json#3 (without a number: lists the failures), a file with a "
                 "case in JSON or a report's failure, or - for stdin")
      .TypeName("")
      .Required();
  command.AddFlag("--in-process", arguments->in_process,
                  "Open the library in this process, for a debugger; a hang is not stopped");
  command.AddFlag("--gdb", arguments->gdb, "Replay it in gdb, with a stop where each phase begins");
  DeclareReplayReports(command, arguments->reports);
  DeclareColor(command, arguments->color);
  command.SetGroup("Judge");
  command.SetFooter(
      "Examples:\n"
      "  poolproof replay --implementation ./libyours.so report.json\n"
      "  poolproof replay --implementation ./libyours.so 'report.json#3'\n"
      "  poolproof replay --implementation ./libyours.so 'report.json#3' --gdb\n"
      "\n"
      "Exit status: 0 passed, 1 failed, 2 usage, 3 harness error, 4 inconclusive or\n"
      "not judged.");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
