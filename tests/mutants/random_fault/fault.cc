// SPDX-License-Identifier: Apache-2.0

#include "fault.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace mutants::random_fault {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Effect::kCount)> kEffectNames = {
    "lost",     "moved",        "stored",    "ulp",       "not_cleared", "refused",
    "accepted", "other_status", "crash_one", "crash_two", "hang"};

constexpr std::array<std::string_view, 4> kCompareNames = {">=", "<", ">", "=="};

std::vector<std::string_view> Split(std::string_view text, std::string_view at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + at.size());
  }
}

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What a fact is compared with: a number, or one of its words.
std::optional<int64_t> ValueOf(Fact fact, std::string_view text) {
  for (const Word& word : RowOf(fact).words) {
    if (word.text == text) return word.value;
  }
  return NumberOf(text);
}

std::string ValueText(Fact fact, int64_t value) {
  for (const Word& word : RowOf(fact).words) {
    if (word.value == value) return std::string(word.text);
  }
  return std::to_string(value);
}

bool IsPlainFlag(const Condition& condition) {
  return RowOf(condition.fact).family == Family::kFlag && !condition.times &&
         condition.modulus == 0 && condition.compare == Compare::kEquals && !condition.other &&
         condition.value == 1;
}

// [not] fact [* fact] [% number] [comparison (fact | number | word)]
std::optional<Condition> ParseCondition(std::string_view text) {
  std::vector<std::string_view> tokens = Split(text, " ");
  std::reverse(tokens.begin(), tokens.end());
  const auto next = [&]() -> std::string_view {
    if (tokens.empty()) return {};
    const std::string_view token = tokens.back();
    tokens.pop_back();
    return token;
  };
  const auto take = [&](std::string_view token) {
    if (tokens.empty() || tokens.back() != token) return false;
    tokens.pop_back();
    return true;
  };
  Condition condition;
  condition.negated = take("not");
  const std::optional<Fact> fact = FactNamed(next());
  if (!fact) return std::nullopt;
  condition.fact = *fact;
  condition.value = 1;
  if (tokens.empty()) return IsPlainFlag(condition) ? std::optional(condition) : std::nullopt;
  if (take("*")) {
    condition.times = FactNamed(next());
    if (!condition.times) return std::nullopt;
  }
  if (take("%")) {
    const std::optional<int64_t> modulus = NumberOf(next());
    if (!modulus || *modulus < 1) return std::nullopt;
    condition.modulus = *modulus;
  }
  const auto* compare = std::find(kCompareNames.begin(), kCompareNames.end(), next());
  if (compare == kCompareNames.end()) return std::nullopt;
  condition.compare = static_cast<Compare>(compare - kCompareNames.begin());
  const std::string_view right = next();
  condition.other = FactNamed(right);
  condition.value = 0;
  if (!condition.other) {
    const std::optional<int64_t> value = ValueOf(condition.fact, right);
    if (!value) return std::nullopt;
    condition.value = *value;
  }
  return tokens.empty() ? std::optional(condition) : std::nullopt;
}

bool ParseRate(std::string_view text, RandomFault& fault) {
  const std::vector<std::string_view> parts = Split(text, " of ");
  if (parts.size() != 2) return false;
  const std::optional<int64_t> strikes = NumberOf(parts[0]);
  const std::optional<int64_t> of = NumberOf(parts[1]);
  if (!strikes || !of || *strikes < 1 || *strikes >= *of) return false;
  fault.strikes = *strikes;
  fault.of = *of;
  return true;
}

}  // namespace

std::string_view EffectName(Effect effect) {
  return kEffectNames[static_cast<std::size_t>(effect)];
}

bool StrikesInPhaseOne(Effect effect) {
  return effect == Effect::kRefused || effect == Effect::kCrashOne || StrikesWhatIsRefused(effect);
}

bool StrikesWhatIsRefused(Effect effect) {
  return effect == Effect::kAccepted || effect == Effect::kOtherStatus;
}

bool IsOfNumbers(Effect effect) { return effect <= Effect::kNotCleared; }

bool Holds(const Condition& condition, const Facts& facts) {
  const auto value_of = [&](Fact fact) { return facts[static_cast<std::size_t>(fact)]; };
  int64_t left = value_of(condition.fact);
  if (left == kNone) return false;
  if (condition.times) {
    const int64_t factor = value_of(*condition.times);
    if (factor == kNone || __builtin_mul_overflow(left, factor, &left)) return false;
  }
  if (condition.modulus > 0) {
    left %= condition.modulus;
    if (left < 0) left += condition.modulus;
  }
  const int64_t right = condition.other ? value_of(*condition.other) : condition.value;
  if (right == kNone) return false;
  bool holds = false;
  switch (condition.compare) {
    case Compare::kAtLeast:
      holds = left >= right;
      break;
    case Compare::kBelow:
      holds = left < right;
      break;
    case Compare::kAbove:
      holds = left > right;
      break;
    case Compare::kEquals:
      holds = left == right;
      break;
  }
  return holds != condition.negated;
}

bool TriggerHolds(const RandomFault& fault, int op, const Facts& facts) {
  return (fault.op < 0 || fault.op == op) &&
         std::all_of(fault.conditions.begin(), fault.conditions.end(),
                     [&](const Condition& condition) { return Holds(condition, facts); });
}

std::string TextOf(const Condition& condition) {
  std::string text = condition.negated ? "not " : "";
  text += RowOf(condition.fact).name;
  if (IsPlainFlag(condition)) return text;
  if (condition.times) text += " * " + std::string(RowOf(*condition.times).name);
  if (condition.modulus > 0) text += " % " + std::to_string(condition.modulus);
  text += ' ' + std::string(kCompareNames[static_cast<std::size_t>(condition.compare)]) + ' ';
  if (condition.other) return text + std::string(RowOf(*condition.other).name);
  return text + (condition.modulus > 0 || condition.times
                     ? std::to_string(condition.value)
                     : ValueText(condition.fact, condition.value));
}

std::string TextOf(const RandomFault& fault) {
  std::string text = fault.op < 0 ? std::string("all")
                                  : std::string(kOperatorNames[static_cast<std::size_t>(fault.op)]);
  text += " : ";
  if (fault.conditions.empty()) text += "always";
  for (std::size_t i = 0; i < fault.conditions.size(); ++i) {
    text += (i > 0 ? " and " : "") + TextOf(fault.conditions[i]);
  }
  text += " : " + std::string(EffectName(fault.effect));
  if (fault.IsSteady()) return text;
  return text + " : " + std::to_string(fault.strikes) + " of " + std::to_string(fault.of);
}

std::optional<RandomFault> ParseFault(std::string_view text, std::string& problem) {
  const auto wrong = [&](std::string_view part) -> std::optional<RandomFault> {
    problem = "'" + std::string(part) + "' is not understood";
    return std::nullopt;
  };
  const std::vector<std::string_view> parts = Split(text, " : ");
  if (parts.size() != 3 && parts.size() != 4) return wrong(text);
  RandomFault fault;
  if (parts[0] != "all") {
    const auto* op = std::find(kOperatorNames.begin(), kOperatorNames.end(), parts[0]);
    if (op == kOperatorNames.end()) return wrong(parts[0]);
    fault.op = static_cast<int>(op - kOperatorNames.begin());
  }
  if (parts[1] != "always") {
    for (const std::string_view one : Split(parts[1], " and ")) {
      const std::optional<Condition> condition = ParseCondition(one);
      if (!condition) return wrong(one);
      fault.conditions.push_back(*condition);
    }
  }
  const auto* effect = std::find(kEffectNames.begin(), kEffectNames.end(), parts[2]);
  if (effect == kEffectNames.end()) return wrong(parts[2]);
  fault.effect = static_cast<Effect>(effect - kEffectNames.begin());
  if (parts.size() == 4 && !ParseRate(parts[3], fault)) return wrong(parts[3]);
  return fault;
}

std::string TextOf(const RandomFaults& faults) {
  std::string text;
  for (const RandomFault& fault : faults) text += (text.empty() ? "" : " ; ") + TextOf(fault);
  return text;
}

RandomFaults ParseFaults(std::string_view text, std::string& problem) {
  RandomFaults faults;
  for (const std::string_view one : Split(text, " ; ")) {
    const std::optional<RandomFault> fault = ParseFault(one, problem);
    if (!fault) return {};
    faults.push_back(*fault);
  }
  return faults;
}

}  // namespace mutants::random_fault
