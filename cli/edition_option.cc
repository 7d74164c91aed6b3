// SPDX-License-Identifier: Apache-2.0
#include "cli/edition_option.h"

#include <array>
#include <string_view>

#include "cli/options.h"

namespace poolproof {

void DeclareEdition(const Command& command, std::optional<std::string>& edition) {
  command
      .AddOption("--edition", edition,
                 "What the pages say: newest, or seeds, the five source documents; default newest")
      .TypeName("E");
}

Result<Edition> ChooseEdition(const std::optional<std::string>& edition) {
  if (!edition) return Edition::kNewest;
  if (const std::optional<Edition> parsed = ParseEdition(*edition)) return *parsed;
  constexpr std::array<std::string_view, kEditionCount> kNames = {"newest", "seeds"};
  return InvalidArgument("--edition: '" + *edition + "' is not an edition; expected " +
                         JoinNames(kNames) + DidYouMean(*edition, kNames));
}

}  // namespace poolproof
