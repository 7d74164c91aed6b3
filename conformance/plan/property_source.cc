// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/property_source.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "conformance/properties/properties.h"
#include "conformance/spec/profile_rules.h"
#include "core/shape.h"

namespace poolproof {
namespace {

// Bases tried before a case is left to be discarded.
constexpr std::uint64_t kTries = 64;
// Related calls prove nothing more for being large.
constexpr std::int64_t kMaxElements = 4096;

int CountOf(CaseSet set) {
  switch (set) {
    case CaseSet::kSmoke:
      return 12;
    case CaseSet::kCi:
      return 160;
    case CaseSet::kNightly:
      break;
  }
  return 8000;
}

std::vector<const RandomFamily*> BaseFamilies() {
  std::vector<const RandomFamily*> families;
  for (const RandomFamily& family : RandomFamilies()) {
    if (family.is_base) families.push_back(&family);
  }
  return families;
}

bool IsSmall(const Case& problem) {
  return std::all_of(problem.calls.begin(), problem.calls.end(), [](const Call& call) {
    const std::vector<Role>& roles = InfoOf(call.op).tensors;
    return std::all_of(roles.begin(), roles.end(), [&](Role role) {
      return StorageElements(call.tensor(role)).value_or(kMaxElements + 1) <= kMaxElements &&
             CheckedNumel(call.tensor(role).shape).value_or(kMaxElements + 1) <= kMaxElements;
    });
  });
}

// Whether every operator that the related calls are of is covered, and some call can be a base.
bool IsCovered(const ProfileRules& rules, Relation relation) {
  if (relation != Relation::kDepthOne && relation != Relation::kAdaptiveFixed) return true;
  const std::vector<Operator> covered = rules.CoveredBackwards();
  return std::any_of(covered.begin(), covered.end(), [&](Operator op) {
    const std::optional<Operator>& other =
        relation == Relation::kDepthOne ? InfoOf(op).deeper : InfoOf(op).fixed;
    return other && rules.Covers(*other);
  });
}

NamedCase Make(const Spec& spec, Relation relation, Profile profile, std::uint64_t seed,
               std::uint64_t index) {
  NamedCase result;
  result.family = "property-" + std::string(RelationName(relation));
  result.name = std::to_string(index);
  const ProfileRules rules(spec, profile);
  const std::vector<const RandomFamily*> families = BaseFamilies();
  // Bases of their own, apart from those that the families give to the library by themselves.
  const std::uint64_t own_seed =
      seed + 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(relation);
  for (std::uint64_t attempt = 0; attempt < kTries; ++attempt) {
    const RandomFamily& family = *families[(index + attempt) % families.size()];
    const Case base = RandomCase(rules, family, own_seed, index * kTries + attempt).problem;
    result.problem = base;
    if (base.calls.size() != 1 || !IsSmall(base)) continue;
    if (relation == Relation::kIndexType && rules.IndexTypes(base.calls.front().op).size() < 2) {
      continue;
    }
    if (std::optional<Case> related = DeriveRelated(relation, base)) {
      result.problem = *std::move(related);
      return result;
    }
  }
  // Judged by itself, and discarded for the relation.
  result.problem.plan.relation = relation;
  return result;
}

}  // namespace

std::vector<RandomSource> PropertySources(const Spec& spec, Profile profile, CaseSet set,
                                          std::uint64_t seed) {
  std::vector<RandomSource> sources;
  for (const Property& property : AllProperties()) {
    const Relation relation = property.relation;
    if (!IsCovered({spec, profile}, relation)) continue;
    sources.push_back({"property-" + std::string(RelationName(relation)), CountOf(set),
                       [&spec, relation, profile, seed](std::uint64_t index) {
                         return Make(spec, relation, profile, seed, index);
                       }});
  }
  return sources;
}

}  // namespace poolproof
