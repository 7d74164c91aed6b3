// SPDX-License-Identifier: Apache-2.0
#include "reports/html.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/result/ending.h"
#include "conformance/result/gate.h"
#include "core/text.h"
#include "reports/heat_map.h"
#include "reports/html_parts.h"
#include "reports/html_style.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"
#include "reports/words.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

// Kinds of failure that get a card of their own, and listed cases of each.
constexpr std::size_t kMostCards = 60;
constexpr std::size_t kMostListed = 20;
constexpr std::size_t kLongestLine = std::size_t{16} * 1024;

std::string Link(const std::string& anchor, const std::string& text) {
  return "<a href=\"#" + anchor + "\">" + text + "</a>";
}

std::string Row(std::string_view term, const std::string& html) {
  return "<dt>" + XmlText(term) + "</dt><dd>" + html + "</dd>\n";
}

class Page {
 public:
  Page(const Report& report, const Spec& spec, const std::optional<Performance>& performance)
      : report_(report),
        spec_(spec),
        performance_(performance),
        kinds_(KindsOfFailure(report)),
        refused_(DescribeAcceptance(report.acceptance)) {
    for (const ClauseResult& clause : report.clauses) known_.insert(clause.id);
    for (const Discrepancy& entry : report.discrepancies) known_.insert(entry.id);
    for (std::size_t i = 0; i < kinds_.size() && i < kMostCards; ++i) {
      std::set<std::string> clauses;
      for (const Failure* failure : kinds_[i].failures) {
        clauses.insert(failure->clauses.begin(), failure->clauses.end());
        const std::optional<CoverageKey> cell = CoverageOf(failure->problem);
        if (cell) cell_targets_.emplace(*cell, "failure-" + std::to_string(i + 1));
      }
      for (const std::string& clause : clauses) cards_[clause].push_back(i);
    }
  }

  std::string Write() {
    Head();
    Add("<main id=\"content\">\n");
    Acceptance();
    RootCauses();
    FailureIndex();
    ClauseMatrix();
    Coverage();
    FailureCards();
    OpenClauses();
    ClauseTables();
    Properties();
    Precision();
    Differences();
    Speed();
    Waivers();
    Discrepancies();
    Documents();
    Run();
    Words();
    Add("</main>\n<footer>Made by Poolproof " + XmlText(report_.tool_version) +
        ". The page holds no scripts and loads nothing.</footer>\n</body>\n</html>\n");
    return std::move(html_);
  }

 private:
  void Add(const std::string& html) { html_ += html; }
  void Section(const std::string& id, const std::string& title) {
    Add("<h2 id=\"" + id + "\">" + title + "</h2>\n");
  }

  // Text in which ids of clauses and discrepancies are links.
  std::string Linked(const std::string& text) const {
    static constexpr std::string_view kIdCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    std::string html;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t end = std::min(text.find_first_not_of(kIdCharacters, i), text.size());
      if (end == i) {
        const std::size_t next = std::min(text.find_first_of(kIdCharacters, i), text.size());
        html += XmlText(text.substr(i, next - i));
        i = next;
        continue;
      }
      const std::string word = text.substr(i, end - i);
      html += known_.contains(word) ? Link(word, word) : XmlText(word);
      i = end;
    }
    return html;
  }

  void Head() {
    const std::string verdict(RunVerdictName(report_.verdict));
    const std::string word = Capitalised(VerdictWords(report_));
    const std::string name = CleanText(report_.implementation.name);
    // Names of profiles hold hyphens at which no line should end.
    std::string sentence = XmlText(VerdictSentence(report_));
    const std::string profile = ProfileName(report_);
    if (const std::size_t at = sentence.rfind(profile); at != std::string::npos) {
      sentence.insert(at + profile.size(), "</span>");
      sentence.insert(at, "<span class=\"whole\">");
    }
    Add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
        XmlText(word + ": " + name + " on " + profile) +
        "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>" + std::string(HtmlStyle()) +
        "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">To the content</a>\n"
        "<header>\n<div class=\"verdict " +
        verdict + "\"><h1>" + word + "</h1>\n<p>" + sentence + "</p></div>\n");
    if (!report_.error.empty()) Add("<p><strong>" + XmlText(report_.error) + "</strong></p>\n");
    if (const std::string left_out = LeftOutSentence(report_); !left_out.empty()) {
      Add("<p>" + XmlText(left_out) + "</p>\n");
    }
    if (const std::string waivers = WaiverSentence(report_); !waivers.empty()) {
      Add("<p><strong>" + waivers + "</strong> " + Link("waivers", "The waivers") + "</p>\n");
    }
    if (const std::string baseline = BaselineSentence(report_); !baseline.empty()) {
      Add("<p><strong>" + XmlText(baseline) + "</strong></p>\n");
    }
    if (report_.run.stopped_by != StopReason::kNone && !IsJudgedShard(report_)) {
      Add("<p>Not all cases were judged: " + XmlText(EndedEarly(report_.run)) + ".</p>\n");
    }
    Facts();
    Add(NextHtml(report_, spec_));
    if (!kinds_.empty()) Inconclusive();
    Navigation();
    Add("</header>\n");
  }

  void Facts() {
    const Summary& s = report_.summary;
    const std::array<std::pair<std::int64_t, std::string_view>, 8> counts = {
        {{s.passed, "passed"},
         {s.failed, "failed"},
         {s.crashed, "crashed"},
         {s.timed_out, "timed out"},
         {s.waived, "of them waived"},
         {s.inconclusive, "inconclusive"},
         {s.unsupported, "unsupported"},
         {s.not_run, "not run"}}};
    Add("<ul class=\"facts\" aria-label=\"Cases\"><li><b>" + Count(s.cases) +
        "</b><span>cases</span></li>");
    const bool fails_otherwise = s.crashed + s.timed_out > 0;
    for (const auto& [count, word] : counts) {
      if (count == 0 && word != "passed" && (word != "failed" || fails_otherwise)) continue;
      Add("<li><b>" + Count(count) + "</b><span>" + std::string(word) + "</span></li>");
    }
    const std::int64_t passed = CountClauses(report_, ClauseVerdict::kPassed);
    Add("<li><b>" + Count(passed) + " of " +
        Count(passed + CountClauses(report_, ClauseVerdict::kFailed)) +
        "</b><span>judged clauses passed</span></li></ul>\n");
    if (kinds_.empty()) Inconclusive();
    if (const std::string failing = FailingSentence(report_);
        !failing.empty() && (s.advisory.value_or(0) > 0 || CountUnnamed(report_) > 0)) {
      Add("<p>" + failing + ".</p>\n");
    }
  }

  // What fails comes before it.
  void Inconclusive() {
    const std::string inconclusive = InconclusiveSentence(report_);
    if (!inconclusive.empty()) Add("<p class=\"soft\">" + XmlText(inconclusive) + ".</p>\n");
  }

  void Navigation() {
    Add("<nav aria-label=\"Sections\"><ul>");
    const std::vector<std::pair<std::string, std::string>> places = {
        {"accepted", refused_.empty() ? "" : "What is not accepted"},
        {"causes", report_.root_causes.empty() ? "" : "Root causes"},
        {"failures", kinds_.empty() ? "" : "What failed"},
        {"clauses", "Clauses"},
        {"coverage", report_.coverage.empty() ? "" : "Coverage"},
        {"cases", kinds_.empty() ? "" : "Failing cases"},
        {"open", HasOpen() ? "Not decided" : ""},
        {"statements", "What the clauses say"},
        {"properties", report_.properties.empty() ? "" : "Properties"},
        {"precision", report_.implementation.observed.empty() ? "" : "Arithmetic"},
        {"performance", performance_ ? "Performance" : ""},
        {"waivers", report_.waivers.empty() ? "" : "Waivers"},
        {"discrepancies", report_.discrepancies.empty() ? "" : "Discrepancies"},
        {"run", "The run"},
        {"words", "Words"}};
    for (const auto& [id, title] : places) {
      if (!title.empty()) Add("<li>" + Link(id, title) + "</li>");
    }
    Add("</ul></nav>\n");
  }

  // --- Failures ----------------------------------------------------------------------------------

  // Where legal calls are refused, most else follows from that.
  void Acceptance() {
    if (refused_.empty()) return;
    Section("accepted", "Legal calls that are not accepted");
    Add("<p class=\"soft\">Plain calls, one for each type, index type, rank, format and layout, "
        "made before anything else. A refusal of another call proves nothing if the legal call "
        "next to "
        "it is refused, too.</p>\n<ul>\n");
    for (const std::string& line : refused_) Add("<li>" + XmlText(line) + "</li>\n");
    Add("</ul>\n");
  }

  void RootCauses() {
    if (report_.root_causes.empty()) return;
    Section("causes", "Root causes");
    Add("<p class=\"soft\">" + RootCausesSentence(report_) +
        ". A rule separates the cases that fail from the cases that pass. Confirmed: new cases "
        "were "
        "made with and without the rule, and all ended as it says. Seen in the cases so far: no "
        "new case tested the rule.</p>\n");
    std::size_t number = 0;
    for (const RootCause& cause : report_.root_causes) {
      const std::string anchor = "cause-" + std::to_string(++number);
      Add("<article class=\"card\" id=\"" + anchor + "\" aria-labelledby=\"" + anchor +
          "-title\">\n<h3 id=\"" + anchor + "-title\">" + std::to_string(number) + ". " +
          XmlText(CutText(RuleSentence(cause), 1000)) + "</h3>\n<p>" + RuleCounts(report_, cause) +
          "</p>\n");
      if (const std::string free = FreeSentence(cause); !free.empty()) {
        Add("<p>" + XmlText(free) + "</p>\n");
      }
      Add("<p>");
      std::string separator;
      for (const std::string& id : cause.clauses) {
        Add(std::exchange(separator, ", ") + (known_.contains(id) ? Link(id, id) : XmlText(id)));
      }
      Add("</p>\n");
      if (cause.border) {
        Add("<details><summary>Where it fails, by " + XmlText(cause.border->across.text) + " and " +
            XmlText(cause.border->down.text) + "</summary>\n" + BorderHtml(*cause.border) +
            "</details>\n");
      }
      Add(NearestHtml(cause));
      Add("</article>\n");
    }
  }

  // A line for each kind, above everything that takes room.
  void FailureIndex() {
    if (kinds_.empty()) return;
    Section("failures", "What failed");
    const auto small = std::count_if(kinds_.begin(), kinds_.end(), [](const FailureKind& kind) {
      return kind.first().shrunk.has_value();
    });
    Add("<p class=\"soft\">" + CountOf(std::ssize(kinds_), "kind") +
        " of failure, grouped by operator, misbehaviour and clauses. " + Count(small) + " of " +
        Count(std::ssize(kinds_)) + " are shown on a smaller case that Poolproof found.</p>\n");
    constexpr std::size_t kUnfolded = 4;  // the matrix of clauses follows on the same screen
    const std::size_t last = std::min(kinds_.size(), kMostCards);
    IndexRows(0, std::min(last, kUnfolded));
    if (last > kUnfolded) {
      Add("<details><summary>" + CountOf(static_cast<std::int64_t>(last - kUnfolded), "kind") +
          " more</summary>\n");
      IndexRows(kUnfolded, last);
      Add("</details>\n");
    }
    if (kinds_.size() > kMostCards) {
      Add("<p>" + CountOf(static_cast<std::int64_t>(kinds_.size() - kMostCards), "further kind") +
          " of failure: see the JSON report.</p>\n");
    }
  }

  void IndexRows(std::size_t first, std::size_t end) {
    Add("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"What failed\"><table "
        "class=\"index\">"
        "<thead><tr><th scope=\"col\">no.</th><th scope=\"col\">clauses</th>"
        "<th scope=\"col\">strength</th><th scope=\"col\" class=\"n\">cases</th>"
        "<th scope=\"col\">what happened</th></tr></thead><tbody>\n");
    for (std::size_t i = first; i < end; ++i) {
      const FailureKind& kind = kinds_[i];
      const Failure& failure = kind.first();
      const std::string number = std::to_string(i + 1);
      std::string clauses;  // ids hold hyphens at which no line should end
      for (const std::string& id : failure.clauses) {
        clauses += (clauses.empty() ? "<span class=\"whole\">" : ", <span class=\"whole\">") +
                   XmlText(id) + "</span>";
      }
      if (clauses.empty()) clauses = "not investigated";
      Add("<tr><td>" + Link("failure-" + number, number) + "</td><td>" + clauses + "</td><td>" +
          StrengthPill(kind) + "</td><td class=\"n\">" + CasesOfKind(report_, kind) + "</td><td>" +
          XmlText(CutText(WhatHappened(failure), 140)) + "</td></tr>\n");
    }
    Add("</tbody></table></div>\n");
  }

  [[nodiscard]] std::string StrengthPill(const FailureKind& kind) const {
    const bool advisory = kind.first().advisory;
    return std::string("<span class=\"pill ") + (advisory ? "inconclusive" : "failed") + "\">" +
           (advisory ? "advisory" : "required") + "</span>" +
           (IsWaived(kind) ? " <span class=\"pill waived\">waived</span>" : "") +
           (IsNew(report_, kind) ? " <span class=\"pill failed\">new</span>" : "");
  }

  void FailureCards() {
    if (kinds_.empty()) return;
    Section("cases", "Failing cases, one per kind of failure");
    if (const std::string note = FolderNote(report_); !note.empty()) {
      Add("<p class=\"soft\">" + XmlText(note) + "</p>\n");
    }
    for (std::size_t i = 0; i < kinds_.size() && i < kMostCards; ++i) FailureCard(i);
  }

  // Folded, except for the first one.
  void FailureCard(std::size_t number) {
    const FailureKind& kind = kinds_[number];
    const Failure& failure = kind.first();
    const std::string anchor = "failure-" + std::to_string(number + 1);
    Add("<details class=\"card\" id=\"" + anchor + "\"" + (number == 0 ? " open" : "") +
        ">\n<summary><h3>" + std::to_string(number + 1) + ". " + XmlText(Joined(failure.clauses)) +
        " " + StrengthPill(kind) + " <span class=\"soft small\">" + CasesOfKind(report_, kind) +
        (Returned(failure) ? "" : ", " + XmlText(ShownEnd(failure.end))) +
        "</span></h3></summary>\n");
    Add("<p>" + XmlText(CutText(WhatHappened(failure), 2000)) + "</p>\n");
    if (IsWaived(kind)) WaivedBy(kind);
    for (const std::string& id : failure.clauses) Said(id);
    const Case& shown = ShownCase(failure);
    const auto [drawn, is_new] = drawn_.emplace(CaseLine(shown), number + 1);
    if (!is_new) {
      const std::string before = std::to_string(drawn->second);
      Add("<p>The same case as that of failure " + Link("failure-" + before, before) + ".</p>\n");
    } else {
      Add(PicturesHtml(failure));
      Add(MismatchTableHtml(failure));
    }
    const std::string command = ReplayCommand(ImplementationArgument(report_), report_, shown);
    Add("<p class=\"small soft\">Reproduce:</p>\n");
    if (command.size() > kLongestLine) {
      Add("<p>The case line is long: it is in the JSON report, case " +
          std::to_string(failure.case_number) + ".</p>\n");
    } else {
      Add(Command(command));
    }
    Add(OutputHtml(failure));
    if (is_new) Add(OperandsHtml(shown));
    ListedCases(kind);
    Add("</details>\n");
  }

  void WaivedBy(const FailureKind& kind) {
    std::set<std::string> ids;
    for (const Failure* failure : kind.failures) {
      ids.insert(failure->waived_by.begin(), failure->waived_by.end());
    }
    std::string links;
    for (const std::string& id : ids) {
      links += (links.empty() ? "" : ", ") + Link("waiver-" + id, XmlText(id));
    }
    Add("<p>Waived by " + links +
        ": it is still a breach, and does not change the exit status.</p>\n");
  }

  // Why it is wrong, by the document.
  void Said(const std::string& id) {
    const Clause* clause = spec_.Find(id);
    if (clause == nullptr) return;
    std::string by;
    for (const std::string& document : DocumentsOf(spec_, clause->documents)) {
      by += (by.empty() ? "" : "; ") + XmlText(document);
    }
    std::string expected;
    if (clause->expect) {
      expected = clause->expect->any_error ? "Expected: any error. "
                 : clause->expect->status == 0
                     ? "Expected: status 0. "
                     : "Expected: status " + std::to_string(clause->expect->status) + ". ";
    }
    Add("<div class=\"said\"><p>" + Link(id, id) + ". " + expected + Linked(clause->statement) +
        ".</p><p class=\"small soft\">" + by + "</p></div>\n");
  }

  void ListedCases(const FailureKind& kind) {
    Add("<details><summary>Cases of this kind</summary><ol class=\"small\">\n");
    for (std::size_t i = 0; i < kind.failures.size() && i < kMostListed; ++i) {
      const Failure& failure = *kind.failures[i];
      Add("<li value=\"" + std::to_string(i + 1) + "\">case " +
          std::to_string(failure.case_number) + ", " + Code(failure.path));
      const std::string line = CaseLine(failure.problem);
      if (line.size() <= 600) Add("<br>" + Code(line));
      Add("</li>\n");
    }
    Add("</ol>");
    if (kind.failures.size() > kMostListed) {
      Add("<p class=\"small soft\">The first " + std::to_string(kMostListed) + " of " +
          CasesOfKind(report_, kind) + "; the JSON report lists more.</p>");
    }
    Add("</details>\n");
  }

  // --- Clauses -----------------------------------------------------------------------------------

  [[nodiscard]] bool HasOpen() const {
    return std::any_of(report_.clauses.begin(), report_.clauses.end(),
                       [&](const ClauseResult& c) { return IsOpen(report_, c); });
  }

  void OpenClauses() {
    if (!HasOpen()) return;
    Section("open", "Required clauses not decided");
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const ClauseResult& clause : report_.clauses) {
      if (IsOpen(report_, clause)) by_reason[clause.reason].push_back(clause.id);
    }
    Add("<ul>\n");
    for (const auto& [reason, ids] : by_reason) {
      std::string links;
      for (const std::string& id : ids) links += (links.empty() ? "" : ", ") + Link(id, id);
      Add("<li>" + links + ": " + XmlText(reason) + "</li>\n");
    }
    Add("</ul>\n");
  }

  // By operator, in the order of the spec.
  [[nodiscard]] std::vector<std::pair<std::string, std::vector<const ClauseResult*>>> ClauseGroups()
      const {
    std::vector<std::pair<std::string, std::vector<const ClauseResult*>>> groups;
    for (const ClauseResult& clause : report_.clauses) {
      const Clause* known = spec_.Find(clause.id);
      std::string name = known == nullptr ? "Other" : known->operator_name;
      if (name == "any") name = "Any operator";
      if (name == "two-phase protocol") name = "Two-phase protocol";
      auto place = std::find_if(groups.begin(), groups.end(),
                                [&](const auto& group) { return group.first == name; });
      if (place == groups.end()) {
        place = groups.emplace(groups.end(), name, std::vector<const ClauseResult*>());
      }
      place->second.push_back(&clause);
    }
    return groups;
  }

  void ClauseMatrix() {
    Section("clauses", "Clauses");
    Add("<p class=\"soft\">Every testable statement of the documents, as it applies to profile " +
        XmlText(ProfileName(report_)) + ".</p>\n<ul class=\"key\">");
    for (const VerdictSign& sign : kSigns) {
      const std::int64_t count = CountClauses(report_, sign.verdict);
      if (count > 0) Add("<li>" + Pill(sign.verdict) + " " + Count(count) + "</li>");
    }
    Add("</ul>\n");
    for (const auto& [title, clauses] : ClauseGroups()) {
      Add("<h3>" + XmlText(title) + "</h3>\n<ul class=\"matrix\">");
      const bool is_short = ParseOperator(title).has_value();
      for (const ClauseResult* clause : clauses) MatrixCell(*clause, is_short);
      Add("</ul>\n");
    }
  }

  // Leads to the first failure of the clause, or to what the clause says.
  void MatrixCell(const ClauseResult& clause, bool is_short) {
    const std::string word(ClauseVerdictName(clause.verdict));
    const std::size_t dash = clause.id.find('-');
    const std::string label =
        is_short && dash != std::string::npos ? clause.id.substr(dash + 1) : clause.id;
    const Clause* known = spec_.Find(clause.id);
    const auto cards = cards_.find(clause.id);
    const std::string target =
        cards == cards_.end() ? clause.id : "failure-" + std::to_string(cards->second.front() + 1);
    std::string hover = clause.id + ", " + Spaced(word);
    if (clause.failures > 0) {
      hover += " by " + Count(clause.failures) + " of " + CountOf(clause.cases, "case");
    }
    if (known != nullptr) hover += ": " + CutText(known->statement, 200);
    Add("<li><a class=\"" + word + "\" href=\"#" + XmlText(target) + "\" title=\"" +
        XmlText(hover) + "\" aria-label=\"" + XmlText(clause.id + " " + Spaced(word)) + "\">" +
        XmlText(label) + " " + std::string(SignOf(clause.verdict)) + "</a></li>");
  }

  void ClauseTables() {
    Section("statements", "What the clauses say");
    Add("<p class=\"soft\">" + Code("poolproof explain ID") + " says more of a clause.</p>\n");
    for (const auto& [title, clauses] : ClauseGroups()) ClauseGroup(title, clauses);
  }

  void ClauseGroup(const std::string& title, const std::vector<const ClauseResult*>& clauses) {
    const bool has_failed = std::any_of(clauses.begin(), clauses.end(), [](const auto* c) {
      return c->verdict == ClauseVerdict::kFailed;
    });
    Add("<details" + std::string(has_failed ? " open" : "") + "><summary>All clauses of " +
        XmlText(title) +
        "</summary>\n<table class=\"clauses\"><thead><tr><th scope=\"col\">clause</th>"
        "<th scope=\"col\">verdict</th><th scope=\"col\">strength</th>"
        "<th scope=\"col\" class=\"n\">cases</th><th scope=\"col\">what it says</th></tr></thead>"
        "<tbody>\n");
    for (const ClauseResult* clause : clauses) ClauseRow(*clause);
    Add("</tbody></table></details>\n");
  }

  void ClauseRow(const ClauseResult& clause) {
    const Clause* known = spec_.Find(clause.id);
    std::string says;
    std::string documents;
    if (known != nullptr) {
      says = Linked(known->statement);
      for (const std::string& id : known->documents) {
        documents += (documents.empty() ? "" : ", ") + Link("document-" + id, id);
      }
    }
    if (!clause.reason.empty()) {
      says += "<br><span class=\"soft\">" + XmlText(clause.reason) + "</span>";
    }
    if (clause.not_looked_into > 0) {
      says += "<br><span class=\"soft\">" + Count(clause.not_looked_into) +
              " failing cases that may breach this clause were not investigated</span>";
    }
    std::string places = documents.empty() ? "" : "Documents: " + documents + ". ";
    const auto cards = cards_.find(clause.id);
    if (cards != cards_.end()) {
      std::string links;
      for (const std::size_t card : cards->second) {
        const std::string number = std::to_string(card + 1);
        links += (links.empty() ? "" : ", ") + Link("failure-" + number, number);
      }
      places += "Failures: " + links + ". ";
    }
    std::string cases = Count(clause.cases);
    if (clause.failures > 0) cases = Count(clause.failures) + " of " + cases + " failing";
    if (clause.waived > 0) cases += ", " + Count(clause.waived) + " waived";
    Add("<tr id=\"" + XmlText(clause.id) + "\"><td>" + Code(clause.id) + "</td><td>" +
        Pill(clause.verdict) + "</td><td class=\"soft\">" +
        std::string(StrengthName(clause.strength)) + "</td><td class=\"n\">" + cases + "</td><td>" +
        says + (places.empty() ? "" : "<br><span class=\"small soft\">" + places + "</span>") +
        "</td></tr>\n");
  }

  void Properties() {
    if (report_.properties.empty()) return;
    Section("properties", "Properties");
    const bool has_remarks = std::any_of(report_.properties.begin(), report_.properties.end(),
                                         [](const auto& p) { return !p.reason.empty(); });
    Add("<p class=\"soft\">Related calls, compared with one another. They need no expected "
        "result.</p>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
        "aria-label=\"Properties\"><table><thead><tr><th scope=\"col\">property</th>"
        "<th scope=\"col\">verdict</th><th scope=\"col\" class=\"n\">cases</th>"
        "<th scope=\"col\" class=\"n\">failing</th><th scope=\"col\" class=\"n\">discarded</th>" +
        std::string(has_remarks ? "<th scope=\"col\">remark</th>" : "") + "</tr></thead><tbody>\n");
    for (const PropertyResult& property : report_.properties) {
      Add("<tr><td>" + XmlText(RelationName(property.relation)) + "</td><td>" +
          Pill(property.verdict) + "</td><td class=\"n\">" + Count(property.cases) +
          "</td><td class=\"n\">" + Count(property.failures) + "</td><td class=\"n\">" +
          Count(property.discarded) + "</td>" +
          (has_remarks ? "<td class=\"soft\">" + XmlText(property.reason) + "</td>" : "") +
          "</tr>\n");
    }
    Add("</tbody></table></div>\n");
  }

  // --- Coverage and arithmetic -------------------------------------------------------------------

  void Coverage() {
    if (report_.coverage.empty()) return;
    Section("coverage", "Coverage");
    Add("<p class=\"soft\">How many judged cases each combination of data type, layout, overlap, "
        "rounding, padding and tail holds. Letters above the columns: fewer than 16 elements in a "
        "plane of gradOutput (s), whole vectors of 16 (w), a ragged rest (r).</p>\n"
        "<ul class=\"key\"><li><i class=\"l0\"></i>none</li><li><i class=\"l1\"></i>1</li>"
        "<li><i class=\"l2\"></i>2 to 3</li><li><i class=\"l3\"></i>4 to 15</li>"
        "<li><i class=\"l4\"></i>16 to 63</li><li><i class=\"l5\"></i>64 or more</li>"
        "<li><i class=\"b1\"></i>at most a tenth fail</li><li><i class=\"b2\"></i>at most half"
        "</li><li><i class=\"b3\"></i>most</li><li><i class=\"b4\"></i>all fail</li></ul>\n");
    // Operators with failing cases first; the others folded beside them.
    const bool any_fails = std::any_of(report_.coverage.begin(), report_.coverage.end(),
                                       [](const CoverageCell& cell) { return cell.failures > 0; });
    for (const bool failing : {true, false}) CoverageMaps(failing, any_fails && !failing);
  }

  void CoverageMaps(bool failing, bool folded) {
    for (const OperatorInfo& info : AllOperators()) {
      std::vector<CoverageCell> own;
      bool fails = false;
      for (const CoverageCell& cell : report_.coverage) {
        if (cell.key.op != info.op) continue;
        own.push_back(cell);
        fails = fails || cell.failures > 0;
      }
      if (own.empty() || fails != failing) continue;
      const std::string title(info.name);
      Add((folded ? "<details><summary>" + title + ", none failing</summary>\n"
                  : "<h3>" + title + "</h3>\n") +
          "<div class=\"maps\">\n");
      for (const HeatMap& map : DrawCoverage(info.op, own, cell_targets_)) {
        Add("<figure><figcaption>" + XmlText(map.title) +
            "</figcaption><div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" +
            XmlText(map.title) + "\">" + map.svg + "</div></figure>\n");
      }
      Add("</div>\n");
      Margins(own);
      if (folded) Add("</details>\n");
    }
  }

  void Margins(const std::vector<CoverageCell>& cells) {
    Add("<details><summary>Axis by axis</summary><dl class=\"run\">\n");
    for (std::size_t i = 0; i < kCoverageAxisCount; ++i) {
      const auto axis = static_cast<CoverageAxis>(i);
      std::string text;
      for (std::size_t c = 0; c < CoverageClasses(axis).size(); ++c) {
        std::int64_t cases = 0;
        std::int64_t failures = 0;
        for (const CoverageCell& cell : cells) {
          if (cell.key.ClassOn(axis) != c) continue;
          cases += cell.cases;
          failures += cell.failures;
        }
        if (cases == 0) continue;
        text +=
            (text.empty() ? "" : ", ") + std::string(CoverageClasses(axis)[c]) + " " + Count(cases);
        if (failures > 0) text += " (" + Count(failures) + " failing)";
      }
      Add(Row(CoverageAxisName(axis), XmlText(text)));
    }
    Add("</dl></details>\n");
  }

  // Observations are named "<what>.<operator>.<type>": one table for each what.
  void Precision() {
    const auto& observed = report_.implementation.observed;
    if (observed.empty()) return;
    Section("precision", "Arithmetic that was observed");
    Add("<p class=\"soft\">How the implementation adds, measured by small probes. It does not "
        "affect the verdict: the documents leave precision open "
        "(" +
        Linked("DD-15") + ").</p>\n");
    std::vector<std::string> whats;
    std::map<std::string, std::vector<std::string>> operators;
    std::map<std::string, std::string> values;
    std::vector<std::string> types;
    std::string others;
    const auto remember = [](std::vector<std::string>& list, const std::string& word) {
      if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
    };
    for (const auto& [name, value] : observed) {
      const std::size_t first = name.find('.');
      const std::size_t last = name.rfind('.');
      if (first == std::string::npos || last == first) {
        others += Row(name, XmlText(value));
        continue;
      }
      const std::string what = name.substr(0, first);
      remember(whats, what);
      remember(operators[what], name.substr(first + 1, last - first - 1));
      remember(types, name.substr(last + 1));
      values[name] = value;
    }
    for (const std::string& what : whats) {
      Add("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + XmlText(what) +
          "\"><table><caption>" + XmlText(what) +
          "</caption><thead><tr><th scope=\"col\">operator</th>");
      for (const std::string& type : types) Add("<th scope=\"col\">" + XmlText(type) + "</th>");
      Add("</tr></thead><tbody>\n");
      for (const std::string& op : operators[what]) {
        Add("<tr><td>" + XmlText(op) + "</td>");
        for (const std::string& type : types) {
          const auto place = values.find(what + "." + op + "." + type);
          Add("<td>" + (place == values.end() ? "" : XmlText(place->second)) + "</td>");
        }
        Add("</tr>\n");
      }
      Add("</tbody></table></div>\n");
    }
    if (!others.empty()) Add("<dl class=\"run\">\n" + others + "</dl>\n");
  }

  void Differences() {
    if (!report_.differences.empty()) Section("differences", "Compared with other libraries");
    for (const LibraryDifferences& library : report_.differences) {
      const std::string sentence = XmlText(DifferencesSentence(report_, library));
      Add("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + sentence +
          "\"><table><caption>" + sentence +
          "</caption><thead><tr><th scope=\"col\">what differs</th><th scope=\"col\">cases</th>"
          "<th scope=\"col\">the smallest</th></tr></thead><tbody>\n");
      for (const DifferenceRow& row : library.rows) {
        Add("<tr><td>" + DifferenceWords(row) + "</td><td>" + Count(row.cases) + "</td><td>" +
            Code(CaseLine(row.smallest)) + "</td></tr>\n");
      }
      Add("</tbody></table></div>\n");
    }
  }

  void Speed() {
    if (!performance_) return;
    Section("performance", "Performance");
    Add(PerformanceHtml(*performance_));
  }

  void Waivers() {
    if (report_.waivers.empty()) return;
    Section("waivers", "Waivers");
    Add("<p class=\"soft\">Failures that are agreed not to stop a release until a date. They "
        "change "
        "no verdict.</p>\n");
    for (const WaiverResult& waiver : report_.waivers) {
      const bool bad = FailsRun(waiver.state);
      Add("<section class=\"card\" id=\"waiver-" + XmlText(waiver.id) + "\"><h3>" +
          XmlText(waiver.id) + " <span class=\"pill " + (bad ? "failed" : "waived") + "\">" +
          (bad ? "&#10007; " : "") + std::string(WaiverStateName(waiver.state)) +
          "</span></h3>\n<p>It " + XmlText(WaiverStateSentence(waiver)) +
          ".</p>\n<dl class=\"run\">\n" + Row("reason", XmlText(waiver.reason)) +
          Row("owner", XmlText(waiver.owner)) +
          Row("link", "<a class=\"out\" rel=\"noreferrer\" href=\"" + XmlText(waiver.link) + "\">" +
                          XmlText(waiver.link) + "</a>") +
          Row("holds until", XmlText(waiver.expires)) + Row("signature", Code(waiver.signature)));
      const WaiverScope& scope = waiver.scope;
      if (!scope.implementation.empty()) Add(Row("implementation", Code(scope.implementation)));
      if (!scope.sha256.empty()) Add(Row("library", "sha256 " + Code(scope.sha256)));
      if (!scope.profiles.empty()) Add(Row("profiles", XmlText(Joined(ProfileNames(scope)))));
      if (!scope.clauses.empty()) Add(Row("clauses", Linked(Joined(scope.clauses))));
      if (!scope.cases.empty()) Add(Row("cases", Code(scope.cases)));
      Add("</dl></section>\n");
    }
  }

  // --- The documents -----------------------------------------------------------------------------

  void Discrepancies() {
    if (report_.discrepancies.empty()) return;
    Section("discrepancies", "Where the documents disagree or are silent");
    Add("<p class=\"soft\">Each with the reading that the suite takes.</p>\n");
    for (const Discrepancy& entry : report_.discrepancies) {
      std::string documents;
      for (const std::string& id : entry.documents) {
        documents += (documents.empty() ? "" : ", ") + Link("document-" + id, id);
      }
      Add("<section class=\"card\" id=\"" + XmlText(entry.id) + "\"><h3>" + XmlText(entry.id) +
          " <span class=\"soft small\">" + documents + "</span></h3>\n<p>" +
          Linked(entry.statement) + "</p>\n");
      if (!entry.interpretation.empty()) {
        Add("<div class=\"said\"><p>" + Linked(entry.interpretation) + "</p></div>\n");
      }
      Add("</section>\n");
    }
  }

  void Documents() {
    Add("<h3 id=\"documents\">The documents</h3>\n<dl class=\"run\">\n");
    for (const Document& document : spec_.documents()) {
      Add("<dt id=\"document-" + XmlText(document.id) + "\">" + XmlText(document.id) + "</dt><dd>" +
          XmlText(document.title) + " <span class=\"soft\">(for " +
          XmlText(Joined(document.products)) + ")</span></dd>\n");
    }
    Add("</dl>\n");
  }

  void Run() {
    Section("run", "The run");
    const ImplementationIdentity& subject = report_.implementation;
    std::string command;
    for (const std::string& word : report_.run.argv) command += (command.empty() ? "" : " ") + word;
    Add("<dl class=\"run\">\n" + Row("implementation", XmlText(subject.name)));
    for (const LibraryIdentity& library : subject.libraries) {
      Add(Row("library", XmlText(library.name) + "<br>" +
                             (library.sha256.empty() ? "opened by soname"
                                                     : "sha256 " + Code(library.sha256))));
    }
    Add(Row("profile",
            XmlText(ProfileName(report_) +
                    (subject.probe.soc.empty() ? "" : " (SoC " + subject.probe.soc + ")"))) +
        Row("edition", std::string(EditionName(report_.edition))) +
        Row("operators offered",
            XmlText(subject.probe.operators.empty() ? "none" : Joined(subject.probe.operators))));
    for (const auto& [name, value] : subject.declared) {
      Add(Row("declared " + name, XmlText(value)));
    }
    Add(Row("set, seed, scope", std::string(CaseSetName(report_.run.set)) + ", " +
                                    std::to_string(report_.run.seed) + ", " +
                                    std::string(RunScopeName(report_.run.scope))) +
        Row("started", XmlText(report_.run.start)) + Row("took", Seconds(report_.run.duration_s)) +
        Row("command", Code(command)) + Row("plan", "sha256 " + Code(report_.run.plan_sha256)) +
        Row("spec", "sha256 " + Code(report_.spec_sha256)) +
        Row("machine",
            XmlText(report_.environment.cpu + ", " + CountOf(report_.environment.cores, "core") +
                    ", " + report_.environment.os)) +
        Row("Poolproof",
            XmlText(report_.tool_version + ", built with " + report_.environment.compiler)) +
        "</dl>\n");
  }

  void Words() {
    Section("words", "What the words mean");
    Add("<dl class=\"run\">\n");
    for (const VerdictSign& sign : kSigns) {
      Add("<dt>" + Pill(sign.verdict) + "</dt><dd>" + std::string(sign.meaning) + "</dd>\n");
    }
    Add("<dt>required</dt><dd>a breach makes the run nonconformant</dd>\n"
        "<dt>advisory</dt><dd>a breach is reported and does not affect the verdict</dd>\n</dl>\n");
  }

  const Report& report_;
  const Spec& spec_;
  const std::optional<Performance>& performance_;
  const std::vector<FailureKind> kinds_;
  const std::vector<std::string> refused_;                 // what was not accepted, in sentences
  std::set<std::string> known_;                            // ids that have an anchor
  std::map<std::string, std::vector<std::size_t>> cards_;  // by clause
  std::map<CoverageKey, std::string> cell_targets_;        // cards of cells of the heat maps
  std::map<std::string, std::size_t> drawn_;               // case line; the failure that draws it
  std::string html_;
};

}  // namespace

std::string ReportHtml(const Report& report, const Spec& spec,
                       const std::optional<Performance>& performance) {
  return Page(report, spec, performance).Write();
}

}  // namespace poolproof
