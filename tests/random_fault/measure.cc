// SPDX-License-Identifier: Apache-2.0
#include "tests/random_fault/measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/tally/root_causes.h"

namespace poolproof {
namespace {

using random_fault::Effect;
using random_fault::Fact;
using random_fault::RandomFault;
using Words = std::vector<std::string_view>;

// Of the cases that fail, and of those that pass, those of which a right rule says the same.
constexpr double kRight = 0.99;

// Conditions of the clauses that say what the effect breaches, whenever it shows.
Words MainOf(Effect effect) {
  switch (effect) {
    case Effect::kLost:
    case Effect::kStored:
    case Effect::kUlp:
      return {"scatter", "accumulate"};
    case Effect::kMoved:
      return {"scatter", "accumulate", "zero"};
    case Effect::kNotCleared:
      return {"zero"};
    case Effect::kRefused:
    case Effect::kCrashOne:
      return {"phase-one"};
    case Effect::kCrashTwo:
    case Effect::kHang:
      return {"phase-two"};
    default:
      return {};
  }
}

bool IsOfEnd(Effect effect) {
  return effect == Effect::kCrashOne || effect == Effect::kCrashTwo || effect == Effect::kHang;
}

// Of clauses that it may breach besides: a gradient that is lost may have been a NaN, what was not
// cleared depends on more than the operands, and so does what comes and goes.
Words AlsoOf(const RandomFault& fault) {
  Words words;
  if (random_fault::IsOfNumbers(fault.effect)) words = {"infinity", "nan", "special-values"};
  if (fault.effect == Effect::kNotCleared || !fault.IsSteady()) {
    words.insert(words.end(), {"operands-alone", "deterministic"});
  }
  // Calls that the pages leave open end badly, too.
  if (IsOfEnd(fault.effect)) words.emplace_back("invalid-returns");
  return words;
}

// Conditions of the clauses that mention a fact.
Words ConditionsOf(Fact fact) {
  switch (fact) {
    case Fact::kRank:
      return {"unbatched"};
    case Fact::kOutD:
    case Fact::kOutH:
    case Fact::kOutW:
      return {"adaptive-windows"};
    case Fact::kPaddingD:
    case Fact::kPaddingH:
    case Fact::kPaddingW:
    case Fact::kPaddingLength:
      return {"padding-up-to-half", "padding-never-wins"};
    case Fact::kCeil:
      return {"ceil-mode"};
    case Fact::kKernelLength:
      return {"kernel-for-all-axes"};
    case Fact::kStrideLength:
      return {"stride-for-all-axes", "stride-from-kernel"};
    case Fact::kDilationLength:
    case Fact::kDilation:
      return {"dilation-one"};
    case Fact::kDtype:
    case Fact::kSelfDtype:
    case Fact::kGradInputDtype:
      return {"gradient-types", "narrow-gradient-types"};
    case Fact::kIndexType:
      return {"int32-indices", "int64-indices"};
    case Fact::kFormat:
      return {"format-nd", "format-ncdhw", "format-nchw"};
    case Fact::kGradOutputPacked:
    case Fact::kSelfPacked:
    case Fact::kIndicesPacked:
    case Fact::kGradInputPacked:
    case Fact::kGradOutputOffset:
    case Fact::kIndicesOffset:
    case Fact::kGradInputOffset:
    case Fact::kGradOutputStrideW:
    case Fact::kIndicesStrideW:
    case Fact::kGradInputStrideW:
    case Fact::kGradInputSpare:
      return {"views", "indices-view"};
    case Fact::kDeterministic:
      return {"deterministic"};
    case Fact::kCallsBefore:
    case Fact::kRun:
    case Fact::kAlign:
      return {"operands-alone", "independent-calls", "deterministic"};
    case Fact::kNans:
      return {"nan", "special-values"};
    case Fact::kInfinities:
      return {"infinity", "special-values"};
    case Fact::kSelfNans:
      return {"self-values"};
    case Fact::kShared:
    case Fact::kMostShared:
    case Fact::kRepeats:
      return {"accumulate"};
    default:
      return {};
  }
}

// In the order of kOperatorNames.
constexpr std::array kOperators = {
    Operator::kMaxPool3dWithArgmaxBackward, Operator::kMaxPool2dWithIndicesBackward,
    Operator::kAdaptiveMaxPool3dBackward, Operator::kAdaptiveMaxPool2dBackward};

bool MaySpeakOf(const Clause& clause, int op) {
  if (op < 0) return true;
  const auto is_of = [&](Operator other) {
    return clause.operator_name == std::string(InfoOf(other).name);
  };
  return is_of(kOperators[static_cast<std::size_t>(op)]) ||
         std::none_of(kOperators.begin(), kOperators.end(), is_of);
}

bool HoldsOf(const Rule& rule, const KnownCase& known) {
  return std::any_of(known.calls.begin(), known.calls.end(),
                     [&](const CircumstanceValues& values) { return Holds(rule, values); });
}

std::int64_t CountOf(const Rule& rule, const std::vector<const KnownCase*>& cases) {
  return std::count_if(cases.begin(), cases.end(),
                       [&](const KnownCase* known) { return HoldsOf(rule, *known); });
}

bool IsRight(std::int64_t inside, std::int64_t outside, const Sample& sample) {
  const auto share = [](std::int64_t count, std::size_t of) {
    return of == 0 ? 1.0 : static_cast<double>(count) / static_cast<double>(of);
  };
  return share(inside, sample.inside.size()) >= kRight &&
         share(outside, sample.outside.size()) <= 1 - kRight;
}

// Of new cases as they come, the share of which the rule says the same as they do.
double SameOf(const Rule& rule, const Sample& sample) {
  const auto same = std::count_if(
      sample.drawn.begin(), sample.drawn.end(),
      [&](const KnownCase* known) { return HoldsOf(rule, *known) == sample.fail.contains(known); });
  return static_cast<double>(same) /
         static_cast<double>(std::max<std::size_t>(1, sample.drawn.size()));
}

// Whether it shows behind other calls alone: no rule on a case can say when.
bool IsOfHistory(const RandomFault& fault) {
  return std::any_of(
      fault.conditions.begin(), fault.conditions.end(),
      [](const random_fault::Condition& one) { return one.fact == Fact::kCallsBefore; });
}

// What sentences of the report say of single cases: that this one fails, or passes.
struct Claims {
  std::int64_t made = 0;
  Json wrong = Json::array();

  void Check(const Bench& bench, const RandomFault& fault, const Case& problem, Fate said,
             std::string_view what) {
    // What fails behind other calls is not said to fail alone.
    if (IsOfHistory(fault) && said == Fate::kFails) return;
    ++made;
    const Fate is = bench.FateOf(fault, problem);
    if (is == said || is == Fate::kHidden) return;
    wrong.push_back(std::string(what) + (said == Fate::kFails ? " passes" : " fails"));
  }
};

// The cases of operators of which a clause of the cause speaks.
Sample Within(const RootCause& cause, const Sample& sample) {
  const auto is_of = [&](const KnownCase* known) {
    return std::any_of(cause.clauses.begin(), cause.clauses.end(), [&](const std::string& id) {
      return MaySpeakOf(*Spec::Embedded().Find(id), known->sights.front().op);
    });
  };
  Sample within;
  std::copy_if(sample.inside.begin(), sample.inside.end(), std::back_inserter(within.inside),
               is_of);
  std::copy_if(sample.outside.begin(), sample.outside.end(), std::back_inserter(within.outside),
               is_of);
  return within;
}

Json CauseJson(const RootCause& cause, const Sample& sample) {
  const Rule rule = RuleOf(cause);
  const Sample within = Within(cause, sample);
  const std::int64_t inside = CountOf(rule, sample.inside);
  const std::int64_t outside = CountOf(rule, sample.outside);
  return {{"rule", RuleText(rule)},
          {"conditions", cause.rule.size()},
          {"confirmed", IsConfirmed(cause)},
          {"clauses", cause.clauses},
          {"failing", cause.failing},
          {"tested", cause.tested},
          {"agreed", cause.agreed},
          {"inside", inside},
          {"outside", outside},
          {"right", IsRight(inside, outside, sample)},
          {"right_within",
           IsRight(CountOf(rule, within.inside), CountOf(rule, within.outside), within)},
          {"same", SameOf(rule, sample)}};
}

// "flaky: it showed in 3 of 16 runs", as the messages of failures say it.
std::optional<std::pair<double, double>> RateIn(const std::string& message) {
  static constexpr std::string_view kMark = "flaky: it showed in ";
  const std::size_t at = message.find(kMark);
  if (at == std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double shown = std::strtod(message.c_str() + at + kMark.size(), &end);
  static constexpr std::string_view kOf = " of ";
  if (std::string_view(end).substr(0, kOf.size()) != kOf) return std::nullopt;
  const double of = std::strtod(end + kOf.size(), nullptr);
  return of > 0 ? std::optional(std::pair(shown, of)) : std::nullopt;
}

// Wilson's interval at 95 %.
bool IsInInterval(double rate, double shown, double of) {
  constexpr double kZ = 1.96;
  const double share = shown / of;
  const double middle = (share + kZ * kZ / (2 * of)) / (1 + kZ * kZ / of);
  const double reach =
      kZ / (1 + kZ * kZ / of) * std::sqrt(share * (1 - share) / of + kZ * kZ / (4 * of * of));
  return std::fabs(rate - middle) <= reach;
}

void AddRate(const RandomFault& fault, const Report& report, Json& row) {
  if (fault.IsSteady()) return;
  const double rate = static_cast<double>(fault.strikes) / static_cast<double>(fault.of);
  std::int64_t told = 0;
  std::int64_t inside = 0;
  for (const Failure& failure : report.failures) {
    const auto shown = RateIn(failure.message);
    if (!shown) continue;
    ++told;
    inside += IsInInterval(rate, shown->first, shown->second) ? 1 : 0;
  }
  row["told_flaky"] = told;
  row["rate_inside"] = inside;
}

// The required clauses of a report.
struct Answers {
  std::vector<std::string> failed;
  std::vector<std::string> accused;  // of them, those that no fault may breach
  std::vector<std::string> lost;     // passed by a right library, and breached by no fault
  std::int64_t kept = 0;             // the same, and those that still passed
};

// `may_fail`: what the faults may breach; `right`: what passes without them.
Answers AnswersOf(const Report& report, const std::set<std::string>& may_fail,
                  const std::set<std::string>& right) {
  Answers answers;
  for (const ClauseResult& clause : report.clauses) {
    if (!FailsRequired(clause)) continue;
    answers.failed.push_back(clause.id);
    if (!may_fail.contains(clause.id)) answers.accused.push_back(clause.id);
  }
  const std::set<std::string> passed = PassedOf(report);
  for (const std::string& id : right) {
    if (may_fail.contains(id)) continue;
    ++answers.kept;
    if (!passed.contains(id)) answers.lost.push_back(id);
  }
  return answers;
}

bool HasAny(const std::vector<std::string>& ids, const std::set<std::string>& wanted) {
  return std::any_of(ids.begin(), ids.end(),
                     [&](const std::string& id) { return wanted.contains(id); });
}

}  // namespace

Charge ChargeOf(const RandomFault& fault, const Bench::Reach& reach) {
  if (random_fault::StrikesWhatIsRefused(fault.effect)) return {reach.clauses, reach.clauses};
  Words main = MainOf(fault.effect);
  for (const random_fault::Condition& condition : fault.conditions) {
    for (const std::optional<Fact> fact :
         {std::optional(condition.fact), condition.times, condition.other}) {
      if (!fact) continue;
      const Words more = ConditionsOf(*fact);
      main.insert(main.end(), more.begin(), more.end());
    }
  }
  const Words also = AlsoOf(fault);
  Charge charge;
  for (const Clause& clause : Spec::Embedded().clauses()) {
    if (!MaySpeakOf(clause, fault.op)) continue;
    const auto is_in = [&](const Words& words) {
      return std::find(words.begin(), words.end(), ConditionName(clause.condition)) != words.end();
    };
    if (is_in(main)) charge.main.insert(clause.id);
    if (is_in(main) || is_in(also)) charge.also.insert(clause.id);
  }
  return charge;
}

std::set<std::string> PassedOf(const Report& report) {
  std::set<std::string> passed;
  for (const ClauseResult& clause : report.clauses) {
    if (clause.strength == Strength::kRequired && clause.verdict == ClauseVerdict::kPassed) {
      passed.insert(clause.id);
    }
  }
  return passed;
}

Json Measure(const Bench& bench, const RandomFault& fault, const Bench::Reach& reach,
             const Sample& sample, const Report& report, const std::set<std::string>& right) {
  const Charge charge = ChargeOf(fault, reach);
  const Answers answers = AnswersOf(report, charge.also, right);

  Claims claims;
  Json causes = Json::array();
  std::int64_t rules_contradicted = 0;
  for (const RootCause& cause : report.root_causes) {
    if (cause.advisory) continue;
    Json one = CauseJson(cause, sample);
    if (IsConfirmed(cause)) {
      ++claims.made;
      // It holds of cases that pass: a new case contradicts it.
      if (one["outside"] > 0) {
        ++rules_contradicted;
        claims.wrong.push_back("confirmed rule holds of cases that pass: " +
                               one["rule"].get<std::string>());
      }
    }
    causes.push_back(std::move(one));
    if (cause.smallest) {
      claims.Check(bench, fault, *cause.smallest, Fate::kFails, "smallest failing case");
    }
    if (cause.nearest) {
      claims.Check(bench, fault, *cause.nearest, Fate::kPasses, "nearest passing case");
    }
  }
  for (const Failure& failure : report.failures) {
    if (failure.shrunk && !failure.advisory) {
      claims.Check(bench, fault, *failure.shrunk, Fate::kFails, "smaller failing case");
    }
  }

  Json row = {
      {"fault", TextOf(fault)},
      {"effect", random_fault::EffectName(fault.effect)},
      {"conditions", fault.conditions.size()},
      {"steady", fault.IsSteady()},
      {"history", IsOfHistory(fault)},
      {"share", reach.share},
      {"struck", reach.struck},
      {"inside", sample.inside.size()},
      {"outside", sample.outside.size()},
      {"drawn", sample.drawn.size()},
      {"hidden", sample.hidden},
      {"found", !answers.failed.empty()},
      {"clauses_right", HasAny(answers.failed, charge.main) && answers.accused.empty()},
      {"failed", answers.failed},
      {"accused", answers.accused},
      {"rule_right", !causes.empty() && causes.front()["right"].get<bool>()},
      {"rule_right_within", !causes.empty() && causes.front()["right_within"].get<bool>()},
      {"same", causes.empty() ? Json() : causes.front()["same"]},
      {"causes", causes},
      {"unexplained", report.unexplained},
      {"kept", answers.kept},
      {"still_passed", answers.kept - std::ssize(answers.lost)},
      {"lost", answers.lost},
      {"claims", claims.made},
      {"contradicted", claims.wrong},
      {"rules_contradicted", rules_contradicted},
      {"verdict", report.verdict == RunVerdict::kNonconformant ? "nonconformant" : "other"}};
  AddRate(fault, report, row);
  return row;
}

Json MeasurePair(const Held& first, const Held& second, const Report& report,
                 const std::set<std::string>& right) {
  const std::array<const Held*, 2> both = {&first, &second};
  std::array<Charge, 2> charges;
  std::array<Sample, 2> samples;  // without what the other one strikes among what passes
  for (std::size_t i = 0; i < both.size(); ++i) {
    charges[i] = ChargeOf(both[i]->fault, both[i]->reach);
    samples[i] = both[i]->sample;
    std::erase_if(samples[i].outside, [&](const KnownCase* known) {
      return Strikes(both[1 - i]->fault, known->sights);
    });
  }
  std::set<std::string> also = charges[0].also;
  also.insert(charges[1].also.begin(), charges[1].also.end());
  const Answers answers = AnswersOf(report, also, right);
  Json causes = Json::array();
  Json contradicted = Json::array();
  std::array<std::int64_t, 2> told = {};  // causes that are right of the fault
  for (const RootCause& cause : report.root_causes) {
    if (cause.advisory) continue;
    Json one = {{"rule", RuleText(RuleOf(cause))},
                {"confirmed", IsConfirmed(cause)},
                {"clauses", cause.clauses},
                {"right_of", Json::array()}};
    const bool refusal = SaysRefusal(Spec::Embedded(), cause.clauses.front());
    bool says = false;  // that a case fails which passes
    for (std::size_t i = 0; i < both.size(); ++i) {
      const std::int64_t inside = CountOf(RuleOf(cause), samples[i].inside);
      const std::int64_t outside = CountOf(RuleOf(cause), samples[i].outside);
      one["holds_of"].push_back(
          {inside, samples[i].inside.size(), outside, samples[i].outside.size()});
      // What is refused tells nothing of calls in order, nor the other way round.
      const bool is_of = refusal == random_fault::StrikesWhatIsRefused(both[i]->fault.effect);
      says = says || (is_of && outside > 0);
      if (!IsRight(inside, outside, samples[i])) continue;
      ++told[i];
      one["right_of"].push_back(i);
    }
    if (IsConfirmed(cause) && says) contradicted.push_back(one["rule"]);
    causes.push_back(std::move(one));
  }
  return {
      {"fault", random_fault::TextOf(random_fault::RandomFaults{first.fault, second.fault})},
      {"steady", first.fault.IsSteady() && second.fault.IsSteady() && !IsOfHistory(first.fault) &&
                     !IsOfHistory(second.fault)},
      {"failed", answers.failed},
      {"accused", answers.accused},
      {"found", HasAny(answers.failed, charges[0].main) && HasAny(answers.failed, charges[1].main)},
      {"told", told[0] > 0 && told[1] > 0},
      {"causes", causes},
      {"contradicted", contradicted},
      {"kept", answers.kept},
      {"still_passed", answers.kept - std::ssize(answers.lost)},
      {"lost", answers.lost}};
}

}  // namespace poolproof
