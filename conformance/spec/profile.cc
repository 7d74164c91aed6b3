// SPDX-License-Identifier: Apache-2.0
#include "conformance/spec/profile.h"

#include <array>
#include <cstddef>

namespace poolproof {
namespace {

constexpr std::array<ProfileInfo, 6> kProfiles = {{
    {Profile::kAtlasA2, "atlas-a2", "Ascend910B3", true},
    {Profile::kAtlasA3, "atlas-a3", "Ascend910_9391", true},
    {Profile::kAscend950, "ascend-950", "Ascend950PR_9599", true},
    {Profile::kAtlas200i500A2, "atlas-200i-500-a2", "Ascend310B1", false},
    {Profile::kAtlasInference, "atlas-inference", "Ascend310P3", false},
    {Profile::kAtlasTraining, "atlas-training", "Ascend910A", false},
}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::span<const ProfileInfo> AllProfiles() { return kProfiles; }

const ProfileInfo& InfoOf(Profile profile) { return kProfiles[static_cast<std::size_t>(profile)]; }

std::optional<Profile> ParseProfile(std::string_view name) {
  for (const ProfileInfo& info : kProfiles) {
    if (info.name == name) return info.profile;
  }
  return std::nullopt;
}

std::optional<Profile> ProfileOfSoc(std::string_view soc) {
  const auto after = [&](std::string_view prefix) -> std::optional<std::string_view> {
    if (!soc.starts_with(prefix)) return std::nullopt;
    return soc.substr(prefix.size());
  };
  if (const auto rest = after("Ascend910B"); rest && !rest->empty() && IsDigit(rest->front())) {
    return Profile::kAtlasA2;
  }
  if (after("Ascend910_93")) return Profile::kAtlasA3;
  if (after("Ascend910_95") || after("Ascend950")) return Profile::kAscend950;
  if (after("Ascend310B")) return Profile::kAtlas200i500A2;
  if (after("Ascend310P")) return Profile::kAtlasInference;
  for (const std::string_view name : {"Ascend910", "Ascend910A", "Ascend910B", "Ascend910ProA",
                                      "Ascend910ProB", "Ascend910PremiumA"}) {
    if (soc == name) return Profile::kAtlasTraining;
  }
  return std::nullopt;
}

}  // namespace poolproof
