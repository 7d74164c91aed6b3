// SPDX-License-Identifier: Apache-2.0
#include "reports/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/result/baseline.h"
#include "conformance/result/ending.h"
#include "conformance/result/gate.h"
#include "core/text.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"
#include "reports/words.h"

namespace poolproof {
namespace {

constexpr std::string_view kRed = "\033[1;31m";
constexpr std::string_view kGreen = "\033[1;32m";
constexpr std::string_view kYellow = "\033[1;33m";
constexpr std::string_view kBold = "\033[1m";

// How much of each section is shown: the next step where a report is longer than kUsualLines.
struct Room {
  std::size_t causes;
  std::size_t clauses;
  std::size_t kinds;  // one less beside root causes, which tell more than another case of them
  std::size_t refused;
  bool names_advisory;   // clauses, which the count of failing cases includes, too
  std::size_t sentence;  // characters of what happened in a case, and of what a passing one has
  std::size_t rule;      // characters of when a root cause shows
  std::size_t ids;       // clauses named beside a root cause
  std::size_t free;      // values named that do not matter for a root cause
  // What is no failure: cases that nothing was decided for, properties.
  bool counts_others;
  // Failing cases of advisory clauses alone, clauses that are not decided, what passes.
  bool tells_more;
};
constexpr std::array<Room, 5> kRooms = {{{2, 8, 3, 6, true, 400, 400, 8, 8, true, true},
                                         {2, 4, 2, 3, true, 280, 280, 8, 8, false, true},
                                         {1, 2, 2, 1, false, 140, 196, 3, 4, false, true},
                                         {1, 2, 2, 1, false, 140, 196, 3, 0, false, true},
                                         {1, 2, 2, 1, false, 94, 98, 3, 0, false, false}}};
constexpr std::string_view kReset = "\033[0m";

std::string Cut(const std::string& text, std::size_t columns) {
  if (columns < 8 || text.size() <= columns) return text;
  return text.substr(0, columns - 3) + "...";
}

// What a library says must not steer the terminal.
std::string Printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string FirstOf(const std::vector<std::string>& ids, std::size_t most) {
  if (ids.size() <= most) return Joined(ids);
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(most);
  return Joined(std::vector<std::string>(ids.begin(), end)) + " and " +
         std::to_string(ids.size() - most) + " more";
}

class TextWriter {
 public:
  TextWriter(const Report& report, const Spec& spec, const TextStyle& style, const Room& room)
      : report_(report), spec_(spec), style_(style), room_(room) {}

  std::string Write() {
    Verdict();
    if (style_.detail == Detail::kVerdict) return std::move(text_);
    Counts();
    Acceptance();
    RootCauses();
    FailedClauses();
    Failures();
    OpenClauses();
    // Where something failed, that comes first.
    if (ShowsAll() || CountClauses(report_, ClauseVerdict::kFailed) == 0) WeakClauses();
    Unsupported();
    Waivers();
    Differences();
    return std::move(text_);
  }

 private:
  std::string In(std::string_view colour, const std::string& words) const {
    if (!style_.colour) return words;
    return std::string(colour) + words + std::string(kReset);
  }
  [[nodiscard]] bool ShowsAll() const { return style_.detail == Detail::kAll; }
  // So many of them, at most.
  [[nodiscard]] std::size_t AtMost(std::size_t most) const {
    return ShowsAll() ? std::numeric_limits<std::size_t>::max() : most;
  }
  void Line(const std::string& line) { text_ += line + "\n"; }
  // A sentence that may take several lines, those behind the first two columns further in.
  void Prose(const std::string& indent, const std::string& sentence, std::string_view colour = {}) {
    std::string line;
    const auto end_line = [&] { Line(indent + (colour.empty() ? line : In(colour, line))); };
    bool begun = false;
    for (std::size_t at = 0; at < sentence.size();) {
      const std::size_t end = std::min(sentence.find(' ', at), sentence.size());
      const std::size_t more = end - at + (begun ? 1 : 0);
      if (begun && style_.width > 0 && indent.size() + line.size() + more > style_.width) {
        end_line();
        line = "  ";
        begun = false;
      }
      line += (begun ? " " : "") + sentence.substr(at, end - at);
      begun = true;
      at = end + 1;
    }
    end_line();
  }
  [[nodiscard]] std::string Sentence(const std::string& words) const {
    return Cut(Printable(words), AtMost(room_.sentence));
  }
  // A case line: whole where it fits, and where all is shown.
  [[nodiscard]] std::string Shown(const Case& problem, std::size_t indent) const {
    std::string line = "'" + CaseLine(problem) + "'";
    if (ShowsAll() || style_.width <= indent) return line;
    return Cut(line, style_.width - indent);
  }
  void Heading(const std::string& words) {
    text_ += '\n';
    Line(In(kBold, words));
  }

  void Verdict() {
    const ImplementationIdentity& implementation = report_.implementation;
    std::string_view colour = kYellow;
    std::string words = "INCOMPLETE";
    switch (report_.verdict) {
      case RunVerdict::kConformant:
        colour = kGreen;
        words = LoudVerdict();
        break;
      case RunVerdict::kNonconformant:
        colour = kRed;
        words = EveryBreachIsWaived(report_) ? "NONCONFORMANT, every breach waived"
                : report_.baseline && !HasNewFailures(*report_.baseline)
                    ? "NONCONFORMANT, nothing new"
                    : "NONCONFORMANT";
        break;
      case RunVerdict::kError:
        colour = kRed;
        words = "ERROR";
        break;
      case RunVerdict::kIncomplete:
        if (!IsJudgedShard(report_)) break;
        colour = kGreen;
        words = "SHARD " + VerdictWords(report_).substr(std::string_view("shard ").size());
        break;
    }
    // A conformant run says it in its own words.
    if (report_.verdict == RunVerdict::kNonconformant || words == "INCOMPLETE") {
      words += NotJudgedWords(report_);
    }
    std::string line = In(colour, words) + "  " + Printable(implementation.name) + " on " +
                       ProfileName(report_) +
                       (report_.edition == Edition::kNewest ? "" : ", edition seeds");
    if (!implementation.probe.soc.empty()) line += " (" + Printable(implementation.probe.soc) + ")";
    line +=
        IsCampaign(report_) ? ", campaign" : ", set " + std::string(CaseSetName(report_.run.set));
    line += ", seed " + std::to_string(report_.run.seed);
    const bool told = report_.verdict == RunVerdict::kConformant || IsCampaign(report_);
    if (report_.run.scope == RunScope::kSelected && !told) line += ", selected cases only";
    Line(line);
    if (style_.detail == Detail::kVerdict) return;
    if (!report_.error.empty()) Prose("  ", report_.error);
    if (const std::string left_out = LeftOutSentence(report_); !left_out.empty()) {
      Prose("  ", Printable(left_out));
    }
    if (const std::string waivers = WaiverSentence(report_); !waivers.empty()) {
      Prose("  ", waivers);
    }
    if (const std::string baseline = BaselineSentence(report_); !baseline.empty()) {
      Prose("  ", Printable(baseline));
    }
    if (IsJudgedShard(report_)) {
      Line("  merge it with the other shards: poolproof merge");
    } else if (report_.run.stopped_by != StopReason::kNone) {
      Prose("  ", EndedEarly(report_.run));
    }
    if (report_.verdict == RunVerdict::kIncomplete && report_.summary.cases == 0) {
      Line("  no case was judged");
    }
  }

  // "CONFORMANT within its declared capabilities": what decides comes in capitals.
  std::string LoudVerdict() const {
    std::string words = VerdictWords(report_);
    const std::size_t end = std::min(words.find(' '), words.size());
    std::transform(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end), words.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return words;
  }

  void Counts() {
    const Summary& summary = report_.summary;
    std::string line = CountOf(summary.cases, "case") + ": " + Count(summary.passed) + " passed";
    const std::array<std::pair<std::int64_t, std::string_view>, 5> others = {
        {{summary.failed, "failed"},
         {summary.crashed, "crashed"},
         {summary.timed_out, "timed out"},
         {summary.inconclusive, "inconclusive"},
         {summary.unsupported, "unsupported"}}};
    for (const auto& [count, word] : others) {
      if (count > 0) line += ", " + Count(count) + " " + std::string(word);
    }
    if (summary.waived > 0) line += "; " + Count(summary.waived) + " of the failing waived";
    if (summary.not_run > 0) line += "; " + Count(summary.not_run) + " not run";
    const bool counts_others = room_.counts_others || report_.failures.empty();
    if (summary.recorded > 0 && counts_others) {
      line += " (" + Count(summary.recorded) +
              " of the passed were not judged: the documents leave them open)";
    }
    Prose("  ", line);

    if (const std::string failing = FailingSentence(report_);
        !failing.empty() && room_.tells_more &&
        (summary.advisory.value_or(0) > 0 || CountUnnamed(report_) > 0)) {
      Prose("  ", failing);
    }
    if (const std::string inconclusive = InconclusiveSentence(report_);
        !inconclusive.empty() && counts_others) {
      Prose("  ", Printable(inconclusive));
    }
    const std::string end = "took " + Seconds(report_.run.duration_s);
    if (!counts_others) return Prose("  ", ClauseCounts(report_) + "; " + end);
    Prose("  ", ClauseCountsSentence(report_));
    Line("  " + PropertiesText() + end);
  }

  std::string PropertiesText() const {
    std::map<ClauseVerdict, std::int64_t> properties;
    for (const PropertyResult& property : report_.properties) ++properties[property.verdict];
    // Runs that hold no calls against one another have nothing to say here.
    if (properties.empty() ||
        (properties.size() == 1 && properties.contains(ClauseVerdict::kNotRun))) {
      return "";
    }
    std::string line = Count(std::ssize(report_.properties)) + " properties: ";
    std::string separator;
    for (const auto& [verdict, count] : properties) {
      line +=
          std::exchange(separator, ", ") + Count(count) + " " + Spaced(ClauseVerdictName(verdict));
    }
    return line + "; ";
  }

  void RootCauses() {
    // Those of advisory failures are behind the others.
    const auto all = ShowsAll() ? std::ssize(report_.root_causes) : RequiredCauses(report_);
    if (all == 0 && report_.unexplained == 0) return;
    Heading(RootCausesSentence(report_));
    const std::size_t shown = std::min(AtMost(room_.causes), static_cast<std::size_t>(all));
    bool has_nearest = false;
    for (std::size_t i = 0; i < shown; ++i) {
      const RootCause& cause = report_.root_causes[i];
      Prose("  ", Cut(Printable(RuleSentence(cause)), AtMost(room_.rule)), kRed);
      Prose("    ",
            Printable(ShowsAll() ? Joined(cause.clauses) : FirstOf(cause.clauses, room_.ids)) +
                ": " + RuleCounts(report_, cause));
      if (const std::string free = FreeSentence(cause, room_.free);
          !free.empty() && (i == 0 || ShowsAll())) {
        Prose("    ", Printable(free));
      }
      if (cause.nearest && cause.smallest && room_.tells_more && (!has_nearest || ShowsAll())) {
        has_nearest = true;
        Prose("    ", Printable(PassesSentence(cause)));
        if (ShowsAll()) {
          Line("      fails   '" + CaseLine(*cause.smallest) + "'");
          Line("      passes  '" + CaseLine(*cause.nearest) + "'");
        }
      }
    }
    const auto others = all - static_cast<std::ptrdiff_t>(shown);
    if (others > 1) {
      Line("  and " + CountOf(others, "other root cause"));
    } else if (others == 1) {
      const std::string last = Printable(RuleSentence(report_.root_causes[shown]));
      Line("  and one more: " + In(kRed, Cut(last, style_.width - 16)));
    }
  }

  void FailedClauses() {
    std::vector<const ClauseResult*> failed;
    for (const ClauseResult& clause : report_.clauses) {
      if (clause.verdict == ClauseVerdict::kFailed) failed.push_back(&clause);
    }
    if (failed.empty()) return;
    std::stable_sort(failed.begin(), failed.end(),
                     [](const auto* a, const auto* b) { return a->strength < b->strength; });
    Heading("Failed clauses");
    // Those that decide nothing are named, beside those that do.
    std::string advisory;
    std::size_t shown = failed.size();
    if (!ShowsAll() && failed.front()->strength == Strength::kRequired) {
      const auto first = std::find_if(failed.begin(), failed.end(), [](const ClauseResult* clause) {
        return clause->strength == Strength::kAdvisory;
      });
      for (auto clause = first; clause != failed.end(); ++clause) {
        advisory += (advisory.empty() ? "" : ", ") + (*clause)->id;
      }
      failed.erase(first, failed.end());
      shown = failed.size() > room_.clauses ? room_.clauses - 1 : failed.size();
    }
    std::string others;
    for (std::size_t i = shown; i < failed.size(); ++i) {
      others += (others.empty() ? "" : ", ") + failed[i]->id;
    }
    const std::size_t left_out = failed.size() - shown;
    failed.resize(shown);
    std::size_t id_width = 0;
    std::size_t count_width = 0;
    for (const ClauseResult* clause : failed) {
      id_width = std::max(id_width, clause->id.size());
      count_width = std::max(count_width, Fraction(*clause).size());
    }
    for (const ClauseResult* clause : failed) {
      std::string line = "  " + Padded(clause->id, id_width) + "  " +
                         Padded(std::string(StrengthName(clause->strength)), 8) + "  " +
                         Padded(Fraction(*clause), count_width) + "  ";
      const std::size_t used = line.size();
      const Clause* known = spec_.Find(clause->id);
      const std::size_t left = style_.width > used + 20 ? style_.width - used : 0;
      if (known != nullptr) line += Cut(DemandText(*known), left);
      Line(line);
    }
    if (left_out > 0) {
      Line(Cut("  and " + CountOf(static_cast<std::int64_t>(left_out), "other required clause") +
                   ": " + others,
               style_.width));
    }
    if (!advisory.empty() && room_.names_advisory) {
      Line(Cut("  advisory: " + advisory, style_.width));
    }
  }

  static std::string Fraction(const ClauseResult& clause) {
    return Count(clause.failures) + " of " + CountOf(clause.cases, "case") +
           (clause.not_looked_into > 0 ? ", " + Count(clause.not_looked_into) + " not investigated"
                                       : std::string());
  }
  static std::string Padded(const std::string& words, std::size_t columns) {
    return words + std::string(columns > words.size() ? columns - words.size() : 0, ' ');
  }

  void Failures() {
    if (report_.failures.empty()) return;
    const std::vector<FailureKind> kinds = KindsOfFailure(report_);
    Heading("Failing cases, one per kind of failure");
    // Beside kinds that decide the run, those that do not are named and no more.
    const bool decides = !kinds.front().first().advisory;
    const std::size_t most = AtMost(room_.kinds - (RequiredCauses(report_) == 0 ? 0 : 1));
    std::size_t shown = 0;
    std::int64_t others = 0;
    for (const FailureKind& kind : kinds) {
      if ((kind.first().advisory && decides && !ShowsAll()) || shown == most) {
        ++others;
      } else {
        ShowFailure(kind, ++shown);
      }
    }
    if (others > 0) {
      Line("  and " + CountOf(others, "other kind") +
           " of failure: see the HTML or JSON report, or --verbose");
    }
    const std::string note = FolderNote(report_);
    if (style_.is_folder_cut && !note.empty()) Line("  " + Printable(note));
  }

  // `number`: as `replay report.json#1` and the page of --html count kinds.
  void ShowFailure(const FailureKind& kind, std::size_t number) {
    const Failure& failure = kind.first();
    const std::string clauses = Joined(failure.clauses);
    const std::string subject = clauses.empty() ? "(not investigated)" : clauses;
    const std::string before = "  #" + std::to_string(number) + " ";
    std::string head;
    if (failure.advisory) head += " (advisory)";
    if (IsNew(report_, kind)) head += " (new)";
    if (IsWaived(kind)) head += " (waived by " + Joined(failure.waived_by) + ")";
    if (std::ssize(kind.failures) > 1 || failure.alike > 1) {
      head += ", " + CasesOfKind(report_, kind);
    }
    if (!Returned(failure)) head += ", " + ShownEnd(failure.end);
    head += ", case " + std::to_string(failure.case_number);
    const std::string shrunk = failure.shrunk ? ", shrunk" : "";
    const std::size_t used =
        before.size() + subject.size() + head.size() + failure.path.size() + 1 + shrunk.size();
    if (ShowsAll() || style_.width == 0 || used <= style_.width) head += " " + failure.path;
    Line(before + In(failure.advisory ? kYellow : kRed, subject) + head + shrunk);
    // Of the case whose replay is below.
    Prose("    ", Sentence(WhatHappened(failure)));
    if (style_.has_next && !ShowsAll()) {
      Line("    " + Shown(ShownCase(failure), 4));
    } else {
      Line("    " +
           ReplayCommand(style_.implementation, report_, ShownCase(failure), style_.program));
    }
    if (style_.detail != Detail::kAll || failure.output.empty()) return;
    Line("    the library printed:");
    for (const std::string& line : OutputLines(failure)) Line("      " + Printable(line));
  }

  // Heads the failures: where legal calls are refused, most else follows from that.
  void Acceptance() {
    const std::vector<std::string> lines = DescribeAcceptance(report_.acceptance);
    if (lines.empty()) return;
    const std::size_t shown = std::min(AtMost(room_.refused), lines.size());
    Heading("Legal calls that are not accepted" +
            (shown < lines.size() ? ", of " + CountOf(std::ssize(lines), "operator") : ""));
    for (std::size_t i = 0; i < shown; ++i) {
      const std::string line = "  " + Printable(lines[i]);
      Line(ShowsAll() ? line : Cut(line, style_.width));
    }
  }

  void OpenClauses() {
    std::vector<const ClauseResult*> open;
    for (const ClauseResult& clause : report_.clauses) {
      const bool unanswered = clause.verdict == ClauseVerdict::kInconclusive ||
                              clause.verdict == ClauseVerdict::kNotRun;
      if (unanswered && clause.strength == Strength::kRequired) open.push_back(&clause);
    }
    if (open.empty() || report_.run.scope == RunScope::kSelected) return;
    // What fails hides much else: its clauses get their answers when it is fixed.
    if (open.size() > AtMost(2) && CountClauses(report_, ClauseVerdict::kFailed) > 0) {
      if (!room_.tells_more) return;
      Line(CountOf(std::ssize(open), "required clause") +
           " not decided: the HTML and JSON reports say why");
      return;
    }
    Heading("Required clauses not decided");
    ByReason(open);
  }

  // A line for each reason, with the clauses that it is given for.
  void ByReason(const std::vector<const ClauseResult*>& clauses) {
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const ClauseResult* clause : clauses) by_reason[clause->reason].push_back(clause->id);
    for (const auto& [reason, ids] : by_reason) {
      Prose("  ", FirstOf(ids, 8) + ": " + reason);
    }
  }

  void WeakClauses() {
    if (report_.run.scope == RunScope::kSelected) return;
    std::map<std::string, std::string> by_weakness;
    for (const ClauseResult& clause : report_.clauses) {
      for (const std::string& weakness : clause.weak) {
        std::string& ids = by_weakness[weakness];
        ids += (ids.empty() ? "" : ", ") + clause.id;
      }
    }
    if (by_weakness.empty()) return;
    Heading("Passed, thin evidence");
    for (const auto& [weakness, ids] : by_weakness) Line("  " + weakness + ": " + ids);
  }

  void Unsupported() {
    std::vector<const ClauseResult*> clauses;
    for (const ClauseResult& clause : report_.clauses) {
      if (clause.verdict == ClauseVerdict::kUnsupported) clauses.push_back(&clause);
    }
    if (clauses.empty()) return;
    Heading("Unsupported");
    ByReason(clauses);
  }

  void Waivers() {
    if (report_.waivers.empty()) return;
    Heading("Waivers");
    for (const WaiverResult& waiver : report_.waivers) {
      const std::string_view colour = FailsRun(waiver.state) ? kRed : kYellow;
      Line("  " + In(colour, waiver.id) + " (" + Printable(waiver.owner) + ", until " +
           waiver.expires + ") " + WaiverStateSentence(waiver));
    }
  }

  void Differences() {
    if (!report_.differences.empty()) Heading("Compared with other libraries");
    for (const LibraryDifferences& library : report_.differences) {
      Prose("  ", Printable(DifferencesSentence(report_, library)));
      for (const DifferenceRow& row : library.rows) {
        Line("    " + Count(row.cases) + ": " + DifferenceWords(row) + "; the smallest:");
        Line("      '" + CaseLine(row.smallest) + "'");
      }
    }
  }

  const Report& report_;
  const Spec& spec_;
  const TextStyle& style_;
  const Room& room_;
  std::string text_;
};

}  // namespace

std::string ReportText(const Report& report, const Spec& spec, const TextStyle& style) {
  std::string text;
  for (const Room& room : kRooms) {
    text = TextWriter(report, spec, style, room).Write();
    const bool is_short = std::count(text.begin(), text.end(), '\n') <= kUsualLines;
    if (style.detail != Detail::kUsual || is_short) break;
  }
  return text;
}

}  // namespace poolproof
