// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/subject.h"
#include "conformance/session/probes.h"
#include "conformance/session/session.h"
#include "core/text.h"

namespace poolproof {
namespace {

struct ProbeArguments {
  std::string implementation;
  std::optional<std::string> profile;
};

std::string Listed(const std::vector<std::string>& words) {
  return words.empty() ? "none" : Joined(words, " ");
}

Result<int> Run(const ProbeArguments& arguments, const Io& io) {
  std::optional<Profile> asked;
  if (arguments.profile) {
    const Result<Profile> profile = ParseProfileOption(*arguments.profile);
    if (!profile.ok()) return profile.status();
    asked = *profile;
  }
  const Result<Subject> subject = FindSubject(arguments.implementation);
  if (!subject.ok()) return subject.status();
  const Result<std::unique_ptr<Worker>> worker =
      subject->start(asked.value_or(Profile::kAtlasA2), asked.has_value());
  if (!worker.ok()) return worker.status();
  const Probe& probe = (*worker)->probe();
  const Result<Profile> profile = ChooseProfile(asked, probe.soc);
  if (!profile.ok()) return profile.status();

  io.out << "implementation    " << subject->identity.name << "\n";
  for (const LibraryIdentity& library : subject->identity.libraries) {
    io.out << "library           " << library.name
           << (library.sha256.empty() ? "" : " sha256 " + library.sha256) << "\n";
  }
  for (const auto& [name, value] : subject->identity.declared) {
    io.out << "declared          " << name << " " << value << "\n";
  }
  io.out << "soc               " << (probe.soc.empty() ? "not exported" : probe.soc) << "\n"
         << "profile           " << InfoOf(*profile).name << "\n"
         << "devices           "
         << (probe.devices ? std::to_string(*probe.devices) : "not exported") << "\n"
         << "device memory     " << (probe.host_memory ? "host memory" : "not readable by the host")
         << "\n";
  for (const OperatorInfo& info : AllOperators()) {
    const bool offered = std::find(probe.operators.begin(), probe.operators.end(), info.name) !=
                         probe.operators.end();
    io.out << "operator          " << (offered ? "offered  " : "absent   ") << "aclnn" << info.name
           << "\n";
  }
  io.out << "missing symbols   " << Listed(probe.missing) << "\n"
         << "optional symbols  " << Listed(probe.optional_symbols) << "\n";
  const Capabilities capabilities = CapabilitiesOf(probe.operators, subject->declared);
  for (const auto& [name, value] : ProbeArithmetic(capabilities, **worker).observed) {
    io.out << "observed          " << name << " " << value << "\n";
  }
  if (!probe.missing.empty()) {
    return Unavailable("implementation '" + subject->identity.name +
                       "' lacks required symbols: " + Listed(probe.missing));
  }
  if (capabilities.operators.empty()) {
    return Unavailable("implementation '" + subject->identity.name + "' offers no operator");
  }
  if (probe.devices == 0U) {
    return Unavailable("implementation '" + subject->identity.name + "' has no device");
  }
  return kExitOk;
}

}  // namespace

void DeclareProbe(const Command& app, Action& action) {
  const Command command =
      app.AddCommand("probe", "Show what an implementation offers, without a verdict");
  const auto arguments = std::make_shared<ProbeArguments>();
  DeclareImplementation(command, arguments->implementation);
  command.AddOption("--profile", arguments->profile, "Product family to run it as").TypeName("P");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
