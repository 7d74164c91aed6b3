// SPDX-License-Identifier: Apache-2.0
#include "cli/waiver_options.h"

#include <utility>

#include "cli/options.h"

namespace poolproof {

void DeclareWaiverOptions(const Command& command, WaiverArguments& arguments) {
  command
      .AddOption("--waivers", arguments.waivers,
                 "Failures that do not change the exit status, docs/waivers.md")
      .TypeName("F");
  command
      .AddOption("--today", arguments.today,
                 "The date by which waivers expire; default: that of the run, UTC")
      .TypeName("DATE");
}

Result<GivenWaivers> ReadWaivers(const WaiverArguments& arguments) {
  GivenWaivers given;
  if (arguments.today) {
    if (!IsDate(*arguments.today)) {
      return InvalidArgument("--today: '" + *arguments.today +
                             "' is not a date such as 2026-12-31");
    }
    given.today = *arguments.today;
  }
  if (!arguments.waivers) return given;
  const Result<std::string> text = ReadFile("--waivers", *arguments.waivers);
  if (!text.ok()) return text.status();
  Result<std::vector<Waiver>> waivers = ParseWaivers(*text, Spec::Embedded());
  if (!waivers.ok()) return waivers.status().Annotate("--waivers: " + *arguments.waivers);
  given.waivers = std::move(waivers).value();
  return given;
}

}  // namespace poolproof
