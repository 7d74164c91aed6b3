// SPDX-License-Identifier: Apache-2.0
#include "cli/color_option.h"

#include <array>
#include <string_view>

#include "cli/options.h"

namespace poolproof {

void DeclareColor(const Command& command, std::optional<std::string>& when) {
  command
      .AddOption("--color", when,
                 "auto (default: on a terminal, unless NO_COLOR is set), always or never")
      .TypeName("WHEN");
}

Result<bool> ChooseColor(const std::optional<std::string>& when, bool by_itself) {
  static constexpr std::array<std::string_view, 3> kWords = {"auto", "always", "never"};
  if (!when || *when == "auto") return by_itself;
  if (*when == "always") return true;
  if (*when == "never") return false;
  return InvalidArgument("--color: unknown word '" + *when + "'; expected " + JoinNames(kWords) +
                         DidYouMean(*when, kWords));
}

}  // namespace poolproof
