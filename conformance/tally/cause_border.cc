// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/cause_border.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "conformance/circumstance/circumstances.h"

namespace poolproof {
namespace {

using Kind = Circumstance::Kind;

// Values of an axis: more do not fit beside one another on a page.
constexpr std::size_t kMostValues = 6;

// Values of a circumstance that share a row or column: from `first` to `last`.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct Axis {
  std::size_t circumstance = 0;
  const Literal* literal = nullptr;  // of the rule; nullptr: the rule says nothing of it
  std::vector<Range> ranges;         // ascending
};

bool HoldsExcept(const Rule& rule, const std::vector<const Literal*>& left_out,
                 const CircumstanceValues& values) {
  return std::all_of(rule.begin(), rule.end(), [&](const Literal& literal) {
    return std::find(left_out.begin(), left_out.end(), &literal) != left_out.end() ||
           literal.Holds(values);
  });
}

// The conditions on single circumstances that keep most passing examples out, at most two.
std::vector<const Literal*> ThoseThatMatter(const Rule& rule,
                                            const std::vector<Example>& examples) {
  std::vector<std::pair<std::int64_t, const Literal*>> counts;  // negated
  for (const Literal& literal : rule) {
    if (literal.of != TermOf::kItself) continue;
    std::int64_t kept_out = 0;
    for (const Example& example : examples) {
      if (example.label == Label::kFails || literal.Holds(example.values)) continue;
      if (HoldsExcept(rule, {&literal}, example.values)) ++kept_out;
    }
    counts.emplace_back(-kept_out, &literal);
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Literal*> literals;
  for (const auto& [count, literal] : counts) {
    const bool known = !literals.empty() && literals[0]->circumstance == literal->circumstance;
    if (literals.size() < 2 && !known) literals.push_back(literal);
  }
  return literals;
}

// Ranges of numbers: they end at the border of the condition, and otherwise where about as many
// cases lie in each.
std::vector<Range> RangesOf(const std::map<std::int64_t, std::int64_t>& counts,
                            const Literal* literal) {
  std::vector<Range> ranges;
  std::int64_t all = 0;
  for (const auto& [value, count] : counts) all += count;
  const bool few = counts.size() <= kMostValues;
  // The border cuts one of them.
  const std::int64_t share = all / static_cast<std::int64_t>(kMostValues - 1) + 1;
  std::int64_t own = 0;
  std::int64_t before = 0;
  for (const auto& [value, count] : counts) {
    const bool border = literal != nullptr && !ranges.empty() &&
                        literal->HoldsOf(value) != literal->HoldsOf(before);
    if (ranges.empty() || few || border || (own >= share && ranges.size() + 2 <= kMostValues)) {
      ranges.push_back({value, value});
      own = 0;
    }
    ranges.back().last = value;
    own += count;
    before = value;
  }
  return ranges;
}

Axis AxisOf(std::size_t circumstance, const Literal* literal,
            const std::vector<const Example*>& examples) {
  Axis axis = {circumstance, literal, {}};
  std::map<std::int64_t, std::int64_t> counts;
  for (const Example* example : examples) ++counts[example->values[circumstance]];
  if (AllCircumstances()[circumstance].kind == Kind::kNumber) {
    const auto none = counts.find(kNoValue);
    if (none != counts.end()) {
      counts.erase(none);
      axis.ranges.push_back({kNoValue, kNoValue});
    }
    for (const Range& range : RangesOf(counts, literal)) axis.ranges.push_back(range);
  } else {
    for (const auto& [value, count] : counts) axis.ranges.push_back({value, value});
  }
  return axis;
}

std::string TextOf(const Circumstance& row, const Range& range) {
  if (range.first == kNoValue) return "has none";
  if (row.kind == Kind::kFlag) return range.first != 0 ? "yes" : "no";
  if (row.kind == Kind::kWord) {
    const auto word = static_cast<std::size_t>(range.first);
    return word < row.words.size() ? row.words[word] : std::to_string(range.first);
  }
  const std::string first = std::to_string(range.first);
  return range.first == range.last ? first : first + " to " + std::to_string(range.last);
}

CauseBorder::Axis InWords(const Axis& axis) {
  const Circumstance& row = AllCircumstances()[axis.circumstance];
  CauseBorder::Axis words = {row.name, row.text, {}};
  for (const Range& range : axis.ranges) words.values.push_back(TextOf(row, range));
  return words;
}

std::size_t PlaceOf(const Axis& axis, const CircumstanceValues& values) {
  const std::int64_t value = values[axis.circumstance];
  const auto place = std::find_if(axis.ranges.begin(), axis.ranges.end(), [&](const Range& range) {
    return value >= range.first && value <= range.last;
  });
  return static_cast<std::size_t>(place - axis.ranges.begin());
}

bool Foretold(const Axis& axis, std::size_t place) {
  return axis.literal == nullptr || axis.literal->HoldsOf(axis.ranges[place].first);
}

// What a rule with one condition does not depend on, as far as there is more than one of it.
std::size_t SecondCircumstance(std::size_t first, const std::vector<Example>& examples) {
  for (const char* name : {"operator", "dtype", "in_w"}) {
    const std::size_t place = CircumstanceOf(name);
    std::set<std::int64_t> values;
    for (const Example& example : examples) values.insert(example.values[place]);
    if (place != first && values.size() > 1) return place;
  }
  return CircumstanceOf(first == CircumstanceOf("operator") ? "dtype" : "operator");
}

}  // namespace

std::optional<CauseBorder> BorderOf(const Rule& rule, const std::vector<Example>& examples) {
  if (rule.empty()) return std::nullopt;
  const std::vector<const Literal*> literals = ThoseThatMatter(rule, examples);
  if (literals.empty()) return std::nullopt;
  const Literal* second = literals.size() > 1 ? literals[1] : nullptr;
  const std::size_t down_of = second != nullptr
                                  ? second->circumstance
                                  : SecondCircumstance(literals[0]->circumstance, examples);
  std::vector<const Example*> counted;
  std::array<bool, 2> seen = {false, false};
  for (const Example& example : examples) {
    if (example.values[literals[0]->circumstance] == kNotLookedAt ||
        example.values[down_of] == kNotLookedAt || !HoldsExcept(rule, literals, example.values)) {
      continue;
    }
    counted.push_back(&example);
    seen[example.label == Label::kFails ? 0 : 1] = true;
  }
  if (!seen[0] || !seen[1]) return std::nullopt;
  const Axis across = AxisOf(literals[0]->circumstance, literals[0], counted);
  const Axis down = AxisOf(down_of, second, counted);
  CauseBorder border = {InWords(across), InWords(down), {}};
  const std::size_t columns = across.ranges.size();
  border.cells.resize(columns * down.ranges.size());
  for (std::size_t i = 0; i < border.cells.size(); ++i) {
    border.cells[i].foretold = Foretold(across, i % columns) && Foretold(down, i / columns);
  }
  for (const Example* example : counted) {
    const std::size_t place =
        PlaceOf(down, example->values) * columns + PlaceOf(across, example->values);
    ++(example->label == Label::kFails ? border.cells[place].failing : border.cells[place].passing);
  }
  return border;
}

}  // namespace poolproof
