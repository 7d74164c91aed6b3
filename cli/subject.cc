// SPDX-License-Identifier: Apache-2.0
#include "cli/subject.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "conformance/session/process_worker.h"

namespace poolproof {

void DeclareImplementation(const Command& command, std::string& implementation) {
  command
      .AddOption("--implementation", implementation,
                 "reference, optimized, cann, a .so (several with commas) or a manifest .json")
      .TypeName("X")
      .Required();
}

void DeclareDevice(const Command& command, std::optional<std::string>& device) {
  command
      .AddOption("--device", device, "Devices to use, by number; default: the manifest's, else 0")
      .TypeName("N[,M]");
}

Result<Implementation> FindImplementation(const std::string& implementation,
                                          const std::optional<std::string>& device) {
  std::vector<std::int32_t> devices;
  if (device) {
    Result<std::vector<std::int32_t>> parsed = ParseDevices(*device);
    if (!parsed.ok()) return parsed.status();
    devices = std::move(parsed).value();
  }
  Result<Implementation> found = ResolveImplementation(implementation);
  if (!found.ok()) return found.status().Annotate("--implementation");
  if (device) found.value().devices = std::move(devices);
  return found;
}

Result<Subject> FindSubject(const std::string& implementation,
                            const std::optional<std::string>& device) {
  const Result<Implementation> found = FindImplementation(implementation, device);
  if (!found.ok()) return found.status();
  const Result<std::string> worker_program = FindWorkerProgram();
  if (!worker_program.ok()) return Unavailable(worker_program.status().message());
  return MakeSubject(*found, *worker_program);
}

}  // namespace poolproof
