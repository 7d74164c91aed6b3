// SPDX-License-Identifier: Apache-2.0
//
// From the text of --implementation to something that a session can start.
#ifndef POOLPROOF_CLI_SUBJECT_H_
#define POOLPROOF_CLI_SUBJECT_H_

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "conformance/runner/implementation.h"
#include "conformance/session/session.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

// --implementation, which has to be given.
void DeclareImplementation(const Command& command, std::string& implementation);
// Where the workers are, as the options say.
struct WorkerPlace {
  std::optional<std::string> device;   // --device
  std::optional<std::string> command;  // --worker-command
};
void DeclareWorkers(const Command& command, WorkerPlace& place);
// --device alone.
void DeclareDevice(const Command& command, std::optional<std::string>& device);
// What both name. errors: kInvalidArgument or kNotFound for a wrong name, path or number.
// Workers find the edition in their environment, where there is one.
Result<Implementation> FindImplementation(const std::string& implementation,
                                          const WorkerPlace& place = {},
                                          std::optional<Edition> edition = std::nullopt);
// The same, to be started. errors: also kUnavailable where the worker program is missing.
Result<Subject> FindSubject(const std::string& implementation, const WorkerPlace& place = {},
                            std::optional<Edition> edition = std::nullopt);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_SUBJECT_H_
