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
#include "conformance/blame/shrink.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/properties/properties.h"

namespace poolproof {
namespace {

using Clock = std::chrono::steady_clock;

// Fresh runs that a failure gets to show again before it counts as passing.
constexpr int kConfirmations = 4;
// Earlier calls that a sequence may hold.
constexpr std::size_t kMaxHistory = 256;
constexpr std::int64_t kMaxHistoryElements = std::int64_t{1} << 22;
constexpr std::int64_t kMaxRepetitions = 4096;
constexpr std::int64_t kMaxRepeatedElements = std::int64_t{1} << 24;

bool IsEndKind(FindingKind kind) {
  return kind == FindingKind::kCrashed || kind == FindingKind::kTimedOut ||
         kind == FindingKind::kOutOfMemory || kind == FindingKind::kThrew;
}

// What a feature that a call cannot stand does to it: no result, or a wrong one.
bool SpoilsResult(FindingKind kind) {
  return IsWrongNumber(kind) || IsEndKind(kind) || kind == FindingKind::kRefused;
}

bool Failed(const Verdict& verdict) { return verdict.kind == VerdictKind::kFailed; }

template <typename Predicate>
bool AnyFinding(const Verdict& verdict, Predicate predicate) {
  return std::any_of(verdict.findings.begin(), verdict.findings.end(), predicate);
}

// Kinds of a verdict's findings, wrong numbers of all sorts taken as one.
std::set<FindingKind> SortsOf(const Verdict& verdict) {
  std::set<FindingKind> sorts;
  for (const Finding& finding : verdict.findings) {
    sorts.insert(IsWrongNumber(finding.kind) ? FindingKind::kWrongSum : finding.kind);
  }
  return sorts;
}

// What a contrast may explain of the verdict; nullopt: nothing.
std::optional<FailureSort> SortOf(const Verdict& verdict) {
  const auto any = [&](auto predicate) {
    return std::any_of(verdict.findings.begin(), verdict.findings.end(), predicate);
  };
  if (any([](const Finding& f) { return IsWrongNumber(f.kind); })) return FailureSort::kValue;
  if (any([](const Finding& f) { return f.kind == FindingKind::kRefused; })) {
    return FailureSort::kRefusal;
  }
  if (any([](const Finding& f) {
        return IsEndKind(f.kind) && (f.clauses.front() == "2P-01" || f.clauses.front() == "2P-02");
      })) {
    return FailureSort::kEnd;
  }
  return std::nullopt;
}

std::set<std::string> ClausesOf(const Verdict& verdict) {
  std::set<std::string> clauses;
  for (const Finding& finding : verdict.findings) {
    clauses.insert(finding.clauses.begin(), finding.clauses.end());
  }
  return clauses;
}

class Investigator {
 public:
  Investigator(const JudgeContext& context, const FreshAttempt& attempt,
               const InvestigationLimits& limits)
      : context_(context), attempt_(attempt), limits_(limits), start_(Clock::now()) {}

  Investigation Run(const Case& problem, const Verdict& first, const std::vector<Case>& before);

 private:
  [[nodiscard]] bool Spent(double share) const {
    const std::chrono::duration<double> elapsed = Clock::now() - start_;
    return attempts_ >= static_cast<int>(limits_.max_attempts * share) ||
           elapsed.count() >= limits_.max_seconds * share;
  }
  Verdict Try(const Case& problem) {
    ++attempts_;
    return attempt_(problem);
  }
  [[nodiscard]] bool Applies(std::string_view id) const {
    const Clause* clause = context_.spec->Find(id);
    return clause != nullptr && clause->AppliesTo(context_.profile);
  }

  bool Confirm(const Case& problem, const Verdict& first);
  bool FindHistory(const Case& problem, const std::vector<Case>& before);
  bool FindRepetition(const Case& problem);
  void Isolate();
  bool IsolatePlan();
  void TakePlainContents();
  void WithoutAdvice();
  void BlameFeatures();
  void ReadPlainest();
  void SettleMerging();
  void Shrink();
  bool FailsAlike(const Case& candidate, const Verdict& reference);

  // Replaces the findings for which `which` holds by one that names `clauses`.
  template <typename Which>
  void Reblame(Which which, const std::set<std::string>& clauses, const std::string& why);

  const JudgeContext& context_;
  const FreshAttempt& attempt_;
  const InvestigationLimits& limits_;
  Clock::time_point start_;
  int attempts_ = 0;
  Case problem_;
  Verdict verdict_;
  std::set<std::string> features_;  // clauses found by contrast
  std::optional<Case> shrunk_;
  Verdict shrunk_verdict_;
  Verdict tried_;  // of the last candidate that FailsAlike looked at
  bool complete_ = true;
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
  for (int i = 0; i < kConfirmations; ++i) {
    Verdict again = Try(problem);
    if (!Failed(again)) continue;
    if (i > 0) {
      for (Finding& finding : again.findings) {
        finding.message += " (it does not show in every run)";
      }
    }
    // What the first run saw and a fresh one does not may be a matter of timing; both are true.
    verdict_ = std::move(again);
    return true;
  }
  verdict_ = first;
  return false;
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
    if (Failed(verdict)) {
      // Take away calls, larger runs first, while the failure stays.
      for (std::size_t run = std::max<std::size_t>(prefix.size() / 2, 1); run >= 1; run /= 2) {
        for (std::size_t at = 0; at + run <= prefix.size() && !Spent(0.6);) {
          std::vector<Call> fewer = prefix;
          fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                      fewer.begin() + static_cast<std::ptrdiff_t>(at + run));
          Verdict still = Try(sequence(fewer));
          if (Failed(still)) {
            prefix = std::move(fewer);
            verdict = std::move(still);
          } else {
            at += run;
          }
        }
        if (run == 1) break;
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
    if (!Failed(verdict)) return false;
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
    if (!Failed(verdict)) continue;
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
    if (!Failed(verdict)) {
      Reblame(SpoilsResult, {std::string(feature.clause)}, std::string(feature.why));
      return true;
    }
    problem_ = std::move(without);
    verdict_ = std::move(verdict);
  }
  return false;
}

// A sequence, several threads or repetitions: the shortest form that still fails, and whose clause
// it is that less passes.
void Investigator::Isolate() {
  if (problem_.plan.vary_contents) TakePlainContents();
  if (IsolatePlan()) return;
  if (problem_.plan.threads > 1) {
    Case alone = problem_;
    alone.plan.threads = 1;
    Verdict verdict = Try(alone);
    if (Failed(verdict)) {
      problem_ = std::move(alone);
      verdict_ = std::move(verdict);
    } else {
      Reblame(SpoilsResult, {"2P-06"}, " (only with other host threads at work)");
      return;
    }
  }
  if (problem_.plan.repeat > 1 && !AnyFinding(verdict_, [](const Finding& finding) {
        return finding.kind == FindingKind::kNotRepeatable;
      })) {
    Case once = problem_;
    once.plan.repeat = 1;
    Verdict verdict = Try(once);
    if (Failed(verdict)) {
      problem_ = std::move(once);
      verdict_ = std::move(verdict);
    } else {
      Reblame(SpoilsResult, {"2P-07"}, " (only when the call is repeated)");
      return;
    }
  }
  if (problem_.plan.growth_calls > 0 && AnyFinding(verdict_, [](const Finding& finding) {
        return finding.kind == FindingKind::kRefused || IsWrongNumber(finding.kind);
      })) {
    Case once = problem_;
    once.plan.growth_calls = 0;
    if (!Failed(Try(once))) {
      Reblame([](FindingKind kind) { return IsWrongNumber(kind) || kind == FindingKind::kRefused; },
              {"2P-07"}, " (only after many calls)");
      return;
    }
  }
  if (problem_.calls.size() == 1) {
    WithoutAdvice();
    return;
  }
  for (std::size_t i = problem_.calls.size(); i-- > 0;) {
    Case alone = problem_;
    alone.calls = {problem_.calls[i]};
    alone.plan.relation = Relation::kNone;
    Verdict verdict = Try(alone);
    if (!Failed(verdict)) continue;
    problem_ = std::move(alone);
    verdict_ = std::move(verdict);
    WithoutAdvice();
    return;
  }
  Reblame(
      [](FindingKind kind) {
        return SpoilsResult(kind) || kind == FindingKind::kWrongStatus ||
               kind == FindingKind::kAccepted;
      },
      {"2P-07"}, " (only after the calls before it)");
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
  if (!Failed(verdict)) return;
  problem_ = std::move(plain);
  verdict_ = std::move(verdict);
}

void Investigator::BlameFeatures() {
  if (problem_.calls.size() != 1 || problem_.plan.threads > 1) return;
  const std::optional<FailureSort> sort = SortOf(verdict_);
  if (!sort.has_value()) return;
  std::set<std::string> clauses;
  bool beside_base = sort == FailureSort::kEnd;
  for (const Contrast& contrast : ContrastsFor(context_, problem_, *sort)) {
    if (Spent(1.0)) break;
    if (clauses.contains(contrast.clause) || (contrast.last_resort && !clauses.empty())) continue;
    const Verdict without = Try(contrast.without);
    if (without.kind != VerdictKind::kPassed) continue;
    clauses.insert(contrast.clause);
    beside_base = beside_base || contrast.beside_base;
  }
  if (clauses.empty()) {
    if (sort == FailureSort::kValue) ReadPlainest();
    return;
  }
  features_ = clauses;
  if (beside_base && sort == FailureSort::kValue) {
    // Indices that are read wrongly send gradients astray, whatever that looks like.
    clauses.insert(context_.rules().IdOf(problem_.calls.front().op, Condition::kScatter));
  } else if (beside_base) {
    for (const Finding& finding : verdict_.findings) {
      if (SpoilsResult(finding.kind))
        clauses.insert(finding.clauses.begin(), finding.clauses.end());
    }
  }
  // Work space contents reach unnamed coordinates: the zero clause speaks of them too.
  if (clauses.contains("2P-07")) {
    for (const Finding& finding : verdict_.findings) {
      if (finding.kind == FindingKind::kUnnamedNotZero) {
        clauses.insert(finding.clauses.begin(), finding.clauses.end());
      }
    }
  }
  Reblame(SpoilsResult, clauses, "");
}

// No feature alone explains wrong numbers. Where they stay without all of them, the judge's reading
// of the plain case is free of what a misplaced NaN or a view makes of the same fault.
void Investigator::ReadPlainest() {
  const std::optional<Case> plain = WithoutFeatures(problem_);
  if (!plain.has_value() || Spent(1.0)) return;
  const Verdict verdict = Try(*plain);
  if (!Failed(verdict) || SortsOf(verdict) != SortsOf(verdict_)) return;
  std::set<std::string> clauses;
  for (const Finding& finding : verdict.findings) {
    if (IsWrongNumber(finding.kind)) clauses.insert(finding.clauses.begin(), finding.clauses.end());
  }
  Reblame(IsWrongNumber, clauses, "");
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
  const bool merging = verdict.kind == VerdictKind::kPassed;
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

// Whether `candidate` fails as the confirmed case does: the same sort of failure, of the same
// clauses by the judge's own reading, or still explained by the same feature.
bool Investigator::FailsAlike(const Case& candidate, const Verdict& reference) {
  const Verdict verdict = Try(candidate);
  tried_ = verdict;
  if (!Failed(verdict) || SortsOf(verdict) != SortsOf(reference)) return false;
  if (features_.empty()) {
    const std::set<std::string> wanted = ClausesOf(reference);
    const std::set<std::string> got = ClausesOf(verdict);
    return std::includes(wanted.begin(), wanted.end(), got.begin(), got.end());
  }
  const FailureSort sort = SortOf(verdict).value_or(FailureSort::kValue);
  for (const Contrast& contrast : ContrastsFor(context_, candidate, sort)) {
    if (features_.contains(contrast.clause)) {
      return Try(contrast.without).kind == VerdictKind::kPassed;
    }
  }
  return false;
}

// Of related calls the first gets simpler, and the others follow.
std::vector<Case> SimplerSteps(const Case& problem) {
  if (problem.plan.relation == Relation::kNone) return SimplerCases(problem);
  std::vector<Case> steps;
  for (const Case& base : SimplerCases(BaseOf(problem))) {
    std::optional<Case> related = DeriveRelated(problem.plan.relation, base);
    if (related.has_value() && *related != problem) steps.push_back(*std::move(related));
  }
  return steps;
}

void Investigator::Shrink() {
  const Verdict reference = Try(problem_);
  if (!Failed(reference)) return;
  Case best = problem_;
  // Steps are tried round and round from where the last one succeeded, until none does.
  std::vector<Case> steps = SimplerSteps(best);
  std::size_t failed_in_a_row = 0;
  for (std::size_t at = 0; failed_in_a_row < steps.size() && !Spent(1.0); ++at) {
    const Case& candidate = steps[at % steps.size()];
    if (FailsAlike(candidate, reference)) {
      best = candidate;
      shrunk_verdict_ = tried_;
      steps = SimplerSteps(best);
      failed_in_a_row = 0;
    } else {
      ++failed_in_a_row;
    }
  }
  if (best != problem_) shrunk_ = std::move(best);
}

Investigation Investigator::Run(const Case& problem, const Verdict& first,
                                const std::vector<Case>& before) {
  if (Confirm(problem, first)) {
    Isolate();
    BlameFeatures();
    SettleMerging();
    complete_ = !Spent(1.0);
  } else if (FindHistory(problem, before)) {
    // Runs that differ under the deterministic option do so wherever their buffers come to lie.
    Reblame([](FindingKind kind) { return kind != FindingKind::kNotRepeatable; }, {"2P-07"},
            " (only after the calls before it)");
  } else {
    const bool only_time =
        std::all_of(first.findings.begin(), first.findings.end(),
                    [](const Finding& f) { return f.kind == FindingKind::kTimedOut; });
    if (only_time) {
      // A deadline that passes once on a loaded machine says nothing of the implementation.
      verdict_ = {};
      verdict_.kind = VerdictKind::kInconclusive;
      verdict_.note = "the deadline passed once and not again in a fresh worker";
      return {problem_, verdict_, std::nullopt, {}, attempts_, complete_};
    }
    for (Finding& finding : verdict_.findings) {
      finding.message += " (seen once; it did not show again in a fresh worker)";
    }
    return {problem_, verdict_, std::nullopt, {}, attempts_, complete_};
  }
  if (limits_.shrink) Shrink();
  return {problem_, verdict_, shrunk_, shrunk_verdict_, attempts_, complete_};
}

}  // namespace

Investigation Investigate(const JudgeContext& context, const Case& problem, const Verdict& verdict,
                          const std::vector<Case>& before, const FreshAttempt& attempt,
                          const InvestigationLimits& limits) {
  return Investigator(context, attempt, limits).Run(problem, verdict, before);
}

}  // namespace poolproof
