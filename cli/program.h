// SPDX-License-Identifier: Apache-2.0
//
// The program `poolproof` as a function.
#ifndef POOLPROOF_CLI_PROGRAM_H_
#define POOLPROOF_CLI_PROGRAM_H_

#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cli/io.h"

namespace poolproof {

std::string_view ToolVersion();

// The program, its verbs and their options as they are declared.
std::vector<DeclaredCommand> ProgramCommands();

// Parses io.argv, carries the verb out and returns the exit status.
int RunProgram(const Io& io);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_PROGRAM_H_
