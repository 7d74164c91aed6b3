// SPDX-License-Identifier: Apache-2.0
//
// Which chip the host libraries pretend to be, and which editions of the pages they follow. Used by
// validation and by aclrtGetSocName.
#ifndef POOLPROOF_RUNTIME_PLATFORM_H_
#define POOLPROOF_RUNTIME_PLATFORM_H_

#include <string_view>

namespace poolproof {

enum class Platform {
  kAtlasA2,
  kAtlasA3,
  kAscend950,
  kAtlas200i500A2,
  kAtlasInference,
  kAtlasTraining,
  kUnknown,
};

// "Atlas A2", ...
std::string_view PlatformName(Platform platform);

// The product family of a SoC name such as "Ascend910B3"; kUnknown for any other text.
Platform PlatformOf(std::string_view soc_name);

// POOLPROOF_SOC_NAME, else "Ascend910B3". Read at every call; lives until the variable changes.
std::string_view SocName();

// Whether POOLPROOF_EDITION asks for the five source documents as they are printed, rather than for
// the newest page of each operator. Read at every call.
bool FollowsSeeds();

inline Platform CurrentPlatform() { return PlatformOf(SocName()); }

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_PLATFORM_H_
