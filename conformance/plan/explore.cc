// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/explore.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/gen/sources.h"
#include "conformance/spec/profile_rules.h"
#include "core/random.h"

namespace poolproof {
namespace {

constexpr std::uint64_t kRound = 512;
constexpr std::uint64_t kCandidates = 4;
// Rounds whose choices are kept: a plan is read from front to back.
constexpr std::size_t kKeptRounds = 256;
// Elements of a tensor beyond which a case costs more than it tells.
constexpr std::int64_t kMostElements = std::int64_t{1} << 19;

// A power of two, or its neighbour.
std::int64_t NearPower(RandomStream& random, std::int64_t highest) {
  const std::int64_t power = std::int64_t{1} << random.Between(0, highest);
  return std::max<std::int64_t>(1, power + random.Between(-1, 1));
}

// Planes whose extents lie around powers of two, up to some hundred thousand elements.
Case SizedCase(const ProfileRules& rules, std::uint64_t seed) {
  RandomStream random(seed);
  const std::vector<Operator> operators = rules.CoveredBackwards();
  const Operator op = operators[random.Below(operators.size())];
  const std::vector<DataType> types = rules.ValueTypes(op);
  const DataType type = types[random.Below(types.size())];
  const bool flat = InfoOf(op).spatial_rank == 2;
  const std::int64_t width = NearPower(random, 11);
  std::int64_t height = NearPower(random, 9);
  std::int64_t depth = flat ? 1 : random.Between(1, 3);
  std::int64_t channels = random.Between(1, 5);
  while (width * height * depth * channels > kMostElements) {
    if (channels > 1) {
      --channels;
    } else if (depth > 1) {
      --depth;
    } else {
      height = (height + 1) / 2;
    }
  }
  Dims plane = {depth, height, width};
  if (flat) plane.erase(plane.begin());
  BaseGeometry geometry = {
      .self = {1, channels}, .padding = {0}, .dilation = {1}, .ceil_mode = random.OneIn(3)};
  for (const std::int64_t extent : plane) {
    geometry.self.push_back(extent);
    geometry.kernel.push_back(std::min<std::int64_t>(extent, random.Between(1, 3)));
    geometry.stride.push_back(random.Between(1, 3));
    geometry.output.push_back(
        std::max<std::int64_t>(1, extent / random.Between(1, 4) - random.Between(0, 1)));
  }
  Call call = MakeBackward(op, type, DataType::kInt32, geometry);
  Data& gradients = call.tensor(Role::kGradOutput).data;
  gradients.kind = random.OneIn(2) ? DataKind::kCoded : DataKind::kExact;
  gradients.seed = random.Next() >> 32U;
  call.tensor(Role::kIndices).data.kind = random.OneIn(2) ? DataKind::kWindow : DataKind::kArgmax;
  call.tensor(Role::kIndices).data.seed = random.Next() >> 32U;
  Case problem;
  problem.calls.push_back(std::move(call));
  return problem;
}

NamedCase Candidate(const ProfileRules& rules, std::uint64_t seed, std::uint64_t index,
                    std::uint64_t candidate) {
  const std::uint64_t own = RandomBits(Scramble(seed ^ 0x6578706c6f7265ULL),  // "explore"
                                       index * kCandidates + candidate);
  NamedCase named;
  std::uint64_t share = RandomBelow(own, 0, 100);
  for (const RandomFamily& family : RandomFamilies()) {
    if (share < family.explored) {
      named.problem = RandomCase(rules, family, own, index).problem;
      break;
    }
    share -= family.explored;
  }
  // What is left over are sizes around powers of two.
  if (named.problem.calls.empty()) named.problem = SizedCase(rules, own);
  named.family = "explore";
  named.name = std::to_string(index);
  return named;
}

// The class of an extent: its power of two, and where it lies beside it.
std::uint8_t SizeClass(std::int64_t extent) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(1, extent));
  const std::uint64_t near = std::has_single_bit(value)       ? 0
                             : std::has_single_bit(value + 1) ? 1
                             : std::has_single_bit(value - 1) ? 2
                                                              : 3;
  return static_cast<std::uint8_t>(4 * static_cast<std::uint64_t>(std::bit_width(value)) + near);
}

// Finer than what reports count: sizes too.
std::vector<std::uint8_t> FineClassesOf(const Case& problem) {
  const std::optional<CoverageKey> key = CoverageOf(problem);
  if (!key) return {};
  std::vector<std::uint8_t> classes = ClassesOf(*key);
  const Call& call = problem.calls.front();
  const TensorSpec& self = call.tensor(Role::kSelf);
  const OperatorInfo& info = InfoOf(call.op);
  const auto rank = static_cast<std::size_t>(info.spatial_rank);
  if (self.shape.size() <= rank) return classes;
  const std::int64_t plane = PlaneElements(self.shape, info.spatial_rank).value_or(0);
  classes.push_back(SizeClass(self.shape.back()));
  classes.push_back(static_cast<std::uint8_t>(std::bit_width(static_cast<std::uint64_t>(plane))));
  classes.push_back(static_cast<std::uint8_t>(self.shape[self.shape.size() - rank - 1] % 2));
  classes.push_back(static_cast<std::uint8_t>(call.tensor(Role::kGradOutput).data.kind));
  classes.push_back(static_cast<std::uint8_t>(call.tensor(Role::kIndices).data.kind));
  return classes;
}

using Round = std::vector<std::uint8_t>;  // the candidate that each index takes

class Explorer {
 public:
  Explorer(const ProfileRules& rules, std::uint64_t seed) : rules_(rules), seed_(seed) {}

  NamedCase At(std::uint64_t index) {
    const std::shared_ptr<const Round> round = RoundOf(index / kRound);
    return Candidate(rules_, seed_, index, (*round)[index % kRound]);
  }

 private:
  std::shared_ptr<const Round> RoundOf(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Round>& round = rounds_[number];
    if (round == nullptr) round = std::make_shared<const Round>(Choose(number));
    const std::shared_ptr<const Round> found = round;
    if (rounds_.size() > kKeptRounds) {
      rounds_.erase(rounds_.begin()->first == number ? std::prev(rounds_.end()) : rounds_.begin());
    }
    return found;
  }

  [[nodiscard]] Round Choose(std::uint64_t number) const {
    Round round;
    Combinations covered;
    for (std::uint64_t index = number * kRound; index < (number + 1) * kRound; ++index) {
      std::uint8_t best = 0;
      std::int64_t best_worth = -1;
      std::vector<std::uint8_t> best_classes;
      for (std::uint64_t candidate = 0; candidate < kCandidates; ++candidate) {
        std::vector<std::uint8_t> classes =
            FineClassesOf(Candidate(rules_, seed_, index, candidate).problem);
        const Combinations::Count added = covered.New(classes);
        // There are few pairs: they are worth more.
        const std::int64_t worth = 4 * added.pairs + added.triples;
        if (worth <= best_worth) continue;
        best_worth = worth;
        best = static_cast<std::uint8_t>(candidate);
        best_classes = std::move(classes);
      }
      covered.Add(best_classes);
      round.push_back(best);
    }
    return round;
  }

  const ProfileRules rules_;
  const std::uint64_t seed_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<const Round>> rounds_;
};

template <typename Visit>
void EachCombination(std::span<const std::uint8_t> classes, Visit visit) {
  const auto item = [&](std::size_t axis) {
    return (static_cast<std::uint64_t>(axis) << 8U | classes[axis]) + 1;
  };
  for (std::size_t a = 0; a < classes.size(); ++a) {
    for (std::size_t b = a + 1; b < classes.size(); ++b) {
      const std::uint64_t pair = item(a) << 20U | item(b);
      visit(pair, true);
      for (std::size_t c = b + 1; c < classes.size(); ++c) visit(pair << 20U | item(c), false);
    }
  }
}

}  // namespace

std::vector<std::uint64_t> CombinationsOf(std::span<const std::uint8_t> classes) {
  std::vector<std::uint64_t> combinations;
  EachCombination(classes,
                  [&](std::uint64_t combination, bool) { combinations.push_back(combination); });
  return combinations;
}

Combinations::Count Combinations::New(std::span<const std::uint8_t> classes) const {
  Count count;
  EachCombination(classes, [&](std::uint64_t combination, bool is_pair) {
    if (!seen_.contains(combination)) ++(is_pair ? count.pairs : count.triples);
  });
  return count;
}

Combinations::Count Combinations::Add(std::span<const std::uint8_t> classes) {
  Count count;
  EachCombination(classes, [&](std::uint64_t combination, bool is_pair) {
    if (seen_.insert(combination).second) ++(is_pair ? count.pairs : count.triples);
  });
  total_.pairs += count.pairs;
  total_.triples += count.triples;
  return count;
}

std::vector<std::uint8_t> ClassesOf(const CoverageKey& key) {
  std::vector<std::uint8_t> classes(1 + key.at.size());
  classes[0] = static_cast<std::uint8_t>(key.op);
  std::copy(key.at.begin(), key.at.end(), classes.begin() + 1);
  return classes;
}

std::function<NamedCase(std::uint64_t index)> Exploration(const ProfileRules& rules,
                                                          std::uint64_t seed) {
  const auto explorer = std::make_shared<Explorer>(rules, seed);
  return [explorer](std::uint64_t index) { return explorer->At(index); };
}

}  // namespace poolproof
