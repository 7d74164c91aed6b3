// SPDX-License-Identifier: Apache-2.0
//
// The verbs of the program: each declares its options and, where it is the one asked for, leaves
// its action behind. One file command_<verb>.cc per verb.
#ifndef POOLPROOF_CLI_COMMANDS_H_
#define POOLPROOF_CLI_COMMANDS_H_

#include <functional>

#include "cli/io.h"
#include "core/status.h"

namespace CLI {
class App;
}

namespace poolproof {

// Returns the exit status. errors: kInvalidArgument and kNotFound are usage (exit 2), the others
// faults of the harness (exit 3).
using Action = std::function<Result<int>(const Io&)>;

void DeclareRun(CLI::App& app, Action& action);
void DeclareReplay(CLI::App& app, Action& action);
void DeclareProbe(CLI::App& app, Action& action);
void DeclareList(CLI::App& app, Action& action);
void DeclareExplain(CLI::App& app, Action& action);
void DeclareExport(CLI::App& app, Action& action);
void DeclareDiff(CLI::App& app, Action& action);
void DeclareVerify(CLI::App& app, Action& action);
void DeclareFuzz(CLI::App& app, Action& action);
void DeclarePlan(CLI::App& app, Action& action);
void DeclareMerge(CLI::App& app, Action& action);
void DeclareCorpus(CLI::App& app, Action& action);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_COMMANDS_H_
