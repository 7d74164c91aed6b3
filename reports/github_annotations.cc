// SPDX-License-Identifier: Apache-2.0
#include "reports/github_annotations.h"

#include <map>
#include <string_view>

#include "conformance/result/gate.h"
#include "core/text.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

constexpr int kMostShown = 10;

// Of a message; of a property further characters end it.
std::string Escaped(const std::string& text, bool property) {
  std::string escaped;
  for (const char c : CleanText(text)) {
    if (c == '%') {
      escaped += "%25";
    } else if (property && c == ':') {
      escaped += "%3A";
    } else if (property && c == ',') {
      escaped += "%2C";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Line(std::string_view level, const std::string& title, const std::string& message) {
  return "::" + std::string(level) + " title=" + Escaped(title, true) +
         "::" + Escaped(message, false) + "\n";
}

}  // namespace

std::string ReportGithubAnnotations(const Report& report) {
  std::string text;
  const bool stopped = report.verdict == RunVerdict::kError ||
                       (report.verdict == RunVerdict::kIncomplete && !IsJudgedShard(report));
  if (stopped) {
    text += Line("error", "Poolproof: " + VerdictWords(report),
                 report.error.empty() ? VerdictSentence(report) : report.error);
  }
  std::map<std::string_view, int> shown = {{"error", stopped ? 1 : 0}};
  for (const FailureKind& kind : KindsOfFailure(report)) {
    const Failure& failure = kind.first();
    const std::string_view level = failure.advisory || IsWaived(kind) ? "notice" : "error";
    if (++shown[level] > kMostShown) continue;
    const std::string clauses = failure.clauses.empty() ? "no clause" : Joined(failure.clauses);
    std::string message = CutText(CleanText(WhatHappened(failure)), 500);
    if (IsWaived(kind)) message = "waived by " + Joined(failure.waived_by) + ": " + message;
    if (!failure.clauses.empty()) {
      if (const RootCause* cause = CauseOf(report, failure.clauses.front()); cause != nullptr) {
        message += "; " + RuleSentence(*cause);
      }
    }
    text += Line(level, clauses + " failed in " + CasesOfKind(report, kind), message);
  }
  return text;
}

}  // namespace poolproof
