// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/report_file.h"
#include "cli/waiver_options.h"
#include "conformance/session/environment.h"
#include "conformance/waiver/suggest.h"
#include "conformance/waiver/waiving.h"
#include "core/dates.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

constexpr std::chrono::days kSoon(14);

struct CheckArguments {
  std::string file;
  std::optional<std::string> report;
  std::optional<std::string> today;
};

struct SuggestArguments {
  std::string report;
  std::optional<std::string> expires;
  std::string output = "-";
};

// What --today says, else the day.
Result<std::string> TodayOf(const std::optional<std::string>& today) {
  if (!today) return TimestampNow().substr(0, 10);
  if (IsDate(*today)) return *today;
  return InvalidArgument("--today: '" + *today + "' is not a date such as 2026-12-31");
}

// What `waivers check` has to say of a file.
class Findings {
 public:
  void Problem(const std::string& id, const std::string& text) {
    lines_.push_back(id + ": " + text);
    ++problems_;
  }
  void Warning(const std::string& id, const std::string& text) {
    lines_.push_back(id + ": warning: " + text);
    ++warnings_;
  }
  [[nodiscard]] int Print(const std::string& file, std::int64_t waivers, const Io& io) const {
    io.out << CleanText(file) << ": " << CountOf(waivers, "waiver") << ", "
           << CountOf(problems_, "problem") << ", " << CountOf(warnings_, "warning") << "\n";
    for (const std::string& line : lines_) io.out << "  " << CleanText(line) << "\n";
    return problems_ > 0 ? kExitNonconformant : kExitOk;
  }

 private:
  std::vector<std::string> lines_;
  std::int64_t problems_ = 0;
  std::int64_t warnings_ = 0;
};

void CheckTerms(const WaiverResult& terms, const std::string& today, Findings& findings) {
  if (today > terms.expires) {
    findings.Problem(terms.id, "expired on " + terms.expires);
  } else if (const auto left = *ParseDate(terms.expires) - *ParseDate(today); left < kSoon) {
    findings.Warning(terms.id,
                     "expires on " + terms.expires + ", " +
                         (left.count() == 0 ? "today" : "in " + CountOf(left.count(), "day")));
  }
  std::string open;
  const auto check = [&](const char* member, const std::string& value,
                         std::string_view placeholder) {
    if (value == placeholder) open += std::string(open.empty() ? "" : ", ") + member;
  };
  check("owner", terms.owner, kOwnerPlaceholder);
  check("reason", terms.reason, kReasonPlaceholder);
  check("link", terms.link, kLinkPlaceholder);
  if (!open.empty()) findings.Problem(terms.id, "placeholders to fill in: " + open);
}

// The waivers against the failing cases that the report lists.
void CheckAgainst(const Report& report, std::vector<Waiver> waivers, const std::string& today,
                  Findings& findings) {
  Waiving waiving(std::move(waivers), today, report.implementation, report.profile);
  std::int64_t open = 0;
  for (const Failure& failure : report.failures) {
    std::vector<std::string> required;
    for (const ClauseResult& clause : report.clauses) {
      const bool breached = std::find(failure.clauses.begin(), failure.clauses.end(), clause.id) !=
                            failure.clauses.end();
      if (breached && clause.strength == Strength::kRequired) required.push_back(clause.id);
    }
    const bool waived = !waiving.Failed(failure.problem, failure, required).empty();
    if (!waived && !failure.advisory) ++open;
  }
  for (const WaiverResult& terms : waiving.Results(/*partial=*/false)) {
    switch (terms.state) {
      case WaiverState::kOutOfScope:
        findings.Warning(terms.id, "is about another implementation or profile than the report");
        break;
      case WaiverState::kUnmatched:
      case WaiverState::kPassing:
      case WaiverState::kPassingRandom:
      case WaiverState::kUndecided: {
        const std::string text =
            terms.failed_otherwise > 0
                ? "does not fit: " + CountOf(terms.failed_otherwise, "failing case") +
                      " in its scope failed by clauses that it does not name"
                : "matches no failing case of the report";
        if (ListsAllFailures(report)) {
          findings.Problem(terms.id, text);
        } else {
          findings.Warning(terms.id, text + "; it does not list all of them");
        }
        break;
      }
      case WaiverState::kUsed:
      case WaiverState::kExpired:
        break;
    }
  }
  if (open > 0) {
    findings.Warning("report", CountOf(open, "listed failing case") + " that no waiver waives");
  }
}

Result<int> CheckWaivers(const CheckArguments& arguments, const Io& io) {
  const Result<std::string> today = TodayOf(arguments.today);
  if (!today.ok()) return today.status();
  const Result<std::string> text = ReadFile("waivers check", arguments.file);
  if (!text.ok()) return text.status();
  Result<std::vector<Waiver>> waivers = ParseWaivers(*text, Spec::Embedded());
  if (!waivers.ok()) return waivers.status().Annotate("waivers check: " + arguments.file);
  Findings findings;
  const std::int64_t count = std::ssize(*waivers);
  for (const Waiver& waiver : *waivers) CheckTerms(waiver.terms, *today, findings);
  if (arguments.report) {
    const Result<Report> report = ReadReportFile("--report", *arguments.report);
    if (!report.ok()) return report.status();
    CheckAgainst(*report, std::move(waivers).value(), *today, findings);
  }
  return findings.Print(arguments.file, count, io);
}

Result<int> Suggest(const SuggestArguments& arguments, const Io& io) {
  constexpr std::chrono::days kQuarter(90);
  if (arguments.expires && !IsDate(*arguments.expires)) {
    return InvalidArgument("--expires: '" + *arguments.expires +
                           "' is not a date such as 2026-12-31");
  }
  std::string text;
  const std::vector<Output> outputs = {{"-o", arguments.output, [&text] { return text; }}};
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  const Result<Report> report = ReadReportFile("waivers suggest", arguments.report);
  if (!report.ok()) return report.status();
  const auto today = ParseDate(TimestampNow().substr(0, 10));
  const std::vector<WaiverResult> waivers =
      SuggestWaivers(*report, arguments.expires.value_or(DateText(*today + kQuarter)));
  if (waivers.empty()) {
    return InvalidArgument("waivers suggest: " + arguments.report +
                           ": no case fails a required clause without a waiver");
  }
  text = WaiverFileText(waivers);
  if (Status status = WriteOutputs(io, outputs); !status.ok()) return status;
  io.err << "poolproof: " << CountOf(std::ssize(waivers), "waiver")
         << " suggested; fill in owner, reason and link, then `poolproof waivers check`\n";
  return kExitOk;
}

}  // namespace

void DeclareWaivers(const Command& app, Action& action) {
  const Command waivers = app.AddCommand("waivers", "Check waiver files, or suggest one");
  waivers.RequireCommand();
  waivers.SetGroup("Reports");
  waivers.SetFooter(
      "Examples:\n"
      "  poolproof waivers suggest report.json -o waivers.json\n"
      "  poolproof waivers check waivers.json --report report.json");

  const Command check =
      waivers.AddCommand("check", "Find mistakes, expired waivers and unused waivers");
  const auto check_arguments = std::make_shared<CheckArguments>();
  check.AddOption("file", check_arguments->file, "A waiver file, docs/waivers.md")
      .TypeName("")
      .Required();
  check
      .AddOption("--report", check_arguments->report,
                 "Also find waivers that match no failing case of this JSON report")
      .TypeName("F");
  check
      .AddOption("--today", check_arguments->today,
                 "The date by which waivers expire; default: today, UTC")
      .TypeName("DATE");
  check.SetFooter(
      "Examples:\n"
      "  poolproof waivers check waivers.json\n"
      "  poolproof waivers check waivers.json --report report.json\n"
      "\n"
      "Exit status: 0 no problem (there may be warnings: a waiver expires within\n"
      "14 days), 1 problems, 2 no waiver file: unknown members, clauses or parameters.");
  check.OnChosen([check_arguments, &action] {
    action = [check_arguments](const Io& io) { return CheckWaivers(*check_arguments, io); };
  });

  const Command suggest =
      waivers.AddCommand("suggest", "Print a waiver file that covers the failures of a report");
  const auto suggest_arguments = std::make_shared<SuggestArguments>();
  suggest.AddOption("report", suggest_arguments->report, "A JSON report").TypeName("").Required();
  suggest
      .AddOption("--expires", suggest_arguments->expires,
                 "The last day on which the waivers hold; default: in 90 days")
      .TypeName("DATE");
  suggest
      .AddOption("-o,--output", suggest_arguments->output,
                 "Write the waivers here; default: stdout")
      .TypeName("F");
  suggest.SetFooter(
      "Examples:\n"
      "  poolproof waivers suggest report.json -o waivers.json\n"
      "  poolproof waivers suggest report.json --expires 2026-12-31\n"
      "\n"
      "Exit status: 0 waivers were suggested, 2 no report, or nothing to waive.");
  suggest.OnChosen([suggest_arguments, &action] {
    action = [suggest_arguments](const Io& io) { return Suggest(*suggest_arguments, io); };
  });
}

}  // namespace poolproof
