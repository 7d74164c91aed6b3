// SPDX-License-Identifier: Apache-2.0
//
// Built-in manifests: how the libraries of a CANN toolkit are named and where they lie, release by
// release, in the language of manifests (docs/implementations.md). Used by the runner.
#ifndef POOLPROOF_CONFORMANCE_CANN_MANIFESTS_H_
#define POOLPROOF_CONFORMANCE_CANN_MANIFESTS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace poolproof {

struct CannRelease {
  std::string_view name;     // of the implementation: "cann", "cann-8.5"
  std::string_view meaning;  // for people
};

// "cann", which takes what is installed, first.
const std::vector<CannRelease>& CannReleases();

// The manifest of a name of CannReleases; nullopt for any other.
std::optional<std::string> CannManifest(std::string_view name);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CANN_MANIFESTS_H_
