// SPDX-License-Identifier: Apache-2.0
#include "conformance/blame/blame.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "conformance/blame/contrast.h"
#include "conformance/blame/edit.h"
#include "conformance/blame/investigator.h"
#include "conformance/blame/shrink.h"
#include "conformance/blame/twin.h"
#include "conformance/case/plan_members.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/properties/derive.h"
#include "conformance/result/side_effect.h"
#include "conformance/result/single_fault.h"

namespace poolproof {

// What all attempts at a smaller case may cost, and at least how many there must be time for: a
// case of whose like there are fewer stays as it is.
constexpr double kMostShrinkCost = 3e8;
constexpr int kLeastShrinkAttempts = 20;

// Of cases that take many repetitions: beyond so many of these the plainest form is tried first,
// and so many are made in all.
constexpr int kManyRepetitions = 64;
constexpr std::int64_t kMostShrinkRepetitions = std::int64_t{1} << 14;

// Further runs of what is steady by the first look, and repetitions in one of them.
constexpr int kFurtherRuns = 4;
constexpr int kFurtherRepetitions = 16;
constexpr int kFurtherRunsOneByOne = 8;
// Of threads that may meet: what one run in ten shows is seen in all but 4 of 100 trials.
constexpr int kRunsOfThreads = 32;
constexpr double kMostFurtherCost = 1e6;  // of elements; larger cases are run again once

bool Investigator::ShowsEachTime() {
  if (!steady_.has_value()) steady_ = ShowsInFurtherRuns();
  return *steady_;
}

bool Investigator::ShowsInFurtherRuns() {
  // A deadline is waited for once more at the most.
  if (Hangs(verdict_)) return true;
  const int runs = CostOf(problem_) < kMostFurtherCost ? kFurtherRuns : 1;
  int shows = 0;
  for (int run = 0; run < runs; ++run) shows += Shows(Try(problem_)) ? 1 : 0;
  if (shows < runs) NoteRate(verdict_, shows, runs);
  return shows == runs;
}

std::optional<Case> Investigator::Repeated(const Case& once) {
  Case often = once;
  often.plan.repeat = static_cast<int>(
      std::min<double>(kFurtherRepetitions, std::max(kMostFurtherCost / CostOf(once), 1.0)));
  if (once.plan.repeat > 1 || often.plan.repeat == 1 || !IsOfWholeCalls(once.plan) ||
      !CheckPlan(often.plan).ok()) {
    return std::nullopt;
  }
  return often;
}

bool Investigator::PassesRepeated(const Case& without,
                                  const std::function<bool(const Verdict&)>& so) {
  const std::optional<Case> often = Repeated(without);
  return often.has_value() && so(Try(*often));
}

bool Investigator::PassesOneByOne(const Case& without,
                                  const std::function<bool(const Verdict&)>& so) {
  const int runs = CostOf(without) < kMostFurtherCost ? kFurtherRunsOneByOne : 1;
  for (int run = 0; run < runs; ++run) {
    if (!so(Try(without))) return false;
  }
  return true;
}

bool Investigator::Stays(const Case& without, const std::function<bool(const Verdict&)>& so) {
  if (Spent(1.0)) return true;
  if (!ShowsEachTime()) return false;
  // Repeated it may fail for a reason of its own.
  return PassesRepeated(without, so) || PassesOneByOne(without, so);
}

bool Investigator::StaysGone(const Case& without) {
  return Stays(without, [&](const Verdict& verdict) { return Gone(verdict); });
}

bool Investigator::StaysGoneAlone(const Case& alone) {
  if (Spent(1.0)) return true;
  const auto gone = [&](const Verdict& verdict) { return Gone(verdict); };
  if (!PassesOneByOne(alone, gone)) return false;
  if (!IsOfWholeCalls(alone.plan)) return true;
  for (int run = 0; run < kFurtherRuns; ++run, ++runs_) shows_ += Shows(Try(problem_)) ? 1 : 0;
  const double runs = runs_ * (std::pow(kByChance, -1.0 / shows_) - 1);
  const double repetitions = runs * problem_.plan.threads * problem_.plan.repeat;
  Case often = alone;
  often.plan.repeat = 1;
  often.plan.repeat = static_cast<int>(
      std::clamp<double>(kMaxRepeatedElements / CostOf(often), 1, kMaxRepetitions));
  for (double left = repetitions; left > 0 && !Spent(1.0); left -= often.plan.repeat) {
    if (left < often.plan.repeat) often.plan.repeat = static_cast<int>(std::ceil(left));
    if (!CheckPlan(often.plan).ok() || !gone(Try(often))) return false;
  }
  return true;
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
bool Investigator::LeavesOnlySums(const Contrast& contrast, const Verdict& without) {
  // Of the same plan: what outputs held before says nothing of where gradients went.
  const bool same = contrast.keeps == Keeps::kNumbers && contrast.without.plan == problem_.plan;
  if (!same || part_ != Part::kAnswers || !Failed(without)) return false;
  const Operator op = problem_.calls.back().op;
  const std::string scatter = context_.rules().IdOf(op, Condition::kScatter);
  const std::string accumulate = context_.rules().IdOf(op, Condition::kAccumulate);
  const auto astray = [&](const Verdict& verdict) {
    return AnyFinding(verdict, [&](const Finding& finding) {
      return IsWrongNumber(finding.kind) && Concerns(part_, finding.kind) &&
             std::find(finding.clauses.begin(), finding.clauses.end(), scatter) !=
                 finding.clauses.end();
    });
  };
  const auto only_sums = [&](const Verdict& verdict) {
    return verdict.kind == VerdictKind::kPassed ||
           (Failed(verdict) && std::all_of(verdict.findings.begin(), verdict.findings.end(),
                                           [&](const Finding& finding) {
                                             return IsSideEffect(finding.kind) ||
                                                    finding.clauses ==
                                                        std::vector<std::string>{accumulate};
                                           }));
  };
  if (!astray(verdict_) || !only_sums(without)) return false;
  // Which of the two it is may come and go like the failure itself.
  for (int run = 0; run < kFurtherRuns && !Spent(1.0); ++run) {
    if (!astray(Try(problem_))) return false;
  }
  return Stays(contrast.without, only_sums);
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
    if (contrast.without.plan.output != problem_.plan.output && ReadsOtherwise(*without_[i]))
      continue;
    const bool explains =
        Gone(*without_[i]) ? StaysGone(contrast.without) : LeavesOnlySums(contrast, *without_[i]);
    if (!explains || !std::all_of(contrast.also_without.begin(), contrast.also_without.end(),
                                  [&](const Case& other) { return Gone(Try(other)); })) {
      continue;
    }
    clauses.insert(contrast.clause);
    keeps = contrast.keeps;
  }
  // What a view leaves as it was is zero where it was zero before: that is about the view.
  if (part_ == Part::kZeros && clauses.size() > 1) {
    clauses.erase(context_.rules().IdOf(problem_.calls.front().op, Condition::kZero));
  }
  if (clauses.empty()) {
    // A clause about every call is to blame where a plain case fails.
    if (*sort == FailureSort::kValue && StaysInPlainCase()) return;
    clauses = FeaturesTogether(*sort);
    together_ = !clauses.empty();
  }
  if (clauses.empty()) return;
  // What comes and goes may have been there each time before, and gone by chance since.
  steady_ = ShowsEachTime() && ShowsInFurtherRuns();
  together_ = together_ && *steady_;
  if (!*steady_) return;
  if (part_ == PartOf(verdict_)) features_ = clauses;
  // Work space contents reach unnamed coordinates: the zero clause mentions them too.
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

// Whether a feature of the set may be taken away beside the others in any way that there is.
bool Investigator::GoesInEachWay(const std::set<std::string>& clauses, FailureSort sort) {
  for (const std::string& clause : clauses) {
    std::set<std::string> others = clauses;
    others.erase(clause);
    const std::optional<Case> with_it = Without(problem_, others, sort, 0);
    if (!with_it.has_value()) continue;
    for (const Contrast& contrast : ContrastsFor(context_, *with_it, sort)) {
      if (contrast.clause != clause) continue;
      if (!std::all_of(contrast.also_without.begin(), contrast.also_without.end(),
                       [&](const Case& other) { return Gone(Try(other)); })) {
        return false;
      }
    }
  }
  return true;
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
      // One alone was asked already, and did not explain it each time or in each way.
      if (clauses.size() == 1) return {};
      const std::optional<Case> least = Without(problem_, clauses, sort, pick);
      if (!least.has_value() || !StaysGone(*least) || !GoesInEachWay(clauses, sort)) return {};
      return clauses;
    }
  }
  return {};
}

// Whether wrong numbers stay in the case on plain operands. The judge's reading of that one is then
// taken: it is free of what a misplaced NaN or a view makes of the same fault. What comes and goes
// gets more calls to show.
bool Investigator::StaysInPlainCase() {
  const std::optional<Case> plain = WithoutFeatures(problem_);
  if (!plain.has_value() || Spent(1.0)) return false;
  Verdict verdict = Try(*plain);
  for (int run = 1; !steady_.value_or(true) && run < kConfirmations && !Shows(verdict); ++run) {
    verdict = Try(Repeated(*plain).value_or(*plain));
  }
  if (!Shows(verdict) || SortOf(verdict) != FailureSort::kValue) return false;
  const auto sorts = [](const Verdict& of) {
    std::set<FindingKind> kinds = SortsOf(of);
    kinds.erase(FindingKind::kNotRepeatable);
    return kinds;
  };
  if (sorts(verdict) != sorts(verdict_)) return true;
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

// Whether a forward is right a moment later: then its stream was not waited for.
void Investigator::SettleForward() {
  if (problem_.calls.size() != 1 || problem_.plan.threads > 1) return;
  const auto is_wrong = [](FindingKind kind) {
    return kind == FindingKind::kWrongIndex || kind == FindingKind::kWrongMaximum;
  };
  if (!AnyFinding(verdict_, [&](const Finding& finding) { return is_wrong(finding.kind); })) return;
  const auto passes = [](const Verdict& verdict) { return verdict.kind == VerdictKind::kPassed; };
  const Case settled = Settled(problem_);
  if (Spent(1.0) || !passes(Try(settled)) || !ShowsEachTime()) return;
  if (PassesOneByOne(settled, passes)) Reblame(is_wrong, {"2P-03"}, "");
}

// A forward that fails on contiguous operands and in the plain format, too, fails for no reason of
// views or of NHWC.
void Investigator::SettleForwardLayout() {
  if (problem_.calls.size() != 1 || Spent(1.0)) return;
  Case plain = problem_;
  Call& call = plain.calls.front();
  const OperatorInfo& info = InfoOf(call.op);
  if (!info.is_forward) return;
  const std::set<std::string> of_layout = {
      context_.rules().IdOf(call.op, Condition::kForwardViews),
      context_.rules().IdOf(call.op, Condition::kForwardFormatNhwc)};
  const std::set<std::string> blamed = ClausesOf(verdict_);
  if (std::none_of(blamed.begin(), blamed.end(),
                   [&](const std::string& id) { return of_layout.contains(id); }))
    return;
  // Of elements that share storage the last one's number counts: a copy has the same.
  std::optional<Call> stable = WithStableData(call, problem_.plan);
  if (!stable.has_value()) return;
  call = *std::move(stable);
  for (const Role role : info.tensors) {
    TensorSpec& tensor = call.tensor(role);
    if (tensor.format == Format::kNhwc) {
      tensor.format = tensor.shape.size() == 3 ? Format::kNcl : Format::kNchw;
    }
    MakeContiguous(tensor);
  }
  if (plain == problem_) return;
  Verdict verdict = Try(plain);
  if (!Shows(verdict) || SortsOf(verdict) != SortsOf(verdict_)) return;
  problem_ = std::move(plain);
  verdict_ = std::move(verdict);
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
  const bool merging = Gone(verdict) && StaysGone(*apart);
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
    return FailedWhenCarriedOut(finding.kind, finding.clauses);
  });
  if (refused) std::erase_if(verdict_.findings, of_protocol);
}

// What another case, which fails with `verdict`, is charged with by itself, within the attempts
// that are left. nullopt: they do not suffice.
std::optional<Verdict> Investigator::BlameOfItsOwn(const Case& problem, const Verdict& verdict) {
  InvestigationLimits limits = limits_;
  limits.max_attempts = limits_.max_attempts - attempts_;
  Investigator again(context_, attempt_, limits);
  again.part_ = PartOf(verdict);
  Investigation own = again.Settle(problem, verdict);
  attempts_ += own.attempts;
  if (!own.complete) return std::nullopt;
  return std::move(own.verdict);
}

// Where other numbers are wrong, too, nothing passes without the feature at which a call ends: it
// may on windows of one cell, which have little to go wrong.
void Investigator::SettleEnd() {
  const auto unexplained = [](const Finding& finding) {
    return IsBadEnd(finding.kind) && finding.clauses == std::vector<std::string>{"2P-02"};
  };
  if (problem_.calls.size() != 1 || problem_.plan.threads > 1 || Hangs(verdict_) || Spent(0.8) ||
      !AnyFinding(verdict_, unexplained)) {
    return;
  }
  const std::optional<Case> plain = OnWindowsOfOneCell(problem_);
  if (!plain.has_value()) return;
  const Verdict verdict = Try(*plain);
  if (!Failed(verdict) || SortsOf(verdict) != SortsOf(verdict_)) return;
  const std::optional<Verdict> own = BlameOfItsOwn(*plain, verdict);
  if (!own.has_value() || AnyFinding(*own, unexplained)) return;
  std::set<std::string> clauses;
  for (const Finding& finding : own->findings) {
    if (IsBadEnd(finding.kind)) clauses.insert(finding.clauses.begin(), finding.clauses.end());
  }
  if (!clauses.empty()) Reblame(&IsBadEnd, clauses, "");
}

// Of a call with several faults that gets a wrong answer, those that get one by themselves are to
// blame.
void Investigator::SettleSingleFault() {
  const auto several = [](const Finding& finding) {
    return IsRefusalKind(finding.kind) && !StandForOneFault(finding.clauses);
  };
  if (!AnyFinding(verdict_, several)) return;
  std::set<std::string> breached;
  std::set<std::string> kept;
  for (const Case& mended : WithAFaultMended(problem_)) {
    if (Spent(1.0)) return;
    const Verdict verdict = Try(mended);
    for (const Finding& finding : verdict.findings) {
      if (!IsRefusalKind(finding.kind) || !StandForOneFault(finding.clauses)) continue;
      breached.insert(finding.clauses.begin(), finding.clauses.end());
    }
    if (verdict.kind != VerdictKind::kPassed) continue;
    kept.insert(verdict.evidence.begin(), verdict.evidence.end());
    kept.insert(verdict.by_refusal.begin(), verdict.by_refusal.end());
  }
  for (Finding& finding : verdict_.findings) {
    if (!several(finding)) continue;
    std::vector<std::string> blamed;
    for (const std::string& id : finding.clauses) {
      if (breached.contains(id)) blamed.push_back(id);
    }
    if (blamed.empty()) {
      std::copy_if(finding.clauses.begin(), finding.clauses.end(), std::back_inserter(blamed),
                   [&](const std::string& id) { return !kept.contains(id); });
    }
    if (!blamed.empty()) finding.clauses = std::move(blamed);
  }
}

// Where the legal call most like it ends the process too, nothing shows that what is illegal does.
void Investigator::SettleIllegalEnd() {
  const bool ends =
      AnyFinding(verdict_, [](const Finding& finding) { return IsBadEnd(finding.kind); });
  if (!ends || problem_.calls.size() != 1 || Spent(1.0) ||
      KindOf(context_.rules(), problem_.calls.front(), problem_.plan) != LegalityKind::kInvalid) {
    return;
  }
  const std::optional<Case> twin = LegalTwin(context_.rules(), problem_);
  if (!twin.has_value()) return;
  const Verdict verdict = Try(*twin);
  std::set<std::string> clauses;
  for (const Finding& finding : verdict.findings) {
    if (IsBadEnd(finding.kind)) clauses.insert(finding.clauses.begin(), finding.clauses.end());
  }
  if (!clauses.empty()) Reblame(&IsBadEnd, clauses, " (its legal neighbour ends so too)");
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
  if (CostOf(problem) > kMostShrinkCost / kLeastShrinkAttempts) return std::nullopt;
  problem_ = problem;
  part_ = PartOf(blamed);
  Verdict reference = Try(problem_);
  if (!Shows(reference)) return std::nullopt;
  FindFeatures(blamed);
  std::vector<Case> found;
  if (problem_.plan.repeat > kManyRepetitions) {
    if (std::optional<Case> plainest = PlainestCase(problem_)) {
      plainest->plan.repeat = problem_.plan.repeat;
      if (FailsAlike(*plainest, reference)) {
        problem_ = *std::move(plainest);
        found.push_back(problem_);
        reference = Try(problem_);
      }
    }
  }
  const int repeated = problem_.plan.repeat;
  CountRepetitions(reference);
  if (problem_.plan.repeat < repeated) found.push_back(problem_);
  // Steps are tried round and round from where the last one succeeded, until none does.
  SimplerCases steps(problem_);
  if (Hangs(reference)) {
    std::optional<Case> plainest = PlainestCase(problem_);
    if (plainest.has_value()) steps.PutFirst(*std::move(plainest));
  }
  std::size_t failed_in_a_row = 0;
  for (std::size_t at = 0; failed_in_a_row < steps.size() && !Spent(1.0) &&
                           cost_ < kMostShrinkCost && repetitions_ < kMostShrinkRepetitions;
       ++at) {
    Case candidate = steps.At(at % steps.size());
    if (FailsAlike(candidate, reference)) {
      found.push_back(std::move(candidate));
      steps = SimplerCases(found.back());
      failed_in_a_row = 0;
    } else {
      ++failed_in_a_row;
    }
  }
  // A case is shown for clauses that it breaches itself: the smallest whose own blame is the same.
  constexpr int kLooks = 4;
  std::size_t left = found.size();
  for (int look = 0; look < kLooks && left > 0 && cost_ < 2 * kMostShrinkCost; ++look) {
    const Case& candidate = found[left - 1];
    InvestigationLimits limits = limits_;
    limits.max_attempts = kBlameAttempts;
    Investigator again(context_, attempt_, limits);
    Investigation own = again.Run(candidate, blamed, {});
    cost_ += again.cost_;
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
    if (problem_ != problem) steady_.reset();
    BlameFeatures();
    SettleForward();
    SettleForwardLayout();
    SettleMerging();
    SettleLateRefusal();
    SettleEnd();
    SettleIllegalEnd();
    SettleSingleFault();
  }
  return {problem_, verdict_, attempts_, !Spent(1.0)};
}

// Whether what several threads showed once, behind other calls or not, is of their meeting. Behind
// other calls it may be of these: then it has to show again.
bool Investigator::IsOfThreads(const Case& problem, bool behind_others) {
  if (problem.plan.threads == 1 || Spent(0.8)) return false;
  for (int run = 0; behind_others && shows_ == 1; ++run, ++runs_) {
    if (run == kRunsOfThreads || Spent(0.8)) return false;
    shows_ += Shows(Try(problem)) ? 1 : 0;
  }
  Case alone = problem;
  alone.plan.threads = 1;
  return StaysGoneAlone(alone);
}

Investigation Investigator::Run(const Case& problem, const Verdict& first,
                                const std::vector<EarlierCase>& before) {
  part_ = PartOf(first);
  if (Confirm(problem, first)) return Settle(problem_, verdict_);
  const auto only = [&](FindingKind kind) {
    return std::all_of(first.findings.begin(), first.findings.end(),
                       [&](const Finding& finding) { return finding.kind == kind; });
  };
  // Memory that is damaged every time, or never cleared, may be what spoilt the answer once.
  const bool damaged = beside_ && AnyFinding(*beside_, [](const Finding& finding) {
                         return finding.kind == FindingKind::kWroteOutside ||
                                finding.kind == FindingKind::kWorkspaceOverrun ||
                                finding.kind == FindingKind::kUnnamedNotZero;
                       });
  // What it shows once, behind other calls, and never by itself does not depend on its operands: it
  // is no breach of what the documents say of this call. A phase two with no phase one has no
  // operands: whatever it gets at is its own matter.
  // Repeated calls that differ and are not wrong may differ by chance.
  const CallPlan& plan = problem.plan;
  const bool is_one_call = plan.repeat == 1 || AnyFinding(first, [](const Finding& finding) {
                             return IsWrongNumber(finding.kind);
                           });
  bool behind_others = !only(FindingKind::kTimedOut) && !only(FindingKind::kGrowth) && !damaged &&
                       is_one_call && !plan.phase_two_alone && !before.empty();
  if (behind_others && plan.threads == 1 && !limits_.search_earlier) {
    return {problem_, verdict_, attempts_, true, behind_others};
  }
  // What takes a history to show is settled like any sequence.
  if (FindHistory(problem, before)) {
    Investigation found = Settle(problem_, verdict_);
    found.complete =
        true;  // the search may have taken most of the attempts, and it found something
    found.behind_others = behind_others && plan.threads == 1;
    return found;
  }
  // A deadline that passes once on a loaded machine says nothing of the implementation. Nor does
  // memory that grew once: what a library loses it loses again, and what threads keep for
  // themselves varies.
  if (only(FindingKind::kTimedOut) || only(FindingKind::kGrowth)) {
    verdict_ = {};
    verdict_.kind = VerdictKind::kInconclusive;
    verdict_.note = only(FindingKind::kGrowth)
                        ? "the process grew once and not again in a fresh worker"
                        : "the deadline passed once and not again in a fresh worker";
    return {problem_, verdict_, attempts_, true};
  }
  if (damaged) return {problem_, *std::move(beside_), attempts_, true};
  steady_ = false;
  if (IsOfThreads(problem, behind_others)) {
    behind_others = false;
    Reblame(SpoilsResult, {"2P-06"}, " (only with other host threads at work)");
  } else if (problem.calls.size() == 1 && SortOf(verdict_) == FailureSort::kValue) {
    StaysInPlainCase();
  }
  if (behind_others) {
    Reblame(&IsOfOthers, {std::string(kOthersClause)}, "");
  }
  for (Finding& finding : verdict_.findings) {
    finding.message = "(flaky: seen once, and in none of " + std::to_string(kConfirmations) +
                      " further runs) " + finding.message;
  }
  return {problem_, verdict_, attempts_, true, behind_others};
}

Investigation Investigate(const JudgeContext& context, const Case& problem, const Verdict& verdict,
                          const std::vector<EarlierCase>& before, const FreshAttempt& attempt,
                          const InvestigationLimits& limits) {
  return Investigator(context, attempt, limits).Run(problem, verdict, before);
}

std::optional<SmallerCase> MakeSmaller(const JudgeContext& context, const Case& problem,
                                       const Verdict& blamed, const FreshAttempt& attempt,
                                       const InvestigationLimits& limits) {
  return Investigator(context, attempt, limits).Shrink(problem, blamed);
}

}  // namespace poolproof
