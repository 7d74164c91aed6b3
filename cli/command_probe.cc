// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/subject.h"
#include "cli/write_file.h"
#include "conformance/gen/acceptance_cases.h"
#include "conformance/properties/properties.h"
#include "conformance/runner/implementation.h"
#include "conformance/session/acceptance_probe.h"
#include "conformance/session/manifest_proposal.h"
#include "conformance/session/probes.h"
#include "conformance/session/session.h"
#include "core/text.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

struct ProbeArguments {
  std::string implementation;
  WorkerPlace workers;
  std::optional<std::string> write_manifest;
  std::optional<std::string> profile;
};

std::string Listed(const std::vector<std::string>& words) {
  return words.empty() ? "none" : Joined(words, " ");
}

void PrintSaid(const std::string& said, const Io& io) {
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    io.out << "it printed        " << CleanText(said.substr(at, end - at)) << "\n";
    at = end + 1;
  }
}

// Asks for plain legal calls and writes a manifest that declares which are accepted.
Result<int> WriteManifest(const ProbeArguments& arguments, const Subject& subject,
                          const Probe& probe, const JudgeContext& context,
                          const std::function<Result<std::unique_ptr<Worker>>()>& start,
                          const Io& io) {
  Result<Implementation> found = FindImplementation(arguments.implementation, arguments.workers);
  if (!found.ok()) return found.status();
  Implementation implementation = std::move(found).value();
  const Capabilities all = CapabilitiesOf(probe.operators, DeclaredCapabilities());
  std::vector<NamedCase> cases = AcceptanceCases(*context.spec, context.profile);
  std::vector<NamedCase> spread = SpreadCases(*context.spec, context.profile);
  const std::atomic<bool> stop{false};
  std::unique_ptr<Worker> worker;
  const std::vector<AcceptedCall> answers =
      ProbeAcceptance(context, &JudgeWithProperties, all, cases, spread, start, stop, worker)
          .answers;
  const auto accepted = std::count_if(answers.begin(), answers.end(), [](const AcceptedCall& call) {
    return IsAccepted(call.answer);
  });
  io.out << "accepted          " << accepted << " of " << answers.size() << " plain legal calls\n";
  for (const std::string& line : DescribeAcceptance(answers)) {
    io.out << "accepted          " << line << "\n";
  }
  if (accepted == 0) {
    return Unavailable("implementation '" + subject.identity.name +
                       "' accepts none of the plain legal calls: no manifest is written");
  }
  std::move(spread.begin(), spread.end(), std::back_inserter(cases));
  const ProposedCapabilities proposed = ProposeCapabilities(cases, answers);
  // No legal call shows what is refused: that stays as it is declared.
  const bool refuses_nothing = implementation.capabilities.refuses_nothing;
  implementation.capabilities = proposed.declared;
  implementation.capabilities.refuses_nothing = refuses_nothing;
  for (const auto& [name, value] : DescribeCapabilities(implementation.capabilities)) {
    io.out << "proposed          " << name << " " << value << "\n";
  }
  if (implementation.capabilities == DeclaredCapabilities()) {
    io.out << "proposed          nothing to declare\n";
  }
  for (const auto& [op, calls] : proposed.left_out) {
    io.out << "left out          " << InfoOf(op).name << ": each of " << calls
           << " plain legal calls was refused, of all types, ranks,\n"
              "                  formats, layouts, strides, paddings and sizes; it is not judged\n";
  }
  const std::filesystem::path path(*arguments.write_manifest);
  const Status written = WriteFileAtomically(
      *arguments.write_manifest,
      ManifestText(implementation, std::filesystem::absolute(path).parent_path()));
  if (!written.ok()) return written;
  return kExitOk;
}

Result<int> Run(const ProbeArguments& arguments, const Io& io) {
  std::optional<Profile> asked;
  if (arguments.profile) {
    const Result<Profile> profile = ParseProfileOption(*arguments.profile);
    if (!profile.ok()) return profile.status();
    asked = *profile;
  }
  if (arguments.write_manifest) {
    const Status writable = CheckWritable(*arguments.write_manifest);
    if (!writable.ok()) return writable.Annotate("--write-manifest");
  }
  const Result<Subject> subject = FindSubject(arguments.implementation, arguments.workers);
  if (!subject.ok()) return subject.status();
  const Result<std::unique_ptr<Worker>> worker =
      subject->start(asked.value_or(Profile::kAtlasA2), asked.has_value());
  if (!worker.ok()) return worker.status();
  const Probe& probe = (*worker)->probe();
  // While it was opened; each later call forgets what was printed before it.
  const std::string said = (*worker)->Said();
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
  std::int64_t strange = 0;
  for (const auto& [name, value] : ProbeArithmetic(capabilities, **worker).observed) {
    io.out << "observed          " << name << " " << value << "\n";
    if (value == "other") ++strange;
  }
  if (strange > 0) {
    io.out << "note              'other' " << strange << (strange == 1 ? " time" : " times")
           << ": these sums fit no way of adding the gradients, so they\n"
              "                  may be wrong; `poolproof run` judges that\n";
  }
  PrintSaid(said, io);
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
  if (!arguments.write_manifest) return kExitOk;
  JudgeContext context;
  context.spec = &Spec::Embedded();
  context.profile = *profile;
  const auto start = [&] { return subject->start(*profile, asked.has_value()); };
  return WriteManifest(arguments, *subject, probe, context, start, io);
}

}  // namespace

void DeclareProbe(const Command& app, Action& action) {
  const Command command =
      app.AddCommand("probe", "Show what an implementation offers, without a verdict");
  const auto arguments = std::make_shared<ProbeArguments>();
  DeclareImplementation(command, arguments->implementation);
  DeclareWorkers(command, arguments->workers);
  command.AddOption("--profile", arguments->profile, "Product family to run it as").TypeName("P");
  command
      .AddOption("--write-manifest", arguments->write_manifest,
                 "Write a manifest that declares which plain legal calls are accepted")
      .TypeName("F");
  command.SetGroup("Judge");
  command.SetFooter(
      "Examples:\n"
      "  poolproof probe --implementation ./libyours.so\n"
      "  poolproof probe --implementation ./libyours.so --write-manifest yours.json\n"
      "\n"
      "Exit status: 0 it can be judged, 2 usage, 3 it cannot.");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
