// SPDX-License-Identifier: Apache-2.0
//
// One investigation of a failing case. Private to blame: isolate.cc finds the calls that are
// enough, blame.cc the features of a single call.
#ifndef POOLPROOF_CONFORMANCE_BLAME_INVESTIGATOR_H_
#define POOLPROOF_CONFORMANCE_BLAME_INVESTIGATOR_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/blame/blame.h"
#include "conformance/blame/contrast.h"
#include "conformance/blame/part.h"
#include "conformance/case/cost.h"

namespace poolproof {

// Fresh runs that a failure gets to show again before it counts as passing.
inline constexpr int kConfirmations = 4;
// Of a call that is repeated to find out, and of all elements of these calls.
inline constexpr std::int64_t kMaxRepetitions = 4096;
inline constexpr std::int64_t kMaxRepeatedElements = std::int64_t{1} << 22;
// How often what is due to chance may be taken for due to what was taken away.
inline constexpr double kByChance = 0.005;

// Whether its calls are whole ones, each made as many times as the plan says.
inline bool IsOfWholeCalls(const CallPlan& plan) {
  return !plan.descriptors_only && !plan.null_workspace_size && !plan.null_executor_out &&
         !plan.phase_two_alone && plan.growth_calls == 0;
}

// Says in each finding how often it showed. A rate that is there already stays.
void NoteRate(Verdict& verdict, int shows, int runs);

class Investigator {
 public:
  Investigator(const JudgeContext& context, const FreshAttempt& attempt,
               const InvestigationLimits& limits)
      : context_(context),
        attempt_(attempt),
        limits_(limits),
        start_(std::chrono::steady_clock::now()) {}

  Investigation Run(const Case& problem, const Verdict& first,
                    const std::vector<EarlierCase>& before);

  // Of a case that fails by itself: its blame, on the part of it that is enough.
  Investigation Settle(const Case& problem, const Verdict& verdict);
  std::optional<SmallerCase> Shrink(const Case& problem, const Verdict& blamed);

 private:
  [[nodiscard]] bool Spent(double share) const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    return attempts_ >= static_cast<int>(limits_.max_attempts * share) ||
           hangs_ >= limits_.max_hangs || elapsed.count() >= limits_.max_seconds * share;
  }
  Verdict Try(const Case& problem) {
    ++attempts_;
    cost_ += CostOf(problem);
    repetitions_ += problem.plan.repeat;
    Verdict verdict = attempt_(problem);
    if (Hangs(verdict)) ++hangs_;
    return verdict;
  }
  [[nodiscard]] bool Applies(std::string_view id) const {
    const Clause* clause = context_.spec->Find(id);
    return clause != nullptr && clause->AppliesTo(context_.profile);
  }

  // Whether what is investigated shows, or is gone: what shows beside it tells nothing.
  [[nodiscard]] bool Shows(const Verdict& verdict) const {
    return Failed(verdict) && AnyFinding(verdict, [&](const Finding& finding) {
             return Concerns(part_, finding.kind);
           });
  }
  [[nodiscard]] bool Gone(const Verdict& verdict) const {
    return verdict.kind == VerdictKind::kPassed || (Failed(verdict) && !Shows(verdict));
  }
  // Of a case in which cells that no index names alone were wrong, beside other old contents:
  // whether they still are, and are now taken for gradients that went astray.
  [[nodiscard]] bool ReadsOtherwise(const Verdict& verdict) const {
    const auto of_answers = [](const Finding& finding) {
      return IsWrongNumber(finding.kind) && finding.kind != FindingKind::kUnnamedNotZero;
    };
    return part_ == Part::kZeros && !AnyFinding(verdict_, of_answers) &&
           AnyFinding(verdict, of_answers);
  }

  // Whether the failure shows in each further run, and each of `without` is as one run just was:
  // what comes and goes says nothing of what was taken away.
  bool ShowsEachTime();
  bool ShowsInFurtherRuns();
  bool Stays(const Case& without, const std::function<bool(const Verdict&)>& so);
  bool StaysGone(const Case& without);
  // The same of calls that nothing else runs beside, which may come and go: as many of them pass as
  // tell it from chance. At one rate, all failures are among the runs of the case that often.
  bool StaysGoneAlone(const Case& alone);
  // The call several times; nullopt where it is already, or takes too long.
  static std::optional<Case> Repeated(const Case& once);
  bool PassesRepeated(const Case& without, const std::function<bool(const Verdict&)>& so);
  bool PassesOneByOne(const Case& without, const std::function<bool(const Verdict&)>& so);
  bool LeavesOnlySums(const Contrast& contrast, const Verdict& without);
  bool Confirm(const Case& problem, const Verdict& first);
  bool FailAlone(const Case& plain, const std::vector<Call>& earlier, bool were_right,
                 const Verdict& reference);
  bool FindHistory(const Case& problem, const std::vector<EarlierCase>& before);
  bool FindAmong(const Case& plain, std::vector<Call> history, bool were_right);
  bool FindRepetition(const Case& problem);
  bool IsOfThreads(const Case& problem, bool behind_others);
  void CountRepetitions(const Verdict& reference);
  bool Isolate();
  bool IsolatePlan();
  bool BlameRepetition();
  bool TakesSoManyCalls(const std::function<bool(const Verdict&)>& without_it);
  bool BlameLaterRuns(const Case& once, const Verdict& first);
  void TakePlainContents();
  void WithoutAdvice();
  void BlameFeatures();
  void BlamePart();
  std::set<std::string> FeaturesTogether(FailureSort sort);
  bool GoesInEachWay(const std::set<std::string>& clauses, FailureSort sort);
  [[nodiscard]] std::optional<Case> Without(const Case& problem,
                                            const std::set<std::string>& clauses, FailureSort sort,
                                            std::size_t pick) const;
  bool StaysInPlainCase();
  void SettleForward();
  void SettleForwardLayout();
  void SettleMerging();
  void SettleLateRefusal();
  std::optional<Verdict> BlameOfItsOwn(const Case& problem, const Verdict& verdict);
  void SettleEnd();
  void SettleIllegalEnd();
  void SettleSingleFault();
  void FindFeatures(const Verdict& blamed);
  // Clauses by the judge's own reading. Whether gradients are lost one by one or where they meet is
  // settled afterwards.
  [[nodiscard]] std::set<std::string> ReadingOf(const Case& problem, const Verdict& verdict) const {
    std::set<std::string> clauses = ClausesOf(verdict);
    const Operator op = problem.calls.back().op;
    if (clauses.erase(context_.rules().IdOf(op, Condition::kAccumulate)) > 0) {
      clauses.insert(context_.rules().IdOf(op, Condition::kScatter));
    }
    return clauses;
  }
  bool FailsAlike(const Case& candidate, const Verdict& reference);

  // Replaces the findings for which `which` holds by one that names `clauses`.
  template <typename Which>
  void Reblame(Which which, const std::set<std::string>& clauses, const std::string& why) {
    poolproof::Reblame(verdict_, which, {clauses.begin(), clauses.end()}, why);
  }

  const JudgeContext& context_;
  const FreshAttempt& attempt_;
  const InvestigationLimits& limits_;
  std::chrono::steady_clock::time_point start_;
  int attempts_ = 0;
  int hangs_ = 0;    // of them
  double cost_ = 0;  // of these
  std::int64_t repetitions_ = 0;
  Case problem_;
  Verdict verdict_;
  Part part_ = Part::kAnswers;
  std::optional<bool> steady_;  // whether it showed each time; nullopt: not asked yet
  int shows_ = 1;               // in these runs of the case it showed so often
  int runs_ = 1;
  std::optional<Verdict> beside_;  // what a fresh run showed without it
  std::vector<Contrast> contrasts_;
  std::vector<std::optional<Verdict>> without_;  // what happened to them, as far as they were tried
  std::set<std::string> features_;               // clauses found by contrast
  bool together_ = false;  // no single feature explains the failure, these together do
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_BLAME_INVESTIGATOR_H_
