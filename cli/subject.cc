// SPDX-License-Identifier: Apache-2.0
#include "cli/subject.h"

#include "conformance/runner/implementation.h"
#include "conformance/session/process_worker.h"

namespace poolproof {

void DeclareImplementation(const Command& command, std::string& implementation) {
  command
      .AddOption("--implementation", implementation,
                 "reference, optimized, a .so (several with commas) or a manifest .json")
      .TypeName("X")
      .Required();
}

Result<Subject> FindSubject(const std::string& implementation) {
  const Result<Implementation> found = ResolveImplementation(implementation);
  if (!found.ok()) return found.status().Annotate("--implementation");
  const Result<std::string> worker_program = FindWorkerProgram();
  if (!worker_program.ok()) return Unavailable(worker_program.status().message());
  return MakeSubject(*found, *worker_program);
}

}  // namespace poolproof
