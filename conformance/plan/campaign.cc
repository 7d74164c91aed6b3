// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/campaign.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/case/cost.h"
#include "conformance/case/materialize.h"
#include "conformance/gen/sources.h"
#include "conformance/gen/status_faults.h"
#include "conformance/plan/explore.h"
#include "conformance/plan/standard_sources.h"
#include "conformance/spec/profile_rules.h"
#include "core/random.h"

namespace poolproof {
namespace {

// Beyond it a case of a set costs more than it tells a second time.
constexpr double kMostCost = 4e6;

// A case of the random family of that name.
std::optional<Case> CaseOfFamily(std::string_view name, const ProfileRules& rules,
                                 RandomStream& random) {
  const std::vector<RandomFamily>& families = RandomFamilies();
  const auto family = std::find_if(families.begin(), families.end(),
                                   [&](const RandomFamily& one) { return one.name == name; });
  if (family == families.end()) return std::nullopt;
  return RandomCase(rules, *family, random.Next(), 0).problem;
}
// A small legal call without a view.
std::optional<Call> SmallCall(const ProfileRules& rules, RandomStream& random) {
  std::optional<Case> small = CaseOfFamily("small", rules, random);
  if (!small) return std::nullopt;
  return std::move(small->calls.front());
}

// The call with one way to breach a clause in it, or two.
std::optional<Case> FaultyCase(const ProfileRules& rules, RandomStream& random) {
  std::optional<Call> call = SmallCall(rules, random);
  if (!call) return std::nullopt;
  // Each clause as often as any other, however many ways there are to breach it.
  std::map<Condition, std::vector<Fault>> faults;
  for (Fault& fault : AllFaults(rules, call->op)) {
    faults[fault.condition].push_back(std::move(fault));
  }
  const auto draw = [&]() -> const Fault& {
    const auto clause = std::next(faults.begin(), random.Between(0, std::ssize(faults) - 1));
    return clause->second[random.Below(clause->second.size())];
  };
  const Fault& first = draw();
  first.apply(*call);
  const Fault& second = draw();
  // What an advisory clause forbids beside a required one may be answered first.
  const auto required = [&](const Fault& fault) {
    const Clause* clause = rules.Of(call->op, fault.condition);
    return clause != nullptr && clause->strength == Strength::kRequired;
  };
  const bool pair = (first.parts & second.parts) == 0 && required(first) && required(second);
  if (random.OneIn(4) && pair) second.apply(*call);
  // Index 0 lies in every plane: an implementation that carries the call out does no damage.
  call->tensor(Role::kIndices).data = {};
  Case problem;
  problem.calls.push_back(std::move(*call));
  if (!Materialize(problem).ok()) return std::nullopt;
  return problem;
}

// One index, or all, outside of the plane.
std::optional<Case> OutsideCase(const ProfileRules& rules, RandomStream& random) {
  std::optional<Call> call = SmallCall(rules, random);
  if (!call) return std::nullopt;
  TensorSpec& indices = call->tensor(Role::kIndices);
  const std::int64_t plane =
      PlaneElements(call->tensor(Role::kSelf).shape, InfoOf(call->op).spatial_rank).value_or(1);
  const std::int64_t count = CheckedNumel(indices.shape).value_or(1);
  std::vector<std::int64_t> values = {-1,
                                      -plane,
                                      plane,
                                      plane + random.Between(1, 4096),
                                      -random.Between(1, 4096),
                                      std::numeric_limits<std::int32_t>::min(),
                                      std::numeric_limits<std::int32_t>::max()};
  if (indices.type == DataType::kInt64) {
    values.insert(values.end(), {std::int64_t{1} << 32, std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max()});
  }
  const auto bits = static_cast<std::uint64_t>(values[random.Below(values.size())]);
  indices.data.patches = {{random.Between(0, count - 1), bits}};
  Case problem;
  problem.calls.push_back(std::move(*call));
  return problem;
}

// The case's first call by another plan, with a second call where that takes one.
Case WithPlan(Case problem, RandomStream& random) {
  problem.calls.resize(1);
  CallPlan& plan = problem.plan;
  const auto add_call = [&] {
    Call other = problem.calls.front();
    other.tensor(Role::kGradOutput).data.seed = random.Next() >> 32U;
    problem.calls.push_back(std::move(other));
    if (random.OneIn(2)) problem.calls.push_back(problem.calls.front());
  };
  switch (random.Below(10)) {
    case 0:
      plan.threads = static_cast<int>(random.Between(2, 4));
      plan.repeat = 2;
      break;
    case 1:
      add_call();
      plan.streams = static_cast<int>(random.Between(2, 3));
      if (random.OneIn(2)) plan.order = random.OneIn(2) ? Order::kFifo : Order::kLifo;
      break;
    case 2:
      add_call();
      plan.order = random.OneIn(2) ? Order::kFifo : Order::kLifo;
      break;
    case 3:
      add_call();
      plan.share_descriptors = true;
      break;
    case 4:
      plan.fill_late = true;
      break;
    case 5:
      plan.repeat = 4;
      plan.vary_contents = true;
      break;
    case 6:
      plan.repeat = 3;
      plan.reuse_executor = true;
      break;
    case 7:
      plan.repeat = 3;
      plan.shift_bytes = random.OneIn(2) ? 64 : 4160;
      break;
    case 8:
      plan.guard = random.OneIn(2) ? Guard::kAfter : Guard::kBefore;
      break;
    default:
      plan.deterministic = true;
      plan.repeat = 3;
      break;
  }
  return problem;
}

class Campaign {
 public:
  Campaign(const Spec& spec, Profile profile, std::uint64_t seed)
      : rules_(spec, profile),
        seed_(seed),
        smoke_(StandardSources(spec, profile, CaseSet::kSmoke, seed), std::nullopt, std::nullopt),
        explore_(Exploration(rules_, seed)) {}

  NamedCase At(std::uint64_t index) {
    const auto smoke = static_cast<std::uint64_t>(smoke_.size());
    if (index >= 2 * smoke) return Other(index - smoke);
    if (index % 2 == 0) return smoke_.At(static_cast<std::int64_t>(index / 2));
    return Other(index / 2);
  }

 private:
  NamedCase Other(std::uint64_t index) {
    RandomStream random(RandomBits(Scramble(seed_ ^ 0x63616d706169676eULL), index));  // "campaign"
    std::optional<Case> made;
    switch (random.Below(12)) {
      case 0:
        return FromSet(random);
      case 1:
        made = FaultyCase(rules_, random);
        break;
      case 2:
        made =
            random.OneIn(3) ? OutsideCase(rules_, random) : CaseOfFamily("forward", rules_, random);
        break;
      case 3: {
        NamedCase explored = explore_(index);
        if (explored.problem.plan.repeat == 1 && CostOf(explored.problem) < kMostCost / 16) {
          explored.problem = WithPlan(std::move(explored.problem), random);
        }
        return explored;
      }
      default:
        break;
    }
    if (!made) return explore_(index);
    NamedCase named;
    named.family = "explore";
    named.name = std::to_string(index);
    named.problem = std::move(*made);
    return named;
  }

  // A stratum of the fixed cases, and then a case of it.
  NamedCase FromSet(RandomStream& random) {
    std::call_once(made_, [&] {
      CaseSources sources = StandardSources(rules_.spec(), rules_.profile(), CaseSet::kCi, seed_);
      std::map<std::string, std::vector<NamedCase>> strata;
      for (NamedCase& named : sources.fixed) {
        if (CostOf(named.problem) > kMostCost) continue;
        std::string stratum = sources.order_of(named).stratum;
        strata[std::move(stratum)].push_back(std::move(named));
      }
      for (auto& entry : strata) strata_.push_back(std::move(entry.second));
    });
    const std::vector<NamedCase>& stratum = strata_[random.Below(strata_.size())];
    return stratum[random.Below(stratum.size())];
  }

  const ProfileRules rules_;
  const std::uint64_t seed_;
  const TestPlan smoke_;
  const std::function<NamedCase(std::uint64_t)> explore_;
  std::once_flag made_;
  std::vector<std::vector<NamedCase>> strata_;
};

}  // namespace

std::function<NamedCase(std::uint64_t index)> CampaignCases(const Spec& spec, Profile profile,
                                                            std::uint64_t seed) {
  const auto campaign = std::make_shared<Campaign>(spec, profile, seed);
  return [campaign](std::uint64_t index) { return campaign->At(index); };
}

}  // namespace poolproof
