// SPDX-License-Identifier: Apache-2.0
#include "conformance/circumstance/rule.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace poolproof {
namespace {

using Kind = Circumstance::Kind;
using Words = std::vector<std::uint64_t>;

// Rules that are made longer, of each length.
constexpr std::size_t kBeam = 24;
constexpr std::size_t kMostRules = 8;
// Of a number: thresholds between values that fail, and values that may be the only ones.
constexpr std::size_t kThresholds = 8;
constexpr std::size_t kSingleValues = 6;
// What passes elsewhere may have been hit without showing it: it counts so much.
constexpr double kElsewhere = 0.2;
// Bits that a rule must save beside those that it costs.
constexpr double kLeastGain = 6;
// Of what a rule holds of, this share must fail.
constexpr double kLeastPrecision = 0.5;

// A fault need not show wherever it strikes: conditions that keep no more than this share of
// passing cases out of a rule are left out.
constexpr double kHidden = 0.01;

constexpr std::size_t kLabels = 3;

double BitsOf(const Literal& literal) {
  const Circumstance& row = AllCircumstances()[literal.circumstance];
  const double base = 5 + 1.5 * row.effort;
  if (row.kind == Kind::kNumber) return base + 2;
  return row.kind == Kind::kWord ? base + 1 : base;
}

// Bits that it takes to say which of a + b cases fail.
double CodeLength(double a, double b) {
  if (a <= 0 || b <= 0) return 0;
  return a * std::log2((a + b) / a) + b * std::log2((a + b) / b);
}

struct Counts {
  std::array<std::int64_t, kLabels> of{};
  [[nodiscard]] double fails() const { return static_cast<double>(of[0]); }
  [[nodiscard]] double passes() const {
    return static_cast<double>(of[1]) + kElsewhere * static_cast<double>(of[2]);
  }
};

double GainOf(const Counts& all, const Counts& held) {
  const double rate = all.fails() / (all.fails() + all.passes());
  const double own = held.fails() / (held.fails() + held.passes());
  if (held.of[0] == 0 || own < rate) return 0;
  return CodeLength(all.fails(), all.passes()) - CodeLength(held.fails(), held.passes()) -
         CodeLength(all.fails() - held.fails(), all.passes() - held.passes());
}

// Whether no more than `most` of what passes is where `rule` holds and none of `known` does.
bool SaysHardlyMore(std::span<const Example* const> examples, const Rule& rule,
                    std::span<const Rule> known, double most) {
  Counts beside;
  for (const Example* example : examples) {
    if (example->label == Label::kFails || !Holds(rule, example->values)) continue;
    if (std::any_of(known.begin(), known.end(),
                    [&](const Rule& other) { return Holds(other, example->values); })) {
      continue;
    }
    ++beside.of[static_cast<std::size_t>(example->label)];
    if (beside.passes() > most) return false;
  }
  return true;
}

// A candidate literal and the examples of which it holds, as bits: first those that fail, then
// those that pass, then those that pass elsewhere, each from a word of its own.
struct Column {
  Literal literal;
  double bits = 0;
  Words holds;
};

class Learner {
 public:
  explicit Learner(const std::vector<Example>& examples);
  [[nodiscard]] std::optional<Rule> Learn() const;

 private:
  struct Candidate {
    std::vector<std::size_t> columns;  // ascending
    Words holds;
    Counts counts;
    double score = 0;
  };
  void AddColumns(std::size_t circumstance);
  void AddColumn(const Literal& literal);
  [[nodiscard]] Counts CountsOf(const Words& holds) const;
  [[nodiscard]] Rule RuleOf(const Candidate& candidate) const;
  [[nodiscard]] Rule Simplified(Rule rule) const;
  [[nodiscard]] Rule Rounded(Rule rule) const;

  std::vector<const Example*> ordered_;  // by label
  std::vector<std::int64_t> values_;     // of one circumstance, in that order
  std::array<std::size_t, kLabels> size_{};
  std::array<std::size_t, kLabels + 1> start_{};  // word of the first of a label
  Counts all_;
  std::vector<Column> columns_;
  std::map<Words, std::size_t> known_;  // columns that hold of the same examples
};

Learner::Learner(const std::vector<Example>& examples) {
  for (std::size_t label = 0; label < kLabels; ++label) {
    for (const Example& example : examples) {
      if (static_cast<std::size_t>(example.label) != label) continue;
      ordered_.push_back(&example);
      ++size_[label];
    }
    all_.of[label] = static_cast<std::int64_t>(size_[label]);
    start_[label + 1] = start_[label] + (size_[label] + 63) / 64;
  }
  // What passes where a fault would not show weighs less: that is no reason why anything fails.
  for (std::size_t i = 0; i < AllCircumstances().size(); ++i) {
    if (!IsOfHiding(i)) AddColumns(i);
  }
  known_.clear();
}

void Learner::AddColumn(const Literal& literal) {
  Words holds(start_[kLabels], 0);
  std::size_t i = 0;
  for (std::size_t label = 0; label < kLabels; ++label) {
    for (std::size_t k = 0; k < size_[label]; ++k, ++i) {
      // What nobody looked at speaks for no literal and against none.
      const bool unknown = label == 0 && values_[i] == kNotLookedAt;
      const bool own = unknown || literal.HoldsOf(values_[i]);
      holds[start_[label] + k / 64] |= std::uint64_t{own} << (k % 64);
    }
  }
  const Counts counts = CountsOf(holds);
  if (counts.of[0] == 0) return;     // of nothing that fails
  if (counts.of == all_.of) return;  // of everything
  const double bits = BitsOf(literal);
  const auto [place, added] = known_.emplace(holds, columns_.size());
  if (added) {
    columns_.push_back({literal, bits, std::move(holds)});
    return;
  }
  Column& known = columns_[place->second];
  if (bits >= known.bits) return;
  known.literal = literal;
  known.bits = bits;
}

void Learner::AddColumns(std::size_t circumstance) {
  const Kind kind = AllCircumstances()[circumstance].kind;
  values_.resize(ordered_.size());
  bool all_alike = true;
  for (std::size_t i = 0; i < ordered_.size(); ++i) {
    values_[i] = ordered_[i]->values[circumstance];
    all_alike = all_alike && values_[i] == values_[0];
  }
  if (all_alike) return;
  std::map<std::int64_t, std::int64_t> failing;  // how often a value fails
  std::set<std::int64_t> passing;
  for (std::size_t i = 0; i < ordered_.size(); ++i) {
    const std::int64_t value = values_[i];
    if (!IsValue(value)) continue;
    if (i < size_[0]) {
      ++failing[value];
    } else {
      passing.insert(value);
    }
  }
  if (failing.empty()) return;
  std::vector<std::pair<std::int64_t, std::int64_t>> often;  // negated count, value
  often.reserve(failing.size());
  for (const auto& [value, count] : failing) often.emplace_back(-count, value);
  std::sort(often.begin(), often.end());
  if (often.size() > kSingleValues) often.resize(kSingleValues);
  if (kind == Kind::kFlag) {
    for (const auto& [count, value] : often) AddColumn({circumstance, LiteralTest::kIs, value});
    return;
  }
  for (const auto& [count, value] : often) AddColumn({circumstance, LiteralTest::kIs, value});
  if (kind == Kind::kWord) {
    for (const std::int64_t value : passing) {
      AddColumn({circumstance, LiteralTest::kIsNot, value});
    }
    return;
  }
  // The borders that separate, and some in between.
  std::set<std::int64_t> thresholds = {failing.begin()->first, failing.rbegin()->first};
  std::int64_t seen = 0;
  std::size_t next = 1;
  for (const auto& [value, count] : failing) {
    seen += count;
    while (next < kThresholds && seen * static_cast<std::int64_t>(kThresholds) >=
                                     static_cast<std::int64_t>(next * size_[0])) {
      thresholds.insert(value);
      ++next;
    }
  }
  for (const std::int64_t value : passing) {
    const bool small = value >= 0 && value <= 2;
    const bool round = value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
    if (small || round) thresholds.insert(value);
  }
  for (const std::int64_t value : thresholds) {
    AddColumn({circumstance, LiteralTest::kAtLeast, value});
    AddColumn({circumstance, LiteralTest::kAtMost, value});
    AddColumn({circumstance, LiteralTest::kAtLeast, value + 1});
  }
  if (passing.contains(0)) AddColumn({circumstance, LiteralTest::kIsNot, 0});
}

Counts Learner::CountsOf(const Words& holds) const {
  Counts counts;
  for (std::size_t label = 0; label < kLabels; ++label) {
    std::int64_t count = 0;
    for (std::size_t i = start_[label]; i < start_[label + 1]; ++i)
      count += std::popcount(holds[i]);
    counts.of[label] = count;
  }
  return counts;
}

std::optional<Rule> Learner::Learn() const {
  if (all_.of[0] == 0) return std::nullopt;
  Candidate always;
  always.holds.assign(start_[kLabels], 0);
  for (std::size_t label = 0; label < kLabels; ++label) {
    for (std::size_t k = 0; k < size_[label]; ++k) {
      always.holds[start_[label] + k / 64] |= std::uint64_t{1} << (k % 64);
    }
  }
  always.counts = all_;
  if (all_.of[1] + all_.of[2] == 0) return Rule();
  std::vector<Candidate> beam = {always};
  std::optional<Candidate> best;
  for (std::size_t length = 1; length <= kMostLiterals; ++length) {
    struct Step {
      double score;
      std::size_t from;
      std::size_t column;
      Counts counts;
    };
    std::vector<Step> steps;
    for (std::size_t from = 0; from < beam.size(); ++from) {
      const Candidate& shorter = beam[from];
      double spent = 0;
      for (const std::size_t column : shorter.columns) spent += columns_[column].bits;
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        const Words& more = columns_[column].holds;
        Counts counts;
        for (std::size_t label = 0; label < kLabels; ++label) {
          std::int64_t count = 0;
          for (std::size_t i = start_[label]; i < start_[label + 1]; ++i) {
            count += std::popcount(shorter.holds[i] & more[i]);
          }
          counts.of[label] = count;
        }
        if (counts.of[0] == 0 || counts.of == shorter.counts.of) continue;
        const double score = GainOf(all_, counts) - spent - columns_[column].bits;
        steps.push_back({score, from, column, counts});
      }
    }
    std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
      return std::tuple(-a.score, a.from, a.column) < std::tuple(-b.score, b.from, b.column);
    });
    std::vector<Candidate> longer;
    std::set<Words> kept;
    for (const Step& step : steps) {
      if (longer.size() >= kBeam) break;
      Candidate next = beam[step.from];
      for (std::size_t i = 0; i < next.holds.size(); ++i) {
        next.holds[i] &= columns_[step.column].holds[i];
      }
      if (!kept.insert(next.holds).second) continue;
      next.columns.push_back(step.column);
      next.counts = step.counts;
      next.score = step.score;
      longer.push_back(std::move(next));
    }
    for (const Candidate& candidate : longer) {
      const double share =
          candidate.counts.fails() / (candidate.counts.fails() + candidate.counts.passes());
      if (share < kLeastPrecision || candidate.score < kLeastGain) continue;
      if (!best || candidate.score > best->score) best = candidate;
    }
    beam = std::move(longer);
    if (beam.empty()) break;
  }
  if (!best) {
    // Where hardly anything passes there is nothing to tell apart.
    if (all_.passes() <= kHidden * all_.fails()) return Rule();
    return std::nullopt;
  }
  return Simplified(Rounded(RuleOf(*best)));
}

Rule Learner::Simplified(Rule rule) const {
  const auto fails = static_cast<double>(
      std::count_if(ordered_.begin(), ordered_.begin() + static_cast<std::ptrdiff_t>(size_[0]),
                    [&](const Example* example) { return MayHold(rule, example->values); }));
  const std::array<Rule, 1> whole = {rule};
  const auto hides = [&](const Rule& shorter) {
    return SaysHardlyMore(ordered_, shorter, whole, kHidden * fails);
  };
  if (hides({})) return {};
  for (std::size_t at = 0; rule.size() > 1 && at < rule.size();) {
    Rule shorter = rule;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(at));
    if (hides(shorter)) {
      rule = std::move(shorter);
    } else {
      ++at;
    }
  }
  return rule;
}

Rule Learner::RuleOf(const Candidate& candidate) const {
  Rule rule;
  for (const std::size_t column : candidate.columns) rule.push_back(columns_[column].literal);
  std::sort(rule.begin(), rule.end(),
            [](const Literal& a, const Literal& b) { return a.circumstance < b.circumstance; });
  return rule;
}

// The border b of "above b" and "up to b", low <= b < high, that a person would look for first:
// nothing, a power of two, or one below; `otherwise` where there is none between.
std::int64_t RoundBorder(std::int64_t low, std::int64_t high, std::int64_t otherwise) {
  if (low <= 0 && high > 0) return 0;
  for (const std::int64_t below : {0, 1}) {
    for (int power = 62; power > 0; --power) {
      const std::int64_t border = (std::int64_t{1} << power) - below;
      if (border >= low && border < high) return border;
    }
  }
  return otherwise;
}

// The same rule with borders where a person would look for them: anywhere between the last case
// that passes and the first that fails.
Rule Learner::Rounded(Rule rule) const {
  for (std::size_t at = 0; at < rule.size(); ++at) {
    Literal& literal = rule[at];
    const bool least = literal.test == LiteralTest::kAtLeast;
    if (!least && literal.test != LiteralTest::kAtMost) continue;
    std::int64_t inside = kNoValue;   // the failing value next to the border
    std::int64_t outside = kNoValue;  // the other value next to it
    for (const Example* example : ordered_) {
      const std::int64_t value = example->values[literal.circumstance];
      if (!IsValue(value)) continue;
      bool others = true;
      for (std::size_t other = 0; other < rule.size(); ++other) {
        others = others && (other == at || rule[other].Holds(example->values));
      }
      if (!others) continue;
      if (literal.Holds(example->values)) {
        if (inside == kNoValue || (least ? value < inside : value > inside)) inside = value;
      } else if (outside == kNoValue || (least ? value > outside : value < outside)) {
        outside = value;
      }
    }
    if (inside == kNoValue || outside == kNoValue) continue;
    literal.value =
        least ? RoundBorder(outside, inside, inside - 1) + 1 : RoundBorder(inside, outside, inside);
  }
  return rule;
}

// The narrowest condition that holds wherever one of the two does; nullopt: there is none.
std::optional<Literal> Hull(const Literal& a, const Literal& b) {
  if (a == b) return a;
  if (TermName(a) != TermName(b)) return std::nullopt;
  if (a.test == LiteralTest::kIsNot && !b.HoldsOf(a.value)) return a;
  if (b.test == LiteralTest::kIsNot && !a.HoldsOf(b.value)) return b;
  if (a.test == LiteralTest::kIs && b.test == LiteralTest::kIs) return std::nullopt;
  for (const LiteralTest range : {LiteralTest::kAtLeast, LiteralTest::kAtMost}) {
    const auto within = [&](const Literal& literal) {
      return literal.test == range || literal.test == LiteralTest::kIs;
    };
    if (!within(a) || !within(b)) continue;
    const bool least = range == LiteralTest::kAtLeast;
    return Literal{a.circumstance, range,
                   least ? std::min(a.value, b.value) : std::max(a.value, b.value)};
  }
  return std::nullopt;
}

// Rules that hold wherever one of the two does, as far as their words go, the narrowest first:
// their common conditions, and what either says without some of its conditions.
std::vector<Rule> WiderThanBoth(const Rule& a, const Rule& b) {
  std::vector<Rule> wider(1);
  for (const Literal& one : a) {
    for (const Literal& other : b) {
      const std::optional<Literal> both = Hull(one, other);
      if (both && std::find(wider[0].begin(), wider[0].end(), *both) == wider[0].end()) {
        wider[0].push_back(*both);
      }
    }
  }
  for (const Rule* rule : {&a, &b}) {
    for (unsigned kept = 0; kept + 1 < 1U << rule->size(); ++kept) {
      wider.emplace_back();
      for (std::size_t i = 0; i < rule->size(); ++i) {
        if ((kept >> i & 1U) != 0) wider.back().push_back((*rule)[i]);
      }
    }
  }
  std::stable_sort(wider.begin(), wider.end(),
                   [](const Rule& x, const Rule& y) { return x.size() > y.size(); });
  return wider;
}

// One rule that says what the two say, and of hardly anything else that passes.
std::optional<Rule> MergedRule(const Rule& a, const Rule& b,
                               std::span<const Example* const> examples) {
  const std::array<Rule, 2> known = {a, b};
  std::vector<const Example*> fails;
  for (const Example* example : examples) {
    const bool own = example->label == Label::kFails &&
                     (MayHold(a, example->values) || MayHold(b, example->values));
    if (own) fails.push_back(example);
  }
  const double most = kHidden * static_cast<double>(fails.size());
  for (Rule& wider : WiderThanBoth(a, b)) {
    const bool covers = std::all_of(fails.begin(), fails.end(), [&](const Example* example) {
      return MayHold(wider, example->values);
    });
    if (covers && SaysHardlyMore(examples, wider, known, most)) return std::move(wider);
  }
  return std::nullopt;
}

}  // namespace

std::int64_t Literal::ValueIn(const CircumstanceValues& values) const {
  const std::int64_t own = values[circumstance];
  if (of == TermOf::kItself || !IsValue(own)) return own;
  if (of == TermOf::kRemainder) return own < 0 ? kNoValue : own % with;
  const std::int64_t other = values[static_cast<std::size_t>(with)];
  if (!IsValue(other)) return other;
  std::int64_t result = 0;
  const bool overflows = of == TermOf::kProduct ? __builtin_mul_overflow(own, other, &result)
                                                : __builtin_sub_overflow(own, other, &result);
  return overflows ? kNoValue : result;
}

bool Literal::HoldsOf(std::int64_t own) const {
  if (!IsValue(own)) return false;
  switch (test) {
    case LiteralTest::kIs:
      return own == value;
    case LiteralTest::kIsNot:
      return own != value;
    case LiteralTest::kAtLeast:
      return own >= value;
    case LiteralTest::kAtMost:
      break;
  }
  return own <= value;
}

bool Holds(const Rule& rule, const CircumstanceValues& values) {
  return std::all_of(rule.begin(), rule.end(),
                     [&](const Literal& literal) { return literal.Holds(values); });
}

bool IsOfData(const Rule& rule) {
  return std::any_of(rule.begin(), rule.end(), [](const Literal& literal) {
    return AllCircumstances()[literal.circumstance].of_data;
  });
}

bool MayHold(const Rule& rule, const CircumstanceValues& values) {
  return std::all_of(rule.begin(), rule.end(), [&](const Literal& literal) {
    return literal.ValueIn(values) == kNotLookedAt || literal.Holds(values);
  });
}

namespace {

struct TermSign {
  TermOf of;
  std::string_view sign;
};
constexpr std::array kTermSigns = {TermSign{TermOf::kDifference, " - "},
                                   TermSign{TermOf::kProduct, " * "},
                                   TermSign{TermOf::kRemainder, " % "}};

// "D > H": the sign of a difference needs no number.
std::string ComparisonText(const Literal& literal) {
  const std::string left = AllCircumstances()[literal.circumstance].text;
  const std::string right = AllCircumstances()[static_cast<std::size_t>(literal.with)].text;
  const auto says = [&](LiteralTest test, std::int64_t value, const char* sign) {
    return literal.test == test && literal.value == value ? left + sign + right : std::string();
  };
  for (const std::string& text :
       {says(LiteralTest::kAtLeast, 1, " > "), says(LiteralTest::kAtLeast, 0, " >= "),
        says(LiteralTest::kAtMost, -1, " < "), says(LiteralTest::kAtMost, 0, " <= "),
        says(LiteralTest::kIs, 0, " = "), says(LiteralTest::kIsNot, 0, " != ")}) {
    if (!text.empty()) return text;
  }
  return "";
}

// What the condition is about, in words.
std::string TermText(const Literal& literal) {
  std::string own = AllCircumstances()[literal.circumstance].text;
  switch (literal.of) {
    case TermOf::kItself:
      return own;
    case TermOf::kRemainder:
      return own + " mod " + std::to_string(literal.with);
    case TermOf::kDifference:
    case TermOf::kProduct:
      break;
  }
  return own + (literal.of == TermOf::kProduct ? " * " : " - ") +
         AllCircumstances()[static_cast<std::size_t>(literal.with)].text;
}

}  // namespace

std::string TermName(const Literal& literal) {
  const std::string& own = AllCircumstances()[literal.circumstance].name;
  for (const TermSign& row : kTermSigns) {
    if (row.of != literal.of) continue;
    return own + std::string(row.sign) +
           (literal.of == TermOf::kRemainder
                ? std::to_string(literal.with)
                : AllCircumstances()[static_cast<std::size_t>(literal.with)].name);
  }
  return own;
}

bool ParseTerm(std::string_view name, Literal& literal) {
  literal.of = TermOf::kItself;
  std::string_view own = name;
  for (const TermSign& row : kTermSigns) {
    const std::size_t place = name.find(row.sign);
    if (place == std::string_view::npos) continue;
    literal.of = row.of;
    own = name.substr(0, place);
    const std::string_view other = name.substr(place + row.sign.size());
    if (row.of == TermOf::kRemainder) {
      const char* const end = other.data() + other.size();
      const auto parsed = std::from_chars(other.data(), end, literal.with);
      if (parsed.ec != std::errc() || parsed.ptr != end || literal.with < 1) return false;
    } else {
      const std::size_t position = CircumstanceOf(other);
      if (position == AllCircumstances().size()) return false;
      literal.with = static_cast<std::int64_t>(position);
    }
    break;
  }
  literal.circumstance = CircumstanceOf(own);
  return literal.circumstance < AllCircumstances().size();
}

Literal Negated(Literal literal) {
  switch (literal.test) {
    case LiteralTest::kIs:
      literal.test = LiteralTest::kIsNot;
      break;
    case LiteralTest::kIsNot:
      literal.test = LiteralTest::kIs;
      break;
    case LiteralTest::kAtLeast:
      literal.test = LiteralTest::kAtMost;
      --literal.value;
      break;
    case LiteralTest::kAtMost:
      literal.test = LiteralTest::kAtLeast;
      ++literal.value;
      break;
  }
  return literal;
}

std::string LiteralText(const Literal& literal) {
  const Circumstance& row = AllCircumstances()[literal.circumstance];
  if (row.kind == Kind::kFlag) {
    const bool holds = (literal.value != 0) == (literal.test == LiteralTest::kIs);
    return holds ? row.text : row.negation;
  }
  if (row.kind == Kind::kWord) {
    const auto word = static_cast<std::size_t>(literal.value);
    return row.text + (literal.test == LiteralTest::kIs ? " is " : " is not ") +
           (word < row.words.size() ? row.words[word] : std::to_string(literal.value));
  }
  if (literal.of == TermOf::kDifference) {
    std::string comparison = ComparisonText(literal);
    if (!comparison.empty()) return comparison;
  }
  const std::string text = TermText(literal);
  switch (literal.test) {
    case LiteralTest::kIs:
      return text + " = " + std::to_string(literal.value);
    case LiteralTest::kIsNot:
      return text + " != " + std::to_string(literal.value);
    case LiteralTest::kAtLeast:
      return text + " > " + std::to_string(literal.value - 1);
    case LiteralTest::kAtMost:
      break;
  }
  return text + " <= " + std::to_string(literal.value);
}

std::string RuleText(const Rule& rule) {
  if (rule.empty()) return "always";
  std::string text;
  for (const Literal& literal : rule) text += (text.empty() ? "" : " and ") + LiteralText(literal);
  return text;
}

std::optional<Rule> LearnRule(const std::vector<Example>& examples) {
  return Learner(examples).Learn();
}

void MergeRules(std::vector<Rule>& rules, const std::vector<Example>& examples) {
  std::vector<const Example*> all;
  all.reserve(examples.size());
  for (const Example& example : examples) all.push_back(&example);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (std::size_t k = i + 1; k < rules.size();) {
      const bool always = rules[i].empty() || rules[k].empty();
      std::optional<Rule> merged = always ? std::nullopt : MergedRule(rules[i], rules[k], all);
      if (!merged) {
        ++k;
        continue;
      }
      rules[i] = *std::move(merged);
      rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(k));
      k = i + 1;
    }
  }
}

std::vector<Rule> LearnRules(std::vector<Example> examples) {
  const std::vector<Example> all = examples;
  std::vector<Rule> rules;
  while (rules.size() < kMostRules) {
    std::optional<Rule> learnt = Learner(examples).Learn();
    if (!learnt) break;
    const auto before = examples.size();
    std::erase_if(examples, [&](const Example& example) {
      return example.label == Label::kFails && MayHold(*learnt, example.values);
    });
    if (examples.size() == before) break;
    rules.push_back(*std::move(learnt));
  }
  MergeRules(rules, all);
  return rules;
}

}  // namespace poolproof
