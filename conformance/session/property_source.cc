// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/property_source.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/properties/properties.h"
#include "core/shape.h"

namespace poolproof {
namespace {

// Bases tried before a case is left to be discarded.
constexpr std::uint64_t kTries = 64;
// Related calls prove nothing more for being large.
constexpr std::int64_t kMaxElements = 4096;
// Families of legal single calls, with overlap, views and special values.
constexpr std::array<std::string_view, 4> kBaseFamilies = {"small", "sums", "layout", "special"};

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

std::vector<const RandomFamily*> BaseFamilies(Relation relation) {
  std::vector<const RandomFamily*> families;
  for (const RandomFamily& family : RandomFamilies()) {
    const bool wanted =
        std::find(kBaseFamilies.begin(), kBaseFamilies.end(), family.name) != kBaseFamilies.end();
    if (relation == Relation::kViewCopy ? family.name == "layout" : wanted) {
      families.push_back(&family);
    }
  }
  return families;
}

bool IsSmall(const Case& problem) {
  return std::all_of(problem.calls.begin(), problem.calls.end(), [](const Call& call) {
    const std::span<const Role> roles = InfoOf(call.op).tensors;
    return std::all_of(roles.begin(), roles.end(), [&](Role role) {
      return StorageElements(call.tensor(role)).value_or(kMaxElements + 1) <= kMaxElements &&
             CheckedNumel(call.tensor(role).shape).value_or(kMaxElements + 1) <= kMaxElements;
    });
  });
}

// The pages of the three-dimensional adaptive operator are those of the two-dimensional one's
// products.
bool IsCovered(const Spec& spec, Profile profile, Relation relation) {
  if (relation != Relation::kDepthOne && relation != Relation::kAdaptiveFixed) return true;
  const Clause* clause = spec.Find("AMP3-B01");
  return clause != nullptr && clause->AppliesTo(profile);
}

// INT64 indices are for some operators, on some products.
bool MayRetypeIndices(const Spec& spec, Profile profile, const Call& call) {
  const Clause* clause = spec.Find(std::string(InfoOf(call.op).clause_prefix) + "-B24");
  return clause != nullptr && clause->AppliesTo(profile);
}

NamedCase Make(const Spec& spec, Relation relation, Profile profile, std::uint64_t seed,
               std::uint64_t index) {
  NamedCase result;
  result.family = "property-" + std::string(RelationName(relation));
  result.name = std::to_string(index);
  const std::vector<const RandomFamily*> families = BaseFamilies(relation);
  // Bases of their own, apart from those that the families put to the library by themselves.
  const std::uint64_t own_seed =
      seed + 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(relation);
  for (std::uint64_t attempt = 0; attempt < kTries; ++attempt) {
    const RandomFamily& family = *families[(index + attempt) % families.size()];
    const Case base = RandomCase(profile, family, own_seed, index * kTries + attempt).problem;
    result.problem = base;
    if (base.calls.size() != 1 || !IsSmall(base)) continue;
    if (relation == Relation::kIndexType && !MayRetypeIndices(spec, profile, base.calls.front())) {
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
    if (!IsCovered(spec, profile, relation) || BaseFamilies(relation).empty()) continue;
    sources.push_back({"property-" + std::string(RelationName(relation)), CountOf(set),
                       [&spec, relation, profile, seed](std::uint64_t index) {
                         return Make(spec, relation, profile, seed, index);
                       }});
  }
  return sources;
}

}  // namespace poolproof
