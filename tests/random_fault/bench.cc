// SPDX-License-Identifier: Apache-2.0
#include "tests/random_fault/bench.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "conformance/case/case_text.h"
#include "conformance/case/cost.h"
#include "conformance/explain/explain.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/plan/standard_sources.h"
#include "conformance/plan/test_plan.h"
#include "conformance/properties/properties.h"
#include "conformance/session/attempt.h"
#include "conformance/session/build_invocation.h"
#include "conformance/tally/root_causes.h"

namespace poolproof {
namespace {

using random_fault::RandomFault;

constexpr std::uint64_t kFreshSeed = 20270101;
// New cases that are looked at, and of them those that one fault is compared with.
constexpr std::size_t kFresh = 8000;
constexpr std::size_t kDrawn = 2000;
constexpr std::size_t kSampleSide = 1000;
constexpr std::size_t kLeastInside = 8;
constexpr std::int64_t kLeastLacking = 8;
// Bulk: what is learnt of one such call takes as long as a thousand others.
constexpr double kMostCost = 4e5;
// Shares of a run's cases between which a fault is worth a run, in percent.
constexpr double kLeastShare = 0.2;
constexpr double kMostShare = 60;
// Each such case costs a process, or a deadline.
constexpr double kMostCrashing = 10;
constexpr double kMostHanging = 1;
constexpr std::size_t kMostTried = 300;
constexpr std::size_t kMostListed = 100;  // failures, of which those that new cases start from

bool IsBackward(const Case& problem) {
  return std::none_of(problem.calls.begin(), problem.calls.end(),
                      [](const Call& call) { return InfoOf(call.op).is_forward; });
}

std::optional<Invocation> InvocationOf(const Case& problem) {
  const Result<Materialized> data = Materialize(problem);
  if (!data.ok()) return std::nullopt;
  return BuildInvocation(problem, *data);
}

RandomFault Steady(RandomFault fault) {
  fault.strikes = fault.of = 1;
  return fault;
}

bool Concerns(const RandomFault& fault, const KnownCase& known) {
  return std::any_of(known.sights.begin(), known.sights.end(), [&](const Sight& sight) {
    return (fault.op < 0 || fault.op == sight.op) && IsStruckIn(fault, sight);
  });
}

// The condition for want of which alone a call of the case is not struck; behind the last one, the
// operator. nullopt: there is none such.
std::optional<std::size_t> LackedBy(const RandomFault& fault, const KnownCase& known) {
  for (const Sight& sight : known.sights) {
    if (!IsStruckIn(fault, sight)) continue;
    std::vector<std::size_t> lacked;
    for (std::size_t i = 0; i < fault.conditions.size(); ++i) {
      if (!Holds(fault.conditions[i], sight.facts)) lacked.push_back(i);
    }
    if (fault.op >= 0 && fault.op != sight.op) lacked.push_back(fault.conditions.size());
    if (lacked.size() == 1) return lacked.front();
  }
  return std::nullopt;
}

bool IsLookedAt(const CircumstanceValues& values) {
  return std::find(values.begin(), values.end(), kNotLookedAt) == values.end();
}

// Whether all of the clauses say with what a call is refused.
bool SayRefusal(const std::vector<std::string>& ids) {
  return std::all_of(ids.begin(), ids.end(),
                     [](const std::string& id) { return SaysRefusal(*Spec::Embedded().Find(id)); });
}

}  // namespace

Bench::Bench(Sandbox& sandbox, CaseSet set) : sandbox_(sandbox) {
  context_.spec = &Spec::Embedded();
  sandbox_.Select({});
  std::unordered_set<std::string> judged;
  const auto add = [&](const Case& problem, std::vector<KnownCase>& cases) {
    const std::optional<Invocation> invocation = InvocationOf(problem);
    if (!invocation) return false;
    KnownCase& known = cases.emplace_back();
    known.problem = problem;
    known.sights = sandbox_.Look(*invocation);
    return true;
  };
  const TestPlan plan(StandardSources(*context_.spec, context_.profile, set, 1), {}, {});
  for (std::int64_t i = 0; i < plan.size(); ++i) {
    const Case problem = plan.At(i).problem;
    judged.insert(CaseLine(problem));
    if (IsBackward(problem)) add(problem, run_);
  }
  // Of a larger set than the run's.
  const CaseSet larger = set == CaseSet::kSmoke ? CaseSet::kCi : CaseSet::kNightly;
  const TestPlan fresh(StandardSources(*context_.spec, context_.profile, larger, kFreshSeed), {},
                       {});
  // In an order of their own, so that all kinds of cases are among them.
  constexpr std::int64_t kStep = 7919;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < fresh.size() && fresh_.size() < kFresh; ++i) {
    at = (at + kStep) % fresh.size();
    const Case problem = fresh.At(at).problem;
    if (!IsBackward(problem) || CostOf(problem) > kMostCost) continue;
    if (!judged.insert(CaseLine(problem)).second) continue;
    // Of data that nobody looks at, rules on data say nothing.
    std::vector<CircumstanceValues> circumstances = CircumstancesOfCalls(problem, /*data=*/true);
    if (!std::all_of(circumstances.begin(), circumstances.end(), &IsLookedAt)) continue;
    if (add(problem, fresh_)) fresh_.back().calls = std::move(circumstances);
  }
}

Verdict Bench::VerdictOf(const Case& problem) const {
  const Result<PreparedCase> prepared = Prepare(context_.rules(), problem);
  if (!prepared.ok()) return {};
  std::int64_t calls = 0;
  const Outcome outcome =
      sandbox_.CarryOut(BuildInvocation(prepared->problem, prepared->data), calls);
  return JudgeOutcome(context_, &JudgeWithProperties, *prepared, outcome);
}

std::set<std::string> Bench::RequiredOf(const Verdict& verdict) const {
  std::set<std::string> required;
  for (const std::string& id : ClausesOf(verdict)) {
    if (context_.spec->Find(id)->strength == Strength::kRequired) required.insert(id);
  }
  return required;
}

Fate Bench::FateOf(const RandomFault& fault, const KnownCase& known) const {
  if (!Strikes(fault, known.sights)) return Fate::kPasses;
  sandbox_.Select({Steady(fault)});
  return RequiredOf(VerdictOf(known.problem)).empty() ? Fate::kHidden : Fate::kFails;
}

Fate Bench::FateOf(const RandomFault& fault, const Case& problem) const {
  KnownCase known;
  known.problem = problem;
  const std::optional<Invocation> invocation = InvocationOf(problem);
  if (!invocation) return Fate::kHidden;
  known.sights = sandbox_.Look(*invocation);
  return FateOf(fault, known);
}

Bench::Reach Bench::ReachOf(const RandomFault& fault) const {
  Reach reach;
  std::int64_t concerned = 0;
  std::vector<const KnownCase*> struck;
  for (const KnownCase& known : run_) {
    if (!Concerns(fault, known)) continue;
    ++concerned;
    if (Strikes(fault, known.sights)) struck.push_back(&known);
  }
  reach.struck = std::ssize(struck);
  if (concerned == 0) return reach;
  reach.share = 100.0 * static_cast<double>(struck.size()) / static_cast<double>(concerned);
  if (reach.share < kLeastShare || reach.share > kMostShare) return reach;
  sandbox_.Select({Steady(fault)});
  const std::size_t step = std::max<std::size_t>(1, struck.size() / kMostTried);
  for (std::size_t i = 0; i < struck.size(); i += step) {
    const std::set<std::string> required = RequiredOf(VerdictOf(struck[i]->problem));
    reach.fails += required.empty() ? 0 : 1;
    reach.clauses.insert(required.begin(), required.end());
  }
  return reach;
}

Sample Bench::SampleOf(const RandomFault& fault) const {
  Sample sample;
  const std::size_t kinds = fault.conditions.size() + 1;
  sample.lacking.resize(kinds);
  std::vector<const KnownCase*> far;
  for (const KnownCase& known : fresh_) {
    // What is refused tells nothing of calls in order, nor the other way round.
    const bool concerns = std::any_of(known.sights.begin(), known.sights.end(),
                                      [&](const Sight& sight) { return IsStruckIn(fault, sight); });
    if (!concerns) continue;
    const bool is_drawn = sample.drawn.size() < kDrawn;
    if (!Strikes(fault, known.sights)) {
      if (is_drawn) sample.drawn.push_back(&known);
      const std::optional<std::size_t> lacked = LackedBy(fault, known);
      const auto most = static_cast<std::int64_t>(kSampleSide / 2 / kinds);
      const bool is_near = lacked && ++sample.lacking[*lacked] <= most;
      (is_near ? sample.outside : far).push_back(&known);
      continue;
    }
    if (!is_drawn && sample.inside.size() >= kSampleSide) continue;
    if (FateOf(fault, known) != Fate::kFails) {
      ++sample.hidden;
      continue;
    }
    if (sample.inside.size() < kSampleSide) sample.inside.push_back(&known);
    if (!is_drawn) continue;
    sample.drawn.push_back(&known);
    sample.fail.insert(&known);
  }
  for (std::size_t i = 0; i < far.size() && sample.outside.size() < kSampleSide; ++i) {
    sample.outside.push_back(far[i]);
  }
  return sample;
}

std::string Bench::WhyDull(const RandomFault& fault, const Reach& reach,
                           const Sample& sample) const {
  using random_fault::Effect;
  if (reach.struck == 0) return "no case of the run meets it";
  if (reach.share < kLeastShare) return "hardly any case of the run meets it";
  if (reach.share > kMostShare) return "most cases of the run meet it";
  if (fault.effect == Effect::kHang && reach.share > kMostHanging) return "too many would hang";
  const bool crashes = fault.effect == Effect::kCrashOne || fault.effect == Effect::kCrashTwo;
  if (crashes && reach.share > kMostCrashing) return "too many would crash";
  if (reach.fails == 0) return "no case of the run shows it";
  if (sample.inside.size() < kLeastInside) return "hardly any new case shows it";
  for (std::size_t i = 0; i < fault.conditions.size(); ++i) {
    if (sample.lacking[i] < kLeastLacking) return "a condition of it says hardly anything";
  }
  return "";
}

void Bench::LookIntoRun() {
  sandbox_.Select({});
  for (KnownCase& known : run_) {
    known.calls = CircumstancesOfCalls(known.problem, /*data=*/true);
    right_.push_back(VerdictOf(known.problem));
    std::sort(right_.back().evidence.begin(), right_.back().evidence.end());
  }
}

Report Bench::LearnRules(const RandomFault& fault) const {
  sandbox_.Select({Steady(fault)});
  Report report;
  std::vector<std::vector<std::string>> breached(run_.size());
  std::vector<CauseCase> failing;
  std::vector<CauseCase> passing;
  for (std::size_t i = 0; i < run_.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    if (!Strikes(fault, run_[i].sights)) {
      const std::vector<std::string>& evidence = right_[i].evidence;
      if (!evidence.empty()) passing.push_back({number, &evidence, SayRefusal(evidence)});
      continue;
    }
    const std::set<std::string> required = RequiredOf(VerdictOf(run_[i].problem));
    if (required.empty()) continue;
    breached[i].assign(required.begin(), required.end());
    failing.push_back({number, &breached[i], SayRefusal(breached[i])});
    Failure& failure = report.failures.emplace_back();
    failure.problem = run_[i].problem;
    failure.clauses = breached[i];
  }
  std::stable_sort(
      report.failures.begin(), report.failures.end(),
      [](const Failure& a, const Failure& b) { return CostOf(a.problem) < CostOf(b.problem); });
  if (report.failures.size() > kMostListed) report.failures.resize(kMostListed);
  CauseEvidence evidence(
      [&](std::int64_t number, bool) { return run_[static_cast<std::size_t>(number)].calls; },
      failing, passing);
  RootCauses found = ExplainFailures(
      context_.rules(),
      [&]() -> FreshAttempt { return [&](const Case& problem) { return VerdictOf(problem); }; },
      /*jobs=*/1, [] { return false; }, /*few_failures=*/false, report, evidence);
  evidence.FindRest(found);
  evidence.Close(found);
  report.root_causes = std::move(found.causes);
  report.unexplained = found.unexplained;
  return report;
}

}  // namespace poolproof
