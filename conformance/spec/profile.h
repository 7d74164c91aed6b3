// SPDX-License-Identifier: Apache-2.0
//
// Product families (profiles) of the documents and the SoC names that belong to them.
#ifndef POOLPROOF_CONFORMANCE_SPEC_PROFILE_H_
#define POOLPROOF_CONFORMANCE_SPEC_PROFILE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace poolproof {

enum class Profile : std::uint8_t {
  kAtlasA2,
  kAtlasA3,
  kAscend950,
  kAtlas200i500A2,
  kAtlasInference,
  kAtlasTraining,
};

struct ProfileInfo {
  Profile profile;
  std::string_view name;         // "atlas-a2"
  std::string_view default_soc;  // a SoC name of the family, given to host libraries
  bool supported;                // some operator's page marks the family as supported
};

std::span<const ProfileInfo> AllProfiles();
const ProfileInfo& InfoOf(Profile profile);
std::optional<Profile> ParseProfile(std::string_view name);

// The family of a name that aclrtGetSocName returns; nullopt for an unknown one.
// "Ascend910B" without a digit is a first-generation part, "Ascend910_93.." is A3.
std::optional<Profile> ProfileOfSoc(std::string_view soc);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SPEC_PROFILE_H_
