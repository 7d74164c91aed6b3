// SPDX-License-Identifier: Apache-2.0
#include "cli/subject.h"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
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

void DeclareWorkers(const Command& command, WorkerPlace& place) {
  DeclareDevice(command, place.device);
  command
      .AddOption(
          "--worker-command", place.command,
          "Start workers by this shell command, {worker} being the worker: ssh, docker, qemu")
      .TypeName("C");
}

namespace {

// The option, unless the message begins with the same word.
Status AnnotateImplementation(const Status& status) {
  constexpr std::string_view kWord = "implementation '";
  constexpr std::string_view kMissing = ".so': no such file";
  std::string message = status.message();
  // The loader's search path is for manifests: `run` hashes the file that it judges.
  if (message.ends_with(kMissing) && message.find('/') == std::string::npos) {
    message += "; a library that the loader finds by its name is listed in a manifest";
  }
  return message.starts_with(kWord) ? Status(status.code(), "--" + message)
                                    : Status(status.code(), "--implementation: " + message);
}

}  // namespace

Result<Implementation> FindImplementation(const std::string& implementation,
                                          const WorkerPlace& place,
                                          std::optional<Edition> edition) {
  std::vector<std::int32_t> devices;
  if (place.device) {
    Result<std::vector<std::int32_t>> parsed = ParseDevices(*place.device);
    if (!parsed.ok()) return parsed.status();
    devices = std::move(parsed).value();
  }
  if (place.command && place.command->find_first_not_of(' ') == std::string::npos) {
    return InvalidArgument(
        "--worker-command is empty; expected a command such as 'ssh board {worker}'");
  }
  std::error_code ignored;
  if (implementation.find(',') != std::string::npos &&
      std::filesystem::is_regular_file(implementation, ignored)) {
    return InvalidArgument("--implementation '" + implementation +
                           "': commas separate libraries; name a file with a comma in a manifest");
  }
  Result<Implementation> found =
      ResolveImplementation(implementation, place.command ? Place::kElsewhere : Place::kHere);
  if (!found.ok()) return AnnotateImplementation(found.status());
  if (place.device) found.value().devices = std::move(devices);
  found.value().worker_command = place.command.value_or("");
  if (edition) found.value().environment["*"]["POOLPROOF_EDITION"] = EditionName(*edition);
  return found;
}

Result<Subject> FindSubject(const std::string& implementation, const WorkerPlace& place,
                            std::optional<Edition> edition) {
  const Result<Implementation> found = FindImplementation(implementation, place, edition);
  if (!found.ok()) return found.status();
  const Result<std::string> worker_program = FindWorkerProgram();
  if (!worker_program.ok()) return Unavailable(worker_program.status().message());
  return MakeSubject(*found, *worker_program);
}

}  // namespace poolproof
