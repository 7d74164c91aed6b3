// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform.h"

#include <array>
#include <cstdlib>

namespace poolproof {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// `prefix` followed by a digit: "Ascend910B" alone is a chip of another family than "Ascend910B1".
bool NumberedAfter(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix) && IsDigit(name[prefix.size()]);
}

}  // namespace

std::string_view PlatformName(Platform platform) {
  switch (platform) {
    case Platform::kAtlasA2:
      return "Atlas A2";
    case Platform::kAtlasA3:
      return "Atlas A3";
    case Platform::kAscend950:
      return "Ascend 950";
    case Platform::kAtlas200i500A2:
      return "Atlas 200I/500 A2";
    case Platform::kAtlasInference:
      return "Atlas inference series";
    case Platform::kAtlasTraining:
      return "Atlas training series";
    case Platform::kUnknown:
      break;
  }
  return "unknown";
}

Platform PlatformOf(std::string_view soc_name) {
  if (NumberedAfter(soc_name, "Ascend910B")) return Platform::kAtlasA2;
  if (soc_name.starts_with("Ascend910_93")) return Platform::kAtlasA3;
  if (soc_name.starts_with("Ascend950") || soc_name.starts_with("Ascend910_95")) {
    return Platform::kAscend950;
  }
  if (NumberedAfter(soc_name, "Ascend310B")) return Platform::kAtlas200i500A2;
  if (NumberedAfter(soc_name, "Ascend310P")) return Platform::kAtlasInference;
  constexpr std::array<std::string_view, 5> kTraining = {
      "Ascend910A", "Ascend910B", "Ascend910ProA", "Ascend910ProB", "Ascend910PremiumA"};
  for (const std::string_view name : kTraining) {
    if (soc_name == name) return Platform::kAtlasTraining;
  }
  return Platform::kUnknown;
}

bool FollowsSeeds() {
  const char* edition = std::getenv("POOLPROOF_EDITION");
  return edition != nullptr && std::string_view(edition) == "seeds";
}

std::string_view SocName() {
  const char* name = std::getenv("POOLPROOF_SOC_NAME");
  return name != nullptr && *name != '\0' ? name : "Ascend910B3";
}

}  // namespace poolproof
