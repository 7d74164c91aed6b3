// SPDX-License-Identifier: Apache-2.0
//
// What every report for people says in the same words: counts, verdicts, kinds of failure and the
// command that shows a failure again.
#ifndef POOLPROOF_REPORTS_PHRASES_H_
#define POOLPROOF_REPORTS_PHRASES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// "12,345".
std::string Count(std::int64_t value);
// "1 case", "12,345 cases".
std::string CountOf(std::int64_t value, std::string_view noun);
// "12.5 s", "3 min 07 s".
std::string Seconds(double seconds);
// "not applicable": the verdict's word with spaces.
std::string Spaced(std::string_view word);

// UTF-8 without control characters: bytes that are none, which libraries may put into messages, are
// replaced by U+FFFD. Line ends and tabs become spaces.
std::string CleanText(std::string_view text);
// At most `bytes` of clean text, cut between characters, with "..." where something is gone.
std::string CutText(const std::string& text, std::size_t bytes);

// Failures of one signature, in the order of their first cases, those of required clauses first.
struct FailureKind {
  std::vector<const Failure*> failures;  // at least one
  [[nodiscard]] const Failure& first() const { return *failures.front(); }
};
std::vector<FailureKind> KindsOfFailure(const Report& report);
// True where the report lists every failing case.
bool ListsAllFailures(const Report& report);
// The number of a kind's cases, listed or not; "at least" where an older report does not say it.
std::string CasesOfKind(const Report& report, const FailureKind& kind);

// True where every listed failure of the kind is waived.
bool IsWaived(const FailureKind& kind);

// Whether the calls of the case returned: no crash, no hang.
bool Returned(const Failure& failure);

// The case that shows a failure best: the shrunk one where there is one.
const Case& ShownCase(const Failure& failure);
const std::string& ShownMessage(const Failure& failure);
// What the library printed last, in clean lines; some of them where a report holds more.
std::vector<std::string> OutputLines(const Failure& failure);
// What --implementation was in the run's command line, without folders.
std::string ImplementationArgument(const Report& report);
// The file of the JSON report, without folders; empty where the run wrote none.
std::string JsonArgument(const Report& report);
// "--implementation X --profile P", and the edition where it is not the newest.
std::string SubjectOptions(const std::string& implementation, const Report& report);
// "poolproof replay --implementation X --profile P '...'".
std::string ReplayCommand(const std::string& implementation, const Report& report,
                          const Case& problem, const std::string& program = "poolproof");
// Where the commands of a report run, which names no folders; empty where they run everywhere.
std::string FolderNote(const Report& report);

// "conformant", "conformant within its declared capabilities", "passed (50 selected cases)", ...
std::string VerdictWords(const Report& report);
// Which cases were not asked, by what the manifest declares, and which operators are exported and
// no clause mentions them; empty where all was.
std::string LeftOutSentence(const Report& report);
// ", aclnnX not judged": what VerdictWords says of such operators; empty where there is none.
std::string NotJudgedWords(const Report& report);
// The verdict in a sentence: "libx.so breaches 2 required clauses on atlas-a2."
std::string VerdictSentence(const Report& report);
// Root causes of failures that decide verdicts; those of others are behind them.
std::ptrdiff_t RequiredCauses(const Report& report);
// "1 root cause, 949 failing cases"; empty where there is none.
std::string RootCausesSentence(const Report& report);
// The first root cause whose cases breach the clause; null where there is none.
const RootCause* CauseOf(const Report& report, const std::string& clause);
// The library that is judged, without folders; the first one where there are several.
std::string LibraryName(const Report& report);
// Names a kind of failure in later runs, too: of profile and signature.
std::string FingerprintOf(const Report& report, const Failure& failure);
// "fails when windows overlap along D and W > 128"; where no new case tested it, "seen in the cases
// so far: ..." in front of it.
std::string RuleSentence(const RootCause& cause);
// "matches 949 of 1,002 failing cases and 0 of 5,709 passing cases", and what new cases said; in
// front of it how often a call fails that does not fail each time.
std::string RuleCounts(const Report& report, const RootCause& cause);
// "nearest passing case: W = 18": the nearest case that does. Empty where none is known.
std::string PassesSentence(const RootCause& cause);
// "may be anything: N, C, kernel": what a confirmed rule is silent on and was varied. Empty where
// nothing is.
std::string FreeSentence(const RootCause& cause, std::size_t most = 8);
// Failing cases that name no clause, since nobody could investigate them.
std::int64_t CountUnnamed(const Report& report);
// "3 failing cases: 2 fail a required clause, 1 advisory ones alone", and how many of them name no
// clause; empty where none fails.
std::string FailingSentence(const Report& report);
// "Inconclusive: 180 cases: the memory cannot be guarded page by page", the reasons with most
// cases; empty where every case was judged.
std::string InconclusiveSentence(const Report& report);
// "129 clauses: 120 passed, 2 failed, 7 not applicable".
std::string ClauseCounts(const Report& report);
// The same, and how many cases were judged where some were not run.
std::string ClauseCountsSentence(const Report& report);
// Whether cases were explored (`fuzz`) instead of those of a set.
bool IsCampaign(const Report& report);
// Number of clauses with a verdict; no `strength`: of any.
std::int64_t CountClauses(const Report& report, ClauseVerdict verdict,
                          std::optional<Strength> strength = std::nullopt);
// "Every breach is waived.", and what is wrong with waivers; empty where there is nothing to say.
std::string WaiverSentence(const Report& report);
// What is new beside the baseline, or that nothing is; empty where no baseline was asked for.
std::string BaselineSentence(const Report& report);
// Whether the kind of failure is new beside the baseline.
bool IsNew(const Report& report, const FailureKind& kind);
// Why a waiver is in its state: "waives 3 cases", "expired on 2026-01-31", ...
std::string WaiverStateSentence(const WaiverResult& waiver);

// "optimized: the same bits in 5,200 of 5,210 cases with results that x.so answers rightly; others
// in 7, fails 3".
std::string DifferencesSentence(const Report& report, const LibraryDifferences& library);
// "order or precision of sums, MaxPool3dWithArgmaxBackward".
std::string DifferenceWords(const DifferenceRow& row);
// "D3, aclnn<operator> (later edition)"; where no page says it, that.
std::vector<std::string> DocumentsOf(const Spec& spec, const std::vector<std::string>& ids);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_PHRASES_H_
