// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/doctor.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/subject.h"

namespace poolproof {
namespace {

struct DoctorArguments {
  std::optional<std::string> implementation;
  std::optional<std::string> device;
  std::optional<std::string> profile;
  std::optional<std::string> json;
};

std::string Conclusion(const DoctorRequest& request, const std::vector<Check>& checks) {
  if (IsHealthy(checks)) {
    return "healthy: poolproof run --implementation " + request.implementation + "\n";
  }
  return "not healthy: fix the first PROBLEM and run doctor again; later problems often follow "
         "from it\n";
}

Result<int> Run(const DoctorArguments& arguments, const Io& io) {
  DoctorRequest request;
  if (arguments.implementation) request.implementation = *arguments.implementation;
  request.device = arguments.device;
  if (arguments.profile) {
    const Result<Profile> profile = ParseProfileOption(*arguments.profile);
    if (!profile.ok()) return profile.status();
    request.profile = *profile;
  }
  if (arguments.device) {
    const auto devices = ParseDevices(*arguments.device);
    if (!devices.ok()) return devices.status();
  }
  std::vector<Check> checks;
  const std::vector<Output> outputs = {
      {"--json", arguments.json, [&] { return DoctorJson(request, checks); }}};
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;

  Result<std::vector<Check>> examined = Examine(request);
  if (!examined.ok()) return examined.status();
  checks = std::move(examined).value();
  std::ostream& out = TakesStdout(outputs) ? io.err : io.out;
  out << DoctorText(checks, io.width) << Conclusion(request, checks);
  if (Status status = WriteOutputs(io, outputs); !status.ok()) return status;
  return IsHealthy(checks) ? kExitOk : kExitHarness;
}

}  // namespace

void DeclareDoctor(const Command& app, Action& action) {
  const Command command =
      app.AddCommand("doctor", "Check what is missing on this machine, and say how to fix it");
  const auto arguments = std::make_shared<DoctorArguments>();
  command
      .AddOption("--implementation", arguments->implementation,
                 "As for `run`; default: cann, the toolkit of this machine")
      .TypeName("X");
  DeclareDevice(command, arguments->device);
  command.AddOption("--profile", arguments->profile, "Product family to run it as").TypeName("P");
  command.AddOption("--json", arguments->json, "Write what was found as JSON; - is stdout")
      .TypeName("F");
  command.SetGroup("Judge");
  command.SetFooter(
      "Examples:\n"
      "  poolproof doctor --profile atlas-a2\n"
      "  poolproof doctor --implementation ./libyours.so\n"
      "\n"
      "Exit status: 0 no problem, 3 a problem has to be fixed.");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
