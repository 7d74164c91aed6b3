// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/rule_trials.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "conformance/blame/step.h"
#include "conformance/case/case_text.h"
#include "conformance/case/cost.h"
#include "conformance/case/windows.h"
#include "conformance/circumstance/circumstances.h"
#include "conformance/circumstance/rule.h"
#include "conformance/gen/sources.h"
#include "conformance/plan/shards.h"
#include "conformance/result/ending.h"
#include "conformance/tally/root_causes.h"

namespace poolproof {
namespace {

// Root causes that are tested a round, beside the first of each way of failing in the first round,
// and new cases for each: where one condition does not hold, of each condition; where all hold;
// where another rule says something else, of each; random ones of those.
constexpr std::size_t kMostCauses = 4;
constexpr std::size_t kMostWays = 8;
constexpr std::size_t kStepsPerCondition = 4;
constexpr std::size_t kStepsInside = 8;
constexpr std::size_t kStepsPerRival = 2;
constexpr std::size_t kRandomTrials = 8;
constexpr int kRounds = 5;
// New cases that hang; those behind them are left out.
constexpr int kMostHangs = 32;
// Steps that are made a second step from, where one is not enough to leave a rule.
constexpr std::size_t kFirstSteps = 40;
// Where so few cases fail that no rule can be learnt of them: steps from one of them.
constexpr std::size_t kStepsWithoutRule = 48;
// What carrying out a trial may cost: calls by the thousand on large planes would take seconds.
constexpr double kMostTrialCost = 1 << 24;
// Random cases to choose from: their seed is no run's.
constexpr std::uint64_t kRandomCases = 300;
constexpr std::uint64_t kRandomSeed = 0x70f1e5;

struct Trial {
  Step step;
  CircumstanceValues values;
  std::int64_t differences = 0;     // circumstances that the step changes
  std::size_t cause = 0;            // that it was made for, in its round
  AspectSet aspects = kAllAspects;  // of that cause
  std::string start;                // the case that it is a step from
  bool random = false;
  Verdict verdict;
  std::optional<bool> failed;  // in these aspects; nullopt: it says nothing
};

bool Meets(const std::vector<std::string>& ids, const std::vector<std::string>& sorted) {
  return std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
    return std::binary_search(sorted.begin(), sorted.end(), id);
  });
}

// A failing case of one call to start from, the smallest that a person sees; nullptr: none of the
// listed ones. `clauses`: one of them is breached; none: whatever is. `hangs`: it may hang.
const Failure* FindStart(const Report& report, const std::vector<std::string>& clauses, bool hangs,
                         const std::function<bool(const CircumstanceValues&)>& holds, Case& start) {
  const Failure* found = nullptr;
  const auto fits = [&](const Case& problem) {
    return problem.calls.size() == 1 && holds(CircumstancesOf(problem, 0));
  };
  for (const Failure& failure : report.failures) {
    if (failure.advisory || !failure.waived_by.empty() ||
        (!hangs && EndOfText(failure.end) == End::kTimedOut)) {
      continue;
    }
    if (!clauses.empty() && !Meets(failure.clauses, clauses)) continue;
    if (failure.shrunk && fits(*failure.shrunk)) {
      start = *failure.shrunk;
      return &failure;
    }
    if (found == nullptr && fits(failure.problem)) {
      start = failure.problem;
      found = &failure;
    }
  }
  return found;
}

std::int64_t ElementsOf(const Call& call) {
  std::int64_t most = 0;
  for (const TensorSpec& tensor : call.tensors) {
    if (!tensor.null) most = std::max(most, StorageElements(tensor).value_or(kMostLookedAt + 1));
  }
  return most;
}

class Trials {
 public:
  Trials(const ProfileRules& rules, const MakeAttempt& make_attempt, int jobs,
         const std::function<bool()>& quit, bool few_failures, const Report& report,
         CauseEvidence& evidence, RootCauses& found)
      : rules_(rules),
        make_attempt_(make_attempt),
        jobs_(jobs),
        quit_(quit),
        few_failures_(few_failures),
        report_(report),
        evidence_(evidence),
        found_(found) {}

  void Run();

 private:
  [[nodiscard]] std::vector<Rule> Rules() const {
    std::vector<Rule> rules;
    for (const RootCause& cause : found_.causes) rules.push_back(RuleOf(cause));
    return rules;
  }
  void DrawRandom();
  void StartWithoutRule();
  // Where each costs a worker, the two that start and end them are counted, too.
  [[nodiscard]] std::size_t StepsInside(std::size_t cause) const {
    if (!few_failures_) return kStepsInside;
    const std::int64_t most = std::max<std::int64_t>(found_.causes[cause].failing - 2, 0);
    return std::min(kStepsInside, static_cast<std::size_t>(most));
  }
  // Whether one of the two alone says that the case fails; where that is dear, it is the rival.
  [[nodiscard]] bool Separates(const Rule& rule, const Rule& rival, const Trial& trial) const {
    const bool holds = Holds(rule, trial.values);
    return holds != Holds(rival, trial.values) && !(few_failures_ && holds);
  }
  // A failing case that a cause's trials are steps from.
  const Failure* StartOf(std::size_t cause, const Rule& rule, Case& start) const {
    const bool apart = found_.aspects[cause] != kAllAspects;
    return FindStart(
        report_, apart ? found_.causes[cause].clauses : std::vector<std::string>(), !few_failures_,
        [&](const CircumstanceValues& values) { return Holds(rule, values); }, start);
  }
  [[nodiscard]] std::set<std::size_t> ChooseFirst(const std::vector<Rule>& rules) const;
  void Choose(std::size_t cause, const Rule& rule);
  void AddSteps(const Rule& rule, const Case& start, std::vector<Trial>& candidates) const;
  void ChooseRandom(std::size_t cause, const Rule& rule);
  void Take(Trial trial);
  [[nodiscard]] std::vector<std::size_t> InTurns() const;
  bool Judge();
  [[nodiscard]] bool IsAnswer(const std::string& id) const {
    const Clause* clause = rules_.spec().Find(id);
    return clause != nullptr && SaysRefusal(*clause);
  }
  [[nodiscard]] bool SaysNothing(const Verdict& verdict, bool should_fail, bool hides,
                                 const std::vector<std::string>& clauses) const;
  void Learn(const Trial& trial, const std::vector<std::string>& clauses);
  [[nodiscard]] bool Stands() const;
  [[nodiscard]] bool ShouldFail(const std::vector<Rule>& rules, const Trial& trial) const;
  void Complete();

  const ProfileRules& rules_;
  const MakeAttempt& make_attempt_;
  const int jobs_;
  const std::function<bool()>& quit_;
  const bool few_failures_;
  const Report& report_;
  CauseEvidence& evidence_;
  RootCauses& found_;
  std::vector<Trial> trials_;     // those before `judged_` are judged
  std::set<std::string> chosen_;  // their lines
  std::size_t judged_ = 0;
  int hangs_ = 0;  // of them, those that hung
  std::vector<Trial> random_;
};

// Of a remainder ("elements_mod_8") what it is of.
std::optional<std::int64_t> ModulusOf(const Circumstance& circumstance) {
  constexpr std::string_view kMod = "_mod_";
  const std::string_view name = circumstance.name;
  const std::size_t place = name.rfind(kMod);
  if (place == std::string_view::npos) return std::nullopt;
  std::int64_t modulus = 0;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + place + kMod.size(), end, modulus);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return modulus;
}

// Numbers to put extents and attributes to: the borders, and between those where it is not known
// what holds.
std::vector<std::int64_t> BordersOf(const Rule& rule, const std::vector<Trial>& trials) {
  std::vector<std::int64_t> borders;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const Literal& literal = rule[i];
    if (AllCircumstances()[literal.circumstance].kind != Circumstance::Kind::kNumber) continue;
    borders.push_back(literal.value);
    // Whatever the other extents are, their product has no remainder.
    if (const auto modulus = ModulusOf(AllCircumstances()[literal.circumstance])) {
      borders.push_back(*modulus);
    }
    const bool least = literal.test == LiteralTest::kAtLeast;
    if (!least && literal.test != LiteralTest::kAtMost) continue;
    // The values next to the border that were tried with everything else as it is.
    std::optional<std::int64_t> fails;
    std::optional<std::int64_t> passes;
    for (const Trial& trial : trials) {
      if (!trial.failed) continue;
      const std::int64_t value = trial.values[literal.circumstance];
      bool others = IsValue(value);
      for (std::size_t k = 0; k < rule.size(); ++k) {
        others = others && (k == i || rule[k].Holds(trial.values));
      }
      if (!others) continue;
      std::optional<std::int64_t>& nearest = *trial.failed ? fails : passes;
      const bool nearer =
          !nearest || (least == *trial.failed ? value < *nearest : value > *nearest);
      if (nearer) nearest = value;
    }
    if (!fails || !passes) continue;
    const std::int64_t width = *fails - *passes;
    for (const std::int64_t part : {1, 2, 3}) borders.push_back(*passes + width / 4 * part);
  }
  return borders;
}

// Long windows at many places take seconds to look through. Descriptors have no windows to look at,
// and planes of more outputs than are looked through are not listed for it.
double CellsLookedThrough(const Case& problem) {
  if (problem.plan.descriptors_only) return 0;
  const Call& call = problem.calls.front();
  // Each output has an index.
  const TensorSpec& indices = call.tensor(Role::kIndices);
  const auto outputs = static_cast<double>(CheckedNumel(indices.shape).value_or(0));
  if (outputs > kMostWindowCellsLookedAt) return outputs;
  const std::optional<Windows> windows = WindowsOf(call);
  return windows ? WindowCells(*windows) : 0;
}

void Trials::AddSteps(const Rule& rule, const Case& start, std::vector<Trial>& candidates) const {
  const CircumstanceValues before = CircumstancesOf(start, 0);
  const std::vector<std::int64_t> borders = BordersOf(rule, trials_);
  const std::string line = CaseLine(start);
  std::set<std::string> known = {line};
  std::vector<bool> broken(rule.size(), false);
  const double most_cells = std::max(kMostWindowCellsLookedAt, CellsLookedThrough(start));
  const double most_cost = std::max(kMostTrialCost, CostOf(start));
  const auto add = [&](Step step) {
    std::string own = CaseLine(step.problem);
    if (!known.insert(std::move(own)).second) return;
    if (CostOf(step.problem) > most_cost || CellsLookedThrough(step.problem) > most_cells) return;
    Trial trial;
    trial.values = CircumstancesOf(step.problem, 0);
    trial.start = line;
    trial.step = std::move(step);
    for (std::size_t i = 0; i < before.size(); ++i) {
      trial.differences += trial.values[i] != before[i] ? 1 : 0;
    }
    for (std::size_t i = 0; i < rule.size(); ++i) {
      broken[i] = broken[i] || !rule[i].Holds(trial.values);
    }
    candidates.push_back(std::move(trial));
  };
  for (Step& step : StepsFrom(start, borders)) add(std::move(step));
  if (std::find(broken.begin(), broken.end(), false) == broken.end()) return;
  // Windows overlap along an axis of one element only after it got longer.
  std::vector<const Trial*> inside;
  for (const Trial& trial : candidates) {
    if (Holds(rule, trial.values)) inside.push_back(&trial);
  }
  // Some of all kinds: windows, extents, types, layouts and data come one after the other.
  std::vector<Step> first;
  const std::size_t stride = inside.size() / kFirstSteps + 1;
  for (std::size_t i = 0; i < inside.size(); i += stride) first.push_back(inside[i]->step);
  for (const Step& step : first) {
    for (Step& next : StepsFrom(step.problem, borders)) {
      next.difference = step.difference + ", " + next.difference;
      add(std::move(next));
    }
  }
}

void Trials::Take(Trial trial) {
  if (trial.cause < found_.aspects.size()) trial.aspects = found_.aspects[trial.cause];
  if (chosen_.insert(CaseLine(trial.step.problem)).second) trials_.push_back(std::move(trial));
}

// Of each way of failing, which is an operator and what went wrong, the first cause; and those that
// explain most.
std::set<std::size_t> Trials::ChooseFirst(const std::vector<Rule>& rules) const {
  std::set<std::size_t> chosen;
  std::set<std::string> ways;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    Case start;
    const Failure* const failure = StartOf(i, rules[i], start);
    if (failure == nullptr) continue;
    // Without the clauses.
    const std::string way = failure->signature.substr(0, failure->signature.rfind(':'));
    const bool is_first = ways.size() < kMostWays && ways.insert(way).second;
    if (is_first || i < kMostCauses) chosen.insert(i);
  }
  return chosen;
}

void Trials::Choose(std::size_t cause, const Rule& rule) {
  Case start;
  if (StartOf(cause, rule, start) == nullptr || StepsInside(cause) == 0) return;
  found_.causes[cause].smallest = start;
  std::vector<Trial> candidates;
  AddSteps(rule, start, candidates);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Trial& a, const Trial& b) { return a.differences < b.differences; });
  for (Trial& trial : candidates) trial.cause = cause;
  // Where the rule holds, and where one condition alone does not.
  std::vector<std::size_t> taken(rule.size() + 1, 0);
  for (const Trial& trial : candidates) {
    std::size_t place = rule.size();
    std::size_t count = 0;
    for (std::size_t i = 0; i < rule.size(); ++i) {
      if (rule[i].Holds(trial.values)) continue;
      place = i;
      ++count;
    }
    if (count > 1) continue;
    const std::size_t most = place == rule.size() ? StepsInside(cause) : kStepsPerCondition;
    if (taken[place] >= most) continue;
    ++taken[place];
    Take(trial);
  }
  for (const Rule& rival : found_.rivals[cause]) {
    std::size_t count = 0;
    for (const Trial& trial : candidates) {
      if (!Separates(rule, rival, trial)) continue;
      Take(trial);
      if (++count == kStepsPerRival) break;
    }
  }
  ChooseRandom(cause, rule);
}

void Trials::ChooseRandom(std::size_t cause, const Rule& rule) {
  const Operator op = found_.causes[cause].smallest->calls.front().op;
  std::size_t count = 0;
  for (const Rule& rival : found_.rivals[cause]) {
    if (count >= kRandomTrials) return;
    for (Trial& trial : random_) {
      // A run may be of some operators alone.
      if (trial.step.problem.calls.front().op != op) continue;
      if (!Separates(rule, rival, trial) || chosen_.contains(CaseLine(trial.step.problem)))
        continue;
      trial.cause = cause;
      trial.start = CaseLine(*found_.causes[cause].smallest);
      Take(trial);
      ++count;
      break;
    }
  }
}

// What of the call breaches a clause of this strength.
AspectSet FailsOf(const Spec& spec, const Verdict& verdict, Strength strength) {
  std::vector<Blame> blames;
  if (verdict.kind != VerdictKind::kFailed) return 0;
  for (const Finding& finding : verdict.findings) {
    for (const std::string& id : finding.clauses) {
      const Clause* clause = spec.Find(id);
      if (clause != nullptr && clause->strength == strength) blames.push_back({finding.kind, {id}});
    }
  }
  return AspectsOf(blames);
}

// Whether the library failed a required clause in `aspects`; nullopt: the call says nothing about
// that, as one that failed before it got there.
std::optional<bool> FailedOf(const Spec& spec, const Verdict& verdict, AspectSet aspects) {
  const AspectSet fails = FailsOf(spec, verdict, Strength::kRequired);
  if ((fails & aspects) != 0) return true;
  if (verdict.kind != VerdictKind::kPassed && verdict.kind != VerdictKind::kFailed) {
    return std::nullopt;
  }
  const AspectSet advisory = FailsOf(spec, verdict, Strength::kAdvisory);
  if (!IsPast(fails, aspects) || !GotResult(advisory)) return std::nullopt;
  return false;
}

// What a call keeps that passes, or that fails in something else.
std::vector<std::string> KeptBy(const Verdict& verdict) {
  std::vector<std::string> kept = verdict.evidence;
  if (verdict.kind == VerdictKind::kFailed) {
    kept.insert(kept.end(), verdict.withheld.begin(), verdict.withheld.end());
  }
  return kept;
}

// Whether a case that passed says nothing of what breaches `clauses`: it should have failed, and is
// no evidence for them or hides a loss; it was refused, and they are about calls that are carried
// out; or its result is wrong by advisory clauses and it is no evidence for them.
bool Trials::SaysNothing(const Verdict& verdict, bool should_fail, bool hides,
                         const std::vector<std::string>& clauses) const {
  const std::vector<std::string> kept = KeptBy(verdict);
  const bool keeps = Meets(kept, clauses);
  if (should_fail && (hides || !keeps)) return true;
  if (!keeps && !GotRightResult(FailsOf(rules_.spec(), verdict, Strength::kAdvisory))) return true;
  return std::all_of(kept.begin(), kept.end(),
                     [&](const std::string& id) { return IsAnswer(id); }) &&
         std::none_of(clauses.begin(), clauses.end(),
                      [&](const std::string& id) { return IsAnswer(id); });
}

// The first new case of each cause, then the second, and so on: what ends the trials early ends
// them with some of each.
std::vector<std::size_t> Trials::InTurns() const {
  std::map<std::size_t, std::size_t> turns;  // by cause
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t i = judged_; i < trials_.size(); ++i) {
    order.emplace_back(turns[trials_[i].cause]++, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> places;
  for (const auto& [turn, place] : order) places.push_back(place);
  return places;
}

// False where there was no time for all of them; those that were judged are kept.
bool Trials::Judge() {
  const std::vector<std::size_t> order = InTurns();
  std::vector<char> judged(order.size(), 0);  // by turn
  std::atomic<std::size_t> next{0};
  std::atomic<int> hangs{hangs_};
  OnThreads(std::max(1, std::min(jobs_, static_cast<int>(order.size()))), [&] {
    const FreshAttempt attempt = make_attempt_();
    while (!quit_() && hangs < kMostHangs) {
      const std::size_t turn = next++;
      if (turn >= order.size()) return;
      Trial& trial = trials_[order[turn]];
      trial.verdict = attempt(trial.step.problem);
      judged[turn] = 1;
      if (Hangs(trial.verdict)) ++hangs;
    }
  });
  std::size_t end = order.size();
  if (hangs >= kMostHangs) {
    // How many were begun behind the last that counts depends on the jobs.
    end = 0;
    for (int seen = hangs_; end < order.size() && seen < kMostHangs; ++end) {
      seen += judged[end] != 0 && Hangs(trials_[order[end]].verdict) ? 1 : 0;
    }
  }
  hangs_ = hangs;
  std::vector<std::size_t> kept;
  for (std::size_t turn = 0; turn < end; ++turn) {
    if (judged[turn] != 0) kept.push_back(order[turn]);
  }
  std::sort(kept.begin(), kept.end());
  std::vector<Trial> trials(
      std::make_move_iterator(trials_.begin()),
      std::make_move_iterator(trials_.begin() + static_cast<std::ptrdiff_t>(judged_)));
  for (const std::size_t place : kept) trials.push_back(std::move(trials_[place]));
  trials_ = std::move(trials);
  return !quit_();
}

// `clauses`: what the failing cases breach.
void Trials::Learn(const Trial& trial, const std::vector<std::string>& clauses) {
  const auto is_answer = [&](const std::string& id) { return IsAnswer(id); };
  const AspectSet fails = FailsOf(rules_.spec(), trial.verdict, Strength::kRequired);
  const std::vector<std::string> shown = KeptBy(trial.verdict);
  const bool near = Meets(shown, clauses) && !MayHideAFault(trial.values);
  const Label passes = near ? Label::kPasses : Label::kPassesElsewhere;
  if (fails != 0) {
    bool answer = false;
    for (const Finding& finding : trial.verdict.findings) {
      answer = answer || std::any_of(finding.clauses.begin(), finding.clauses.end(), is_answer);
    }
    evidence_.Add(trial.values, fails, passes, answer);
    return;
  }
  evidence_.Add(trial.values, fails, passes, std::all_of(shown.begin(), shown.end(), is_answer));
}

// Whether what was judged since the last time ended as the rules say.
bool Trials::Stands() const {
  const std::vector<Rule> rules = Rules();
  return std::all_of(trials_.begin() + static_cast<std::ptrdiff_t>(judged_), trials_.end(),
                     [&](const Trial& trial) {
                       return !trial.failed || *trial.failed == ShouldFail(rules, trial);
                     });
}

// Whether one of the rules on the same aspects holds.
bool Trials::ShouldFail(const std::vector<Rule>& rules, const Trial& trial) const {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (found_.aspects[i] == trial.aspects && Holds(rules[i], trial.values)) return true;
  }
  return false;
}

void Trials::DrawRandom() {
  // Where no operator is supported there is nothing to draw.
  if (rules_.CoveredBackwards().empty()) return;
  for (const RandomFamily& family : RandomFamilies()) {
    if (!family.is_base) continue;
    const std::uint64_t count = kRandomCases * family.explored / 100 + 1;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Case problem = RandomCase(rules_, family, kRandomSeed, i).problem;
      if (problem.calls.size() != 1 || ElementsOf(problem.calls.front()) > kMostLookedAt) continue;
      Trial trial;
      trial.step.problem = problem;
      trial.values = CircumstancesOf(problem, 0);
      trial.random = true;
      random_.push_back(std::move(trial));
    }
  }
}

// What is next to a failing case that no rule explains says more than a few failing cases among
// thousands that pass.
void Trials::StartWithoutRule() {
  const std::vector<Rule> rules = Rules();
  const auto unexplained = [&](const CircumstanceValues& values) {
    return std::none_of(rules.begin(), rules.end(),
                        [&](const Rule& rule) { return Holds(rule, values); });
  };
  Case start;
  const Failure* failure = FindStart(report_, {}, /*hangs=*/true, unexplained, start);
  if (failure == nullptr || ElementsOf(start.calls.front()) > kMostLookedAt) return;
  std::vector<Trial> candidates;
  AddSteps({}, start, candidates);
  const std::size_t stride = candidates.size() / kStepsWithoutRule + 1;
  for (std::size_t i = 0; i < candidates.size(); i += stride) Take(candidates[i]);
  if (!Judge()) return;
  std::vector<std::string> clauses = failure->clauses;
  std::sort(clauses.begin(), clauses.end());
  for (Trial& trial : trials_) {
    trial.failed = FailedOf(rules_.spec(), trial.verdict, kAllAspects);
    // What is refused, next to one that is not, is no neighbour that passes.
    if (trial.failed == false &&
        SaysNothing(trial.verdict, /*should_fail=*/false, MayHideAFault(trial.values), clauses)) {
      trial.failed.reset();
    }
    if (trial.failed) Learn(trial, clauses);
  }
  judged_ = trials_.size();
  found_ = evidence_.Find();
}

void Trials::Run() {
  if (found_.unexplained > 0 && !few_failures_) StartWithoutRule();
  if (found_.causes.empty()) return;
  DrawRandom();
  const int rounds = few_failures_ ? 1 : kRounds;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Rule> rules = Rules();
    if (round == 0) {
      for (const std::size_t i : ChooseFirst(rules)) Choose(i, rules[i]);
    } else {
      for (std::size_t i = 0; i < std::min(rules.size(), kMostCauses); ++i) Choose(i, rules[i]);
    }
    if (trials_.size() == judged_) break;
    const bool in_time = Judge();
    for (std::size_t i = judged_; i < trials_.size(); ++i) {
      Trial& trial = trials_[i];
      trial.failed = FailedOf(rules_.spec(), trial.verdict, trial.aspects);
      const std::vector<std::string>& clauses = found_.causes[trial.cause].clauses;
      if (trial.failed && !*trial.failed &&
          SaysNothing(trial.verdict, Holds(rules[trial.cause], trial.values),
                      MayHideAFault(trial.values), clauses)) {
        trial.failed.reset();
      }
      if (trial.failed) Learn(trial, found_.causes[trial.cause].clauses);
    }
    const bool stands = Stands();
    judged_ = trials_.size();
    if (!in_time || stands || round + 1 == rounds) break;
    RootCauses anew = evidence_.Find();
    found_ = std::move(anew);
    if (Rules() == rules && round > 0) break;
  }
  trials_.resize(judged_);
  Complete();
}

// What the trials say of the rules that they ended in.
void Trials::Complete() {
  const std::vector<Rule> rules = Rules();
  for (std::size_t i = 0; i < rules.size() && !trials_.empty(); ++i) {
    RootCause& cause = found_.causes[i];
    Case start;
    if (StartOf(i, rules[i], start) == nullptr) continue;
    const std::string line = CaseLine(start);
    std::int64_t fewest = 0;
    for (const Trial& trial : trials_) {
      if (!trial.failed || trial.start != line || trial.aspects != found_.aspects[i]) continue;
      ++cause.tested;
      if (*trial.failed == ShouldFail(rules, trial)) ++cause.agreed;
      if (*trial.failed || trial.random || (cause.nearest && trial.differences >= fewest)) continue;
      fewest = trial.differences;
      cause.nearest = trial.step.problem;
      cause.nearest_difference = trial.step.difference;
    }
    if (cause.tested > 0) {
      cause.smallest = start;
    } else {
      cause.smallest.reset();
    }
  }
}

}  // namespace

void TryRules(const ProfileRules& rules, const MakeAttempt& make_attempt, int jobs,
              const std::function<bool()>& quit, bool few_failures, const Report& report,
              CauseEvidence& evidence, RootCauses& found) {
  if (found.causes.empty() && found.unexplained == 0) return;
  Trials(rules, make_attempt, jobs, quit, few_failures, report, evidence, found).Run();
}

}  // namespace poolproof
