// SPDX-License-Identifier: Apache-2.0
#include "reports/phrases.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>

#include "conformance/case/case_text.h"
#include "conformance/result/ending.h"
#include "conformance/result/gate.h"
#include "conformance/result/shard_record.h"
#include "core/dates.h"
#include "core/sha256.h"
#include "core/shell_text.h"
#include "core/text.h"
#include "reports/words.h"

namespace poolproof {
namespace {

// Bytes of the UTF-8 character at `text[at]`; 0 where there is none.
std::size_t CharacterAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80) return 0;
  }
  const unsigned char second = byte(at + 1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second >= 0xa0;
  const bool beyond = lead == 0xf4 && second >= 0x90;
  const bool noncharacter = lead == 0xef && second == 0xbf && byte(at + 2) >= 0xbe;  // not in XML
  return overlong || surrogate || beyond || noncharacter ? 0 : length;
}

}  // namespace

std::string Count(std::int64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string CountOf(std::int64_t value, std::string_view noun) {
  return Count(value) + " " + std::string(noun) + (value == 1 ? "" : "s");
}

std::string Seconds(double seconds) {
  std::array<char, 32> text = {};
  if (seconds < 120) {
    std::snprintf(text.data(), text.size(), "%.1f s", seconds);
  } else {
    std::snprintf(text.data(), text.size(), "%lld min %02d s",
                  static_cast<long long>(seconds / 60),  // NOLINT(google-runtime-int): for printf
                  static_cast<int>(static_cast<std::int64_t>(seconds) % 60));
  }
  return text.data();
}

std::string Spaced(std::string_view word) {
  std::string text(word);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string CleanText(std::string_view text) {
  static constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string clean;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = CharacterAt(text, i);
    const char c = text[i];
    if (length == 1 && (c == '\n' || c == '\t' || c == '\r')) {
      clean += ' ';
    } else if (length == 0 || (length == 1 && (c < ' ' || c == '\x7f'))) {
      clean += kReplacement;
    } else {
      clean += text.substr(i, length);
    }
    i += std::max<std::size_t>(1, length);
  }
  return clean;
}

std::vector<std::string> OutputLines(const Failure& failure) {
  std::vector<std::string> lines;
  const std::string output = KeptOutput(failure.output);
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    lines.push_back(CleanText(std::string_view(output).substr(begin, end - begin)));
    begin = end + 1;
  }
  return lines;
}

std::string CutText(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::vector<FailureKind> KindsOfFailure(const Report& report) {
  std::vector<FailureKind> kinds;
  std::map<std::string, std::size_t> positions;
  for (const bool advisory : {false, true}) {
    for (const Failure& failure : report.failures) {
      if (failure.advisory != advisory) continue;
      const auto [place, added] = positions.emplace(failure.signature, kinds.size());
      if (added) kinds.emplace_back();
      kinds[place->second].failures.push_back(&failure);
    }
  }
  // What was made small shows a kind best.
  for (FailureKind& kind : kinds) {
    std::stable_partition(kind.failures.begin(), kind.failures.end(),
                          [](const Failure* failure) { return failure->shrunk.has_value(); });
  }
  return kinds;
}

bool ListsAllFailures(const Report& report) {
  const Summary& summary = report.summary;
  return summary.failed + summary.crashed + summary.timed_out ==
         static_cast<std::int64_t>(report.failures.size());
}

std::string CasesOfKind(const Report& report, const FailureKind& kind) {
  if (kind.first().alike > 0) return CountOf(kind.first().alike, "case");
  return (ListsAllFailures(report) ? "" : "at least ") + CountOf(std::ssize(kind.failures), "case");
}

bool IsWaived(const FailureKind& kind) {
  return std::all_of(kind.failures.begin(), kind.failures.end(),
                     [](const Failure* failure) { return !failure->waived_by.empty(); });
}

bool Returned(const Failure& failure) { return EndOfText(failure.end) == End::kReturned; }

const Case& ShownCase(const Failure& failure) {
  return failure.shrunk ? *failure.shrunk : failure.problem;
}

const std::string& ShownMessage(const Failure& failure) {
  return failure.shrunk && !failure.shrunk_message.empty() ? failure.shrunk_message
                                                           : failure.message;
}

namespace {

// The value of an option in the run's command line; empty where it was not given.
std::string OptionOf(const Report& report, std::string_view option) {
  const std::vector<std::string>& argv = report.run.argv;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (argv[i] == option && i + 1 < argv.size()) return argv[i + 1];
    if (argv[i].starts_with(std::string(option) + "=")) return argv[i].substr(option.size() + 1);
  }
  return "";
}

}  // namespace

std::string ImplementationArgument(const Report& report) {
  const std::string given = OptionOf(report, "--implementation");
  return given.empty() ? report.implementation.name : given;
}

std::string JsonArgument(const Report& report) {
  const std::string given = OptionOf(report, "--json");
  return given == "-" || given.find('/') != std::string::npos ? "" : given;
}

std::string SubjectOptions(const std::string& implementation, const Report& report) {
  return "--implementation " + ShellQuoted(implementation) + " --profile " + ProfileName(report) +
         (report.edition == Edition::kNewest
              ? ""
              : " --edition " + std::string(EditionName(report.edition)));
}

std::string ReplayCommand(const std::string& implementation, const Report& report,
                          const Case& problem, const std::string& program) {
  return ShellQuoted(program) + " replay " + SubjectOptions(implementation, report) + " " +
         ShellQuoted(CaseLine(problem));
}

std::string FolderNote(const Report& report) {
  const std::string argument = ImplementationArgument(report);
  if (argument == "reference" || argument == "optimized") return "";
  return "Reports name no folders: run the commands in the folder of " + CleanText(argument) +
         ", or write its path after --implementation.";
}

std::int64_t CountClauses(const Report& report, ClauseVerdict verdict,
                          std::optional<Strength> strength) {
  return std::count_if(report.clauses.begin(), report.clauses.end(), [&](const ClauseResult& c) {
    return c.verdict == verdict && (!strength || c.strength == strength);
  });
}

std::int64_t CountUnnamed(const Report& report) {
  std::int64_t unnamed = 0;
  for (const FailureKind& kind : KindsOfFailure(report)) {
    if (kind.first().clauses.empty()) unnamed += std::max<std::int64_t>(1, kind.first().alike);
  }
  return unnamed;
}

std::string FailingSentence(const Report& report) {
  const Summary& summary = report.summary;
  const std::int64_t failing = summary.failed + summary.crashed + summary.timed_out;
  if (failing == 0 || !summary.advisory) return "";
  const std::int64_t required = failing - *summary.advisory;
  std::string text = CountOf(failing, "failing case") + ": " + Count(required) +
                     (required == 1 ? " fails" : " fail") + " a required clause";
  if (*summary.advisory > 0)
    text += ", " + Count(*summary.advisory) + (*summary.advisory == 1 ? " fails" : " fail") +
            " advisory clauses only";
  if (const std::int64_t open = CountUnnamed(report); open > 0) {
    text += "; " + Count(open) + (open == 1 ? " was" : " were") + " not investigated and " +
            (open == 1 ? "names" : "name") + " no clause";
  }
  return text;
}

std::string InconclusiveSentence(const Report& report) {
  constexpr std::size_t kListed = 4;
  const std::vector<InconclusiveReason>& reasons = report.summary.inconclusive_by;
  std::string text;
  std::int64_t others = 0;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (i >= kListed) {
      others += reasons[i].cases;
      continue;
    }
    text += (i == 0 ? "Inconclusive: " : "; ") + CountOf(reasons[i].cases, "case") + ": " +
            CleanText(reasons[i].reason);
  }
  if (others > 0) text += "; " + CountOf(others, "case") + " for other reasons";
  return text;
}

std::string ClauseCounts(const Report& report) {
  std::string text = CountOf(std::ssize(report.clauses), "clause");
  const char* separator = ": ";
  for (const ClauseVerdict verdict :
       {ClauseVerdict::kPassed, ClauseVerdict::kFailed, ClauseVerdict::kInconclusive,
        ClauseVerdict::kUnsupported, ClauseVerdict::kNotApplicable, ClauseVerdict::kNotRun}) {
    const std::int64_t count = CountClauses(report, verdict);
    if (count == 0 && verdict != ClauseVerdict::kPassed) continue;
    text += separator + Count(count) + " " + Spaced(ClauseVerdictName(verdict));
    separator = ", ";
  }
  return text;
}

std::string ClauseCountsSentence(const Report& report) {
  std::string text = ClauseCounts(report);
  const Summary& summary = report.summary;
  if (summary.not_run > 0 && !IsJudgedShard(report)) {
    text += "; judged " + Count(summary.cases) + " of " +
            CountOf(summary.cases + summary.not_run, "case");
  }
  return text;
}

bool IsCampaign(const Report& report) {
  const std::vector<std::string>& argv = report.run.argv;
  return report.run.stopped_by == StopReason::kTime || (argv.size() > 1 && argv[1] == "fuzz");
}

namespace {

// Of the waivers in use: those that soon waive nothing.
std::string ExpirySentence(const Report& report) {
  constexpr std::chrono::days kSoon(14);
  const auto start = ParseDate(std::string_view(report.run.start).substr(0, 10));
  std::string soon;
  for (const WaiverResult& waiver : report.waivers) {
    const auto end = ParseDate(waiver.expires);
    if (waiver.state != WaiverState::kUsed || !start || !end || *end < *start) continue;
    if (*end - *start < kSoon) {
      soon += (soon.empty() ? "" : ", ") + waiver.id + " on " + waiver.expires;
    }
  }
  return soon.empty() ? "" : "Expires within two weeks: " + soon + ".";
}

}  // namespace

std::string WaiverSentence(const Report& report) {
  std::string text;
  if (EveryBreachIsWaived(report)) text = "Every breach is waived.";
  const std::int64_t bad =
      std::count_if(report.waivers.begin(), report.waivers.end(),
                    [](const WaiverResult& waiver) { return FailsRun(waiver.state); });
  if (bad > 0) {
    text += (text.empty() ? "" : " ") + CountOf(bad, "waiver") + (bad == 1 ? " fails" : " fail") +
            " the run.";
  }
  const std::string expiry = ExpirySentence(report);
  return text + (text.empty() || expiry.empty() ? "" : " ") + expiry;
}

std::string BaselineSentence(const Report& report) {
  if (!report.baseline) return "";
  const BaselineComparison& baseline = *report.baseline;
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!baseline.clauses.empty()) add("failed clauses " + Joined(baseline.clauses));
  if (!baseline.signatures.empty()) {
    add(CountOf(std::ssize(baseline.signatures), "kind") + " of failure");
  }
  if (!baseline.causes.empty()) add(CountOf(std::ssize(baseline.causes), "root cause"));
  if (baseline.unexplained > 0) {
    add(CountOf(baseline.unexplained, "failing case") + " without a root cause");
  }
  text = text.empty() ? "Nothing fails that did not fail in the baseline."
                      : "New since the baseline: " + text + ".";
  if (!baseline.unanswered.empty()) {
    text += " Decided in the baseline and not decided now: " + Joined(baseline.unanswered) + ".";
  }
  return text;
}

bool IsNew(const Report& report, const FailureKind& kind) {
  if (!report.baseline) return false;
  const std::vector<std::string>& added = report.baseline->signatures;
  return std::find(added.begin(), added.end(), kind.first().signature) != added.end();
}

std::string WaiverStateSentence(const WaiverResult& waiver) {
  const std::string passed = CountOf(waiver.passed_fixed + waiver.passed_random, "case");
  switch (waiver.state) {
    case WaiverState::kUsed:
      return "waives " + CountOf(waiver.waived, "case");
    case WaiverState::kOutOfScope:
      return "is about another implementation or profile";
    case WaiverState::kExpired:
      return "expired on " + waiver.expires;
    case WaiverState::kPassing:
      return "is not needed: " + passed + " in its scope, and no failure";
    case WaiverState::kPassingRandom:
      return "was not needed: " + passed + " in its scope, all random, and no failure";
    case WaiverState::kUndecided:
      return "waived nothing, and the run is not complete";
    case WaiverState::kUnmatched:
      break;
  }
  return waiver.failed_otherwise > 0 ? "does not fit: " + CountOf(waiver.failed_otherwise, "case") +
                                           " in its scope failed by clauses that it does not name"
                                     : "matches no case of the run";
}

std::string VerdictWords(const Report& report) {
  if (IsJudgedShard(report)) {
    const ShardInfo& shard = report.run.shards.front();
    return "shard " + std::to_string(shard.index) + " of " + std::to_string(shard.of) + " judged";
  }
  const bool within = report.verdict == RunVerdict::kConformant && !report.left_out.empty();
  // Less than a whole set never earns the word.
  const bool selected = report.run.scope == RunScope::kSelected;
  if (report.verdict == RunVerdict::kConformant && selected) {
    return "passed (" +
           CountOf(report.summary.cases, IsCampaign(report) ? "case" : "selected case") +
           (IsCampaign(report) ? " of a campaign)" : ")") +
           (within ? " within its declared capabilities" : "");
  }
  return std::string(RunVerdictName(report.verdict)) +
         (within ? " within its declared capabilities" : "") + NotJudgedWords(report);
}

std::string NotJudgedWords(const Report& report) {
  const std::vector<Operator>& operators = report.not_judged;
  if (operators.empty()) return "";
  if (operators.size() > 1) return ", " + Count(std::ssize(operators)) + " operators not judged";
  return ", aclnn" + std::string(InfoOf(operators.front()).name) + " not judged";
}

std::string LeftOutSentence(const Report& report) {
  std::string cases;
  for (const LeftOut& left_out : report.left_out) {
    cases += (cases.empty() ? "" : ", ") + CountOf(left_out.cases, "case") + " of " +
             std::string(InfoOf(left_out.op).name);
  }
  std::string declared;
  for (const auto& [name, value] : report.implementation.declared) {
    declared += (declared.empty() ? "" : "; ") + name + " " + value;
  }
  std::string text;
  if (!cases.empty()) {
    text = "Not judged, because of what it declares (" + CleanText(declared) + "): " + cases + ".";
  }
  std::string names;
  for (const Operator op : report.not_judged) {
    names += (names.empty() ? "aclnn" : ", aclnn") + std::string(InfoOf(op).name);
  }
  if (names.empty()) return text;
  return text + (text.empty() ? "" : " ") + "Exported and not judged, since no clause of " +
         ProfileName(report) + " is about them: " + names + ".";
}

namespace {

std::int64_t FailuresByCause(const Report& report, bool advisory) {
  std::int64_t failing = advisory ? 0 : report.unexplained;
  for (const RootCause& cause : report.root_causes) {
    if (cause.advisory == advisory) failing += cause.failing - cause.shared;
  }
  return failing;
}

// Of kinds of failures, since not each failure was run again.
std::string ComeAndGoWords(const Report& report) {
  std::ptrdiff_t required = 0;
  std::ptrdiff_t flaky = 0;
  for (const FailureKind& kind : KindsOfFailure(report)) {
    if (kind.first().advisory) continue;
    ++required;
    flaky += std::any_of(kind.failures.begin(), kind.failures.end(),
                         [](const Failure* f) { return f->message.starts_with("(flaky: "); });
  }
  if (flaky == 0) return "";
  return "; " + Count(flaky) + " of " + CountOf(required, "kind") + " of failure " +
         (flaky == 1 ? "appears" : "appear") + " only in some runs";
}

}  // namespace

std::ptrdiff_t RequiredCauses(const Report& report) {
  return std::count_if(report.root_causes.begin(), report.root_causes.end(),
                       [](const RootCause& cause) { return !cause.advisory; });
}

std::string RootCausesSentence(const Report& report) {
  const std::ptrdiff_t required = RequiredCauses(report);
  const std::ptrdiff_t advisory = std::ssize(report.root_causes) - required;
  const std::int64_t failing = FailuresByCause(report, false);
  std::string text;
  if (failing > 0) {
    const std::string cases = CountOf(failing, "failing case");
    if (required == 0) {
      text = "no root cause found for " + cases + ComeAndGoWords(report);
    } else {
      text = CountOf(required, "root cause") + (required == 1 ? " explains " : " explain ") +
             (report.unexplained > 0 ? Count(failing - report.unexplained) + " of " : "") + cases;
    }
  }
  if (advisory == 0) return text;
  return text + (text.empty() ? "" : "; ") + CountOf(advisory, "root cause") +
         " of advisory failures in " + CountOf(FailuresByCause(report, true), "failing case");
}

const RootCause* CauseOf(const Report& report, const std::string& clause) {
  const auto place = std::find_if(
      report.root_causes.begin(), report.root_causes.end(), [&](const RootCause& cause) {
        return std::find(cause.clauses.begin(), cause.clauses.end(), clause) != cause.clauses.end();
      });
  return place == report.root_causes.end() ? nullptr : &*place;
}

std::string LibraryName(const Report& report) {
  const auto& libraries = report.implementation.libraries;
  return CleanText(libraries.empty() ? report.implementation.name : libraries.front().name);
}

std::string FingerprintOf(const Report& report, const Failure& failure) {
  return Sha256Hex(ProfileName(report) + "\n" + failure.signature);
}

namespace {
constexpr const char* kSeenSoFar = "seen in the cases so far: ";
// "20 of 100 runs of the same call (13 to 29 %)": Wilson's interval at 95 %.
std::string RateText(std::int64_t failed, std::int64_t runs) {
  constexpr double kZ = 1.96;
  const auto of = static_cast<double>(runs);
  const double share = static_cast<double>(failed) / of;
  const double middle = share + kZ * kZ / (2 * of);
  const double reach = kZ * std::sqrt(share * (1 - share) / of + kZ * kZ / (4 * of * of));
  const double whole = 1 + kZ * kZ / of;
  const auto percent = [](double value) { return std::to_string(std::lround(100 * value)); };
  return Count(failed) + " of " + Count(runs) + " runs of the same call (" +
         percent((middle - reach) / whole) + " to " + percent((middle + reach) / whole) + " %)";
}

}  // namespace

std::string RuleSentence(const RootCause& cause) {
  // What no new case tested is no more than what the run happened to show.
  const std::string strength = std::string(cause.advisory ? "advisory: " : "") +
                               (cause.tested == 0 && cause.told_apart ? kSeenSoFar : "");
  if (cause.rule.empty())
    return strength + (cause.runs > 0 ? "fails in some runs" : "fails always");
  if (!cause.told_apart) {
    return strength + (cause.failing == 1
                           ? "fails in the only case of its clauses"
                           : "fails in all " + Count(cause.failing) + " cases of its clauses");
  }
  std::string text;
  for (const RuleCondition& condition : cause.rule) {
    const char* when = cause.runs > 0 ? "fails in some runs when " : "fails when ";
    text += (text.empty() ? when : " and ") + condition.text;
  }
  return strength + text;
}

std::string RuleCounts(const Report& report, const RootCause& cause) {
  std::string text =
      cause.runs == 0 ? "" : "failed in " + RateText(cause.failed_runs, cause.runs) + "; ";
  text += "matches " + Count(cause.failing) + " of " +
          CountOf(FailuresByCause(report, cause.advisory), "failing case");
  text += cause.compared == 0 ? ", no passing case to compare with; "
                              : " and " + Count(cause.passing) + " of " +
                                    CountOf(cause.compared, "passing case") + "; ";
  if (IsConfirmed(cause)) {
    const std::int64_t outside = cause.tested - cause.inside;
    if (cause.inside == 0) return text + "confirmed by " + CountOf(cause.tested, "new case");
    text += "confirmed by new cases: " + Count(cause.inside) + " of " + Count(cause.inside) +
            " that match failed";
    if (outside == 0) return text;
    return text + ", " + Count(outside) + " of " + Count(outside) + " that do not match passed";
  }
  if (cause.tested == 0) return text + "not tested";
  return text + "suspected: " + Count(cause.agreed) + " of " + CountOf(cause.tested, "new case") +
         " ended as the rule says";
}

std::string PassesSentence(const RootCause& cause) {
  return cause.nearest ? "nearest passing case: " + CutText(cause.nearest_difference, 300) : "";
}

// "kernel" for "kernel D, kernel H, kernel W".
std::string FreeSentence(const RootCause& cause, std::size_t most) {
  if (!IsConfirmed(cause) || cause.free.empty() || most == 0) return "";
  constexpr std::array<std::string_view, 3> kAxes = {" D", " H", " W"};
  const auto has = [&](const std::string& text) {
    return std::find(cause.free.begin(), cause.free.end(), text) != cause.free.end();
  };
  std::vector<std::string> words;
  for (const std::string& text : cause.free) {
    std::string word = text;
    const std::string stem = text.substr(0, text.size() - std::min<std::size_t>(2, text.size()));
    const bool all = !stem.empty() && std::all_of(kAxes.begin(), kAxes.end(), [&](auto axis) {
      return has(stem + std::string(axis));
    });
    if (all) word = stem;
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  const std::size_t more = words.size() - std::min(words.size(), most);
  words.resize(words.size() - more);
  return "any value of " + Joined(words) +
         (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::string VerdictSentence(const Report& report) {
  const std::string name = CleanText(report.implementation.name);
  const std::string tail =
      " on " + ProfileName(report) +
      (report.run.scope == RunScope::kSelected ? ", as far as the selected cases show." : ".");
  const auto number = [](std::int64_t count, std::string_view noun) {
    return CountOf(count, noun);
  };
  switch (report.verdict) {
    case RunVerdict::kConformant:
      return name + " does what the documents require" +
             (report.left_out.empty() ? "" : " within its declared capabilities") + tail;
    case RunVerdict::kNonconformant: {
      const std::int64_t failed = CountClauses(report, ClauseVerdict::kFailed, Strength::kRequired);
      if (failed == 0) {
        return name + " fails cases; their clauses were not investigated" + tail;
      }
      return name + " breaches " + number(failed, "required clause") + " of the documents" + tail;
    }
    case RunVerdict::kError:
      return name + " could not be judged" + tail;
    case RunVerdict::kIncomplete:
      break;
  }
  if (IsJudgedShard(report)) {
    return "No required clause failed in this shard of the run on " + name +
           "; `poolproof merge` gives the verdict of all shards.";
  }
  if (report.summary.cases == 0) return "No case was judged for " + name + tail;
  const std::int64_t open = std::count_if(report.clauses.begin(), report.clauses.end(),
                                          [&](const ClauseResult& c) { return IsOpen(report, c); });
  return open == 0 ? "The run on " + name + " is not complete" + tail
                   : number(open, "required clause") + " of the documents" +
                         (open == 1 ? " was" : " were") + " not decided for " + name + tail;
}

std::string DifferencesSentence(const Report& report, const LibraryDifferences& library) {
  std::int64_t fails = 0;
  for (const DifferenceRow& row : library.rows) {
    if (row.kind == DifferenceKind::kFails) fails += row.cases;
  }
  const std::int64_t others = library.cases - library.same - library.not_compared - fails;
  std::string text = CleanText(library.name) + ": the same bits in " + Count(library.same) +
                     " of " + CountOf(library.cases, "case") + " that " +
                     CleanText(report.implementation.name) + " answers rightly";
  if (others > 0) text += ", other bits and right in " + Count(others);
  if (fails > 0) text += ", fails " + Count(fails);
  if (library.not_compared > 0) text += ", not compared " + Count(library.not_compared);
  return text;
}

std::string DifferenceWords(const DifferenceRow& row) {
  static constexpr std::array<std::string_view, 6> kWords = {"fails",
                                                             "indices",
                                                             "order or precision of sums",
                                                             "subnormals kept or counted as zero",
                                                             "sign of zero",
                                                             "payload or sign of NaN"};
  const bool forward = row.kind == DifferenceKind::kValues && InfoOf(row.op).is_forward;
  return std::string(forward ? "values" : kWords[static_cast<std::size_t>(row.kind)]) + ", " +
         std::string(InfoOf(row.op).name);
}

std::vector<std::string> DocumentsOf(const Spec& spec, const std::vector<std::string>& ids) {
  std::vector<std::string> texts;
  for (const Document& document : spec.documents()) {
    if (std::find(ids.begin(), ids.end(), document.id) != ids.end()) {
      texts.push_back(document.id + ", " + document.title);
    }
  }
  if (texts.empty()) texts.emplace_back("no document: every implementation must do this");
  return texts;
}

}  // namespace poolproof
