// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown.h"

#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/result/ending.h"
#include "conformance/result/gate.h"
#include "core/text.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"
#include "reports/words.h"

namespace poolproof {
namespace {

// Room for the notes on what was left out.
constexpr std::size_t kReserve = 1024;
constexpr std::size_t kLongestCommand = 8192;

std::string Code(const std::string& text) { return "`" + text + "`"; }

// Lines that hold no fence: case lines and commands are printable and on one line each.
std::string Fenced(const std::string& text) { return "```sh\n" + text + "\n```\n"; }

class MarkdownWriter {
 public:
  MarkdownWriter(const Report& report, const Spec& spec, std::size_t budget)
      : report_(report), spec_(spec), budget_(budget > kReserve ? budget - kReserve : 0) {}

  std::string Write() {
    Head();
    Acceptance();
    FailedClauses();
    RootCauses();
    Failures();
    Open();
    Waivers();
    Differences();
    Rest();
    if (omitted_ > 0) {
      text_ += "\n_" + CountOf(omitted_, "part") +
               " left out to keep this summary small; the JSON and HTML reports hold all._\n";
    }
    return std::move(text_);
  }

 private:
  // Appends what fits; the rest is counted.
  void Add(const std::string& part) {
    if (text_.size() + part.size() <= budget_) {
      text_ += part;
    } else {
      ++omitted_;
    }
  }

  void Head() {
    static constexpr std::array<std::string_view, 4> kMarks = {
        ":white_check_mark:", ":x:", ":warning:", ":boom:"};
    std::string word = VerdictWords(report_);
    word.front() = static_cast<char>(word.front() - 'a' + 'A');
    std::string part = "## " + std::string(kMarks[static_cast<std::size_t>(report_.verdict)]) +
                       " " + word + ": " + MarkdownText(CutText(report_.implementation.name, 200)) +
                       " on " + ProfileName(report_) +
                       (report_.edition == Edition::kNewest ? "" : ", edition seeds") + "\n\n" +
                       MarkdownText(VerdictSentence(report_)) + "\n\n";
    if (!report_.error.empty())
      part += "**" + MarkdownText(CutText(report_.error, 2000)) + "**\n\n";
    if (const std::string left_out = LeftOutSentence(report_); !left_out.empty()) {
      part += MarkdownText(left_out) + "\n\n";
    }
    if (const std::string waivers = WaiverSentence(report_); !waivers.empty()) {
      part += "**" + waivers + "**\n\n";
    }
    if (const std::string baseline = BaselineSentence(report_); !baseline.empty()) {
      part += "**" + MarkdownText(baseline) + "**\n\n";
    }
    if (report_.run.stopped_by != StopReason::kNone && !IsJudgedShard(report_)) {
      part += "Not all cases were judged: " + MarkdownText(EndedEarly(report_.run)) + ".\n\n";
    }
    const Summary& s = report_.summary;
    part +=
        "| cases | passed | failed | crashed | timed out | inconclusive | unsupported | not run "
        "|\n|--:|--:|--:|--:|--:|--:|--:|--:|\n|";
    for (const std::int64_t count : {s.cases, s.passed, s.failed, s.crashed, s.timed_out,
                                     s.inconclusive, s.unsupported, s.not_run}) {
      part += " " + Count(count) + " |";
    }
    part += "\n\n";
    if (const std::string failing = FailingSentence(report_); !failing.empty()) {
      part += failing + ". ";
    }
    if (const std::string inconclusive = InconclusiveSentence(report_); !inconclusive.empty()) {
      part += MarkdownText(inconclusive) + ". ";
    }
    part += ClauseCounts() + "\n";
    Add(part);
  }

  std::string ClauseCounts() const {
    return ClauseCountsSentence(report_) + ". Set " + std::string(CaseSetName(report_.run.set)) +
           ", seed " + std::to_string(report_.run.seed) + ", " + Seconds(report_.run.duration_s) +
           ", Poolproof " + MarkdownText(report_.tool_version) + ".\n";
  }

  void FailedClauses() {
    std::string rows;
    for (const Strength strength : {Strength::kRequired, Strength::kAdvisory}) {
      for (const ClauseResult& clause : report_.clauses) {
        if (clause.verdict != ClauseVerdict::kFailed || clause.strength != strength) continue;
        const Clause* known = spec_.Find(clause.id);
        rows += "| " + Code(clause.id) + " | " + std::string(StrengthName(strength)) + " | " +
                Count(clause.failures) + " of " + Count(clause.cases) +
                (clause.waived > 0 ? ", " + Count(clause.waived) + " waived" : "") + " | " +
                (known == nullptr ? "" : MarkdownText(CutText(DemandText(*known), 300))) + " |\n";
      }
    }
    if (rows.empty()) return;
    Add("\n### Failed clauses\n\n| clause | strength | failing cases | what the documents say "
        "|\n|---|---|--:|---|\n" +
        rows);
  }

  void RootCauses() {
    if (report_.root_causes.empty()) return;
    std::string part = "\n### " + RootCausesSentence(report_) + "\n\n";
    for (const RootCause& cause : report_.root_causes) {
      part += "- " + MarkdownText(Joined(cause.clauses)) + " **" +
              MarkdownText(CutText(RuleSentence(cause), 1000)) +
              "**: " + RuleCounts(report_, cause);
      for (const std::string& more : {PassesSentence(cause), FreeSentence(cause)}) {
        if (!more.empty()) part += "; " + MarkdownText(more);
      }
      part += "\n";
    }
    Add(part);
  }

  void Failures() {
    const std::vector<FailureKind> kinds = KindsOfFailure(report_);
    if (kinds.empty()) return;
    Add("\n### Failing cases, one per kind of failure\n");
    // The first ones are read, the others looked up.
    constexpr std::size_t kUnfolded = 3;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const std::string title =
          Joined(kinds[i].first().clauses) + ", " + CasesOfKind(report_, kinds[i]);
      Add(i < kUnfolded ? FailurePart(kinds[i]) : Folded(title, FailurePart(kinds[i])));
    }
    if (const std::string note = FolderNote(report_); !note.empty()) {
      Add("\n" + MarkdownText(note) + "\n");
    }
  }

  std::string FailurePart(const FailureKind& kind) const {
    const Failure& failure = kind.first();
    std::string part = "\n**" + MarkdownText(Joined(failure.clauses)) + "**";
    if (failure.advisory) part += " (advisory)";
    if (IsNew(report_, kind)) part += " (new)";
    if (IsWaived(kind)) part += " (waived by " + MarkdownText(Joined(failure.waived_by)) + ")";
    part += ", " + CasesOfKind(report_, kind);
    if (!Returned(failure)) part += ", " + MarkdownText(ShownEnd(failure.end));
    part += "\n\n" + MarkdownText(CutText(WhatHappened(failure), 1200)) + "\n\n";
    if (!failure.output.empty()) {
      part += "The library printed:\n\n";
      // Indented, so that no line ends the block.
      for (const std::string& line : OutputLines(failure)) part += "    " + line + "\n";
      part += "\n";
    }
    const std::string command =
        ReplayCommand(ImplementationArgument(report_), report_, ShownCase(failure));
    if (command.size() > kLongestCommand) {
      return part + "Its case line is long: see case " + std::to_string(failure.case_number) +
             " of the JSON report.\n";
    }
    return part + (failure.shrunk ? "Reproduce (smallest case)" : "Reproduce") + ":\n\n" +
           Fenced(command);
  }

  void Open() {
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const ClauseResult& clause : report_.clauses) {
      if (IsOpen(report_, clause)) by_reason[clause.reason].push_back(clause.id);
    }
    if (by_reason.empty()) return;
    std::string part = "\n### Required clauses not decided\n\n";
    for (const auto& [reason, ids] : by_reason) {
      part += "- " + MarkdownText(reason) + ": ";
      for (std::size_t i = 0; i < ids.size(); ++i) part += (i == 0 ? "" : ", ") + Code(ids[i]);
      part += "\n";
    }
    Add(part);
  }

  void Waivers() {
    std::string rows;
    for (const WaiverResult& waiver : report_.waivers) {
      rows += "| " + MarkdownText(waiver.id) + " | " + MarkdownText(CutText(waiver.owner, 100)) +
              " | " + waiver.expires + " | " + (FailsRun(waiver.state) ? ":x: " : "") +
              MarkdownText(WaiverStateSentence(waiver)) + " | " +
              MarkdownText(CutText(waiver.reason, 300)) + " " +
              MarkdownText(CutText(waiver.link, 300)) + " |\n";
    }
    if (rows.empty()) return;
    Add("\n### Waivers\n\n| waiver | owner | until | in this run | reason "
        "|\n|---|---|---|---|---|\n" +
        rows);
  }

  void Acceptance() {
    std::string rows;
    for (const std::string& line : DescribeAcceptance(report_.acceptance)) {
      rows += "- " + MarkdownText(CutText(line, 600)) + "\n";
    }
    if (!rows.empty()) Add("\n### Legal calls that are not accepted\n\n" + rows);
  }

  void Differences() {
    std::string part;
    for (const LibraryDifferences& library : report_.differences) {
      part += "\n" + MarkdownText(DifferencesSentence(report_, library)) + "\n\n";
      if (!library.rows.empty()) part += "| what differs | cases | the smallest |\n|---|--:|---|\n";
      for (const DifferenceRow& row : library.rows) {
        part += "| " + DifferenceWords(row) + " | " + Count(row.cases) + " | `";
        // In a table a bar ends the cell, also in code.
        for (const char c : CaseLine(row.smallest)) part += c == '|' ? "\\|" : std::string(1, c);
        part += "` |\n";
      }
    }
    if (!part.empty()) Add("\n### Compared with other libraries\n" + part);
  }

  // What a reader may want to unfold.
  void Rest() {
    std::string rows;
    for (const PropertyResult& property : report_.properties) {
      rows += "| " + MarkdownText(RelationName(property.relation)) + " | " +
              Spaced(ClauseVerdictName(property.verdict)) + " | " + Count(property.failures) +
              " of " + Count(property.cases) + " |\n";
    }
    if (!rows.empty()) {
      Add(Folded("Properties", "| property | verdict | failing cases |\n|---|---|--:|\n" + rows));
    }
    rows.clear();
    for (const auto& [name, value] : report_.implementation.observed) {
      rows += "| " + MarkdownText(name) + " | " + MarkdownText(value) + " |\n";
    }
    if (!rows.empty()) {
      Add(Folded("Arithmetic that was observed", "| what | observed |\n|---|---|\n" + rows));
    }
    rows.clear();
    for (const LibraryIdentity& library : report_.implementation.libraries) {
      rows += "| " + MarkdownText(library.name) + " | " +
              (library.sha256.empty() ? "by soname" : Code(library.sha256)) + " |\n";
    }
    if (!rows.empty()) Add(Folded("What was judged", "| library | sha256 |\n|---|---|\n" + rows));
  }

  static std::string Folded(const std::string& title, const std::string& content) {
    return "\n<details><summary>" + title + "</summary>\n\n" + content + "\n</details>\n";
  }

  const Report& report_;
  const Spec& spec_;
  const std::size_t budget_;
  std::string text_;
  std::int64_t omitted_ = 0;
};

}  // namespace

std::string MarkdownText(std::string_view text) {
  static constexpr std::string_view kSpecial = "\\`*_{}[]()#+!|~@";
  std::string escaped;
  for (const char c : CleanText(text)) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else {
      if (kSpecial.find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string ReportMarkdown(const Report& report, const Spec& spec, std::size_t budget) {
  return MarkdownWriter(report, spec, budget).Write();
}

}  // namespace poolproof
