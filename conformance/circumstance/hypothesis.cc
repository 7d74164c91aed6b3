// SPDX-License-Identifier: Apache-2.0
#include "conformance/circumstance/hypothesis.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace poolproof {
namespace {

using Kind = Circumstance::Kind;
using Measure = Circumstance::Measure;

// The values of what a condition is about in the failing cases; not `known` where one lacks it.
struct Span {
  bool known = true;
  std::int64_t least = 0;
  std::int64_t most = 0;
  [[nodiscard]] bool IsOne() const { return least == most; }
};

Span SpanOf(const Literal& term, const std::vector<const CircumstanceValues*>& cases) {
  Span span;
  bool first = true;
  for (const CircumstanceValues* values : cases) {
    const std::int64_t own = term.ValueIn(*values);
    // Of what nobody looked at anything may hold.
    if (own == kNotLookedAt) continue;
    if (!IsValue(own)) return {false};
    span.least = first ? own : std::min(span.least, own);
    span.most = first ? own : std::max(span.most, own);
    first = false;
  }
  span.known = !first;
  return span;
}

}  // namespace

bool IsLength(const Circumstance& row) {
  return row.measure == Measure::kExtent || row.measure == Measure::kWindow;
}

double BitsOf(const Literal& literal) {
  const Circumstance& row = AllCircumstances()[literal.circumstance];
  double bits = 4 + 1.5 * row.effort;
  if (row.kind == Kind::kNumber) bits += 2;
  if (row.kind == Kind::kWord) bits += 1;
  if (row.kind != Kind::kFlag && literal.test == LiteralTest::kIsNot) bits += 2;
  if (literal.of == TermOf::kItself) return bits;
  if (literal.of == TermOf::kRemainder) return bits + 2 + static_cast<double>(literal.with) / 4;
  const Circumstance& other = AllCircumstances()[static_cast<std::size_t>(literal.with)];
  // By how much they differ is a number of its own.
  if (literal.of == TermOf::kDifference && std::abs(literal.value) > 1) bits += 2;
  // Lengths of one kind are compared more often: "in_d" and "in_h".
  const bool alike =
      row.name.substr(0, row.name.find('_')) == other.name.substr(0, other.name.find('_'));
  return bits + (alike ? 1.5 : 3.5) + (literal.of == TermOf::kProduct ? 1.5 : 0);
}

Hypotheses::Hypotheses(std::vector<const CircumstanceValues*> failing, std::vector<Passing> passing)
    : failing_(std::move(failing)), passing_(std::move(passing)) {
  for (const Passing& one : passing_) all_ += one.weight;
  const std::span<const Circumstance> rows = AllCircumstances();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!IsOfHiding(i) && !rows[i].of_recipe) AddRow(i);
  }
  AddPairs();
  std::stable_sort(columns_.begin(), columns_.end(),
                   [](const Column& a, const Column& b) { return a.bits < b.bits; });
  conditions_.reserve(columns_.size());
  for (const Column& column : columns_) conditions_.push_back(column.literal);
}

void Hypotheses::Add(Literal literal) {
  Column column = {literal, BitsOf(literal), ExcludedBy(literal), 0};
  column.excluded = WeightOf(column.excludes);
  columns_.push_back(std::move(column));
}

Hypotheses::Words Hypotheses::ExcludedBy(const Literal& literal) const {
  Words words((passing_.size() + 63) / 64, 0);
  for (std::size_t i = 0; i < passing_.size(); ++i) {
    words[i / 64] |= std::uint64_t{!literal.Holds(*passing_[i].values)} << (i % 64);
  }
  return words;
}

double Hypotheses::WeightOf(const Words& words) const {
  double weight = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::uint64_t left = words[i]; left != 0; left &= left - 1) {
      weight += passing_[i * 64 + static_cast<std::size_t>(std::countr_zero(left))].weight;
    }
  }
  return weight;
}

void Hypotheses::AddRow(std::size_t row) {
  const Kind kind = AllCircumstances()[row].kind;
  const Literal term = {row};
  const Span span = SpanOf(term, failing_);
  if (!span.known) return;
  if (span.IsOne()) Add({row, LiteralTest::kIs, span.least});
  if (kind == Kind::kFlag) return;
  const bool counts = AllCircumstances()[row].measure != Measure::kNone;
  using Limits = std::numeric_limits<std::int64_t>;
  if (kind == Kind::kWord) AddOthers(row, Limits::min(), Limits::max());
  if (counts) AddOthers(row, span.least, span.most);
  if (kind == Kind::kWord) return;
  Add({row, LiteralTest::kAtLeast, span.least});
  Add({row, LiteralTest::kAtMost, span.most});
  if (counts) AddRemainders(row);
}

// That it is none of the values between these two which no failing case has, where this pays its
// bits.
void Hypotheses::AddOthers(std::size_t row, std::int64_t least, std::int64_t most) {
  std::map<std::int64_t, double> weights;
  for (const Passing& one : passing_) {
    const std::int64_t own = (*one.values)[row];
    if (IsValue(own) && own > least && own < most) weights[own] += one.weight;
  }
  for (const CircumstanceValues* values : failing_) weights.erase((*values)[row]);
  for (const auto& [value, weight] : weights) {
    const Literal literal = {row, LiteralTest::kIsNot, value};
    if (weight >= BitsOf(literal)) Add(literal);
  }
}

void Hypotheses::AddRemainders(std::size_t row) {
  for (std::int64_t modulus = 2; modulus <= kMostModulus; ++modulus) {
    std::set<std::int64_t> seen;
    for (const CircumstanceValues* values : failing_) {
      const std::int64_t own = (*values)[row];
      if (own < 0) return;
      seen.insert(own % modulus);
    }
    if (seen.size() == 1) {
      Add({row, LiteralTest::kIs, *seen.begin(), TermOf::kRemainder, modulus});
    } else if (static_cast<std::int64_t>(seen.size()) == modulus - 1) {
      std::int64_t left = 0;
      while (seen.contains(left)) ++left;
      Add({row, LiteralTest::kIsNot, left, TermOf::kRemainder, modulus});
    } else if (!seen.contains(0)) {
      Add({row, LiteralTest::kIsNot, 0, TermOf::kRemainder, modulus});  // no multiple
    }
  }
}

// What is the same in all cases is a number, and comparing with it says no more than that.
bool Hypotheses::Varies(std::size_t row) const {
  std::optional<std::int64_t> first;
  const auto differs = [&](const CircumstanceValues& values) {
    if (!IsValue(values[row])) return false;
    if (!first) first = values[row];
    return *first != values[row];
  };
  return std::any_of(failing_.begin(), failing_.end(),
                     [&](const CircumstanceValues* values) { return differs(*values); }) ||
         std::any_of(passing_.begin(), passing_.end(),
                     [&](const Passing& one) { return differs(*one.values); });
}

void Hypotheses::AddPairs() {
  const std::span<const Circumstance> rows = AllCircumstances();
  std::vector<std::size_t> measures;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (IsLength(rows[i]) && Varies(i)) measures.push_back(i);
  }
  for (std::size_t a = 0; a < measures.size(); ++a) {
    for (std::size_t b = a + 1; b < measures.size(); ++b) {
      Literal term = {measures[a], LiteralTest::kIs, 0, TermOf::kDifference,
                      static_cast<std::int64_t>(measures[b])};
      const Span span = SpanOf(term, failing_);
      if (!span.known) continue;
      const auto add = [&](bool fits, LiteralTest test, std::int64_t value) {
        if (!fits) return;
        term.test = test;
        term.value = value;
        Add(term);
      };
      bool equal = false;
      for (const CircumstanceValues* values : failing_) equal = equal || term.ValueIn(*values) == 0;
      add(span.least >= 2, LiteralTest::kAtLeast, span.least);
      add(span.least >= 1, LiteralTest::kAtLeast, 1);
      add(span.least >= 0, LiteralTest::kAtLeast, 0);
      add(span.most <= -2, LiteralTest::kAtMost, span.most);
      add(span.most <= -1, LiteralTest::kAtMost, -1);
      add(span.most <= 0, LiteralTest::kAtMost, 0);
      add(span.least == 0 && span.most == 0, LiteralTest::kIs, 0);
      add(!equal && span.least < 0 && span.most > 0, LiteralTest::kIsNot, 0);
      if (rows[measures[a]].measure != Measure::kExtent ||
          rows[measures[b]].measure != Measure::kExtent) {
        continue;
      }
      term.of = TermOf::kProduct;
      const Span product = SpanOf(term, failing_);
      add(product.known, LiteralTest::kAtLeast, product.least);
      add(product.known, LiteralTest::kAtMost, product.most);
    }
  }
}

std::vector<Hypothesis> Hypotheses::Best() const {
  struct State {
    std::vector<std::size_t> columns;
    Words excludes;
    double bits = 0;
    double wrong = 0;
    [[nodiscard]] double Loss() const { return bits + wrong; }
  };
  const State always = {{}, Words((passing_.size() + 63) / 64, 0), 0, all_};
  // Of columns that exclude the same cases one is enough.
  std::vector<std::size_t> distinct;
  std::set<Words> known;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].excluded > 0 && known.insert(columns_[i].excludes).second)
      distinct.push_back(i);
  }
  std::vector<State> beam = {always};
  std::vector<State> best = {always};
  std::set<Words> seen = {always.excludes};
  for (std::size_t length = 1; length <= kMostConditions; ++length) {
    std::vector<State> longer;
    for (const State& state : beam) {
      for (const std::size_t column : distinct) {
        const Column& more = columns_[column];
        double gained = 0;
        for (std::size_t i = 0; i < state.excludes.size(); ++i) {
          for (std::uint64_t left = more.excludes[i] & ~state.excludes[i]; left != 0;
               left &= left - 1) {
            gained += passing_[i * 64 + static_cast<std::size_t>(std::countr_zero(left))].weight;
          }
        }
        if (gained <= 0) continue;
        State next;
        next.bits = state.bits + more.bits;
        next.wrong = state.wrong - gained;
        if (longer.size() >= kBeam && next.Loss() >= longer.back().Loss()) continue;
        next.excludes = state.excludes;
        for (std::size_t i = 0; i < next.excludes.size(); ++i) next.excludes[i] |= more.excludes[i];
        next.columns = state.columns;
        next.columns.push_back(column);
        const bool twice = std::any_of(longer.begin(), longer.end(), [&](const State& other) {
          return other.excludes == next.excludes && other.Loss() <= next.Loss();
        });
        if (twice) continue;
        const auto place =
            std::upper_bound(longer.begin(), longer.end(), next,
                             [](const State& x, const State& y) { return x.Loss() < y.Loss(); });
        longer.insert(place, std::move(next));
        if (longer.size() > kBeam) longer.pop_back();
      }
    }
    for (const State& state : longer) {
      if (seen.insert(state.excludes).second) best.push_back(state);
    }
    beam = std::move(longer);
    if (beam.empty()) break;
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const State& a, const State& b) { return a.Loss() < b.Loss(); });
  std::vector<Hypothesis> hypotheses;
  for (const State& state : best) {
    Hypothesis hypothesis = {{}, state.bits, state.wrong};
    for (const std::size_t column : state.columns) {
      hypothesis.rule.push_back(columns_[column].literal);
    }
    std::sort(hypothesis.rule.begin(), hypothesis.rule.end(),
              [](const Literal& a, const Literal& b) {
                return std::tuple(a.circumstance, a.of, a.with, a.test) <
                       std::tuple(b.circumstance, b.of, b.with, b.test);
              });
    hypotheses.push_back(std::move(hypothesis));
    if (hypotheses.size() == kBeam) break;
  }
  return hypotheses;
}

std::vector<Rule> Hypotheses::Replacing(const Rule& rule) const {
  std::vector<Rule> rules;
  for (std::size_t at = 0; at < rule.size(); ++at) {
    Words others((passing_.size() + 63) / 64, 0);
    for (std::size_t i = 0; i < rule.size(); ++i) {
      if (i == at) continue;
      const Words own = ExcludedBy(rule[i]);
      for (std::size_t k = 0; k < own.size(); ++k) others[k] |= own[k];
    }
    Words needed = ExcludedBy(rule[at]);
    for (std::size_t k = 0; k < needed.size(); ++k) needed[k] &= ~others[k];
    for (const Column& column : columns_) {
      if (column.literal == rule[at]) continue;
      bool as_well = true;
      for (std::size_t k = 0; k < needed.size(); ++k) {
        as_well = as_well && (needed[k] & ~column.excludes[k]) == 0;
      }
      if (!as_well) continue;
      Rule other = rule;
      other[at] = column.literal;
      rules.push_back(std::move(other));
    }
  }
  return rules;
}

}  // namespace poolproof
