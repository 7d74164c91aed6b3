// SPDX-License-Identifier: Apache-2.0
//
// The verbs of the program: each declares its options and, where it is the one asked for, leaves
// its action behind. One file command_<verb>.cc per verb.
#ifndef POOLPROOF_CLI_COMMANDS_H_
#define POOLPROOF_CLI_COMMANDS_H_

#include <functional>

#include "cli/command_line.h"
#include "cli/io.h"
#include "core/status.h"

namespace poolproof {

// Returns the exit status. errors: kInvalidArgument and kNotFound are usage (exit 2), the others
// faults of the harness (exit 3).
using Action = std::function<Result<int>(const Io&)>;

void DeclareRun(const Command& app, Action& action);
void DeclareReplay(const Command& app, Action& action);
void DeclareBench(const Command& app, Action& action);
void DeclareProbe(const Command& app, Action& action);
void DeclareList(const Command& app, Action& action);
void DeclareExplain(const Command& app, Action& action);
void DeclareExport(const Command& app, Action& action);
void DeclareDiff(const Command& app, Action& action);
void DeclareVerify(const Command& app, Action& action);
void DeclareFuzz(const Command& app, Action& action);
void DeclarePlan(const Command& app, Action& action);
void DeclareMerge(const Command& app, Action& action);
void DeclareDoctor(const Command& app, Action& action);
void DeclareMatrix(const Command& app, Action& action);
void DeclareWaivers(const Command& app, Action& action);
void DeclareCompletion(const Command& app, Action& action);
void DeclareMan(const Command& app, Action& action);
void DeclareCorpus(const Command& app, Action& action);
void DeclareEmit(const Command& app, Action& action);
void DeclareAdapter(const Command& app, Action& action);
void DeclareImport(const Command& app, Action& action);
void DeclareJudge(const Command& app, Action& action);

// All of them.
void DeclareVerbs(const Command& app, Action& action);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_COMMANDS_H_
