// SPDX-License-Identifier: Apache-2.0
#include "conformance/blame/blame.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "conformance/blame/contrast.h"
#include "conformance/blame/edit.h"
#include "conformance/blame/part.h"
#include "conformance/blame/shrink.h"
#include "conformance/case/cost.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/result/side_effect.h"

namespace poolproof {
namespace {

using Clock = std::chrono::steady_clock;

// Fresh runs that a failure gets to show again before it counts as passing.
constexpr int kConfirmations = 4;
// Earlier calls that a sequence may hold.
constexpr std::size_t kMaxHistory = 256;
constexpr double kMostShrinkCost = 5e8;  // some thirty attempts at a plane of 2^24 elements
constexpr std::int64_t kMaxHistoryElements = std::int64_t{1} << 22;
constexpr std::int64_t kMaxRepetitions = 4096;
constexpr std::int64_t kMaxRepeatedElements = std::int64_t{1} << 24;

class Investigator {
 public:
  Investigator(const JudgeContext& context, const FreshAttempt& attempt,
               const InvestigationLimits& limits)
      : context_(context), attempt_(attempt), limits_(limits), start_(Clock::now()) {}

  Investigation Run(const Case& problem, const Verdict& first, const std::vector<Case>& before);

  // Of a case that fails by itself: its blame, on the part of it that is enough.
  Investigation Settle(const Case& problem, const Verdict& verdict);
  std::optional<SmallerCase> Shrink(const Case& problem, const Verdict& blamed);

 private:
  [[nodiscard]] bool Spent(double share) const {
    const std::chrono::duration<double> elapsed = Clock::now() - start_;
    return attempts_ >= static_cast<int>(limits_.max_attempts * share) ||
           elapsed.count() >= limits_.max_seconds * share;
  }
  Verdict Try(const Case& problem) {
    ++attempts_;
    cost_ += CostOf(problem);
    return attempt_(problem);
  }
  [[nodiscard]] bool Applies(std::string_view id) const {
    const Clause* clause = context_.spec->Find(id);
    return clause != nullptr && clause->AppliesTo(context_.profile);
  }

  // Whether what is looked into shows, or is gone: what shows beside it tells nothing.
  [[nodiscard]] bool Shows(const Verdict& verdict) const {
    return Failed(verdict) && AnyFinding(verdict, [&](const Finding& finding) {
             return Concerns(part_, finding.kind);
           });
  }
  [[nodiscard]] bool Gone(const Verdict& verdict) const {
    return verdict.kind == VerdictKind::kPassed || (Failed(verdict) && !Shows(verdict));
  }

  [[nodiscard]] bool LeavesOnlySums(const Contrast& contrast, const Verdict& without) const;
  bool Confirm(const Case& problem, const Verdict& first);
  bool FailAlone(const Case& plain, const std::vector<Call>& earlier, const Verdict& reference);
  bool FindHistory(const Case& problem, const std::vector<Case>& before);
  bool FindRepetition(const Case& problem);
  bool Isolate();
  bool IsolatePlan();
  void TakePlainContents();
  void WithoutAdvice();
  void BlameFeatures();
  void BlamePart();
  std::set<std::string> FeaturesTogether(FailureSort sort);
  [[nodiscard]] std::optional<Case> Without(const Case& problem,
                                            const std::set<std::string>& clauses, FailureSort sort,
                                            std::size_t pick) const;
  bool StaysInPlainCase();
  void SettleMerging();
  void SettleLateRefusal();
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
  void Reblame(Which which, const std::set<std::string>& clauses, const std::string& why);

  const JudgeContext& context_;
  const FreshAttempt& attempt_;
  const InvestigationLimits& limits_;
  Clock::time_point start_;
  int attempts_ = 0;
  double cost_ = 0;  // of these
  Case problem_;
  Verdict verdict_;
  Part part_ = Part::kAnswers;
  std::optional<Verdict> beside_;  // what a fresh run showed without it
  std::vector<Contrast> contrasts_;
  std::vector<std::optional<Verdict>> without_;  // what became of them, as far as they were tried
  std::set<std::string> features_;               // clauses found by contrast
  bool together_ = false;  // no single feature explains the failure, these together do
};

template <typename Which>
void Investigator::Reblame(Which which, const std::set<std::string>& clauses,
                           const std::string& why) {
  std::vector<Finding> findings;
  bool replaced = false;
  for (Finding& finding : verdict_.findings) {
    if (!which(finding.kind)) {
      findings.push_back(std::move(finding));
      continue;
    }
    if (replaced) continue;
    replaced = true;
    finding.clauses.assign(clauses.begin(), clauses.end());
    finding.message += why;
    findings.push_back(std::move(finding));
  }
  verdict_.findings = std::move(findings);
}

bool Investigator::Confirm(const Case& problem, const Verdict& first) {
  problem_ = problem;
  std::optional<Verdict> shown;
  int shows = 0;
  int runs = 0;
  while (runs < kConfirmations) {
    ++runs;
    Verdict again = Try(problem);
    if (Shows(again)) {
      ++shows;
      if (!shown) shown = std::move(again);
      if (runs == 1) break;
    } else if (Failed(again)) {
      beside_ = std::move(again);
    }
  }
  verdict_ = shown.value_or(first);
  if (shown && shows < runs) {
    for (Finding& finding : verdict_.findings) {
      finding.message += " (flaky: it showed in " + std::to_string(shows) + " of " +
                         std::to_string(runs) + " further runs)";
    }
  }
  // What the first run saw and a fresh one does not may be a matter of timing; both are true.
  return shown.has_value();
}

// Whether its calls are whole ones, each made so many times as the plan says.
bool IsOfWholeCalls(const CallPlan& plan) {
  return !plan.descriptors_only && !plan.null_workspace_size && !plan.null_executor_out &&
         !plan.phase_two_alone && plan.growth_calls == 0;
}

bool Embeddable(const Case& problem) {
  const CallPlan& plan = problem.plan;
  if (!IsOfWholeCalls(plan) || plan.threads != 1 || plan.order != Order::kInTurn ||
      plan.reuse_executor) {
    return false;
  }
  for (const Call& call : problem.calls) {
    for (const Role role : InfoOf(call.op).tensors) {
      if (StorageElements(call.tensor(role)).value_or(0) > kMaxHistoryElements) return false;
    }
  }
  return true;
}

// Whether earlier calls fail as they do together with the case's own.
bool Investigator::FailAlone(const Case& plain, const std::vector<Call>& earlier,
                             const Verdict& reference) {
  Case alone = plain;
  alone.plan.relation = Relation::kNone;
  alone.calls = earlier;
  const Verdict verdict = Try(alone);
  return Failed(verdict) && SortsOf(verdict) == SortsOf(reference);
}

bool Investigator::FindHistory(const Case& problem, const std::vector<Case>& before) {
  // What its plan does beside the calls did not show it: the calls alone may, after others.
  Case plain = problem;
  plain.plan.threads = 1;
  plain.plan.streams = 1;
  plain.plan.order = Order::kInTurn;
  plain.plan.reuse_executor = false;
  if (!Embeddable(plain)) return FindRepetition(problem);
  std::vector<Call> history;  // latest first
  for (auto earlier = before.rbegin(); earlier != before.rend(); ++earlier) {
    if (!Embeddable(*earlier)) continue;
    for (auto call = earlier->calls.rbegin(); call != earlier->calls.rend(); ++call) {
      if (history.size() < kMaxHistory) history.push_back(*call);
    }
  }
  const auto sequence = [&](const std::vector<Call>& prefix) {
    Case combined = plain;
    combined.plan.relation = Relation::kNone;
    combined.calls.insert(combined.calls.begin(), prefix.begin(), prefix.end());
    return combined;
  };
  for (std::size_t length = 1; !history.empty() && !Spent(0.5); length *= 4) {
    length = std::min(length, history.size());
    std::vector<Call> prefix(history.rend() - static_cast<std::ptrdiff_t>(length), history.rend());
    Verdict verdict = Try(sequence(prefix));
    if (Shows(verdict)) {
      // Take away calls, larger runs first, while the failure stays.
      for (std::size_t run = std::max<std::size_t>(prefix.size() / 2, 1); run >= 1; run /= 2) {
        for (std::size_t at = 0; at + run <= prefix.size() && !Spent(0.6);) {
          std::vector<Call> fewer = prefix;
          fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                      fewer.begin() + static_cast<std::ptrdiff_t>(at + run));
          Verdict still = Try(sequence(fewer));
          if (Shows(still)) {
            prefix = std::move(fewer);
            verdict = std::move(still);
          } else {
            at += run;
          }
        }
        if (run == 1) break;
      }
      // Calls that fail alike without the case's own are no history of it.
      if (!prefix.empty() && FailAlone(plain, prefix, verdict)) {
        std::erase_if(history, [&](const Call& call) {
          return std::find(prefix.begin(), prefix.end(), call) != prefix.end();
        });
        length = std::max<std::size_t>(length / 4, 1);
        continue;
      }
      problem_ = sequence(prefix);
      verdict_ = std::move(verdict);
      return true;
    }
    if (length == history.size()) break;
  }
  return FindRepetition(problem);
}

// What a library runs out of after many calls shows when one is repeated often enough; how often is
// then made exact.
bool Investigator::FindRepetition(const Case& problem) {
  if (!IsOfWholeCalls(problem.plan)) return false;
  std::int64_t elements = 1;
  for (const Call& call : problem.calls) {
    for (const Role role : InfoOf(call.op).tensors) {
      elements += StorageElements(call.tensor(role)).value_or(0);
    }
  }
  const std::int64_t most = std::min(kMaxRepetitions, kMaxRepeatedElements / elements);
  const auto repeated = [&](std::int64_t count) {
    Case often = problem;
    often.plan.relation = Relation::kNone;
    often.plan.repeat = static_cast<int>(count);
    return often;
  };
  const auto fails = [&](std::int64_t count) {
    Verdict verdict = Try(repeated(count));
    if (!Shows(verdict)) return false;
    problem_ = repeated(count);
    verdict_ = std::move(verdict);
    return true;
  };
  std::int64_t passing = problem.plan.repeat;
  while (passing < most && !Spent(0.7)) {
    const std::int64_t count = std::min(std::max<std::int64_t>(8 * passing, 64), most);
    if (!fails(count)) {
      passing = count;
      continue;
    }
    for (std::int64_t failing = count; failing - passing > 1 && !Spent(0.8);) {
      const std::int64_t middle = passing + (failing - passing) / 2;
      (fails(middle) ? failing : passing) = middle;
    }
    return true;
  }
  return false;
}

// Repetitions that found other contents each: the one content that is enough, in a single run.
void Investigator::TakePlainContents() {
  const CallPlan plan = problem_.plan;
  for (int repetition = 0; repetition < std::min(plan.repeat, 4); ++repetition) {
    Case once = problem_;
    once.plan.vary_contents = false;
    once.plan.repeat = 1;
    once.plan.output = PoisonOfRun(plan, plan.output, repetition);
    once.plan.workspace = PoisonOfRun(plan, plan.workspace, repetition);
    Verdict verdict = Try(once);
    if (!Shows(verdict)) continue;
    problem_ = std::move(once);
    verdict_ = std::move(verdict);
    return;
  }
}

// Takes away what the plan does to the phases, one thing after the other. True where the failure
// goes with one of them, whose clause is then to blame.
bool Investigator::IsolatePlan() {
  struct Feature {
    bool present;
    void (*remove)(CallPlan&);
    std::string_view clause;
    std::string_view why;
  };
  const CallPlan& plan = problem_.plan;
  const Feature features[] = {
      {plan.fill_late, [](CallPlan& p) { p.fill_late = false; }, "2P-01",
       " (only when inputs are filled after phase one)"},
      {plan.share_descriptors, [](CallPlan& p) { p.share_descriptors = false; }, "2P-07",
       " (only where a descriptor is used again)"},
      {plan.reuse_executor, [](CallPlan& p) { p.reuse_executor = false; }, "2P-07",
       " (only by an executor that ran before)"},
      {plan.streams > 1, [](CallPlan& p) { p.streams = 1; }, "2P-06",
       " (only with other streams at work)"},
      {plan.order != Order::kInTurn, [](CallPlan& p) { p.order = Order::kInTurn; }, "2P-07",
       " (only while other executors live)"},
  };
  for (const Feature& feature : features) {
    if (!feature.present) continue;
    Case without = problem_;
    feature.remove(without.plan);
    Verdict verdict = Try(without);
    if (!Shows(verdict)) {
      Reblame(SpoilsResult, {std::string(feature.clause)}, std::string(feature.why));
      return true;
    }
    problem_ = std::move(without);
    verdict_ = std::move(verdict);
  }
  return false;
}

// A sequence, several threads or repetitions: the shortest form that still fails, and whose clause
// it is that less passes. True where that clause is to blame.
bool Investigator::Isolate() {
  if (problem_.plan.vary_contents) TakePlainContents();
  if (IsolatePlan()) return true;
  if (problem_.plan.threads > 1) {
    Case alone = problem_;
    alone.plan.threads = 1;
    Verdict verdict = Try(alone);
    if (Shows(verdict)) {
      problem_ = std::move(alone);
      verdict_ = std::move(verdict);
    } else {
      Reblame(SpoilsResult, {"2P-06"}, " (only with other host threads at work)");
      return true;
    }
  }
  if (problem_.plan.repeat > 1 && !AnyFinding(verdict_, [](const Finding& finding) {
        return finding.kind == FindingKind::kNotRepeatable;
      })) {
    Case once = problem_;
    once.plan.repeat = 1;
    Verdict verdict = Try(once);
    if (Shows(verdict)) {
      problem_ = std::move(once);
      verdict_ = std::move(verdict);
    } else {
      Reblame(SpoilsResult, {"2P-07"}, " (only when the call is repeated)");
      return true;
    }
  }
  if (problem_.plan.growth_calls > 0 && AnyFinding(verdict_, [](const Finding& finding) {
        return finding.kind == FindingKind::kRefused || IsWrongNumber(finding.kind);
      })) {
    Case once = problem_;
    once.plan.growth_calls = 0;
    if (!Shows(Try(once))) {
      Reblame([](FindingKind kind) { return IsWrongNumber(kind) || kind == FindingKind::kRefused; },
              {"2P-07"}, " (only after many calls)");
      return true;
    }
  }
  if (problem_.calls.size() == 1) {
    WithoutAdvice();
    return false;
  }
  // The last of an operator's calls; of several operators one that does not depend on their order,
  // so that cases with the same findings are charged alike.
  std::vector<Call> calls(problem_.calls.rbegin(), problem_.calls.rend());
  std::stable_sort(calls.begin(), calls.end(),
                   [](const Call& a, const Call& b) { return a.op < b.op; });
  for (Call& call : calls) {
    Case alone = problem_;
    alone.calls = {std::move(call)};
    alone.plan.relation = Relation::kNone;
    Verdict verdict = Try(alone);
    if (!Shows(verdict)) continue;
    problem_ = std::move(alone);
    verdict_ = std::move(verdict);
    WithoutAdvice();
    return false;
  }
  // Memory of others is written to by one of the calls, whatever it took; runs that differ under
  // the deterministic option do so wherever their buffers come to lie.
  Reblame(
      [](FindingKind kind) {
        return SpoilsResult(kind) || kind == FindingKind::kWrongStatus ||
               kind == FindingKind::kAccepted || kind == FindingKind::kLateRefusal;
      },
      {"2P-07"}, " (only after the calls before it)");
  return true;
}

// A call that only advisory clauses allow may fail for a reason that has nothing to do with them:
// then the plainer call fails too, and is the better witness.
void Investigator::WithoutAdvice() {
  if (!AllowedByAdvice(context_.rules(), problem_)) return;
  Case plain = problem_;
  Call& call = plain.calls.front();
  // A copy of a broadcast view holds the same indices only if they are written down.
  if (std::optional<Call> literal = WithLiteralData(call, problem_.plan, kMaxLiteral))
    call = *literal;
  MakeContiguous(call.tensor(Role::kIndices));
  for (const Role role : InfoOf(call.op).tensors) call.tensor(role).format = Format::kNd;
  Verdict verdict = Try(plain);
  if (!Shows(verdict)) return;
  problem_ = std::move(plain);
  verdict_ = std::move(verdict);
}

void Investigator::BlameFeatures() {
  if (problem_.calls.size() != 1 || problem_.plan.threads > 1) return;
  std::vector<Part> parts = {PartOf(verdict_)};
  if (SortOf(verdict_) == FailureSort::kValue) parts = {Part::kAnswers, Part::kZeros};
  for (const Part part : parts) {
    part_ = part;
    if (Shows(verdict_)) BlamePart();
  }
  part_ = PartOf(verdict_);
}

// The same numbers in another layout or form: where gradients went astray with the feature, and
// without it only sums are wrong, the feature had its part, and the sums are another fault's.
bool Investigator::LeavesOnlySums(const Contrast& contrast, const Verdict& without) const {
  // Of the same plan: what outputs held before says nothing of where gradients went.
  const bool same = contrast.keeps == Keeps::kNumbers && contrast.without.plan == problem_.plan;
  if (!same || part_ != Part::kAnswers || !Failed(without)) return false;
  const Operator op = problem_.calls.back().op;
  const std::string scatter = context_.rules().IdOf(op, Condition::kScatter);
  const std::string accumulate = context_.rules().IdOf(op, Condition::kAccumulate);
  const auto names = [&](const Verdict& verdict, const std::string& id) {
    return AnyFinding(verdict, [&](const Finding& finding) {
      return IsWrongNumber(finding.kind) && Concerns(part_, finding.kind) &&
             std::find(finding.clauses.begin(), finding.clauses.end(), id) != finding.clauses.end();
    });
  };
  const auto is_sum = [&](const Finding& finding) {
    return IsSideEffect(finding.kind) || finding.clauses == std::vector<std::string>{accumulate};
  };
  return names(verdict_, scatter) &&
         std::all_of(without.findings.begin(), without.findings.end(), is_sum);
}

// Names the features without which the part of the failure is gone.
void Investigator::BlamePart() {
  const std::optional<FailureSort> sort = SortOf(verdict_);
  if (!sort.has_value()) return;
  if (contrasts_.empty()) contrasts_ = ContrastsFor(context_, problem_, *sort);
  without_.resize(contrasts_.size());
  std::set<std::string> clauses;
  Keeps keeps = Keeps::kNumbers;
  for (std::size_t i = 0; i < contrasts_.size(); ++i) {
    const Contrast& contrast = contrasts_[i];
    if (Spent(1.0) || (!clauses.empty() && contrast.keeps > keeps)) break;
    if (clauses.contains(contrast.clause)) continue;
    if (!without_[i].has_value()) without_[i] = Try(contrast.without);
    if (!Gone(*without_[i]) && !LeavesOnlySums(contrast, *without_[i])) continue;
    clauses.insert(contrast.clause);
    keeps = contrast.keeps;
  }
  // What a view leaves as it was is zero where it was zero before: that speaks of the view.
  if (part_ == Part::kZeros && clauses.size() > 1) {
    clauses.erase(context_.rules().IdOf(problem_.calls.front().op, Condition::kZero));
  }
  if (clauses.empty()) {
    // A clause that speaks of every call is to blame where a plain case fails.
    if (*sort == FailureSort::kValue && StaysInPlainCase()) return;
    clauses = FeaturesTogether(*sort);
    together_ = !clauses.empty();
  }
  if (clauses.empty()) return;
  if (part_ == PartOf(verdict_)) features_ = clauses;
  // Work space contents reach unnamed coordinates: the zero clause speaks of them too.
  if (clauses.contains("2P-07")) {
    for (const Finding& finding : verdict_.findings) {
      if (finding.kind == FindingKind::kUnnamedNotZero) {
        clauses.insert(finding.clauses.begin(), finding.clauses.end());
      }
    }
  }
  Reblame([&](FindingKind kind) { return SpoilsResult(kind) && Concerns(part_, kind); }, clauses,
          "");
}

// The case without the features of these clauses; where one can be taken away in several ways, in
// the way number `pick`. nullopt where nothing is changed.
std::optional<Case> Investigator::Without(const Case& problem, const std::set<std::string>& clauses,
                                          FailureSort sort, std::size_t pick) const {
  Case plain = problem;
  for (const std::string& clause : clauses) {
    std::vector<Contrast> ways = ContrastsFor(context_, plain, sort);
    std::erase_if(ways, [&](const Contrast& way) { return way.clause != clause; });
    if (!ways.empty()) plain = std::move(ways[pick % ways.size()].without);
  }
  if (plain == problem) return std::nullopt;
  return plain;
}

// Where no feature alone explains a failure, several faults may be at work: the least set of
// features without which the call passes, each of which brings the failure back. Empty where the
// failure stays, or the library takes no plainer call.
std::set<std::string> Investigator::FeaturesTogether(FailureSort sort) {
  std::vector<std::string> order;  // those first that keep most
  for (const Contrast& contrast : ContrastsFor(context_, problem_, sort)) {
    // Other windows take other data, and are no feature to take away beside others.
    if (contrast.keeps == Keeps::kLeast) continue;
    if (std::find(order.begin(), order.end(), contrast.clause) == order.end()) {
      order.push_back(contrast.clause);
    }
  }
  if (order.size() < 2) return {};
  // What is plain by the documents this library may not take, so one feature may have to stay.
  std::vector<std::set<std::string>> sets = {{order.begin(), order.end()}};
  const Operator op = problem_.calls.front().op;
  for (const Condition condition :
       {Condition::kInt32Indices, Condition::kInt64Indices, Condition::kUnbatched}) {
    std::set<std::string> fewer = sets.front();
    if (fewer.erase(context_.rules().IdOf(op, condition)) > 0) sets.push_back(std::move(fewer));
  }
  for (std::set<std::string>& clauses : sets) {
    for (std::size_t pick = 0; pick < 2; ++pick) {
      if (Spent(0.8)) return {};
      const std::optional<Case> plain = Without(problem_, clauses, sort, pick);
      if (!plain.has_value() || (pick > 0 && plain == Without(problem_, clauses, sort, 0))) break;
      const Verdict verdict = Try(*plain);
      if (Failed(verdict) && SortOf(verdict) == sort && sort != FailureSort::kRefusal) return {};
      if (!Gone(verdict)) continue;
      for (auto clause = order.rbegin(); clause != order.rend() && !Spent(1.0); ++clause) {
        std::set<std::string> fewer = clauses;
        if (fewer.erase(*clause) == 0 || fewer.empty()) continue;
        const std::optional<Case> candidate = Without(problem_, fewer, sort, pick);
        if (candidate.has_value() && Gone(Try(*candidate))) {
          clauses = std::move(fewer);
        }
      }
      return clauses;
    }
  }
  return {};
}

// Whether wrong numbers stay in the case on plain operands. The judge's reading of that one is then
// taken: it is free of what a misplaced NaN or a view makes of the same fault.
bool Investigator::StaysInPlainCase() {
  const std::optional<Case> plain = WithoutFeatures(problem_);
  if (!plain.has_value() || Spent(1.0)) return false;
  const Verdict verdict = Try(*plain);
  if (!Shows(verdict) || SortOf(verdict) != FailureSort::kValue) return false;
  if (SortsOf(verdict) != SortsOf(verdict_)) return true;
  const auto of_part = [&](FindingKind kind) {
    return IsWrongNumber(kind) && Concerns(part_, kind);
  };
  std::set<std::string> clauses;
  for (const Finding& finding : verdict.findings) {
    if (of_part(finding.kind)) clauses.insert(finding.clauses.begin(), finding.clauses.end());
  }
  Reblame(of_part, clauses, "");
  return true;
}

// Whether gradients are lost one by one or only where they meet.
void Investigator::SettleMerging() {
  const Operator op = problem_.calls.back().op;
  const std::string scatter = context_.rules().IdOf(op, Condition::kScatter);
  const std::string accumulate = context_.rules().IdOf(op, Condition::kAccumulate);
  std::set<std::string> blamed;
  for (const Finding& finding : verdict_.findings) {
    if (IsWrongNumber(finding.kind)) blamed.insert(finding.clauses.begin(), finding.clauses.end());
  }
  if (!blamed.contains(scatter) && !blamed.contains(accumulate)) return;
  std::optional<Case> apart = SpreadApart(problem_);
  if (!apart.has_value()) apart = WindowsOfOneCell(problem_);
  if (!apart.has_value() || Spent(1.0)) return;
  const Verdict verdict = Try(*apart);
  if (verdict.kind != VerdictKind::kPassed && verdict.kind != VerdictKind::kFailed) return;
  // Coordinates that no index names say nothing of either.
  const Part whole = std::exchange(part_, Part::kAnswers);
  const bool merging = Gone(verdict);
  part_ = whole;
  const std::string& right = merging ? accumulate : scatter;
  const std::string& wrong = merging ? scatter : accumulate;
  std::vector<Finding> findings;
  for (Finding& finding : verdict_.findings) {
    if (IsWrongNumber(finding.kind)) {
      for (std::string& id : finding.clauses) {
        if (id == wrong) id = right;
      }
      std::sort(finding.clauses.begin(), finding.clauses.end());
      finding.clauses.erase(std::unique(finding.clauses.begin(), finding.clauses.end()),
                            finding.clauses.end());
      const bool known = std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
        return IsWrongNumber(other.kind) && other.clauses == finding.clauses;
      });
      if (known) continue;
    }
    findings.push_back(std::move(finding));
  }
  verdict_.findings = std::move(findings);
}

// Where phase two refuses the plainest call too, nothing shows that the table is checked there.
void Investigator::SettleLateRefusal() {
  const auto of_protocol = [](const Finding& finding) {
    return finding.kind == FindingKind::kLateRefusal &&
           finding.clauses == std::vector<std::string>{"2P-08"};
  };
  if (problem_.calls.size() != 1 || verdict_.findings.size() < 2 || Spent(1.0) ||
      !AnyFinding(verdict_, of_protocol)) {
    return;
  }
  const Operator op = problem_.calls.front().op;
  const auto axes = static_cast<std::size_t>(InfoOf(op).spatial_rank);
  Dims self(axes + 2, 4);
  self[0] = self[1] = 1;
  Case plain;
  plain.calls = {MakeBackward(op, DataType::kFloat, DataType::kInt32,
                              {.self = std::move(self),
                               .kernel = Dims(axes, 2),
                               .stride = Dims(axes, 2),
                               .padding = Dims(axes, 0),
                               .dilation = Dims(axes, 1),
                               .output = Dims(axes, 2)})};
  const bool refused = AnyFinding(Try(plain), [](const Finding& finding) {
    return finding.kind == FindingKind::kRefused && finding.clauses.front() == "2P-02";
  });
  if (refused) std::erase_if(verdict_.findings, of_protocol);
}

// Which of the blamed clauses were found by contrast: the failure goes away with their features.
void Investigator::FindFeatures(const Verdict& blamed) {
  const std::optional<FailureSort> sort = SortOf(blamed);
  if (problem_.calls.size() != 1 || problem_.plan.threads > 1 || !sort.has_value()) return;
  const std::set<std::string> clauses = ClausesOf(blamed);
  std::set<std::string> known;
  for (const Contrast& contrast : ContrastsFor(context_, problem_, *sort)) {
    if (!clauses.contains(contrast.clause)) continue;
    known.insert(contrast.clause);
    if (!features_.contains(contrast.clause) && Gone(Try(contrast.without))) {
      features_.insert(contrast.clause);
    }
  }
  if (!features_.empty() || known.size() < 2) return;
  const std::optional<Case> plain = Without(problem_, known, *sort, 0);
  together_ = plain.has_value() && Gone(Try(*plain));
  if (together_) features_ = std::move(known);
}

// Whether `candidate` fails as the confirmed case does: the same sort of failure, of the same
// clauses by the judge's own reading, or still explained by the same features.
bool Investigator::FailsAlike(const Case& candidate, const Verdict& reference) {
  const Verdict verdict = Try(candidate);
  if (!Shows(verdict) || SortsOf(verdict) != SortsOf(reference)) return false;
  if (features_.empty()) return ReadingOf(candidate, verdict) == ReadingOf(problem_, reference);
  const FailureSort sort = SortOf(verdict).value_or(FailureSort::kValue);
  const auto passes = [&](const std::set<std::string>& clauses) {
    const std::optional<Case> without = Without(candidate, clauses, sort, 0);
    return without.has_value() && Gone(Try(*without));
  };
  if (!together_) {
    return std::all_of(features_.begin(), features_.end(),
                       [&](const std::string& clause) { return passes({clause}); });
  }
  return passes(features_) &&
         std::none_of(features_.begin(), features_.end(), [&](const std::string& clause) {
           std::set<std::string> fewer = features_;
           fewer.erase(clause);
           return passes(fewer);
         });
}

std::optional<SmallerCase> Investigator::Shrink(const Case& problem, const Verdict& blamed) {
  problem_ = problem;
  part_ = PartOf(blamed);
  const Verdict reference = Try(problem_);
  if (!Shows(reference)) return std::nullopt;
  FindFeatures(blamed);
  std::vector<Case> found;
  // Steps are tried round and round from where the last one succeeded, until none does.
  std::vector<Case> steps = SimplerCases(problem_);
  std::size_t failed_in_a_row = 0;
  for (std::size_t at = 0; failed_in_a_row < steps.size() && !Spent(1.0) && cost_ < kMostShrinkCost;
       ++at) {
    const Case& candidate = steps[at % steps.size()];
    if (FailsAlike(candidate, reference)) {
      found.push_back(candidate);
      steps = SimplerCases(found.back());
      failed_in_a_row = 0;
    } else {
      ++failed_in_a_row;
    }
  }
  // A case is shown for clauses that it breaches itself: the smallest whose own blame is the same.
  constexpr int kLooks = 4;
  std::size_t left = found.size();
  for (int look = 0; look < kLooks && left > 0; ++look) {
    const Case& candidate = found[left - 1];
    InvestigationLimits limits = limits_;
    limits.max_attempts = kBlameAttempts;
    Investigator again(context_, attempt_, limits);
    Investigation own = again.Run(candidate, blamed, {});
    if (own.complete && Failed(own.verdict) && ClausesOf(own.verdict) == ClausesOf(blamed)) {
      return SmallerCase{std::move(own.problem), std::move(own.verdict)};
    }
    left /= 2;
  }
  return std::nullopt;
}

Investigation Investigator::Settle(const Case& problem, const Verdict& verdict) {
  problem_ = problem;
  verdict_ = verdict;
  if (!Isolate()) {
    BlameFeatures();
    SettleMerging();
    SettleLateRefusal();
  }
  return {problem_, verdict_, attempts_, !Spent(1.0)};
}

Investigation Investigator::Run(const Case& problem, const Verdict& first,
                                const std::vector<Case>& before) {
  part_ = PartOf(first);
  if (Confirm(problem, first)) return Settle(problem_, verdict_);
  // What takes a history to show is settled like any sequence.
  if (FindHistory(problem, before)) {
    Investigation found = Settle(problem_, verdict_);
    found.complete =
        true;  // the search may have taken most of the attempts, and it found something
    return found;
  }
  const bool only_time =
      std::all_of(first.findings.begin(), first.findings.end(),
                  [](const Finding& f) { return f.kind == FindingKind::kTimedOut; });
  if (only_time) {
    // A deadline that passes once on a loaded machine says nothing of the implementation.
    verdict_ = {};
    verdict_.kind = VerdictKind::kInconclusive;
    verdict_.note = "the deadline passed once and not again in a fresh worker";
    return {problem_, verdict_, attempts_, true};
  }
  // Memory that is damaged every time, or never cleared, may be what spoilt the answer once.
  if (beside_ && AnyFinding(*beside_, [](const Finding& finding) {
        return finding.kind == FindingKind::kWroteOutside ||
               finding.kind == FindingKind::kWorkspaceOverrun ||
               finding.kind == FindingKind::kUnnamedNotZero;
      })) {
    return {problem_, *std::move(beside_), attempts_, true};
  }
  for (Finding& finding : verdict_.findings) {
    finding.message +=
        " (flaky: seen once, and in none of " + std::to_string(kConfirmations) + " further runs)";
  }
  return {problem_, verdict_, attempts_, true};
}

}  // namespace

Investigation Investigate(const JudgeContext& context, const Case& problem, const Verdict& verdict,
                          const std::vector<Case>& before, const FreshAttempt& attempt,
                          const InvestigationLimits& limits) {
  return Investigator(context, attempt, limits).Run(problem, verdict, before);
}

std::optional<SmallerCase> MakeSmaller(const JudgeContext& context, const Case& problem,
                                       const Verdict& blamed, const FreshAttempt& attempt,
                                       const InvestigationLimits& limits) {
  return Investigator(context, attempt, limits).Shrink(problem, blamed);
}

}  // namespace poolproof
