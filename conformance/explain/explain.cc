// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/explain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/blame/contrast.h"
#include "conformance/blame/part.h"
#include "conformance/blame/step.h"
#include "conformance/case/case_text.h"
#include "conformance/case/cost.h"
#include "conformance/case/plan_members.h"
#include "conformance/case/windows.h"
#include "conformance/circumstance/hypothesis.h"
#include "conformance/explain/ask.h"
#include "conformance/explain/donors.h"
#include "conformance/explain/graft.h"
#include "conformance/explain/limits.h"
#include "conformance/explain/needless.h"
#include "conformance/judge/legality.h"
#include "conformance/result/ending.h"
#include "core/random.h"
#include "core/wide_int.h"

namespace poolproof {
namespace {

using Questions = std::vector<std::unique_ptr<Question>>;

// Whether one of the rules says why; what always fails says nothing of the rest.
bool IsExplained(const std::vector<Rule>& rules, const CircumstanceValues& values) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Rule& rule) { return !rule.empty() && Holds(rule, values); });
}

// The search for one cause.
class Search {
 public:
  Search(const ProfileRules& rules, Asker& asker, const Donors& donors,
         const CauseEvidence& evidence, const std::vector<Rule>& known, bool few_failures,
         std::uint64_t seed)
      : rules_(rules),
        spec_(rules.spec()),
        asker_(asker),
        donors_(donors),
        evidence_(evidence),
        known_(known),
        few_failures_(few_failures),
        random_(seed) {}

  // The cause of this failing case; nullopt where it does not fail alone. `earlier`:
  // searches that found another cause before.
  std::optional<RootCause> Run(const Case& start, const std::vector<std::string>& clauses,
                               AspectSet ever, const std::vector<std::unique_ptr<Search>>& earlier);
  [[nodiscard]] const Way& way() const { return way_; }
  // Failing cases that it was found by.
  [[nodiscard]] std::vector<CircumstanceValues> Failing() const {
    std::vector<CircumstanceValues> failing;
    for (const CircumstanceValues* values : failing_) failing.push_back(*values);
    return failing;
  }
  // Failing cases that were met on the way and are none of the cause's.
  [[nodiscard]] std::vector<CircumstanceValues> Foreign() const {
    std::vector<CircumstanceValues> foreign;
    for (const Question* question : foreign_) foreign.push_back(question->values);
    return foreign;
  }
  // Clauses about features that failing cases have, and others fail without.
  [[nodiscard]] std::set<std::string> Without() const;

 private:
  [[nodiscard]] bool Begin(const Case& start, const std::vector<std::string>& clauses,
                           AspectSet ever);
  // Of a failure that only some runs of the call show. False where hardly one does.
  [[nodiscard]] bool MeasureRate(AspectSet ever);
  [[nodiscard]] bool FailsEachTime() const { return shown_ == kRuns; }
  // What a run that passes says against a rule that holds of it.
  [[nodiscard]] double BitsOfRun() const {
    return -std::log2(1 - static_cast<double>(shown_) / static_cast<double>(kRuns));
  }
  // Of each new case: of what is as frequent, one in sixteen goes unseen.
  [[nodiscard]] std::int64_t Runs() const {
    if (FailsEachTime()) return 1;
    return std::min(kTries, static_cast<std::int64_t>(std::ceil(4 / BitsOfRun())));
  }
  // Each as often as it takes to show what fails as often as the first case.
  bool AskAll(const std::vector<Question*>& questions);
  bool AskPassing(const std::vector<Question*>& questions, std::int64_t times);
  void AskUntilSure(Question& question);
  // False where a failure comes and goes.
  [[nodiscard]] bool Narrow();
  bool Adopt(const Search& earlier);
  void Fit();
  [[nodiscard]] std::vector<std::int64_t> BordersOf(const Literal& literal) const;
  void MakeSteps();
  void MakeCrosses();
  void MakeBreaking();
  void BeginBreaking() {
    next_broken_ = 0;
    all_broken_ = false;
  }
  void Cross(const Case& donor, int share);
  void Break(const Literal& literal, std::vector<const Donor*> donors);
  std::size_t Below(std::size_t bound) { return static_cast<std::size_t>(random_.Next() % bound); }
  [[nodiscard]] bool IsDear(const Case& problem) const;
  // False where it cannot be asked, or was made before.
  bool Offer(Case problem, std::string difference);
  [[nodiscard]] bool IsOfSort(const Case& problem) const;
  std::vector<Question*> Choose();
  std::vector<Question*> MakeWide();
  void ChooseInside(std::vector<Question*>& chosen);
  void ChooseBeside(std::vector<Question*>& chosen);
  void ChooseOutside(std::vector<Question*>& chosen);
  void Take(Question* question, std::vector<Question*>& chosen);
  // False where a failure comes and goes.
  bool Learn(const std::vector<Question*>& chosen);
  [[nodiscard]] bool AskAgain(Question& question);
  [[nodiscard]] bool MaySpeak(Operator op) const;
  // Whether the operator said nothing so far, and not by chance: where its page has a clause that
  // the search is about, a call in many may have to do with it.
  [[nodiscard]] bool IsSilent(Operator op) const {
    const auto heard = heard_.find(op);
    return heard != heard_.end() && !heard->second.said &&
           heard->second.silent >= (MaySpeak(op) ? std::size_t{kTries} : kSome);
  }
  void LeaveOut(Operator op);
  bool LeaveUnmentioned();
  bool HearMore(const Verdict& verdict);
  void HearAgain();
  // The operator of the failing case that is started from did say something.
  void HearStart() { heard_ = {{start_->problem.calls.front().op, {0, true}}}; }
  bool FailsWithOtherData(const Question& question, std::vector<Question*>& failed);
  struct Joint {
    std::vector<const CircumstanceValues*> failing;
    std::unique_ptr<Hypotheses> hypotheses;
    std::vector<Hypothesis> best;
    [[nodiscard]] double Loss() const { return best.front().Loss(); }
  };
  [[nodiscard]] Joint JoinedWith(const std::vector<const CircumstanceValues*>& beside,
                                 const std::vector<Passing>& passing) const;
  void Take(Joint joint);
  bool TakeFailing(const std::vector<const CircumstanceValues*>& beside,
                   std::optional<double> spare = std::nullopt);
  void Divide();
  void TakeOne(Question* question);
  void TakeBeside(std::vector<Question*> beside);
  bool Challenge();
  bool HearSilent();
  [[nodiscard]] std::vector<Rule> Rivals() const;
  [[nodiscard]] std::optional<std::int64_t> NearestPassing(const Literal& literal) const;
  [[nodiscard]] bool Stands() const;
  [[nodiscard]] std::optional<std::size_t> BrokenAlone(const CircumstanceValues& values) const;
  [[nodiscard]] std::vector<std::string> Free() const;
  RootCause Close();

  const ProfileRules& rules_;
  const Spec& spec_;
  Asker& asker_;
  const Donors& donors_;
  const CauseEvidence& evidence_;
  std::vector<Rule> known_;
  const bool few_failures_;
  RandomStream random_;

  Way way_;
  std::int64_t shown_ = kRuns;  // of so many runs of the first case, those that fail
  const Question* start_ = nullptr;
  Questions all_;                  // whatever was made
  std::vector<Question*> pool_;    // not asked yet
  std::vector<Question*> asked_;   // that say something, this cause's
  std::vector<Question*> hidden_;  // that passed, and fail with other data
  std::vector<Question*> silent_;  // that say nothing
  struct Heard {
    std::size_t silent = 0;
    bool said = false;
  };
  std::map<Operator, Heard> heard_;
  std::vector<const CircumstanceValues*> failing_;
  std::vector<Question*> failing_cases_;
  std::set<const Search*> adopted_;
  std::vector<Passing> passing_;
  std::vector<const CircumstanceValues*> run_failing_;  // of the run, in this way
  std::vector<Question*> foreign_;                      // that fail, of another cause
  std::set<std::string> lines_;
  std::unique_ptr<Hypotheses> hypotheses_;
  std::vector<Hypothesis> best_;
  std::size_t stepped_ = 0;  // failing cases of which steps were made
  Rule stepped_for_;
  std::int64_t failures_ = 0;  // asked cases that failed
  std::int64_t most_failures_ = std::numeric_limits<std::int64_t>::max() / 2;
  std::vector<std::size_t>
      merged_at_;                // counts of failing cases at which others were taken for them
  double divided_at_ = 0;        // loss at which it was last asked whether that was right
  std::size_t next_broken_ = 0;  // of the plain conditions, the next one to be broken
  bool all_broken_ = false;      // since the rule last changed
  bool surprised_ = true;        // by an answer of the last round
};

// Whether a condition of the rule is about the circumstance.
bool IsAbout(const Rule& rule, std::size_t circumstance) {
  return std::any_of(rule.begin(), rule.end(), [&](const Literal& literal) {
    const bool with = literal.of == TermOf::kDifference || literal.of == TermOf::kProduct;
    return literal.circumstance == circumstance ||
           (with && literal.with == static_cast<std::int64_t>(circumstance));
  });
}

bool AreLookedAt(const CircumstanceValues& values) {
  return std::find(values.begin(), values.end(), kNotLookedAt) == values.end();
}

double CellsLookedThrough(const Case& problem) {
  if (problem.plan.descriptors_only) return 0;
  const Call& call = problem.calls.front();
  const auto outputs =
      static_cast<double>(CheckedNumel(call.tensor(Role::kIndices).shape).value_or(0));
  if (outputs > kMostWindowCellsLookedAt) return outputs;
  const std::optional<Windows> windows = WindowsOf(call);
  return windows ? WindowCells(*windows) : 0;
}

// Whether it is answered as the cases are that the search is about: carried out, or refused for one
// reason.
bool Search::IsOfSort(const Case& problem) const {
  const Legality legality = Classify(rules_, problem.calls.front(), problem.plan);
  if (!way_.refusal) return legality.kind != LegalityKind::kInvalid;
  if (legality.kind != LegalityKind::kInvalid || legality.Governing().size() != 1) return false;
  // An advisory clause beside it may ask for another answer.
  const ExpectedStatus expected = ExpectationOf(*legality.Governing().front());
  return legality.HasRequired() && legality.also_allowed.empty() &&
         std::all_of(legality.breached.begin(), legality.breached.end(), [&](const Clause* clause) {
           const ExpectedStatus own = ExpectationOf(*clause);
           return own.any_error == expected.any_error && own.status == expected.status;
         });
}

bool Search::IsDear(const Case& problem) const {
  return CostOf(problem) > std::max(kMostCost, 2 * CostOf(start_->problem)) ||
         CellsLookedThrough(problem) > kMostWindowCellsLookedAt;
}

bool Search::Offer(Case problem, std::string difference) {
  if (!CheckPlan(problem.plan).ok()) return false;
  if (!lines_.insert(CaseLine(problem)).second) return false;
  if (IsDear(problem)) return false;
  if (IsSilent(problem.calls.front().op)) return false;
  if (!IsOfSort(problem)) return false;
  auto question = std::make_unique<Question>();
  question->values = CircumstancesOf(problem, 0);
  question->problem = std::move(problem);
  question->difference = std::move(difference);
  if (IsExplained(known_, question->values) || !AreLookedAt(question->values)) return false;
  pool_.push_back(question.get());
  if (pool_.size() > kMade * kRounds / 2) pool_.erase(pool_.begin());
  all_.push_back(std::move(question));
  return true;
}

bool Search::Begin(const Case& start, const std::vector<std::string>& clauses, AspectSet ever) {
  auto question = std::make_unique<Question>();
  question->problem = start;
  question->values = CircumstancesOf(start, 0);
  lines_.insert(CaseLine(start));
  start_ = question.get();
  all_.push_back(std::move(question));
  Question& own = *all_.front();
  const std::set<std::string> breached(clauses.begin(), clauses.end());
  if (few_failures_) {
    const auto seen = std::ssize(evidence_.FailingIn(breached, kAllAspects, /*refusal=*/false));
    // The one that is started from is asked, too.
    most_failures_ = std::min<std::int64_t>(seen - 2, std::int64_t{kSome});
    if (most_failures_ < 2) return false;
  }
  if (!asker_.Ask({&own})) return false;
  way_ = WayOf(spec_, own.verdict, ever);
  bool steady = way_.aspects != 0;
  for (std::size_t i = 0; i < kSome && steady && !few_failures_; ++i) {
    Question again = own;
    if (!asker_.Ask({&again})) return false;
    steady = FailsIn(spec_, way_, again) == true;
  }
  if (!steady && (few_failures_ || !MeasureRate(ever))) return false;
  failing_.push_back(&own.values);
  failing_cases_.push_back(&own);
  HearStart();
  for (const CircumstanceValues* values :
       evidence_.PassingBeside(breached, way_.aspects, way_.refusal)) {
    passing_.push_back({values, std::min(kSeenWeight, BitsOfRun())});
  }
  if (passing_.size() > kAskedAtOnce * kRounds) {
    // Spread over the run.
    std::vector<Passing> some;
    const double step =
        static_cast<double>(passing_.size()) / static_cast<double>(kAskedAtOnce * kRounds);
    for (double at = 0; at < static_cast<double>(passing_.size()); at += step) {
      some.push_back(passing_[static_cast<std::size_t>(at)]);
    }
    passing_ = std::move(some);
  }
  for (const CircumstanceValues* values :
       evidence_.FailingIn(breached, way_.aspects, way_.refusal)) {
    if (!IsExplained(known_, *values)) run_failing_.push_back(values);
  }
  return true;
}

bool Search::MeasureRate(AspectSet ever) {
  Question& own = *all_.front();
  std::int64_t shown = 0;
  std::vector<Question> runs(static_cast<std::size_t>(kRuns), own);
  for (std::size_t begin = 0; begin < runs.size(); begin += kAskedAtOnce) {
    std::vector<Question*> asked;
    for (std::size_t i = begin; i < std::min(runs.size(), begin + kAskedAtOnce); ++i) {
      asked.push_back(&runs[i]);
    }
    if (!asker_.Ask(asked)) return false;
    for (const Question* run : asked) {
      if (Hangs(run->verdict)) return false;  // each costs its deadline
      const Way way = WayOf(spec_, run->verdict, ever);
      if (way.aspects == 0 || shown++ > 0) continue;
      way_ = way;
      own.verdict = run->verdict;
    }
  }
  if (shown <= std::int64_t{kSome} || shown == kRuns) return false;
  shown_ = shown;
  return true;
}

bool Search::AskAll(const std::vector<Question*>& questions) {
  bool in_time = asker_.Ask(questions);
  for (std::int64_t run = 1; run < Runs() && in_time; ++run) in_time = AskPassing(questions, 1);
  return in_time;
}

// Asks those that did not fail so many times more, and keeps a failure, of whatever it is read as.
bool Search::AskPassing(const std::vector<Question*>& questions, std::int64_t times) {
  std::vector<Question> again;
  std::vector<Question*> of;  // each of `again`
  for (Question* question : questions) {
    for (std::int64_t i = 0; i < times && question->verdict.kind != VerdictKind::kFailed; ++i) {
      again.push_back(*question);
      of.push_back(question);
    }
  }
  std::vector<Question*> asked;
  asked.reserve(again.size());
  for (Question& question : again) asked.push_back(&question);
  const bool in_time = asker_.Ask(asked);
  for (std::size_t i = 0; i < again.size(); ++i) {
    if (again[i].verdict.kind == VerdictKind::kFailed) of[i]->verdict = std::move(again[i].verdict);
  }
  return in_time;
}

// Asks what should have failed by the rule again, until its passing counts as much as that of a
// case that is the same each time.
void Search::AskUntilSure(Question& question) {
  const auto needed = static_cast<std::int64_t>(std::ceil(kAskedWeight / BitsOfRun())) - Runs();
  AskPassing({&question}, std::clamp<std::int64_t>(needed, 0, kRuns));
}

void Search::Fit() {
  hypotheses_ = std::make_unique<Hypotheses>(failing_, passing_);
  best_ = hypotheses_->Best();
}

// Of a condition with a border: the value on the other side that is next to it among those that
// pass and keep the rule's other conditions.
std::optional<std::int64_t> Search::NearestPassing(const Literal& literal) const {
  const Rule& rule = best_.front().rule;
  std::optional<std::int64_t> nearest;
  const bool least = literal.test == LiteralTest::kAtLeast;
  if (!least && literal.test != LiteralTest::kAtMost) return std::nullopt;
  for (const Passing& one : passing_) {
    const std::int64_t own = literal.ValueIn(*one.values);
    if (!IsValue(own) || literal.HoldsOf(own)) continue;
    const bool others = std::all_of(rule.begin(), rule.end(), [&](const Literal& other) {
      return other == literal || other.Holds(*one.values);
    });
    if (others && (!nearest || (least ? own > *nearest : own < *nearest))) nearest = own;
  }
  return nearest;
}

// Values about which a condition on a number can be asked: where it ends, and on the way from there
// to what passes.
std::vector<std::int64_t> Search::BordersOf(const Literal& literal) const {
  const std::int64_t own = start_->values[literal.circumstance];
  std::vector<std::int64_t> borders;
  const auto add = [&](WideInt border) {
    using Limits = std::numeric_limits<std::int64_t>;
    if (border >= Limits::min() && border <= Limits::max()) {
      borders.push_back(static_cast<std::int64_t>(border));
    }
  };
  if (literal.of == TermOf::kDifference) {
    const std::int64_t other = start_->values[static_cast<std::size_t>(literal.with)];
    for (const std::int64_t apart : {std::int64_t{0}, literal.value}) {
      add(WideInt{own} - apart);
      add(WideInt{other} + apart);
    }
    return borders;
  }
  if (literal.of == TermOf::kRemainder) {
    for (std::int64_t part = 1; part <= literal.with; ++part) {
      if (literal.with % part == 0) add(WideInt{own} + part);
    }
    return borders;
  }
  add(literal.value);
  if (literal.test == LiteralTest::kIs || literal.test == LiteralTest::kIsNot) {
    // It may be a remainder: of each small divisor one of these is a multiple.
    for (const int more : {2, 3, 5, 7, 8, 9, 12, 16}) add(WideInt{literal.value} + more);
  }
  if (const std::optional<std::int64_t> passes = NearestPassing(literal)) {
    const WideInt width = WideInt{literal.value} - *passes;
    for (const int part : {1, 2, 3}) add(*passes + width * part / 4);
  }
  return borders;
}

// A step with the views that other shapes lost.
Case WithViews(Case step, const Case& base) {
  for (const Graft& graft : Grafts()) {
    if (!graft.layout) continue;
    const TensorSpec& own = base.calls.front().tensor(*graft.layout);
    const TensorSpec& now = step.calls.front().tensor(*graft.layout);
    const bool lost = now.shape != own.shape && now.strides.empty() && now.offset == 0 &&
                      (!own.strides.empty() || own.offset != 0);
    if (lost) graft.put(step, base);
  }
  return step;
}

// Steps from failing cases, beside the borders of what the best rule says.
void Search::MakeSteps() {
  const Rule& rule = best_.front().rule;
  const bool anew = rule != stepped_for_;
  if (!anew && stepped_ == failing_cases_.size()) return;
  std::vector<std::int64_t> borders;
  std::vector<std::int64_t> of_others;
  for (const Literal& literal : rule) {
    const Circumstance& of = AllCircumstances()[literal.circumstance];
    if (of.kind != Circumstance::Kind::kNumber) continue;
    const std::vector<std::int64_t> own = BordersOf(literal);
    borders.insert(borders.end(), own.begin(), own.end());
    if ((!IsLength(of) && !of.of_data) || literal.of == TermOf::kProduct) {
      of_others.insert(of_others.end(), own.begin(), own.end());
    }
  }
  stepped_for_ = rule;
  stepped_ = failing_cases_.size();
  std::vector<const Question*> from = {start_};
  if (failing_cases_.size() > 1) from.push_back(failing_cases_.back());
  for (const Question* base : from) {
    for (Step& step : StepsFrom(base->problem, borders, of_others)) {
      const std::string difference = base == start_ ? std::move(step.difference) : std::string();
      Case viewed = WithViews(step.problem, base->problem);
      const bool same = viewed == step.problem;
      Offer(std::move(viewed), difference);
      if (!same) Offer(std::move(step.problem), "");
    }
  }
}

// Cases with some of a failing case and some of another one, in all proportions.
void Search::MakeCrosses() {
  constexpr std::array kShares = {1, 3, 6, 12, 25, 50, 75, 90, 97};
  const std::vector<Donor>& donors = donors_.Of(way_.refusal);
  for (std::size_t i = 0; i < kMade && !donors.empty(); ++i) {
    Cross(donors[Below(donors.size())].problem, kShares[Below(kShares.size())]);
  }
}

void Search::Cross(const Case& donor, int share) {
  const Case& failing = failing_cases_[Below(failing_cases_.size())]->problem;
  const bool onto_failing = Below(2) == 0;
  Case made = onto_failing ? failing : donor;
  // Of what a failing case has the same share either way.
  const int put = onto_failing ? share : 100 - share;
  const bool any = Mix(made, onto_failing ? donor : failing, put, random_);
  if (any || !onto_failing) Offer(std::move(made), "");
}

// Cases that break a plain condition which all failing cases keep, for one condition after the
// other: whether it is the cause's is what is to be found out.
void Search::MakeBreaking() {
  const std::vector<Literal>& conditions = hypotheses_->conditions();
  const std::vector<Donor>& donors = donors_.Of(way_.refusal);
  const Rule& rule = best_.front().rule;
  for (std::size_t i = 0; i < kAskedAtOnce; ++i) {
    // The plain ones are in front.
    if (next_broken_ >= conditions.size() || BitsOf(conditions[next_broken_]) > kPlainBits) {
      next_broken_ = 0;
      all_broken_ = true;
      return;
    }
    const Literal literal = conditions[next_broken_++];
    std::vector<const Donor*> breaking;
    std::vector<const Donor*> nearest;  // that keep most of the rule
    std::ptrdiff_t kept_most = 0;
    for (const Donor& donor : donors) {
      if (literal.Holds(donor.values)) continue;
      breaking.push_back(&donor);
      const auto kept = std::count_if(rule.begin(), rule.end(),
                                      [&](const Literal& own) { return own.Holds(donor.values); });
      if (kept > kept_most) nearest.clear();
      kept_most = std::max(kept_most, kept);
      if (kept == kept_most) nearest.push_back(&donor);
    }
    if (breaking.empty()) continue;
    Break(literal, nearest);
    for (std::size_t k = 0; k < kSome; ++k) {
      Cross(breaking[Below(breaking.size())]->problem, k % 2 == 0 ? 15 : 35);
    }
  }
}

// `from` with parts of another case for as long as each brings it one more of the conditions.
Case LedBy(const Rule& conditions, Case from, const Case& other) {
  const auto count = [&](const Case& made) {
    const CircumstanceValues values = CircumstancesOf(made, 0, /*data=*/false);
    return std::count_if(conditions.begin(), conditions.end(),
                         [&](const Literal& literal) { return literal.MayHold(values); });
  };
  std::ptrdiff_t kept = count(from);
  for (const Graft& graft : Grafts()) {
    if (kept == std::ssize(conditions)) break;
    Case made = from;
    if (!graft.put(made, other) || made == from) continue;
    const std::ptrdiff_t now = count(made);
    if (now <= kept) continue;
    kept = now;
    from = std::move(made);
  }
  return from;
}

// A failing case with as little of a donor's as breaks the condition and keeps the rule: one graft
// of one of some donors, or two where the first breaks the rule, too, or is no such call, or all;
// or a donor that is led to the rule.
void Search::Break(const Literal& literal, std::vector<const Donor*> donors) {
  Rule wanted = best_.front().rule;
  std::erase(wanted, literal);
  wanted.push_back(Negated(literal));
  // Looking at data is slow.
  const bool data = IsOfData(wanted);
  const bool breaks_data = IsOfData({literal});
  const auto is_wanted = [&](const Case& made) {
    return MayHold(wanted, CircumstancesOf(made, 0, /*data=*/false)) &&
           (!data || Holds(wanted, CircumstancesOf(made, 0)));
  };
  const Case& failing = failing_cases_[Below(failing_cases_.size())]->problem;
  std::vector<const Graft*> parts;
  for (const Graft& graft : Grafts()) parts.push_back(&graft);
  for (std::size_t tries = 0; tries < std::size_t{kTries} && !donors.empty(); ++tries) {
    const auto any = donors.begin() + static_cast<std::ptrdiff_t>(Below(donors.size()));
    const Case& donor = (*any)->problem;
    donors.erase(any);
    std::vector<Case> begun;  // that break the condition
    std::vector<const Graft*> breaking;
    for (const Graft* part : parts) {
      Case made = failing;
      if (!part->put(made, donor) || made == failing || IsDear(made)) continue;
      const bool wanted_so = is_wanted(made);
      if (!wanted_so && (tries > 0 || literal.Holds(CircumstancesOf(made, 0, breaks_data)))) {
        continue;
      }
      if (wanted_so && Offer(made, "")) return;
      breaking.push_back(part);
      begun.push_back(std::move(made));
    }
    // What the first donor shows: others are tried with these parts alone.
    if (tries == 0) parts = std::move(breaking);
    if (!IsDear(donor) && is_wanted(donor) && Offer(donor, "")) return;
    if (tries < kSome) {
      Case led = LedBy(wanted, donor, failing);
      if (!IsDear(led) && is_wanted(led) && Offer(std::move(led), "")) return;
    }
    if (data && tries >= kSome) continue;
    for (const Case& made : begun) {
      for (const Graft& other : Grafts()) {
        Case both = made;
        if (!other.put(both, donor) || both == made || IsDear(both)) continue;
        if (is_wanted(both) && Offer(both, "")) return;
      }
    }
  }
}

std::optional<std::size_t> Search::BrokenAlone(const CircumstanceValues& values) const {
  std::optional<std::size_t> broken;
  const Rule& rule = best_.front().rule;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    if (rule[i].Holds(values)) continue;
    if (broken) return std::nullopt;
    broken = i;
  }
  return broken;
}

// Rules that tell the cases so far as well as the best one, or nearly so, and the best one with its
// borders elsewhere.
std::vector<Rule> Search::Rivals() const {
  const Rule& rule = best_.front().rule;
  std::vector<Rule> rivals = hypotheses_->Replacing(rule);
  for (std::size_t i = 1; i < best_.size(); ++i) {
    if (best_[i].Loss() <= best_.front().Loss() + kRivalBits) rivals.push_back(best_[i].rule);
  }
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const bool least = rule[i].test == LiteralTest::kAtLeast;
    if (!least && rule[i].test != LiteralTest::kAtMost) continue;
    for (const std::int64_t width : {1, 2, 4, 8}) {
      Rule wider = rule;
      wider[i].value += least ? -width : width;
      rivals.push_back(std::move(wider));
    }
  }
  return rivals;
}

void Search::Take(Question* question, std::vector<Question*>& chosen) {
  chosen.push_back(question);
  std::erase(pool_, question);
}

// Cases of which the rule holds and that break most of the other conditions which all failing
// cases keep, likely ones above all: if they fail, too, those are none of the cause's.
void Search::ChooseInside(std::vector<Question*>& chosen) {
  const Rule& rule = best_.front().rule;
  std::vector<Question*> inside;
  for (Question* question : pool_) {
    if (Holds(rule, question->values)) inside.push_back(question);
  }
  struct Alive {
    const Literal* literal;
    double likely;
  };
  std::vector<Alive> alive;
  for (const Literal& literal : hypotheses_->conditions()) {
    alive.push_back({&literal, std::exp2(-BitsOf(literal))});
  }
  // What hangs costs its deadline: so few at once that what they tell is known to the next ones.
  const std::int64_t at_once = Hangs(start_->verdict) ? std::int64_t{kSome} : kAskedAtOnce / 2;
  const auto most = static_cast<std::size_t>(
      std::clamp<std::int64_t>(most_failures_ - failures_ - 1, 0, at_once));
  for (std::size_t count = 0; count < most && !inside.empty(); ++count) {
    Question* next = nullptr;
    double likely_most = 0;
    for (Question* question : inside) {
      double likely = 0;
      for (const Alive& one : alive) {
        if (!one.literal->Holds(question->values)) likely += one.likely;
      }
      if (likely <= likely_most) continue;
      next = question;
      likely_most = likely;
    }
    if (next == nullptr) next = inside[Below(inside.size())];
    std::erase_if(alive, [&](const Alive& one) { return !one.literal->Holds(next->values); });
    std::erase(inside, next);
    Take(next, chosen);
  }
}

// Cases that break one of the rule's conditions alone, some of each: beside its border, between
// that and what passes, and anywhere.
void Search::ChooseBeside(std::vector<Question*>& chosen) {
  const Rule rule = best_.front().rule;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    std::vector<Question*> beside;
    for (Question* question : pool_) {
      if (BrokenAlone(question->values) == i) beside.push_back(question);
    }
    const auto take_nearest = [&](std::int64_t wanted) {
      Question* nearest = nullptr;
      double least = 0;
      for (Question* question : beside) {
        const std::int64_t own = rule[i].ValueIn(question->values);
        if (!IsValue(own)) continue;
        const double distance = std::abs(static_cast<double>(own) - static_cast<double>(wanted));
        if (nearest != nullptr && distance >= least) continue;
        nearest = question;
        least = distance;
      }
      if (nearest == nullptr) return;
      std::erase(beside, nearest);
      Take(nearest, chosen);
    };
    const std::optional<std::int64_t> passes = NearestPassing(rule[i]);
    if (passes) take_nearest(*passes + (rule[i].value - *passes) / 2);
    take_nearest(rule[i].value);
    const std::size_t more = passes ? kSome - 2 : kSome - 1;
    for (std::size_t k = 0; k < more && !beside.empty(); ++k) {
      Question* any = beside[Below(beside.size())];
      std::erase(beside, any);
      Take(any, chosen);
    }
  }
}

// Cases of which it does not hold, and rivals do: as many of these as can be with each.
void Search::ChooseOutside(std::vector<Question*>& chosen) {
  const Rule& rule = best_.front().rule;
  std::vector<Question*> outside;
  for (Question* question : pool_) {
    if (!Holds(rule, question->values)) outside.push_back(question);
  }
  std::vector<Rule> alive = Rivals();
  while (chosen.size() < kAskedAtOnce && !outside.empty() && !alive.empty()) {
    Question* next = nullptr;
    std::int64_t worth_most = 0;
    for (Question* question : outside) {
      const auto worth = std::count_if(alive.begin(), alive.end(), [&](const Rule& rival) {
        return Holds(rival, question->values);
      });
      if (worth <= worth_most) continue;
      next = question;
      worth_most = worth;
    }
    if (next == nullptr) break;
    std::erase_if(alive, [&](const Rule& rival) { return Holds(rival, next->values); });
    std::erase(outside, next);
    Take(next, chosen);
  }
}

std::vector<Question*> Search::Choose() {
  std::vector<Question*> chosen;
  ChooseInside(chosen);
  ChooseBeside(chosen);
  ChooseOutside(chosen);
  return chosen;
}

// Cases of which the rule holds, as unlike the failing ones as there are: of each operator's donors
// in turn, with as little of a failing case as brings them there. A rule that lacks a condition
// which hardly any case breaks holds of some of them that pass.
std::vector<Question*> Search::MakeWide() {
  if (few_failures_) return {};  // most of them fail
  std::map<Operator, std::vector<const Donor*>> donors;
  for (const Donor& donor : donors_.Of(way_.refusal)) {
    const Operator op = donor.problem.calls.front().op;
    if (!IsSilent(op) && (MaySpeak(op) || heard_[op].said)) donors[op].push_back(&donor);
  }
  const auto most = static_cast<std::size_t>(
      std::clamp<std::int64_t>(most_failures_ - failures_ - 1, 0, 2 * kAskedAtOnce));
  std::vector<Question*> wide;
  for (std::size_t made = 0; made < kMade && wide.size() < most; ++made) {
    for (const auto& [op, own] : donors) {
      const Case& donor = own[Below(own.size())]->problem;
      const Case& failing = failing_cases_[Below(failing_cases_.size())]->problem;
      for (const int share : {0, 15, 35, 60}) {
        Case mixed = donor;
        Mix(mixed, failing, share, random_);
        if (mixed.calls.front().op != op || !Offer(std::move(mixed), "")) continue;
        if (!Holds(best_.front().rule, pool_.back()->values)) continue;
        Take(pool_.back(), wide);
        break;
      }
    }
  }
  return wide;
}

// Whether it ends each time as it did.
bool Search::AskAgain(Question& question) {
  const std::optional<bool> before = FailsIn(spec_, way_, question);
  for (std::size_t i = 0; i < kSome; ++i) {
    Question again = question;
    if (!asker_.Ask({&again})) return true;
    const std::optional<bool> now = FailsIn(spec_, way_, again);
    if (now && now != before) return false;
  }
  return true;
}

// Whether a case that should fail does so with the data of others: what does not fail may hide it.
// Those that fail are added to `failed`.
bool Search::FailsWithOtherData(const Question& question, std::vector<Question*>& failed) {
  const std::size_t before = pool_.size();
  const auto offer = [&](const Case& from, Role role) {
    Case made = question.problem;
    for (const Graft& graft : Grafts()) {
      if (graft.data == role || (graft.data && role == Role::kSelf)) graft.put(made, from);
    }
    Offer(std::move(made), "");
  };
  offer(start_->problem, Role::kSelf);
  offer(start_->problem, Role::kGradOutput);
  for (const DataKind kind : {DataKind::kWindow, DataKind::kArgmax}) {
    Case fresh = start_->problem;
    Call& call = fresh.calls.front();
    call.tensor(Role::kSelf).data = {DataKind::kUniform, Below(100000), {}, {}};
    call.tensor(Role::kGradOutput).data = {DataKind::kExact, Below(100000), {}, {}};
    call.tensor(Role::kIndices).data = {kind, Below(100000), {}, {}};
    offer(fresh, Role::kSelf);
  }
  std::vector<Question*> variants(pool_.begin() + static_cast<std::ptrdiff_t>(before), pool_.end());
  std::erase_if(variants, [&](const Question* variant) {
    return !Holds(best_.front().rule, variant->values);
  });
  std::erase_if(pool_, [&](Question* offered) {
    return std::find(variants.begin(), variants.end(), offered) != variants.end();
  });
  AskAll(variants);
  bool fails = false;
  for (Question* variant : variants) {
    const std::optional<bool> own = FailsIn(spec_, way_, *variant);
    if (own == true) {
      failed.push_back(variant);
      fails = true;
    }
  }
  return fails;
}

// Whether the operator's page has a clause of which calls that pass say something.
bool Search::MaySpeak(Operator op) const {
  return std::any_of(way_.speak_of.begin(), way_.speak_of.end(),
                     [&](Condition condition) { return rules_.Of(op, condition) != nullptr; });
}

// The judge reads one failure as of several clauses, one case's data as this and another's as that:
// calls that pass say something if they mention any. True where these are more now.
bool Search::HearMore(const Verdict& verdict) {
  const std::size_t before = way_.speak_of.size();
  way_.speak_of.merge(WayOf(spec_, verdict, /*ever=*/0).speak_of);
  return way_.speak_of.size() > before;
}

// What said nothing so far may now.
void Search::HearAgain() {
  for (auto& [op, heard] : heard_) heard.silent = 0;
  for (Question* question : std::exchange(silent_, {})) {
    Heard& heard = heard_[question->problem.calls.front().op];
    if (FailsIn(spec_, way_, *question) != false) {
      silent_.push_back(question);
      ++heard.silent;
      continue;
    }
    heard.said = true;
    surprised_ = surprised_ || Holds(best_.front().rule, question->values);
    asked_.push_back(question);
    passing_.push_back(
        {&question->values, std::min(kAskedWeight, static_cast<double>(Runs()) * BitsOfRun())});
  }
}

// No more is asked of an operator that says nothing.
void Search::LeaveOut(Operator op) {
  std::erase_if(pool_,
                [&](const Question* question) { return question->problem.calls.front().op == op; });
}

// Where no page mentions the values of an operator's calls, no clause is breached there: the rule
// need not reach them. True where it changed.
bool Search::LeaveUnmentioned() {
  const Rule rule = best_.front().rule;
  std::map<Operator, std::vector<Question*>> unmentioned;
  for (Question* question : silent_) {
    if (question->verdict.kind == VerdictKind::kRecorded && Holds(rule, question->values)) {
      unmentioned[question->problem.calls.front().op].push_back(question);
    }
  }
  for (const Question* question : asked_) {
    if (Holds(rule, question->values)) unmentioned.erase(question->problem.calls.front().op);
  }
  std::erase_if(unmentioned, [](const auto& one) { return one.second.size() < kSome; });
  if (unmentioned.empty()) return false;
  for (const auto& [op, questions] : unmentioned) {
    for (Question* question : questions) {
      passing_.push_back({&question->values, kSeenWeight});
      asked_.push_back(question);
      std::erase(silent_, question);
    }
  }
  Fit();
  return best_.front().rule != rule;
}

// What one rule would be for the failing cases and these, with what passes.
Search::Joint Search::JoinedWith(const std::vector<const CircumstanceValues*>& beside,
                                 const std::vector<Passing>& passing) const {
  Joint joint;
  joint.failing = failing_;
  joint.failing.insert(joint.failing.end(), beside.begin(), beside.end());
  joint.hypotheses = std::make_unique<Hypotheses>(joint.failing, passing);
  joint.best = joint.hypotheses->Best();
  return joint;
}

void Search::Take(Joint joint) {
  merged_at_.push_back(failing_.size());
  failing_ = std::move(joint.failing);
  hypotheses_ = std::move(joint.hypotheses);
  best_ = std::move(joint.best);
}

// Takes failing cases beside the rule for those of its cause where one rule for all says it in
// fewer bits than the rule and another one for them.
bool Search::TakeFailing(const std::vector<const CircumstanceValues*>& beside,
                         std::optional<double> spare) {
  Joint joint = JoinedWith(beside, passing_);
  if (!spare) spare = Hypotheses(beside, passing_).Best().front().Loss();
  if (joint.Loss() > best_.front().Loss() + *spare) return false;
  Take(std::move(joint));
  return true;
}

// Takes a merger back where two rules say it in fewer bits by now: one for what failed before it
// and what is like that, another one for the rest, which is another cause's.
void Search::Divide() {
  for (auto merged = merged_at_.rbegin(); merged != merged_at_.rend(); ++merged) {
    const std::vector<const CircumstanceValues*> before(
        failing_.begin(), failing_.begin() + static_cast<std::ptrdiff_t>(*merged));
    const Rule rule = Hypotheses(before, passing_).Best().front().rule;
    std::vector<const CircumstanceValues*> own;
    std::vector<const CircumstanceValues*> rest;
    for (const CircumstanceValues* values : failing_) {
      (Holds(rule, *values) ? own : rest).push_back(values);
    }
    if (rest.empty()) continue;
    const double one = Hypotheses(own, passing_).Best().front().Loss();
    const double other = Hypotheses(rest, passing_).Best().front().Loss();
    if (one + other >= best_.front().Loss()) continue;
    const auto is_other = [&](const Question* question) {
      return std::find(rest.begin(), rest.end(), &question->values) != rest.end();
    };
    // The case that is started from is this cause's.
    if (is_other(start_)) continue;
    failing_ = std::move(own);
    std::copy_if(failing_cases_.begin(), failing_cases_.end(), std::back_inserter(foreign_),
                 is_other);
    std::erase_if(failing_cases_, is_other);
    std::erase_if(asked_, is_other);
    merged_at_.clear();
    Fit();
    return;
  }
}

bool Search::Learn(const std::vector<Question*>& chosen) {
  surprised_ = false;
  bool hears_more = false;
  std::vector<Question*> failed;
  const Rule rule = best_.front().rule;
  for (Question* question : chosen) {
    const bool foretold = Holds(rule, question->values);
    std::optional<bool> fails = FailsIn(spec_, way_, *question);
    if (fails == false && foretold && !FailsEachTime()) {
      AskUntilSure(*question);
      fails = FailsIn(spec_, way_, *question);
    }
    if (!fails) {
      silent_.push_back(question);
      const Operator op = question->problem.calls.front().op;
      ++heard_[op].silent;
      if (IsSilent(op)) LeaveOut(op);
      continue;
    }
    heard_[question->problem.calls.front().op].said = true;
    if (*fails) {
      ++failures_;
      hears_more = HearMore(question->verdict) || hears_more;
    }
    if (*fails != foretold) {
      if (!few_failures_ && FailsEachTime() && !AskAgain(*question)) return false;
      surprised_ = true;
    }
    if (*fails) {
      failed.push_back(question);
    } else if (foretold && FailsWithOtherData(*question, failed)) {
      hidden_.push_back(question);
      passing_.push_back({&question->values, kSeenWeight / 2});
    } else {
      asked_.push_back(question);
      const double weight = static_cast<double>(Runs()) * BitsOfRun();
      passing_.push_back(
          {&question->values, foretold ? kAskedWeight : std::min(kAskedWeight, weight)});
    }
  }
  if (hears_more) HearAgain();
  if (surprised_) Fit();
  std::vector<Question*> beside;
  for (Question* question : failed) {
    if (Holds(best_.front().rule, question->values)) {
      TakeOne(question);
    } else {
      beside.push_back(question);
    }
  }
  TakeBeside(std::move(beside));
  Fit();
  if (best_.front().Loss() > divided_at_) {
    Divide();
    divided_at_ = best_.front().Loss();
  }
  return true;
}

void Search::TakeOne(Question* question) {
  failing_.push_back(&question->values);
  asked_.push_back(question);
  failing_cases_.push_back(question);
}

// All at once, or else one by one; what is left is another cause's so far.
void Search::TakeBeside(std::vector<Question*> beside) {
  if (beside.empty()) return;
  const auto values_of = [](const std::vector<Question*>& questions) {
    std::vector<const CircumstanceValues*> values;
    values.reserve(questions.size());
    for (const Question* question : questions) values.push_back(&question->values);
    return values;
  };
  beside.insert(beside.end(), foreign_.begin(), foreign_.end());
  foreign_.clear();
  if (TakeFailing(values_of(beside))) {
    asked_.insert(asked_.end(), beside.begin(), beside.end());
    failing_cases_.insert(failing_cases_.end(), beside.begin(), beside.end());
    return;
  }
  std::size_t tried = 0;
  for (Question* question : beside) {
    if (Holds(best_.front().rule, question->values)) {
      TakeOne(question);
    } else if (tried++ < kSome && beside.size() > 1 &&
               TakeFailing({&question->values}, kSeenWeight)) {
      asked_.push_back(question);
      failing_cases_.push_back(question);
    } else {
      foreign_.push_back(question);
    }
  }
}

// Compares the rule with failing cases of the run that it does not explain. True where one of
// them changed it.
bool Search::Challenge() {
  std::size_t tried = 0;
  while (!run_failing_.empty() && tried < 2 * kSome) {
    const CircumstanceValues* values = run_failing_.back();
    run_failing_.pop_back();
    if (Holds(best_.front().rule, *values)) continue;
    ++tried;
    if (TakeFailing({values})) return true;
  }
  return false;
}

// Where nothing about the clauses passes, or too little, what passes at all tells when they are
// breached: sums are right where no two gradients meet. So it does where it passes although the
// rule says that it fails. True where there is more to ask then.
bool Search::HearSilent() {
  if (way_.all_speak) return false;
  Way way = way_;
  way.all_speak = true;
  std::vector<Question*> heard;
  std::copy_if(silent_.begin(), silent_.end(), std::back_inserter(heard),
               [&](const Question* question) { return FailsIn(spec_, way, *question) == false; });
  const auto inside = std::count_if(heard.begin(), heard.end(), [&](const Question* question) {
    return Holds(best_.front().rule, question->values);
  });
  const bool stands = Stands();
  if (stands && !best_.front().rule.empty() && inside < std::int64_t{kSome}) return false;
  way_ = std::move(way);
  HearStart();
  for (Question* question : heard) {
    std::erase(silent_, question);
    asked_.push_back(question);
    passing_.push_back({&question->values, kAskedWeight});
  }
  Fit();
  return !stands || !best_.front().rule.empty();
}

bool Search::Stands() const {
  const Rule& rule = best_.front().rule;
  std::int64_t inside = 0;
  std::int64_t outside = 0;
  std::vector<std::size_t> alone(rule.size(), 0);
  for (const Question* question : asked_) {
    const bool holds = Holds(rule, question->values);
    ++(holds ? inside : outside);
    if (holds) continue;
    if (const auto broken = BrokenAlone(question->values)) ++alone[*broken];
  }
  if (rule.empty()) return inside >= 2 * kOnEachSide;
  return inside >= kOnEachSide && outside >= kOnEachSide &&
         std::all_of(alone.begin(), alone.end(), [](std::size_t count) { return count >= kSome; });
}

bool Search::Narrow() {
  const int rounds = few_failures_     ? static_cast<int>(kSome)
                     : FailsEachTime() ? kRounds
                                       : kRounds / 2;
  int calm = 0;
  for (int round = 0; round < rounds; ++round) {
    MakeSteps();
    MakeCrosses();
    MakeBreaking();
    const std::vector<Question*> chosen = Choose();
    if (chosen.empty() || failures_ >= most_failures_) break;
    const bool in_time = AskAll(chosen);
    const Rule before = best_.front().rule;
    if (!Learn(chosen)) return false;
    if (!in_time) break;
    const bool settled = !surprised_ && best_.front().rule == before;
    calm = settled ? calm + 1 : 0;
    if (!settled) BeginBreaking();
    if (calm < 2 || !all_broken_) continue;
    if (!LeaveUnmentioned()) {
      if (!Stands()) {
        if (!HearSilent()) continue;
      } else if (!Challenge() && !HearSilent()) {
        const std::vector<Question*> wide = MakeWide();
        const Rule rule = best_.front().rule;
        const bool asked = AskAll(wide);
        if (!Learn(wide)) return false;
        if (!asked || (!surprised_ && best_.front().rule == rule)) break;
      }
    }
    calm = 0;
    BeginBreaking();
  }
  while (Challenge()) {
  }
  return true;
}

// Takes the cause of an earlier search for its own where one rule says both in fewer bits than two.
bool Search::Adopt(const Search& earlier) {
  if (way_.refusal != earlier.way_.refusal || way_.aspects != earlier.way_.aspects ||
      !FailsEachTime() || !earlier.FailsEachTime()) {
    return false;
  }
  std::vector<Passing> passing = passing_;
  for (const Question* question : earlier.asked_) {
    if (FailsIn(spec_, way_, *question) == false) {
      passing.push_back({&question->values, kAskedWeight});
    }
  }
  Joint joint = JoinedWith(earlier.failing_, passing);
  if (joint.Loss() >= best_.front().Loss() + earlier.best_.front().Loss()) return false;
  passing_ = std::move(passing);
  Take(std::move(joint));
  asked_.insert(asked_.end(), earlier.asked_.begin(), earlier.asked_.end());
  failing_cases_.insert(failing_cases_.end(), earlier.failing_cases_.begin(),
                        earlier.failing_cases_.end());
  adopted_.insert(&earlier);
  adopted_.insert(earlier.adopted_.begin(), earlier.adopted_.end());
  return true;
}

std::optional<RootCause> Search::Run(const Case& start, const std::vector<std::string>& clauses,
                                     AspectSet ever,
                                     const std::vector<std::unique_ptr<Search>>& earlier) {
  if (!Begin(start, clauses, ever)) return std::nullopt;
  Fit();
  if (!Narrow()) return std::nullopt;
  // The last ones first: what they took is theirs.
  for (std::size_t i = earlier.size(); i-- > 0;) {
    const Search* const other = earlier[i].get();
    if (adopted_.contains(other) || !Adopt(*other)) continue;
    // What is of that cause may be asked now.
    for (const Search* one : adopted_) std::erase(known_, one->best_.front().rule);
    BeginBreaking();
    if (!Narrow()) return std::nullopt;
  }
  return Close();
}

// What the failing cases that were asked differ in, of what a call states in words or numbers, and
// the rule says nothing of.
std::vector<std::string> Search::Free() const {
  const std::span<const Circumstance> rows = AllCircumstances();
  std::vector<std::string> free;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const bool is_word = rows[row].kind == Circumstance::Kind::kWord;
    if (!is_word && !IsLength(rows[row])) continue;
    if (rows[row].of_data || rows[row].of_recipe || IsAbout(best_.front().rule, row)) continue;
    std::set<std::int64_t> values;
    for (const CircumstanceValues* failing : failing_) {
      if (IsValue((*failing)[row])) values.insert((*failing)[row]);
    }
    if (values.size() >= (is_word ? 2 : 3)) free.push_back(rows[row].text);
  }
  return free;
}

std::set<std::string> Search::Without() const {
  JudgeContext context;
  context.spec = &spec_;
  context.profile = rules_.profile();
  struct Seen {
    Operator op;
    std::set<Condition> features;
  };
  std::vector<Seen> looked_at;
  std::set<std::string> clauses;  // about features
  std::set<std::string> read;     // by the judge, of a case alone
  // Some of all tell as much.
  const std::size_t step = failing_cases_.size() / static_cast<std::size_t>(kRuns) + 1;
  for (std::size_t i = 0; i < failing_cases_.size(); i += step) {
    const Question* const question = failing_cases_[i];
    const Verdict& verdict = question->verdict;
    const Operator op = question->problem.calls.front().op;
    const std::optional<FailureSort> sort = SortOf(verdict);
    if (!sort || InfoOf(op).is_forward) continue;
    Seen& seen = looked_at.emplace_back(Seen{op, {}});
    for (const Contrast& contrast : ContrastsFor(context, question->problem, *sort)) {
      const Clause* clause = spec_.Find(contrast.clause);
      if (clause == nullptr) continue;
      seen.features.insert(clause->condition);
      // Where views of indices have a clause of their own, other pages have them among all views.
      if (clause->condition == InfoOf(op).indices_view) seen.features.insert(Condition::kViews);
      for (const OperatorInfo& info : AllOperators()) {
        if (const Clause* own = rules_.Of(info.op, clause->condition)) clauses.insert(own->id);
      }
    }
    read.merge(ClausesOf(verdict));
  }
  std::set<std::string> without;
  for (const std::string& id : clauses) {
    const Clause& clause = *spec_.Find(id);
    // Another operator's page may have the feature in another clause: its calls tell where those of
    // the operator are too few.
    std::size_t of_op = 0;
    std::size_t lack_of_op = 0;
    std::size_t lack = 0;
    for (const Seen& seen : looked_at) {
      const bool lacks = !seen.features.contains(clause.condition);
      const Clause* own = rules_.Of(seen.op, clause.condition);
      of_op += own == &clause ? 1 : 0;
      lack_of_op += own == &clause && lacks ? 1 : 0;
      lack += own != nullptr && lacks ? 1 : 0;
    }
    if ((of_op >= kSome ? lack_of_op : lack) >= kSome && !read.contains(id)) without.insert(id);
  }
  return without;
}

RootCause Search::Close() {
  const Rule& rule = best_.front().rule;
  RootCause cause = CauseOf(rule);
  cause.smallest = start_->problem;
  if (!FailsEachTime()) {
    cause.runs = kRuns;
    cause.failed_runs = shown_;
  }
  std::size_t fewest = 0;
  const bool stands = Stands();
  for (const Question* question : asked_) {
    const bool holds = Holds(rule, question->values);
    const bool fails = FailsIn(spec_, way_, *question) == true;
    ++cause.tested;
    if (holds) ++cause.inside;
    if (fails == holds) ++cause.agreed;
    if (fails || holds || !stands) continue;
    std::size_t differ = 0;
    for (std::size_t i = 0; i < question->values.size(); ++i) {
      if (question->values[i] != start_->values[i]) ++differ;
    }
    if (question->difference.empty()) differ += question->values.size();
    if (cause.nearest && differ >= fewest) continue;
    fewest = differ;
    cause.nearest = question->problem;
    cause.nearest_difference = question->difference;
    if (!question->difference.empty()) continue;
    for (const Literal& literal : rule) {
      if (literal.Holds(question->values)) continue;
      cause.nearest_difference +=
          (cause.nearest_difference.empty() ? "" : ", ") + LiteralText(Negated(literal));
    }
  }
  cause.free = Free();
  // Where many hide what fails, the rule may lack a condition on data.
  const auto hidden = std::count_if(hidden_.begin(), hidden_.end(), [&](const Question* question) {
    return Holds(rule, question->values);
  });
  if (hidden * kOnEachSide > cause.tested) cause.tested += hidden;
  // An operator whose calls inside all pass with data that may hide the fault may be none of the
  // cause's.
  cause.tested += std::count_if(silent_.begin(), silent_.end(), [&](const Question* question) {
    const Operator op = question->problem.calls.front().op;
    return question->verdict.kind == VerdictKind::kPassed && IsSilent(op) &&
           !InfoOf(op).is_forward && MayHideAFault(question->values) &&
           Holds(rule, question->values);
  });
  return cause;
}

// Failing cases of one call, the ones to start from.
struct Start {
  const Case* problem;
  const Failure* failure;
  CircumstanceValues values;
};

std::vector<Start> StartsOf(const Report& report) {
  std::vector<Start> starts;
  for (const Failure& failure : report.failures) {
    if (failure.advisory || !failure.waived_by.empty()) continue;
    const Case* problem = failure.shrunk ? &*failure.shrunk : &failure.problem;
    if (problem->calls.size() != 1) continue;
    starts.push_back({problem, &failure, CircumstancesOf(*problem, 0)});
  }
  // What hangs costs most; small ones first.
  std::stable_sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) {
    const auto hangs = [](const Start& start) {
      return EndOfText(start.failure->end) == End::kTimedOut;
    };
    if (hangs(a) != hangs(b)) return hangs(b);
    return CostOf(*a.problem) < CostOf(*b.problem);
  });
  return starts;
}

}  // namespace

RootCauses ExplainFailures(const ProfileRules& rules, const MakeAsk& make_ask, int jobs,
                           const std::function<bool()>& quit, bool few_failures,
                           const Report& report, const CauseEvidence& evidence) {
  RootCauses explained;
  const std::vector<Start> starts = StartsOf(report);
  if (starts.empty()) return explained;
  const Donors donors(rules);
  Asker asker(make_ask, jobs, quit);
  std::vector<FoundCause> found;
  std::vector<std::unique_ptr<Search>> searches;  // that found them
  std::vector<Rule> known;
  AspectSet ever = 0;
  std::size_t barren = 0;
  for (const Start& start : starts) {
    if (found.size() == kMostCauses || quit() || barren == kSome) break;
    if (IsExplained(known, start.values)) continue;
    auto search = std::make_unique<Search>(rules, asker, donors, evidence, known, few_failures,
                                           0x9e3779b97f4a7c15U + found.size());
    std::optional<RootCause> cause =
        search->Run(*start.problem, start.failure->clauses, ever, searches);
    if (!cause) {
      ++barren;
      continue;
    }
    known.push_back(RuleOf(*cause));
    if (cause->rule.empty()) ever |= search->way().aspects;
    found.push_back({*std::move(cause), search->way(), search->Failing(), search->Foreign(),
                     search->Without()});
    searches.push_back(std::move(search));
    if (few_failures) break;
  }
  explained.asked = !few_failures && !quit();
  DropNeedless(found);
  known.clear();
  for (const FoundCause& one : found) known.push_back(RuleOf(one.cause));
  for (FoundCause& one : found) {
    // What failed beside a rule, and no other one explains, says that it is not right.
    one.cause.tested += std::count_if(
        one.foreign.begin(), one.foreign.end(), [&](const CircumstanceValues& values) {
          return std::none_of(known.begin(), known.end(),
                              [&](const Rule& rule) { return Holds(rule, values); });
        });
    explained.aspects.push_back(
        AspectsBeside(ever, one.cause.rule.empty(), one.way.aspects, found.size()));
    explained.without.push_back(std::move(one.without));
    explained.causes.push_back(std::move(one.cause));
  }
  return explained;
}

}  // namespace poolproof
