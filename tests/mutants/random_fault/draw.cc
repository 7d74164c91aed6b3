// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "fault.h"

namespace mutants::random_fault {
namespace {

// splitmix64.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
  }
  // Below `bound`.
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(Next() % static_cast<std::uint64_t>(bound));
  }
  bool Percent(int64_t percent) { return Below(100) < percent; }
  // Small ones more often: the least of two.
  int64_t Between(int64_t least, int64_t most) {
    return least + std::min(Below(most - least + 1), Below(most - least + 1));
  }
  template <typename Range>
  auto OneOf(const Range& range) {
    return range[static_cast<std::size_t>(Below(static_cast<int64_t>(std::size(range))))];
  }

 private:
  std::uint64_t state_;
};

struct Weighted {
  Effect effect;
  int64_t weight;
};
constexpr Weighted kEffects[] = {
    {Effect::kLost, 18},    {Effect::kMoved, 12},      {Effect::kStored, 10},
    {Effect::kUlp, 10},     {Effect::kNotCleared, 10}, {Effect::kRefused, 12},
    {Effect::kAccepted, 8}, {Effect::kOtherStatus, 6}, {Effect::kCrashOne, 3},
    {Effect::kCrashTwo, 7}, {Effect::kHang, 4},
};

Effect DrawEffect(Chance& chance) {
  int64_t sum = 0;
  for (const Weighted& one : kEffects) sum += one.weight;
  int64_t left = chance.Below(sum);
  for (const Weighted& one : kEffects) {
    left -= one.weight;
    if (left < 0) return one.effect;
  }
  return Effect::kLost;
}

bool IsAdaptive(int op) { return op >= 2; }
bool HasDepth(int op) { return op == 0 || op == 2; }

bool IsOfWindows(Family family) {
  return family == Family::kKernel || family == Family::kStride || family == Family::kPadding ||
         family == Family::kLength;
}

// Whether calls that the fault may strike have the fact, as far as that is plain.
bool Fits(const FactRow& row, const RandomFault& fault) {
  if (row.IsOfRun() && StrikesInPhaseOne(fault.effect)) return false;
  if (row.fact == Fact::kNulls && !StrikesWhatIsRefused(fault.effect)) return false;
  // What was called before and where memory lies is no matter of checks.
  if (row.fact == Fact::kCallsBefore && StrikesWhatIsRefused(fault.effect)) return false;
  if (fault.op < 0) return true;
  const bool of_windows =
      IsOfWindows(row.family) || row.fact == Fact::kCeil || row.fact == Fact::kDilation;
  if (of_windows && IsAdaptive(fault.op)) return false;
  const bool of_depth = row.fact == Fact::kD || row.fact == Fact::kOutD ||
                        row.fact == Fact::kKernelD || row.fact == Fact::kStrideD ||
                        row.fact == Fact::kPaddingD;
  return !of_depth || HasDepth(fault.op);
}

int64_t WeightOf(Family family) {
  switch (family) {
    case Family::kExtent:
      return 6;
    case Family::kOutExtent:
    case Family::kKernel:
      return 3;
    case Family::kStride:
    case Family::kPadding:
    case Family::kFlag:
    case Family::kData:
      return 2;
    case Family::kLength:
    case Family::kType:  // three of them are one in calls that are in order
    case Family::kView:
    case Family::kOther:
      return 1;
  }
  return 1;
}

const FactRow& DrawFact(Chance& chance, const RandomFault& fault) {
  std::vector<const FactRow*> deck;
  for (const FactRow& row : FactRows()) {
    const bool taken = std::any_of(
        fault.conditions.begin(), fault.conditions.end(), [&](const Condition& condition) {
          return condition.fact == row.fact || condition.other == row.fact;
        });
    if (taken || !Fits(row, fault)) continue;
    deck.insert(deck.end(), static_cast<std::size_t>(WeightOf(row.family)), &row);
  }
  return *chance.OneOf(deck);
}

bool IsMeasure(Family family) {
  return family == Family::kExtent || family == Family::kOutExtent || family == Family::kKernel ||
         family == Family::kStride || family == Family::kPadding;
}

// Another fact that it makes sense to compare with, or to multiply by.
std::optional<Fact> DrawPartner(Chance& chance, const FactRow& row, const RandomFault& fault) {
  std::vector<Fact> deck;
  for (const FactRow& other : FactRows()) {
    const bool alike = other.family == row.family ||
                       (row.family == Family::kKernel && other.family == Family::kStride);
    if (alike && other.fact != row.fact && Fits(other, fault)) deck.push_back(other.fact);
  }
  if (deck.empty()) return std::nullopt;
  return chance.OneOf(deck);
}

void DrawComparison(Chance& chance, const FactRow& row, Condition& condition) {
  condition.value = chance.Between(row.least, row.most);
  constexpr std::array kCompares = {Compare::kAtLeast, Compare::kAtLeast, Compare::kBelow,
                                    Compare::kEquals};
  condition.compare = chance.OneOf(kCompares);
  // Nothing lies below the least.
  if (condition.compare == Compare::kBelow && condition.value == row.least) ++condition.value;
}

Condition DrawCondition(Chance& chance, const RandomFault& fault) {
  constexpr std::array<int64_t, 5> kModuli = {2, 3, 4, 5, 8};
  const FactRow& row = DrawFact(chance, fault);
  Condition condition;
  condition.fact = row.fact;
  if (row.family == Family::kFlag) {
    condition.value = 1;
    condition.negated = chance.Percent(50);
    return condition;
  }
  condition.negated = chance.Percent(10);
  if (!row.words.empty()) {
    // The first three are those of calls that are in order.
    const auto count = static_cast<int64_t>(StrikesWhatIsRefused(fault.effect)
                                                ? row.words.size()
                                                : std::min<std::size_t>(row.words.size(), 3));
    condition.value = row.words[static_cast<std::size_t>(chance.Below(count))].value;
    return condition;
  }
  const int64_t kind = chance.Below(100);
  if (IsMeasure(row.family) && kind < 25) {
    condition.other = DrawPartner(chance, row, fault);
    constexpr std::array kCompares = {Compare::kAbove, Compare::kBelow, Compare::kEquals};
    condition.compare = chance.OneOf(kCompares);
    if (condition.other) return condition;
  }
  const bool is_extent = row.family == Family::kExtent || row.family == Family::kOutExtent;
  if (is_extent && kind < 35) {
    condition.times = DrawPartner(chance, row, fault);
    if (condition.times) {
      condition.value = chance.Between(row.least, row.most) * chance.Between(2, 16);
      condition.compare = chance.Percent(60) ? Compare::kAtLeast : Compare::kBelow;
      return condition;
    }
  }
  if ((is_extent || row.fact == Fact::kC) && kind < 55) {
    condition.modulus = chance.OneOf(kModuli);
    condition.value = chance.Below(condition.modulus);
    condition.compare = Compare::kEquals;
    return condition;
  }
  DrawComparison(chance, row, condition);
  // What a process forgets to set up shows in the first calls of all: it is not drawn, since a case
  // by itself would show it always.
  if (row.fact == Fact::kCallsBefore) {
    condition.negated = false;
    condition.compare = Compare::kAtLeast;
  }
  return condition;
}

}  // namespace

RandomFault DrawFault(std::uint64_t seed) {
  Chance chance(seed);
  RandomFault fault;
  fault.effect = DrawEffect(chance);
  fault.op = static_cast<int>(chance.Below(6)) - 2;
  if (fault.op < 0) fault.op = chance.Percent(50) ? -1 : 0;
  const int64_t kind = chance.Below(100);
  const int count = kind < 25 ? 1 : kind < 65 ? 2 : 3;
  for (int i = 0; i < count; ++i) fault.conditions.push_back(DrawCondition(chance, fault));
  if (!StrikesWhatIsRefused(fault.effect) && chance.Percent(15)) {
    fault.of = chance.Between(2, 12);
    fault.strikes = 1 + chance.Below(fault.of - 1);
  }
  return fault;
}

}  // namespace mutants::random_fault
